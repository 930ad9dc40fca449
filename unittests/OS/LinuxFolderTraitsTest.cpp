//===- LinuxFolderTraitsTest.cpp - What Linux's file systems promise ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/FolderTraits.h"

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

FolderTraits traitsOfPath(const std::string &Path) {
  DirectoryHandle Folder;
  const std::error_code Error = DirectoryHandle::open(Path, Folder);
  EXPECT_FALSE(Error) << Path << ": " << Error.message();
  return traitsOf(Folder);
}

TEST(LinuxFolderTraitsTest, whatTheKernelMakesUpPromisesNothing) {
  for (const char *Path : {"/proc", "/proc/self", "/proc/self/fd", "/sys"}) {
    const FolderTraits Traits = traitsOfPath(Path);
    EXPECT_FALSE(Traits.TellsChanges) << Path;
    EXPECT_FALSE(Traits.TellsEveryChange) << Path;
    EXPECT_TRUE(Traits.MayIgnoreCase) << Path;
    EXPECT_FALSE(Traits.ListsStatus) << Path;
  }
}

TEST(LinuxFolderTraitsTest, aClosedFolderPromisesNothing) {
  EXPECT_FALSE(traitsOf(DirectoryHandle()).TellsChanges);
}

TEST(LinuxFolderTraitsTest, whatIsPromisedIsTrue) {
  const TestFolder Folder;
  DirectoryHandle Handle;
  ASSERT_FALSE(DirectoryHandle::open(Folder.path(), Handle));
  const FolderTraits Traits = traitsOf(Handle);
  if (!Traits.TellsEveryChange)
    GTEST_SKIP() << "this system does not promise that every change shows";
  for (int I = 0; I < 300; ++I) {
    FileIdentity Before;
    FileIdentity After;
    ASSERT_FALSE(Handle.identity(Before));
    Folder.write("file" + std::to_string(I), "");
    ASSERT_FALSE(Handle.identity(After));
    ASSERT_NE(Before.ChangedNs, After.ChangedNs) << I;
  }
}

TEST(LinuxFolderTraitsTest, caseMatters) {
  const TestFolder Folder;
  Folder.write("name", "");
  if (traitsOfPath(Folder.path()).MayIgnoreCase)
    GTEST_SKIP() << "not promised here";
  std::error_code Error;
  EXPECT_EQ(lookAt(Folder.path("NAME"), Error).Kind, FileKind::Missing);
}

} // namespace
