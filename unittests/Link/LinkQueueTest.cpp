//===- LinkQueueTest.cpp - Links that do not fit into memory together -----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Locks only work between processes, so another link is another process.
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkQueue.h"
#include "OS/LinuxTestSupport.h"
#include "OS/PosixTestSupport.h"
#include "OS/TestFiles.h"
#include "headstart/OS/ProcessActivity.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace headstart;
using headstart::os::test::TestDirectory;
using Answer = LinkQueue::Answer;

namespace fs = std::filesystem;

namespace {

/// The whole memory; only one link of this test can have it.
constexpr uint64_t Memory = 400;

/// A process that runs \p Work. The destructor kills it if it still runs.
class Child {
public:
  template <typename Function>
  explicit Child(Function Work) : Process(os::test::startChild(Work)) {}
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child() { kill(); }

  void kill() {
    if (Process <= 0)
      return;
    ::kill(Process, SIGKILL);
    (void)wait();
  }
  pid_t id() const { return Process; }
  /// Returns the exit status.
  int wait() { return os::test::exitStatus(std::exchange(Process, -1)); }

private:
  pid_t Process;
};

/// A link in another process that runs until it is killed.
class OtherLink : public Child {
public:
  explicit OtherLink(const std::string &Directory)
      : Child([&] {
          LinkQueue Queue(Directory, Memory);
          (void)Queue.poll(Memory, Memory);
          for (;;)
            pause();
          return 0;
        }) {
    while (!fs::exists(Directory + "/1-400-run"))
      std::this_thread::yield();
  }
};

/// Runs as a user who may open only what the test's user allows, because root
/// may open every file.
class AsOrdinaryUser {
public:
  AsOrdinaryUser() {
    constexpr uid_t Unprivileged = 65534;
    if (geteuid() == 0)
      EXPECT_EQ(seteuid(Unprivileged), 0);
  }
  ~AsOrdinaryUser() { EXPECT_EQ(seteuid(getuid()), 0); }
};

class LinkQueueTest : public testing::Test {
protected:
  void SetUp() override { fs::permissions(Cache.path(), fs::perms::all); }

  /// Writes the file of another link in the queue.
  std::string write(const char *Name, fs::perms Mode) const {
    std::string File = Cache.write(std::string("links-1/") + Name, "");
    fs::permissions(Directory, fs::perms::all);
    fs::permissions(File, Mode);
    return File;
  }
  static void makeOld(const std::string &Path) {
    fs::last_write_time(Path, fs::file_time_type::clock::now() -
                                  std::chrono::hours(25));
  }
  /// The answer to a link that leaves the queue at once.
  Answer answer() const {
    return LinkQueue(Directory, Memory).poll(Memory, Memory);
  }
  std::vector<std::string> left() const {
    std::vector<std::string> Names;
    for (const auto &Entry : fs::directory_iterator(Cache.path()))
      Names.push_back(Entry.path().filename().string());
    std::sort(Names.begin(), Names.end());
    return Names;
  }

  TestDirectory Cache;
  std::string Directory = Cache.path("links-1");
};

using Names = std::vector<std::string>;

constexpr auto ReadOnly =
    fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;

TEST_F(LinkQueueTest, EachMemoryAndSizeHasOwnQueue) {
  const std::string One = queueDirectory("/cache", "one", std::nullopt);
  EXPECT_EQ(One, queueDirectory("/cache", "one", std::nullopt));
  EXPECT_EQ(One.find("/cache/links-"), 0U);
  EXPECT_NE(One, queueDirectory("/cache", "two", std::nullopt));
  EXPECT_NE(One, queueDirectory("/cache", "one", 7));
  EXPECT_NE(queueDirectory("/cache", "one", 8),
            queueDirectory("/cache", "one", 7));
}

TEST_F(LinkQueueTest, WaitsUntilOtherLinkEnds) {
  OtherLink Other(Directory);
  LinkQueue Queue(Directory, Memory);
  EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Wait);
  Other.kill();
  EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Begin);
}

TEST_F(LinkQueueTest, SkipsEndedLinkWithReadOnlyFile) {
  for (const char *Name : {"7-400-wait", "7-400-run"}) {
    const std::string Left = write(Name, ReadOnly);
    AsOrdinaryUser User;
    LinkQueue Queue(Directory, Memory);
    EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Begin);
    EXPECT_FALSE(fs::exists(Left));
  }
}

TEST_F(LinkQueueTest, WaitsForRunningLinkWithReadOnlyFile) {
  write("lock", fs::perms::all);
  OtherLink Other(Directory);
  fs::permissions(Directory + "/1-400-run", ReadOnly);
  AsOrdinaryUser User;
  EXPECT_EQ(answer(), Answer::Wait);
}

TEST_F(LinkQueueTest, IgnoresUnreadableFile) {
  for (const char *Name : {"1-400-wait", "1-400-run"}) {
    const std::string Left = write(Name, fs::perms::none);
    AsOrdinaryUser User;
    EXPECT_EQ(answer(), Answer::Begin);
    EXPECT_TRUE(fs::exists(Left));
    fs::remove_all(Directory);
  }
}

TEST_F(LinkQueueTest, RemovesUnreadableFileAfterDay) {
  makeOld(write("1-400-wait", fs::perms::none));
  {
    AsOrdinaryUser User;
    EXPECT_EQ(answer(), Answer::Begin);
  }
  EXPECT_EQ(left(), Names{});
}

TEST_F(LinkQueueTest, LastLinkRemovesDirectory) {
  {
    OtherLink Other(Directory);
    EXPECT_EQ(answer(), Answer::Wait);
    EXPECT_EQ(left(), Names{"links-1"});
  }
  LinkQueue Queue(Directory, Memory);
  EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Begin);
  EXPECT_EQ(left(), Names{"links-1"});
  Queue.leave();
  EXPECT_EQ(left(), Names{});
  Queue.leave();
  EXPECT_EQ(left(), Names{});
}

TEST_F(LinkQueueTest, RemovesQueuesOfKilledLinks) {
  OtherLink Running(Cache.path("links-2"));
  for (const char *Name : {"links-3/1-400-run", "links-3/lock", "links-4/lock",
                           "links-5/notes.txt", "other/lock", "links-6"})
    Cache.write(Name, "");
  for (const char *Name : {"links-2", "links-3", "links-5", "links-6", "other"})
    makeOld(Cache.path(Name));
  EXPECT_EQ(answer(), Answer::Begin);
  EXPECT_EQ(left(),
            (Names{"links-2", "links-4", "links-5", "links-6", "other"}));
  EXPECT_TRUE(fs::exists(Cache.path("links-2/1-400-run")));
  EXPECT_TRUE(fs::exists(Cache.path("links-5/notes.txt")));
}

/// Links begin while the last one removes the directory. If the file system is
/// slow for a moment, a link finds no queue and begins without one, and the
/// last link leaves the directory to the next.
TEST_F(LinkQueueTest, OneLinkRunsWhileDirectoryIsRecreated) {
  const std::string Mark = Cache.path("mark");
  std::vector<std::unique_ptr<Child>> Links;
  for (unsigned I = 0; I != 4; ++I)
    Links.push_back(std::make_unique<Child>([&] {
      for (unsigned Round = 0; Round != 100; ++Round) {
        LinkQueue Queue(Directory, Memory);
        Answer Now;
        while ((Now = Queue.poll(Memory, Memory)) == Answer::Wait)
          std::this_thread::yield();
        if (Now == Answer::None)
          continue;
        const int File = open(Mark.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (File == -1)
          return 1;
        close(File);
        unlink(Mark.c_str());
      }
      return 0;
    }));
  for (const std::unique_ptr<Child> &Link : Links)
    EXPECT_EQ(Link->wait(), 0);
  EXPECT_EQ(answer(), Answer::Begin);
  EXPECT_EQ(left(), Names{});
}

TEST_F(LinkQueueTest, SkipsStoppedLink) {
  if (!os::activityOf(static_cast<uint64_t>(getpid())))
    GTEST_SKIP() << "the system does not report stopped processes";
  OtherLink Other(Directory);
  LinkQueue Queue(Directory, Memory);
  ASSERT_EQ(Queue.poll(Memory, Memory), Answer::Wait);
  kill(Other.id(), SIGSTOP);
  Answer Now;
  while ((Now = Queue.poll(Memory, Memory)) == Answer::Wait)
    std::this_thread::yield();
  EXPECT_EQ(Now, Answer::Begin);
  EXPECT_FALSE(Queue.ignoresHungLink());
  ASSERT_EQ(linksInQueue(Directory).size(), 1U); // own locks are invisible
  EXPECT_TRUE(linksInQueue(Directory)[0].IsIdle);
}

/// The parent waits for its child.
TEST_F(LinkQueueTest, SkipsParentLink) {
  if (!os::activityOf(static_cast<uint64_t>(getpid())))
    GTEST_SKIP() << "the system does not report the children of a process";
  LinkQueue Parent(Directory, Memory);
  ASSERT_EQ(Parent.poll(Memory, Memory), Answer::Begin);
  Child Nested([&] { return answer() == Answer::Begin ? 0 : 1; });
  EXPECT_EQ(Nested.wait(), 0);
}

TEST_F(LinkQueueTest, FileShowsWhetherLinkIsQueued) {
  std::string File;
  {
    LinkQueue Queue(Directory, Memory);
    EXPECT_EQ(Queue.file(), "");
    ASSERT_EQ(Queue.poll(Memory, Memory), Answer::Begin);
    File = Queue.file();
    EXPECT_TRUE(fs::exists(File));
    Child Other([&] { return isInQueue(File) ? 0 : 1; });
    EXPECT_EQ(Other.wait(), 0);
  }
  EXPECT_FALSE(isInQueue(File));
}

TEST_F(LinkQueueTest, ListsQueuedLinks) {
  EXPECT_TRUE(linksInQueue(Directory).empty());
  EXPECT_EQ(left(), Names{});
  OtherLink Other(Directory);
  Child Second([&] {
    LinkQueue Queue(Directory, 7, "an output\nof two lines");
    (void)Queue.poll(Memory, 0);
    for (;;)
      pause();
    return 0;
  });
  std::vector<QueuedLink> Links;
  do
    Links = linksInQueue(Directory);
  while (Links.size() < 2 || Links[1].Output.empty());
  EXPECT_EQ(queueDirectories(Cache.path()), Names{Directory});
  EXPECT_EQ(Links[0].Process, static_cast<uint64_t>(Other.id()));
  EXPECT_EQ(Links[0].NeedBytes, Memory);
  EXPECT_EQ(Links[0].TotalBytes, Memory);
  EXPECT_EQ(Links[0].Output, "");
  EXPECT_TRUE(Links[0].Runs);
  EXPECT_EQ(Links[1].Process, static_cast<uint64_t>(Second.id()));
  EXPECT_EQ(Links[1].NeedBytes, 7U);
  EXPECT_EQ(Links[1].Output, "an output of two lines");
  EXPECT_FALSE(Links[1].Runs);
  EXPECT_LE(Links[1].Since, std::chrono::system_clock::now());
}

TEST_F(LinkQueueTest, WaitsForUnidentifiedLink) {
  for (const char *Contents : {"", "pid\n\nspace x\n", "pid 1\nspace \n"}) {
    OtherLink Other(Directory);
    Cache.write("links-1/1-400-run", Contents);
    LinkQueue Queue(Directory, Memory);
    EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Wait);
    const std::vector<QueuedLink> Links = linksInQueue(Directory);
    ASSERT_EQ(Links.size(), 1U);
    EXPECT_EQ(Links[0].Output, "");
    EXPECT_FALSE(Links[0].IsIdle);
    Other.kill();
    Queue.leave();
  }
}

TEST_F(LinkQueueTest, StopsWaitingForHungLink) {
  OtherLink Hung(Directory);
  for (const HangLimits Limits : {HangLimits{3, 1000}, HangLimits{1000, 3}}) {
    if (Limits.UnknownPolls == 3)
      Cache.write("links-1/1-400-run", "");
    else if (!os::activityOf(static_cast<uint64_t>(Hung.id())))
      continue;
    LinkQueue Queue(Directory, Memory, "", Limits);
    for (unsigned Poll = 0; Poll != 3; ++Poll) {
      EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Wait);
      EXPECT_FALSE(Queue.ignoresHungLink());
    }
    EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Begin);
    EXPECT_TRUE(Queue.ignoresHungLink());
  }
}

/// Only one of the waiting links begins alongside a link that hangs.
TEST_F(LinkQueueTest, WaitsForWorkingLink) {
  if (!os::activityOf(static_cast<uint64_t>(getpid())))
    GTEST_SKIP() << "the system does not report the progress of processes";
  OtherLink Hung(Directory);
  constexpr HangLimits Limits{1, 1};
  Child Busy([&] {
    LinkQueue Queue(Directory, Memory, "", Limits);
    while (Queue.poll(Memory, Memory) != Answer::Begin)
      ;
    for (volatile unsigned I = 0;; I = I + 1)
      ;
    return 0;
  });
  while (!fs::exists(Directory + "/2-400-run"))
    std::this_thread::yield();
  const auto Progress = [&] {
    return os::activityOf(static_cast<uint64_t>(Busy.id()))->Progress;
  };
  LinkQueue Queue(Directory, Memory, "", Limits);
  for (unsigned Poll = 0; Poll != 10; ++Poll) {
    EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Wait);
    const uint64_t Before = Progress();
    while (Progress() == Before)
      std::this_thread::yield();
  }
  EXPECT_TRUE(Queue.ignoresHungLink());
  Busy.kill();
  EXPECT_EQ(Queue.poll(Memory, Memory), Answer::Begin);
}

TEST_F(LinkQueueTest, SkipsStoppedLockHolder) {
  write("lock", fs::perms::all);
  const std::string Mark = Cache.path("mark");
  Child Holder([&] {
    const int File = open((Directory + "/lock").c_str(), O_RDWR);
    struct flock Lock = {};
    Lock.l_type = F_WRLCK;
    if (fcntl(File, F_SETLK, &Lock) != 0)
      return 1;
    close(open(Mark.c_str(), O_CREAT | O_WRONLY, 0600));
    raise(SIGSTOP);
    return 0;
  });
  while (!fs::exists(Mark))
    std::this_thread::yield();
  EXPECT_EQ(answer(), Answer::None);
}

/// A network file system may have no locks, which is not the lock of another.
TEST_F(LinkQueueTest, ReportsFileSystemWithoutLocks) {
  const auto ErrorOfLock = [&] {
    int File = -1;
    return lockFile(Cache.path("file"), std::chrono::milliseconds(0), File);
  };
  EXPECT_FALSE(ErrorOfLock());
  EXPECT_EQ(
      os::test::runWithout(
          SYS_fcntl, ENOLCK,
          [&] { return ErrorOfLock() == std::errc::not_supported ? 7 : 1; }),
      7);
  Child Other(
      [&] { return ErrorOfLock() == std::errc::no_lock_available ? 7 : 1; });
  EXPECT_EQ(Other.wait(), 7);
}

TEST_F(LinkQueueTest, NoQueueWithoutDirectory) {
  Cache.write("links-1", "");
  EXPECT_EQ(answer(), Answer::None);
}

} // namespace
