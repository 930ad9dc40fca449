//===- ProgramPagesTest.cpp - The program itself as an input --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OS/TestFiles.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <thread>

using namespace headstart;
using headstart::os::test::mapOrFail;
using headstart::os::test::openOrFail;
using headstart::os::test::pattern;
using headstart::os::test::TestDirectory;

namespace {

class ProgramPagesTest : public testing::Test {
protected:
  TestDirectory Directory;
  std::string Program = Directory.write("program", pattern(4 << 20));
  std::string Record = Directory.path("record");

  /// Writes a record according to which the second MiB was touched.
  void record() {
    LinkProfile P;
    P.Files = {{Program,
                openOrFail(Program).identity().version(),
                {{1 << 20, 1 << 20}},
                {}}};
    ASSERT_FALSE(llvm::errorToBool(saveProfile(Record, P)));
  }
  void evict() {
    os::OpenFile File = openOrFail(Program);
    ASSERT_FALSE(os::PageCache().evict(File));
  }
  void expectNoRequest() {
    evict();
    os::OpenFile File = openOrFail(Program);
    os::MappedFile Mapping = mapOrFail(File);
    const std::span<const char> All(Mapping.data(), Mapping.size());
    ProgramPages Pages("test", Program, Record, {{All, 0}});
    Pages.request();
    const std::string Problem = toString(Pages.keep()); // waits for the request
    EXPECT_TRUE(Problem.empty() ||
                llvm::StringRef(Problem).ends_with("does not replace it"))
        << Problem;
    EXPECT_FALSE(
        os::PageCache().residency(File, {1 << 20, 1 << 20})->complete());
  }
};

TEST_F(ProgramPagesTest, RequestsTouchedPages) {
  record();
  evict();
  os::OpenFile File = openOrFail(Program);
  os::MappedFile Mapping = mapOrFail(File);
  // Like a program's, these parts have neither the file's begin nor its end.
  const std::span<const char> All(Mapping.data(), Mapping.size());
  const std::vector<os::ProgramPart> Parts = {
      {All.subspan(1 << 16, 1 << 20), 1 << 16},
      {All.subspan(3 << 19, 1 << 20), 3 << 19}};
  ProgramPages Pages("test", Program, Record, Parts);
  Pages.request();
  os::PageCache Cache;
  for (ByteRange Range : {ByteRange{1 << 20, 1 << 16}, {3 << 19, 1 << 19}})
    while (!Cache.residency(File, Range)->complete())
      std::this_thread::yield();
  for (ByteRange Range : {ByteRange{0, 1 << 20},
                          {(1 << 20) + (1 << 16), (1 << 19) - (1 << 16)},
                          {2 << 20, 2 << 20}})
    EXPECT_FALSE(Cache.residency(File, Range)->complete());
}

TEST_F(ProgramPagesTest, IgnoresRecordOfAnotherBuild) {
  record();
  std::filesystem::remove(Program);
  Directory.write("program", pattern(5 << 20));
  expectNoRequest();
}

TEST_F(ProgramPagesTest, IgnoresInvalidRecord) {
  for (const char *Text : {"", "headstart profile 7\n", "something else"}) {
    Directory.write("record", Text);
    expectNoRequest();
  }
}

TEST_F(ProgramPagesTest, RecordsThisProgramOnce) {
  std::string Self = std::filesystem::read_symlink("/proc/self/exe").string();
  ProgramPages First("test", Self, Record);
  First.request();
  ASSERT_FALSE(llvm::errorToBool(First.keep()));
  auto Kept = loadProfile(Record);
  ASSERT_TRUE(static_cast<bool>(Kept) && *Kept);
  ASSERT_EQ((*Kept)->Files.size(), 1U);
  EXPECT_EQ((*Kept)->Files[0].Path, Self);
  EXPECT_GT((*Kept)->touchedBytes(), 4096U);
  EXPECT_LT((*Kept)->touchedBytes(), std::filesystem::file_size(Self));

  auto Written = std::filesystem::last_write_time(Record);
  ProgramPages Second("test", Self, Record);
  Second.request();
  ASSERT_FALSE(llvm::errorToBool(Second.keep()));
  EXPECT_EQ(std::filesystem::last_write_time(Record), Written);
}

TEST_F(ProgramPagesTest, DoesNotOverwriteOtherFile) {
  Directory.write("record", "mine");
  std::string Self = std::filesystem::read_symlink("/proc/self/exe").string();
  ProgramPages Pages("test", Self, Record);
  Pages.request();
  EXPECT_TRUE(llvm::errorToBool(Pages.keep()));
  EXPECT_EQ(std::filesystem::file_size(Record), 4U);
}

TEST_F(ProgramPagesTest, AcceptsMissingRecordPath) {
  ProgramPages Pages("test", Program, "");
  Pages.request();
  EXPECT_FALSE(llvm::errorToBool(Pages.keep()));
}

} // namespace
