//===- LinuxDirectoryTraitsTest.cpp - Linux file systems ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/DirectoryTraits.h"

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

DirectoryTraits traitsOfPath(const std::string &Path) {
  DirectoryHandle Directory;
  const std::error_code Error = DirectoryHandle::open(Path, Directory);
  EXPECT_FALSE(Error) << Path << ": " << Error.message();
  return traitsOf(Directory);
}

TEST(LinuxDirectoryTraitsTest, PseudoFileSystemsGuaranteeNothing) {
  for (const char *Path : {"/proc", "/proc/self", "/proc/self/fd", "/sys"}) {
    const DirectoryTraits Traits = traitsOfPath(Path);
    EXPECT_FALSE(Traits.ReportsChanges) << Path;
    EXPECT_FALSE(Traits.ReportsEveryChange) << Path;
    EXPECT_TRUE(Traits.MayIgnoreCase) << Path;
  }
}

TEST(LinuxDirectoryTraitsTest, ClosedHandleGuaranteesNothing) {
  EXPECT_FALSE(traitsOf(DirectoryHandle()).ReportsChanges);
}

TEST(LinuxDirectoryTraitsTest, EveryChangeUpdatesChangeTime) {
  const TestDirectory Directory;
  DirectoryHandle Handle;
  ASSERT_FALSE(DirectoryHandle::open(Directory.path(), Handle));
  const DirectoryTraits Traits = traitsOf(Handle);
  if (!Traits.ReportsEveryChange)
    GTEST_SKIP() << "the file system may report two changes with one time";
  for (int I = 0; I < 300; ++I) {
    FileIdentity Before;
    FileIdentity After;
    ASSERT_FALSE(Handle.identity(Before));
    Directory.write("file" + std::to_string(I), "");
    ASSERT_FALSE(Handle.identity(After));
    ASSERT_NE(Before.ChangedNs, After.ChangedNs) << I;
  }
}

TEST(LinuxDirectoryTraitsTest, LookupIsCaseSensitive) {
  const TestDirectory Directory;
  Directory.write("name", "");
  if (traitsOfPath(Directory.path()).MayIgnoreCase)
    GTEST_SKIP() << "the file system may ignore case";
  EXPECT_EQ(statOf(Directory.path("NAME")).Kind, FileKind::Missing);
}

} // namespace
