//===- BulkStatusTest.cpp - Changes of many files -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/BulkStatus.h"
#include "../OS/TestFiles.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <atomic>
#include <functional>
#include <map>
#include <sys/stat.h>

using namespace headstart;
using os::test::TestDirectory;
using testing::ElementsAre;
namespace fs = std::filesystem;

namespace {

constexpr auto Same = FileChange::Same;
constexpr auto Changed = FileChange::Changed;
constexpr auto Missing = FileChange::Missing;
constexpr auto Unknown = FileChange::Unknown;

os::FileIdentity identityOf(const std::string &Path) {
  std::error_code Error;
  os::FileStatus Status = os::statFile(Path, Error);
  EXPECT_NE(Status.Kind, os::FileKind::Missing) << Path;
  return Status.Identity;
}

/// Many files of one directory, enough for it to be opened, and as many
/// directories with one file each. The nth file changes equally in both.
class BulkStatusTest : public testing::TestWithParam<bool> {
protected:
  static constexpr size_t Count = 40;

  BulkStatusTest() {
    for (size_t I = 0; I != Count; ++I) {
      std::string Number = std::to_string(I);
      add("many/f" + Number);
      add("few" + Number + "/f");
    }
  }
  void add(const std::string &Name) {
    Paths.push_back(Directory.write(Name, "content"));
    Identities.push_back(identityOf(Paths.back()));
  }
  std::vector<FileChange> compare(unsigned Jobs = 1) {
    std::vector<KnownFile> Files;
    for (size_t I = 0; I != Paths.size(); ++I)
      Files.push_back({Paths[I], Identities[I]});
    BulkOptions Options;
    Options.Jobs = Jobs;
    Options.Snapshot.Entry = Listed;
    Options.Snapshot.WithStatus = GetParam() && !Listed;
    if (GetParam())
      Options.Snapshot.Traits = [this](const os::DirectoryHandle &Directory) {
        ++Requested;
        os::DirectoryTraits Traits = os::traitsOf(Directory);
        Traits.ListsStatus = true;
        return Traits;
      };
    return compareFiles(Files, Options);
  }

  TestDirectory Directory;
  /// Changes each entry that is listed.
  std::function<void(os::DirectoryEntry &)> Listed;
  std::vector<std::string> Paths;
  std::vector<os::FileIdentity> Identities;
  std::atomic<unsigned> Requested{0};
};

TEST_P(BulkStatusTest, everyFileIsTheSameAtFirst) {
  for (unsigned Jobs : {0U, 1U, 4U, 100U})
    EXPECT_THAT(compare(Jobs), testing::Each(Same)) << Jobs;
  EXPECT_EQ(compare().size(), 2 * Count);
  EXPECT_THAT(compareFiles({}), ElementsAre());
  if (GetParam()) {
    EXPECT_GT(Requested, 0U);
  }
}

TEST_P(BulkStatusTest, tellsWhatHasBecomeOfEach) {
  std::vector<FileChange> Expected(Paths.size(), Same);
  for (size_t Kind : {0, 1}) {
    auto Path = [&](size_t I) { return Paths[2 * I + Kind]; };
    auto Expect = [&](size_t I, FileChange C) { Expected[2 * I + Kind] = C; };
    std::ofstream(Path(3), std::ios::app) << "more";
    Expect(3, Changed);
    fs::remove(Path(5));
    Expect(5, Missing);
    // Another file of the same size and time.
    auto Time = fs::last_write_time(Path(7));
    fs::rename(Path(7), Path(7) + ".old");
    std::ofstream(Path(7)) << "content";
    fs::last_write_time(Path(7), Time);
    Expect(7, Changed);
    fs::remove(Path(9));
    fs::create_directory(Path(9));
    Expect(9, Changed);
    fs::remove(Path(11));
    ASSERT_EQ(::mkfifo(Path(11).c_str(), 0600), 0);
    Expect(11, Changed);
    // A link leads to the same file.
    fs::rename(Path(13), Path(13) + ".old");
    fs::create_symlink(Path(13) + ".old", Path(13));
    Expect(13, Changed); // the rename changed its ctime
    Identities[2 * 13 + Kind] = identityOf(Path(13));
    Expect(13, Same);
    fs::remove(Path(15));
    fs::create_symlink("nowhere", Path(15));
    Expect(15, Missing);
    fs::remove(Path(17));
    fs::create_symlink(Path(17), Path(17));
    Expect(17, Unknown);
  }
  for (unsigned Jobs : {1U, 3U})
    EXPECT_EQ(compare(Jobs), Expected) << Jobs;
}

TEST_P(BulkStatusTest, aHintThatAFileIsTheSameIsNotBelieved) {
  std::map<std::string, os::FileIdentity> Known;
  for (size_t I = 0; I != Paths.size(); I += 2)
    Known[fs::path(Paths[I]).filename().string()] = Identities[I];
  std::atomic<unsigned> Lies{0};
  Listed = [&](os::DirectoryEntry &Entry) {
    Entry.Type = os::EntryType::Regular;
    Entry.Identity = Known.at(std::string(Entry.Name));
    Entry.HasStatus = true;
    Entry.StatusIsHint = true;
    ++Lies;
  };
  std::ofstream(Paths[6], std::ios::app) << "more";
  std::vector<FileChange> Expected(Paths.size(), Same);
  Expected[6] = Changed;
  EXPECT_EQ(compare(), Expected);
  if (GetParam()) {
    EXPECT_EQ(Lies, Count);
  }
}

TEST_P(BulkStatusTest, directoriesMayBeGone) {
  fs::remove_all(Directory.path("many"));
  std::vector<FileChange> Changes = compare();
  for (size_t I = 0; I != Changes.size(); ++I)
    EXPECT_EQ(Changes[I], I % 2 == 0 ? Missing : Same) << Paths[I];
  // A file replaces the directory.
  Directory.write("many", "");
  EXPECT_EQ(compare(), Changes);
}

TEST_P(BulkStatusTest, pathsAreTakenAsTheyAre) {
  std::string Dots = Directory.path("many/sub/..");
  fs::create_directories(Directory.path("many/sub"));
  Paths.push_back(Dots);
  Identities.push_back(identityOf(Dots));
  Paths.push_back(Directory.path("many/sub/."));
  Identities.push_back(identityOf(Directory.path("many/sub")));
  Paths.push_back(Directory.path("many/sub") + "/");
  Identities.push_back(Identities.back());
  Paths.push_back(Directory.path("many") + "//f0");
  Identities.push_back(identityOf(Directory.path("many/f0")));
  Paths.push_back(Directory.path("many/f0") + "/");
  Identities.push_back(Identities.back());
  Paths.push_back(Directory.path("many/") + std::string(300, 'x'));
  Identities.emplace_back();
  Paths.push_back(Directory.path("many/f0") + std::string("\0", 1));
  Identities.push_back(identityOf(Directory.path("many/f0")));
  Paths.emplace_back("");
  Identities.emplace_back();
  std::vector<FileChange> Changes = compare();
  Changes.erase(Changes.begin(), Changes.begin() + 2 * Count);
  EXPECT_THAT(Changes, ElementsAre(Same, Same, Same, Same, Missing, Unknown,
                                   Unknown, Missing));
}

INSTANTIATE_TEST_SUITE_P(ByListing, BulkStatusTest, testing::Bool());

TEST(BulkStatusNamesTest, areWords) {
  EXPECT_EQ(changeName(Same), "same");
  EXPECT_EQ(changeName(Changed), "changed");
  EXPECT_EQ(changeName(Missing), "missing");
  EXPECT_EQ(changeName(Unknown), "unknown");
}

} // namespace
