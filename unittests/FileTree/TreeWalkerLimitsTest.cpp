//===- TreeWalkerLimitsTest.cpp - Deep, wide, changing trees ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Deep, wide, changing and unreadable trees, which a walk must handle with
// bounded memory and descriptors.
//
//===----------------------------------------------------------------------===//

#include "../OS/CountAllocations.h"
#include "../OS/PosixTestSupport.h"
#include "WalkTestSupport.h"
#include "headstart/OS/Threads.h"
#include "gmock/gmock.h"
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace headstart;
using namespace headstart::test;
using os::test::Allocations;
using os::test::CountsAllocations;
using testing::IsEmpty;

namespace fs = std::filesystem;

namespace {

/// A directory in which a million files are made and removed in seconds.
const char *memoryDirectory() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nullptr;
}

/// Removes trees that std::filesystem cannot.
void removeTree(const std::string &Path) {
  EXPECT_EQ(os::test::exitStatus(os::test::startChild([&] {
              ::execlp("rm", "rm", "-rf", Path.c_str(), nullptr);
              return 1;
            })),
            0);
}

/// Makes \p Count files in \p Directory as hard links to one, which is cheap.
void makeFiles(const std::string &Directory, unsigned Count) {
  int FD = ::open(Directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(FD, 0);
  int File = ::openat(FD, "0", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  ASSERT_GE(File, 0);
  ::close(File);
  for (unsigned I = 1; I < Count; ++I)
    ASSERT_EQ(::linkat(FD, "0", FD, std::to_string(I).c_str(), 0), 0) << I;
  ::close(FD);
}

/// Limits this process's descriptors until the object is destroyed.
class DescriptorLimit {
public:
  explicit DescriptorLimit(rlim_t Count) {
    ::getrlimit(RLIMIT_NOFILE, &Before);
    rlimit Now = {Count, Before.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &Now), 0);
  }
  DescriptorLimit(const DescriptorLimit &) = delete;
  DescriptorLimit &operator=(const DescriptorLimit &) = delete;
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &Before); }

private:
  rlimit Before = {};
};

/// The number of allocations of a walk of \p Root by one thread, with status.
uint64_t allocationsOf(const std::string &Root) {
  WalkOptions Options;
  Options.Jobs = 1;
  Options.WithStatus = true;
  Counter Seen;
  uint64_t Before = Allocations;
  walk(Root, Seen, Options);
  return Allocations - Before;
}

TEST(TreeWalkerLimitsTest, AllocatesNothingPerEntry) {
  if (!CountsAllocations)
    GTEST_SKIP() << "allocations are not counted under a sanitizer";
  TestDirectory Tree;
  fs::create_directory(Tree.path("few"));
  fs::create_directory(Tree.path("many"));
  makeFiles(Tree.path("few"), 100);
  makeFiles(Tree.path("many"), 10000);
  uint64_t Few = allocationsOf(Tree.path("few"));
  EXPECT_GT(Few, 0U); // otherwise nothing is counted
  EXPECT_EQ(allocationsOf(Tree.path("many")), Few);
}

TEST(TreeWalkerLimitsTest, WalksPathsLongerThanPathMax) {
  constexpr unsigned Levels = 1000;
  TestDirectory Tree;
  int At = ::open(Tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(At, 0);
  for (unsigned I = 0; I != Levels; ++I) {
    ASSERT_EQ(::mkdirat(At, "level", 0755), 0) << I;
    ASSERT_EQ(::mkdirat(At, "side", 0755), 0) << I;
    int Next = ::openat(At, "level", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_GE(Next, 0);
    ::close(At);
    At = Next;
  }
  ::close(At);
  for (unsigned Jobs : {1U, 0U}) {
    for (rlim_t Open : {64, 1024}) {
      SCOPED_TRACE(Jobs);
      SCOPED_TRACE(Open);
      DescriptorLimit Limit(Open);
      WalkOptions Options;
      Options.Jobs = Jobs;
      Counter Seen;
      walk(Tree.path(), Seen, Options);
      EXPECT_EQ(Seen.Shown, 2 * Levels);
      EXPECT_EQ(Seen.Problems, 0U);
    }
  }
  removeTree(Tree.path());
}

TEST(TreeWalkerLimitsTest, WalksWithFewDescriptors) {
  TestDirectory Tree;
  for (unsigned I = 0; I != 30; ++I) {
    std::string Path = "t" + std::to_string(I);
    for (unsigned J = 0; J != 60; ++J)
      Path += "/d" + std::to_string(J);
    Tree.write(Path + "/file", "");
    Tree.write("t" + std::to_string(I) + "/d0/d1/x/file", "");
  }
  for (unsigned Jobs : {0U, 1U, 64U}) {
    SCOPED_TRACE(Jobs);
    DescriptorLimit Limit(64);
    WalkOptions Options;
    Options.Jobs = Jobs;
    Recorder Seen;
    walk(Tree.path(), Seen, Options);
    EXPECT_EQ(Seen.Seen.size(), 30U * (1 + 60 + 1 + 2));
    EXPECT_FALSE(Seen.sawDuplicates());
    EXPECT_THAT(Seen.Problems, IsEmpty());
  }
}

TEST(TreeWalkerLimitsTest, WaitsForDescriptorsInUseElsewhere) {
  TestDirectory Tree;
  for (unsigned I = 0; I != 50; ++I)
    Tree.write("a" + std::to_string(I) + "/b/c", "");
  DescriptorLimit Limit(64);
  std::vector<int> Held;
  for (int FD; (FD = ::dup(0)) >= 0;)
    Held.push_back(FD);
  ASSERT_GT(Held.size(), 8U);
  // Enough for one thread, but fewer than the walker plans for.
  for (unsigned I = 0; I != 6; ++I) {
    ::close(Held.back());
    Held.pop_back();
  }
  WalkOptions Options;
  Options.Jobs = 4;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  for (int FD : Held)
    ::close(FD);
  EXPECT_THAT(Seen.Problems, IsEmpty());
  EXPECT_EQ(Seen.Seen.size(), 150U);
}

TEST(TreeWalkerLimitsTest, WalksAMillionEntriesInOneDirectory) {
  if (!memoryDirectory())
    GTEST_SKIP() << "needs a writable /dev/shm";
  TestDirectory Tree(memoryDirectory());
  constexpr unsigned Count = 1000000;
  makeFiles(Tree.path(), Count);
  WalkOptions Options;
  Options.Jobs = 4;
  Counter Seen;
  uint64_t Before = Allocations;
  walk(Tree.path(), Seen, Options);
  EXPECT_EQ(Seen.Shown, Count);
  // The number of allocations did not grow with the number of entries.
  EXPECT_LT(Allocations - Before, 1000U);
  // The digits of the names "0" to "999999".
  EXPECT_EQ(Seen.NameBytes,
            10U * 1 + 90 * 2 + 900 * 3 + 9000 * 4 + 90000 * 5 + 900000 * 6);
}

TEST(TreeWalkerLimitsTest, AddsNoThreadsForCachedTree) {
  if (!memoryDirectory())
    GTEST_SKIP() << "needs a writable /dev/shm";
  // A visitor that waits, as for a full pipe: this is not the disk's latency.
  class Sleeper : public Counter {
  public:
    void visit(const WalkDirectory &Directory,
               llvm::ArrayRef<os::DirectoryEntry> Entries,
               Prune &Pruned) override {
      Counter::visit(Directory, Entries, Pruned);
      for (unsigned Now = MaxThread; Now < Directory.thread();)
        MaxThread.compare_exchange_weak(Now, Directory.thread());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    std::atomic<unsigned> MaxThread = 0;
  };
  TestDirectory Tree(memoryDirectory());
  for (unsigned I = 0; I != 60; ++I) {
    fs::create_directory(Tree.path(std::to_string(I)));
    makeFiles(Tree.path(std::to_string(I)), 600);
  }
  Sleeper Seen;
  walk(Tree.path(), Seen);
  EXPECT_LT(Seen.MaxThread, os::usableProcessors());
}

TEST(TreeWalkerLimitsTest, ShowsStableEntriesOnceDespiteChanges) {
  TestDirectory Tree;
  std::set<std::string> Stays;
  for (unsigned I = 0; I != 20; ++I)
    for (unsigned J = 0; J != 50; ++J) {
      std::string Name = "d" + std::to_string(I) + "/stay" + std::to_string(J);
      Tree.write(Name, "");
      Stays.insert(Name);
      Stays.insert(Name.substr(0, Name.find('/')));
    }
  std::atomic<bool> Over = false;
  std::atomic<unsigned> Rounds = 0;
  std::thread Mover([&] {
    std::error_code Ignored;
    for (unsigned I = 0; !Over; ++I, ++Rounds) {
      std::string Directory = Tree.path("d" + std::to_string(I % 20));
      std::string New = Directory + "/new" + std::to_string(I % 97);
      fs::create_directories(New + "/deep/er", Ignored);
      std::ofstream File(Directory + "/come" + std::to_string(I % 89));
      fs::rename(New, Tree.path("moved" + std::to_string(I % 7)), Ignored);
      fs::remove_all(Tree.path("moved" + std::to_string(I % 5)), Ignored);
      fs::remove(Directory + "/come" + std::to_string(I % 83), Ignored);
    }
  });
  WalkOptions Options;
  Options.WithStatus = true;
  for (unsigned I = 0; (I < 60 || Rounds < 50) && !HasFailure(); ++I) {
    Options.Jobs = I % 5;
    Recorder Seen;
    walk(Tree.path(), Seen, Options);
    EXPECT_THAT(Seen.Problems, IsEmpty());
    for (const std::string &Path : Stays)
      EXPECT_EQ(Seen.Seen[Path], 1U) << Path;
  }
  Over = true;
  Mover.join();
}

TEST(TreeWalkerLimitsTest, ReportsUnreadableDirectories) {
  TestDirectory Tree;
  Tree.write("open/file", "");
  Tree.write("closed/file", "");
  fs::permissions(Tree.path("closed"), fs::perms::none);
  EXPECT_EQ(os::test::runUnprivileged([&] {
              Recorder Seen;
              walk(Tree.path(), Seen);
              return Seen.Problems.size() == 1 &&
                             Seen.Problems[0].starts_with(Tree.path("closed") +
                                                          ": ") &&
                             Seen.paths() == std::set<std::string>{"open",
                                                                   "open/file",
                                                                   "closed"}
                         ? 0
                         : 1;
            }),
            0);
  fs::permissions(Tree.path("closed"), fs::perms::owner_all);
}

TEST(TreeWalkerLimitsTest, DoesNotOpenSpecialFiles) {
  TestDirectory Tree;
  ASSERT_EQ(::mkfifo(Tree.path("fifo").c_str(), 0644), 0);
  int Socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  int FD = ::open(Tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // The path of a socket must be short.
  std::string Short = "/proc/self/fd/" + std::to_string(FD) + "/socket";
  Short.copy(Address.sun_path, sizeof(Address.sun_path) - 1);
  ASSERT_EQ(
      ::bind(Socket, reinterpret_cast<sockaddr *>(&Address), sizeof(Address)),
      0);
  WalkOptions Options;
  Options.WithStatus = true;
  Options.FollowLinks = true;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  ::close(Socket);
  ::close(FD);
  EXPECT_EQ(Seen.Types["fifo"], os::EntryType::Fifo);
  EXPECT_EQ(Seen.Types["socket"], os::EntryType::Socket);
  EXPECT_TRUE(Seen.Problems.empty());
}

/// Whether the only problem is that \p Path contains itself. (The analyzer
/// reports leaks in gmock's matchers after a fork.)
bool isLeftOut(const Recorder &Seen, const std::string &Path) {
  return Seen.Problems.size() == 1 &&
         Seen.Problems[0].find(Path + ": skipped") != std::string::npos;
}

TEST(TreeWalkerLimitsTest, WalksMounts) {
  TestDirectory Tree;
  Tree.write("a/b/file", "");
  fs::create_directory(Tree.path("a/b/loop"));
  fs::create_directory(Tree.path("a/memory"));
  Tree.write("other/x", "");
  fs::create_directory(Tree.path("a/bound"));
  // A child process, so that its mounts end with it.
  int Status = os::test::exitStatus(os::test::startChild([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return 77;
    if (::mount(Tree.path("a").c_str(), Tree.path("a/b/loop").c_str(), nullptr,
                MS_BIND, nullptr) != 0 ||
        ::mount(Tree.path("other").c_str(), Tree.path("a/bound").c_str(),
                nullptr, MS_BIND, nullptr) != 0 ||
        ::mount("none", Tree.path("a/memory").c_str(), "tmpfs", 0, nullptr) !=
            0)
      return 77;
    std::ofstream File(Tree.path("a/memory/there"));
    Recorder Seen;
    walk(Tree.path("a"), Seen);
    const std::set<std::string> Expected = {
        "b", "b/file", "b/loop", "memory", "memory/there", "bound", "bound/x",
    };
    EXPECT_EQ(Seen.paths(), Expected);
    EXPECT_TRUE(isLeftOut(Seen, "b/loop"));

    WalkOptions Same;
    Same.SameFileSystem = true;
    Recorder Near;
    walk(Tree.path("a"), Near, Same);
    EXPECT_FALSE(Near.paths().count("memory/there"));
    EXPECT_TRUE(Near.paths().count("memory"));
    EXPECT_TRUE(Near.paths().count("bound/x"));

    // The walk begins below the mounted directory, which contains its root.
    Recorder Below;
    walk(Tree.path("a/b"), Below);
    const std::set<std::string> Once = {
        "file", "loop", "loop/b", "loop/bound", "loop/memory",
    };
    EXPECT_EQ(Below.paths(), Once);
    EXPECT_TRUE(isLeftOut(Below, "loop/b"));
    return testing::Test::HasFailure() ? 1 : 0;
  }));
  if (Status == 77)
    GTEST_SKIP() << "needs permission to mount";
  EXPECT_EQ(Status, 0);
}

} // namespace
