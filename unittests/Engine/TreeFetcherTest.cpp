//===- TreeFetcherTest.cpp - Tests of fetching whole files ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/TreeFetcher.h"
#include "EngineTestSupport.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <filesystem>
#include <mutex>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace headstart;
using namespace headstart::test;
namespace fs = std::filesystem;

namespace {

/// Collects the reported problems.
class Problems {
public:
  TreeFetcher::ProblemSink sink() {
    return [this](const std::string &Path, std::error_code Error) {
      std::lock_guard Lock(Mutex);
      All.push_back(fs::path(Path).filename().string() + ": " +
                    Error.message());
    };
  }
  std::vector<std::string> All;

private:
  std::mutex Mutex;
};

std::vector<FileToFetch> toFetch(const std::vector<std::string> &Paths) {
  std::vector<FileToFetch> Files;
  for (const std::string &Path : Paths) {
    std::error_code Error;
    uint64_t Size = fs::is_regular_file(Path, Error)
                        ? fs::file_size(Path, Error)
                        : uint64_t(0);
    Files.push_back({Path, Size});
  }
  return Files;
}

TreeFetchFigures fetchAll(const std::vector<std::string> &Paths,
                          const TreeFetchOptions &Options,
                          Problems *Reported = nullptr) {
  TreeFetcher Fetcher(Options,
                      Reported ? Reported->sink() : TreeFetcher::ProblemSink());
  Fetcher.start();
  for (const FileToFetch &File : toFetch(Paths))
    Fetcher.add({File});
  Fetcher.finish();
  Fetcher.join();
  return Fetcher.figures();
}

/// Fetches evicted files until all are cached, because a system may evict
/// single pages again. Returns the figures of the first time.
TreeFetchFigures fetchUntilThere(const std::vector<std::string> &Paths,
                                 const TreeFetchOptions &Options) {
  evict(Paths);
  TreeFetchFigures First = fetchAll(Paths, Options);
  for (int Try = 0; Try != 20 && !llvm::all_of(Paths, isResident); ++Try)
    fetchAll(Paths, Options);
  for (const std::string &Path : Paths)
    EXPECT_TRUE(isResident(Path)) << Path;
  return First;
}

TEST(TreeFetcherTest, FetchesFiles) {
  const TestDirectory Directory;
  const std::vector<std::string> Paths = writeFiles(Directory, 20, 300'001);
  for (unsigned Jobs : {1U, 4U}) {
    const TreeFetchFigures F = fetchUntilThere(Paths, {.Jobs = Jobs});
    EXPECT_EQ(F.Files, 20U);
    EXPECT_EQ(F.Bytes, 20U * 300'001);
    EXPECT_EQ(F.DoneBytes, F.Bytes);
    EXPECT_EQ(F.FetchedFiles, 20U);
    EXPECT_EQ(F.FetchedBytes, F.Bytes);
    EXPECT_EQ(F.ResidentBytes, 0U);
    EXPECT_EQ(F.LeftOutFiles + F.SkippedFiles + F.ChangedFiles + F.FailedFiles,
              0U);
  }
}

TEST(TreeFetcherTest, FetchesLargeFilesInSteps) {
  const TestDirectory Directory;
  const std::vector<std::string> Paths = writeFiles(Directory, 2, 3'000'001);
  const TreeFetchFigures F =
      fetchUntilThere(Paths, {.Jobs = 2, .StepBytes = 65'536});
  EXPECT_EQ(F.FetchedBytes, F.Bytes);
  EXPECT_EQ(F.DoneBytes, F.Bytes);
  EXPECT_EQ(F.FetchedFiles, 2U);
}

TEST(TreeFetcherTest, CachedFilesUseNoBudget) {
  const TestDirectory Directory;
  const std::vector<std::string> Paths = writeFiles(Directory, 8, 100'000);
  fetchUntilThere(Paths, {});
  TreeFetchFigures F;
  for (int Try = 0; Try != 20 && F.ResidentFiles != 8; ++Try) {
    fetchAll(Paths, {}); // fetches evicted pages again
    F = fetchAll(Paths, {.BudgetBytes = 0});
  }
  EXPECT_EQ(F.ResidentFiles, 8U);
  EXPECT_EQ(F.ResidentBytes, 800'000U);
  EXPECT_EQ(F.FetchedBytes, 0U);
  EXPECT_EQ(F.LeftOutFiles, 0U);
  EXPECT_EQ(F.DoneBytes, 800'000U);
}

TEST(TreeFetcherTest, StaysWithinBudgetAndCountsRest) {
  const TestDirectory Directory;
  const std::vector<std::string> Paths = writeFiles(Directory, 10, 100'000);
  evict(Paths);
  const TreeFetchFigures F = fetchAll(Paths, {.BudgetBytes = 350'000});
  EXPECT_EQ(F.FetchedFiles, 3U);
  EXPECT_EQ(F.FetchedBytes, 300'000U);
  EXPECT_EQ(F.LeftOutFiles, 7U);
  EXPECT_EQ(F.LeftOutBytes, 700'000U);
  EXPECT_EQ(F.DoneBytes, 1'000'000U);
  EXPECT_EQ(F.fetchedBytes(), 300'000U);
  EXPECT_EQ(F.leftBytes(), 0U);
  // A file is fetched completely or not at all.
  size_t Untouched = 0;
  for (const std::string &Path : Paths) {
    os::OpenFile File = openOrFail(Path);
    Untouched +=
        os::PageCache().residency(File, {0, File.size()})->ResidentPages == 0;
  }
  EXPECT_GE(Untouched, 7U);
}

TEST(TreeFetcherTest, SmallerFileStillFits) {
  const TestDirectory Directory;
  std::vector<std::string> Paths = {Directory.write("big", pattern(500'000)),
                                    Directory.write("small", pattern(50'000))};
  evict(Paths);
  const TreeFetchFigures F =
      fetchAll(Paths, {.Jobs = 1, .BudgetBytes = 100'000});
  EXPECT_EQ(F.FetchedBytes, 50'000U);
  EXPECT_EQ(F.LeftOutFiles, 1U);
}

TEST(TreeFetcherTest, ReturnsUnusedBudget) {
  // This file has the size of a page, but a read returns less.
  const std::string Short = "/sys/devices/system/cpu/online";
  std::error_code Error;
  const uint64_t Size = os::statFile(Short, Error).Identity.Size;
  if (Error || Size < 4096)
    GTEST_SKIP() << Short << " is smaller than a page";
  const TestDirectory Directory;
  const std::string Path = Directory.write("f", pattern(Size));
  evict({Path});
  Problems Reported;
  const TreeFetchFigures F = fetchAll(
      {Short, Path}, {.Jobs = 1, .BudgetBytes = 2 * Size - 1}, &Reported);
  EXPECT_EQ(F.FailedFiles, 1U);
  EXPECT_EQ(F.LeftOutFiles, 0U);
  EXPECT_GE(F.FetchedBytes, Size);
  EXPECT_LT(F.FetchedBytes, 2 * Size);
}

TEST(TreeFetcherTest, FetchesHardLinksOnce) {
  const TestDirectory Directory;
  std::vector<std::string> Paths = writeFiles(Directory, 2, 300'000);
  evict(Paths);
  for (int I = 0; I != 20; ++I) {
    Paths.push_back(Directory.path("name" + std::to_string(I)));
    fs::create_hard_link(Paths.front(), Paths.back());
  }
  const TreeFetchFigures F =
      fetchAll(Paths, {.Jobs = 4, .BudgetBytes = 600'000});
  EXPECT_EQ(F.FetchedFiles, 2U);
  EXPECT_EQ(F.FetchedBytes, 600'000U);
  EXPECT_EQ(F.ResidentBytes, 0U);
  EXPECT_EQ(F.SameFiles, 20U);
  EXPECT_EQ(F.LeftOutFiles, 0U);
  EXPECT_EQ(F.DoneBytes, F.Bytes);
}

TEST(TreeFetcherTest, LeftBytesRespectBudget) {
  TreeFetchFigures F;
  F.Bytes = 1000;
  EXPECT_EQ(F.leftBytes(), 1000U);
  F.BudgetBytes = 400;
  EXPECT_EQ(F.leftBytes(), 400U);
  F.DoneBytes = 700;
  F.FetchedBytes = 300;
  F.LeftOutBytes = 350;
  EXPECT_EQ(F.leftBytes(), 100U);
  EXPECT_EQ(F.fetchedBytes(), 350U);
  F.DoneBytes = 950;
  EXPECT_EQ(F.leftBytes(), 50U);
  F.FetchedBytes = 410; // some pages were fetched twice
  EXPECT_EQ(F.leftBytes(), 0U);
}

TEST(TreeFetcherTest, SkipsSpecialFilesWithoutOpening) {
  const TestDirectory Directory;
  const std::string Fifo = Directory.path("fifo");
  ASSERT_EQ(::mkfifo(Fifo.c_str(), 0600), 0);
  const std::string Socket = Directory.path("s");
  const int Descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(Descriptor, 0);
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  if (Socket.size() < sizeof(Address.sun_path)) {
    Socket.copy(Address.sun_path, Socket.size());
    ASSERT_EQ(::bind(Descriptor, reinterpret_cast<sockaddr *>(&Address),
                     sizeof(Address)),
              0);
  } else {
    fs::create_directory(Socket);
  }
  Problems Reported;
  const TreeFetchFigures F =
      fetchAll({Fifo, Socket, "/dev/null", Directory.path()}, {}, &Reported);
  ::close(Descriptor);
  EXPECT_EQ(F.SkippedFiles, 4U);
  EXPECT_TRUE(Reported.All.empty());
}

TEST(TreeFetcherTest, AcceptsRemovedAndShrunkFiles) {
  const TestDirectory Directory;
  const std::string Removed = Directory.path("gone");
  const std::string Less = Directory.write("less", pattern(1000));
  TreeFetcher Fetcher({}, {});
  Fetcher.start();
  Fetcher.add({{Removed, 5000}, {Less, 1'000'000}});
  Fetcher.finish();
  Fetcher.join();
  const TreeFetchFigures F = Fetcher.figures();
  EXPECT_EQ(F.ChangedFiles, 1U);
  EXPECT_EQ(F.FailedFiles, 0U);
  EXPECT_EQ(F.DoneBytes, F.Bytes);
}

TEST(TreeFetcherTest, ReportsProblems) {
  const TestDirectory Directory;
  fs::create_symlink("loop", Directory.path("loop"));
  Problems Reported;
  const TreeFetchFigures F = fetchAll({Directory.path("loop")}, {}, &Reported);
  EXPECT_EQ(F.FailedFiles, 1U);
  ASSERT_EQ(Reported.All.size(), 1U);
  EXPECT_EQ(Reported.All.front().find("loop: "), 0U);
}

TEST(TreeFetcherTest, AcceptsFileThatChangesDuringFetch) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("f", pattern(4'000'000));
  std::atomic<bool> Over = false;
  std::thread Changer([&] {
    for (unsigned I = 0; !Over; ++I) {
      std::error_code Ignored;
      fs::resize_file(Path, I % 2 ? 4'000'000 : 10, Ignored);
    }
  });
  for (int Round = 0; Round != 30; ++Round) {
    const TreeFetchFigures F =
        fetchAll({Path, Path, Path, Path}, {.StepBytes = 65'536});
    EXPECT_EQ(F.Files, 4U);
    EXPECT_EQ(F.DoneBytes, F.Bytes);
  }
  Over = true;
  Changer.join();
}

TEST(TreeFetcherTest, CancelEndsFetching) {
  const TestDirectory Directory;
  const std::vector<std::string> Paths = writeFiles(Directory, 50, 200'000);
  evict(Paths);
  TreeFetcher Fetcher({.Jobs = 2, .StepBytes = 4096}, {});
  Fetcher.start();
  Fetcher.add(toFetch(Paths));
  Fetcher.cancel(); // without finish
  Fetcher.join();
  EXPECT_LT(Fetcher.figures().FetchedBytes, 50U * 200'000);
  Fetcher.add(toFetch(Paths)); // does not block
  // Fetchers that were never used or that wait for more files end as well.
  const TreeFetcher Unused({}, {});
  TreeFetcher Idle({}, {});
  Idle.start();
}

TEST(TreeFetcherTest, CancelWakesWaitingThread) {
  TreeFetcher Fetcher({.Jobs = 1}, {});
  Fetcher.start();
  std::thread Adder([&] {
    for (int I = 0; I != 400; ++I)
      Fetcher.add(std::vector<FileToFetch>(1000, FileToFetch{"/none", 1}));
  });
  Fetcher.cancel();
  Adder.join();
  Fetcher.join();
  EXPECT_EQ(Fetcher.figures().Files, 400'000U);
}

TEST(TreeFetcherTest, FetchesAllOfManyQueuedFiles) {
  TreeFetcher Fetcher({.Jobs = 4}, {});
  Fetcher.start();
  // More groups than may wait at a time.
  for (int I = 0; I != 300; ++I)
    Fetcher.add(std::vector<FileToFetch>(1000, FileToFetch{"/none", 1}));
  Fetcher.finish();
  Fetcher.join();
  EXPECT_EQ(Fetcher.figures().ChangedFiles, 300'000U);
  EXPECT_EQ(Fetcher.figures().DoneBytes, 300'000U);
}

} // namespace
