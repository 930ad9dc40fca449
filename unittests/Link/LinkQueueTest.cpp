//===- LinkQueueTest.cpp - Links that do not fit into memory together -----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The locks hold between processes only, so another link is another process.
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkQueue.h"
#include "OS/TestFiles.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace headstart;
using headstart::os::test::TestFolder;
using Answer = LinkQueue::Answer;

namespace fs = std::filesystem;

namespace {

/// All of the memory, which only one link of this test can have.
constexpr uint64_t Memory = 400;

/// A process that runs \p Work, and is killed at the latest with this object.
class Child {
public:
  template <typename Function> explicit Child(const Function &Work) {
    Process = fork();
    if (Process == 0)
      _exit(Work());
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child() { end(SIGKILL); }

  void end(int Signal) {
    if (Process <= 0)
      return;
    kill(Process, Signal);
    (void)wait();
  }
  int wait() {
    int Status = -1;
    waitpid(Process, &Status, 0);
    Process = -1;
    return Status;
  }

private:
  pid_t Process;
};

/// A link in another process, which runs until it is killed.
class OtherLink {
public:
  explicit OtherLink(const std::string &Directory)
      : Process([&] {
          LinkQueue Queue(Directory, Memory);
          (void)Queue.ask(Memory, Memory);
          for (;;)
            pause();
          return 0;
        }) {
    while (!fs::exists(Directory + "/1-400-run"))
      std::this_thread::yield();
  }
  void kill() { Process.end(SIGKILL); }

private:
  Child Process;
};

/// A user who may not open what the test's user has not allowed to: root may
/// open everything.
class AsOrdinaryUser {
public:
  AsOrdinaryUser() {
    constexpr uid_t NobodysID = 65534;
    if (geteuid() == 0)
      EXPECT_EQ(seteuid(NobodysID), 0);
  }
  ~AsOrdinaryUser() { EXPECT_EQ(seteuid(getuid()), 0); }
};

class LinkQueueTest : public testing::Test {
protected:
  void SetUp() override { fs::permissions(Cache.path(), fs::perms::all); }

  /// The file of another link in the queue.
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
  std::vector<std::string> left() const {
    std::vector<std::string> Names;
    for (const auto &Entry : fs::directory_iterator(Cache.path()))
      Names.push_back(Entry.path().filename().string());
    std::sort(Names.begin(), Names.end());
    return Names;
  }

  TestFolder Cache;
  std::string Directory = Cache.path("links-1");
};

using Names = std::vector<std::string>;

constexpr auto ReadOnly =
    fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;

TEST_F(LinkQueueTest, EachMemoryAndSizeHasItsQueue) {
  const std::string One = queueDirectory("/cache", "one", std::nullopt);
  EXPECT_EQ(One, queueDirectory("/cache", "one", std::nullopt));
  EXPECT_EQ(One.find("/cache/links-"), 0U);
  EXPECT_NE(One, queueDirectory("/cache", "two", std::nullopt));
  EXPECT_NE(One, queueDirectory("/cache", "one", 7));
  EXPECT_NE(queueDirectory("/cache", "one", 8),
            queueDirectory("/cache", "one", 7));
}

TEST_F(LinkQueueTest, OneWaitsUntilTheOtherEnds) {
  OtherLink Other(Directory);
  LinkQueue Queue(Directory, Memory);
  EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Wait);
  EXPECT_NE(Queue.running(), 0U);
  Other.kill();
  EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Begin);
}

TEST_F(LinkQueueTest, AnEndedLinkWhoseFileCanOnlyBeReadIsNotWaitedFor) {
  for (const char *Name : {"7-400-wait", "7-400-run"}) {
    const std::string Left = write(Name, ReadOnly);
    AsOrdinaryUser User;
    LinkQueue Queue(Directory, Memory);
    EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Begin);
    EXPECT_FALSE(fs::exists(Left));
  }
}

TEST_F(LinkQueueTest, ARunningLinkWhoseFileCanOnlyBeReadIsWaitedFor) {
  write("lock", fs::perms::all);
  OtherLink Other(Directory);
  fs::permissions(Directory + "/1-400-run", ReadOnly);
  AsOrdinaryUser User;
  LinkQueue Queue(Directory, Memory);
  EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Wait);
}

TEST_F(LinkQueueTest, AFileThatCannotBeOpenedIsNoLink) {
  for (const char *Name : {"1-400-wait", "1-400-run"}) {
    const std::string Left = write(Name, fs::perms::none);
    AsOrdinaryUser User;
    {
      LinkQueue Queue(Directory, Memory);
      EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Begin);
      EXPECT_TRUE(fs::exists(Left));
    }
    fs::remove_all(Directory);
  }
}

TEST_F(LinkQueueTest, AFileThatCannotBeOpenedIsRemovedAfterADay) {
  makeOld(write("1-400-wait", fs::perms::none));
  {
    AsOrdinaryUser User;
    LinkQueue Queue(Directory, Memory);
    EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Begin);
  }
  EXPECT_EQ(left(), Names{});
}

TEST_F(LinkQueueTest, TheLastLinkRemovesTheDirectory) {
  {
    OtherLink Other(Directory);
    {
      LinkQueue Queue(Directory, Memory);
      EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Wait);
    }
    EXPECT_EQ(left(), Names{"links-1"});
  }
  LinkQueue Queue(Directory, Memory);
  EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Begin);
  EXPECT_EQ(left(), Names{"links-1"});
  Queue.leave();
  EXPECT_EQ(left(), Names{});
  Queue.leave();
  EXPECT_EQ(left(), Names{});
}

TEST_F(LinkQueueTest, RemovesWhatKilledLinksHaveLeft) {
  OtherLink Running(Cache.path("links-2"));
  for (const char *Name : {"links-3/1-400-run", "links-3/lock", "links-4/lock",
                           "links-5/notes.txt", "other/lock", "links-6"})
    Cache.write(Name, "");
  for (const char *Name : {"links-2", "links-3", "links-5", "links-6", "other"})
    makeOld(Cache.path(Name));
  {
    LinkQueue Queue(Directory, Memory);
    EXPECT_EQ(Queue.ask(Memory, Memory), Answer::Begin);
  }
  EXPECT_EQ(left(),
            (Names{"links-2", "links-4", "links-5", "links-6", "other"}));
  EXPECT_TRUE(fs::exists(Cache.path("links-2/1-400-run")));
  EXPECT_TRUE(fs::exists(Cache.path("links-5/notes.txt")));
}

/// Links that come while the last one removes the directory. On a file system
/// that is slow for a moment, a link finds no queue and begins without one, and
/// the last link leaves the directory to the next.
TEST_F(LinkQueueTest, NoTwoLinksRunWhileTheirDirectoryComesAndGoes) {
  const std::string Mark = Cache.path("mark");
  std::vector<std::unique_ptr<Child>> Links;
  for (unsigned I = 0; I != 4; ++I)
    Links.push_back(std::make_unique<Child>([&] {
      for (unsigned Round = 0; Round != 100; ++Round) {
        LinkQueue Queue(Directory, Memory);
        Answer Now;
        while ((Now = Queue.ask(Memory, Memory)) == Answer::Wait)
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
  {
    LinkQueue Next(Directory, Memory);
    EXPECT_EQ(Next.ask(Memory, Memory), Answer::Begin);
  }
  EXPECT_EQ(left(), Names{});
}

TEST_F(LinkQueueTest, WithoutADirectoryThereIsNoQueue) {
  Cache.write("links-1", "");
  LinkQueue Queue(Directory, Memory);
  EXPECT_EQ(Queue.ask(Memory, Memory), Answer::None);
}

} // namespace
