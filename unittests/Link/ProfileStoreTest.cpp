//===- ProfileStoreTest.cpp - Profiles on disk ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/ProfileStore.h"
#include "OS/TestFiles.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <sys/stat.h>

using namespace headstart;
using headstart::os::test::TestDirectory;
using testing::HasSubstr;

namespace {

class ProfileStoreTest : public testing::Test {
protected:
  static LinkProfile someProfile(std::string Output) {
    LinkProfile P;
    P.Tool = "lld-link";
    P.Output = std::move(Output);
    P.Files = {{"a.obj", {8192, 3}, {{0, 4096}}, {}}};
    return P;
  }
  static std::string problemOf(const std::string &Path) {
    auto P = loadProfile(Path);
    return P ? "" : llvm::toString(P.takeError());
  }

  /// Sets when \p Path was last read and written.
  static void setTimes(const std::string &Path, std::chrono::hours ReadAgo,
                       std::chrono::hours WrittenAgo) {
    llvm::Expected<llvm::sys::fs::file_t> File =
        llvm::sys::fs::openNativeFileForWrite(
            Path, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None);
    ASSERT_TRUE(bool(File));
    const auto Now = std::chrono::system_clock::now();
    EXPECT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(
        *File, Now - ReadAgo, Now - WrittenAgo));
    (void)llvm::sys::fs::closeFile(*File);
  }

  TestDirectory Directory;
};

constexpr std::chrono::hours Month(31 * 24);

TEST_F(ProfileStoreTest, EachOutputAndToolHasOwnFile) {
  std::string A = profilePath("auto", "lld-link", "out/a.exe");
  if (A.empty())
    GTEST_SKIP() << "needs XDG_CACHE_HOME or HOME";
  EXPECT_EQ(A, profilePath("auto", "lld-link", "./out/x/../a.exe"));
  EXPECT_EQ(
      A, profilePath("auto", "lld-link",
                     (std::filesystem::current_path() / "out/a.exe").string()));
  EXPECT_NE(A, profilePath("auto", "lld-link", "out/b.exe"));
  EXPECT_NE(A, profilePath("auto", "ld.lld", "out/a.exe"));
  EXPECT_THAT(A, HasSubstr(profileDirectory()));
}

TEST_F(ProfileStoreTest, AcceptsNoneAndUserFile) {
  EXPECT_EQ(profilePath("none", "lld-link", "a.exe"), "");
  EXPECT_EQ(profilePath("auto", "lld-link", ""), "");
  EXPECT_EQ(profilePath("my.profile", "lld-link", "a.exe"), "my.profile");
}

TEST_F(ProfileStoreTest, UserDirectoryHasFilePerOutput) {
  std::string A = profilePath("records/", "lld-link", "a.exe");
  EXPECT_TRUE(llvm::StringRef(A).starts_with("records/llvmcache-")) << A;
  EXPECT_EQ(A, profilePath("records/", "lld-link", "./x/../a.exe"));
  EXPECT_NE(A, profilePath("records/", "lld-link", "b.exe"));
  EXPECT_NE(A, profilePath("records/", "ld.lld", "a.exe"));
}

TEST_F(ProfileStoreTest, RoundTripsAndReplaces) {
  std::string Path = Directory.path("new/directory/p");
  auto Nothing = loadProfile(Path);
  ASSERT_TRUE(bool(Nothing));
  EXPECT_EQ(*Nothing, nullptr);
  ASSERT_FALSE(bool(saveProfile(Path, someProfile("one"))));
  ASSERT_FALSE(bool(saveProfile(Path, someProfile("two"))));
  auto P = loadProfile(Path);
  ASSERT_TRUE(bool(P)) << llvm::toString(P.takeError());
  EXPECT_EQ((*P)->Output, "two");
  // No file remains except the profile.
  unsigned Files = 0;
  for (const auto &E :
       std::filesystem::directory_iterator(Directory.path("new/directory")))
    Files += E.is_regular_file();
  EXPECT_EQ(Files, 1U);
}

TEST_F(ProfileStoreTest, ErrorNamesInvalidProfile) {
  std::string Text = Directory.write("text", "not a profile");
  EXPECT_THAT(problemOf(Text), HasSubstr(Text));
  EXPECT_THAT(problemOf(Directory.write("empty", "")),
              HasSubstr("not a profile"));
  EXPECT_THAT(problemOf(Directory.path()), HasSubstr("directory"));
  std::string Fifo = Directory.path("fifo");
  ASSERT_EQ(mkfifo(Fifo.c_str(), 0600), 0);
  EXPECT_THAT(problemOf(Fifo), HasSubstr(Fifo));
}

TEST_F(ProfileStoreTest, ReplacesOnlyProfiles) {
  EXPECT_TRUE(mayReplaceProfile(Directory.path("nowhere")));
  EXPECT_TRUE(mayReplaceProfile(Directory.write("empty", "")));
  EXPECT_TRUE(
      mayReplaceProfile(Directory.write("old", "headstart profile 0\nx")));
  EXPECT_FALSE(mayReplaceProfile(Directory.write("main.cpp", "int main();")));
  EXPECT_FALSE(mayReplaceProfile(Directory.write("short", "head")));
  EXPECT_FALSE(mayReplaceProfile(Directory.path()));
  EXPECT_THAT(llvm::toString(saveProfile(Directory.write("text", "mine"),
                                         someProfile("x"))),
              HasSubstr("is not a profile, so Headstart does not replace it"));
}

TEST_F(ProfileStoreTest, RefusesHugeFile) {
  std::string Huge = Directory.write("huge", "x");
  std::filesystem::resize_file(Huge, MaxProfileBytes + 1);
  EXPECT_THAT(problemOf(Huge), HasSubstr("larger than any profile"));
}

TEST_F(ProfileStoreTest, ReportsDirectoryThatCannotBeCreated) {
  std::string File = Directory.write("file", "");
  llvm::Error E = saveProfile(File + "/p", someProfile("x"));
  EXPECT_THAT(llvm::toString(std::move(E)), HasSubstr(File + "/p"));
}

TEST_F(ProfileStoreTest, PruningRemovesOnlyUnusedProfiles) {
  ASSERT_FALSE(
      bool(saveProfile(Directory.path("llvmcache-1"), someProfile("a"))));
  std::string Unused = Directory.write("llvmcache-2", "x");
  std::string Foreign = Directory.write("notes.txt", "mine");
  for (const std::string &Old : {Unused, Foreign})
    setTimes(Old, Month, Month);
  pruneProfiles(Directory.path());
  EXPECT_TRUE(std::filesystem::exists(Directory.path("llvmcache-1")));
  EXPECT_FALSE(std::filesystem::exists(Unused));
  EXPECT_TRUE(std::filesystem::exists(Foreign));
  pruneProfiles(Directory.path("nowhere"));
  pruneProfiles("");
}

TEST_F(ProfileStoreTest, IgnoresTemporaryFiles) {
  const std::string Now = Directory.write("llvmcache-1.tmpabcdef", "x");
  const std::string Old = Directory.write("llvmcache-2.tmpabcdef", "x");
  setTimes(Old, std::chrono::hours(25), std::chrono::hours(25));
  EXPECT_TRUE(storedProfiles(Directory.path()).empty());
  pruneProfiles(Directory.path());
  EXPECT_TRUE(std::filesystem::exists(Now)); // a link may be writing it
  EXPECT_FALSE(std::filesystem::exists(Old));
}

TEST_F(ProfileStoreTest, PruningKeepsRecentlyUsedProfiles) {
  const std::string Read = Directory.write("llvmcache-read", "x");
  const std::string Written = Directory.write("llvmcache-written", "x");
  setTimes(Read, std::chrono::hours(0), Month);
  setTimes(Written, Month, std::chrono::hours(0)); // as with noatime
  pruneProfiles(Directory.path());
  EXPECT_TRUE(std::filesystem::exists(Read));
  EXPECT_TRUE(std::filesystem::exists(Written));
}

TEST_F(ProfileStoreTest, RenewsUsedProfileOncePerDay) {
  const std::string Used = Directory.write("llvmcache-used", "x");
  const std::string Today = Directory.write("llvmcache-today", "x");
  setTimes(Used, Month, Month);
  setTimes(Today, std::chrono::hours(1), std::chrono::hours(1));
  const auto Before = std::filesystem::last_write_time(Today);
  renewProfile(Used);
  renewProfile(Today);
  renewProfile(Directory.path("missing"));
  EXPECT_FALSE(std::filesystem::exists(Directory.path("missing")));
  EXPECT_EQ(std::filesystem::last_write_time(Today), Before);
  EXPECT_GT(std::filesystem::last_write_time(Used), Before);
  pruneProfiles(Directory.path());
  EXPECT_TRUE(std::filesystem::exists(Used));
}

TEST_F(ProfileStoreTest, PruningKeepsTenThousandProfiles) {
  for (int I = 0; I != 10003; ++I)
    Directory.write("llvmcache-" + std::to_string(I), "");
  pruneProfiles(Directory.path());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Directory.path()),
                          std::filesystem::directory_iterator()),
            10000);
}

TEST_F(ProfileStoreTest, ListsOnlyProfiles) {
  EXPECT_TRUE(storedProfiles("").empty());
  EXPECT_TRUE(storedProfiles(Directory.path("missing")).empty());
  const std::string B = Directory.write("llvmcache-b", "");
  const std::string A = Directory.write("llvmcache-a", "");
  Directory.write("links-7/1", "");
  EXPECT_THAT(storedProfiles(Directory.path()), testing::ElementsAre(A, B));
}

TEST_F(ProfileStoreTest, CanKeepProfilesMatchesSaving) {
  EXPECT_TRUE(canKeepProfiles(Directory.path()));
  for (const char *Name :
       {"headstart", "100%", "cache/headstart", "home/cache/headstart"}) {
    const std::string Place = Directory.path(Name);
    const bool Can = canKeepProfiles(Place);
    EXPECT_EQ(Can, std::string(Name) != "home/cache/headstart");
    EXPECT_FALSE(std::filesystem::exists(Place));
    llvm::Error E = saveProfile(Place + "/p", someProfile("one"));
    EXPECT_EQ(!E, Can) << Name;
    llvm::consumeError(std::move(E));
  }
  EXPECT_FALSE(canKeepProfiles(Directory.write("file", "") + "/headstart"));
  EXPECT_FALSE(canKeepProfiles(""));
}

} // namespace
