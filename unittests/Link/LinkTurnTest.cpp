//===- LinkTurnTest.cpp - A link that waits for its turn ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkTurn.h"
#include "OS/PosixTestSupport.h"
#include "OS/TestFiles.h"
#include "headstart/Link/ProfileStore.h"
#include "gtest/gtest.h"
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <thread>

using namespace headstart;
using namespace headstart::os::test;

namespace {

constexpr uint64_t Memory = 400;

/// An archive is the first of a hundred inputs.
TEST(ExpectedBytesTest, LargestInputCountsOnce) {
  const TestDirectory Directory;
  LinkCommand Command;
  Command.Inputs.resize(100);
  for (size_t I = 0; I != Command.Inputs.size(); ++I)
    Command.Inputs[I].Name = Directory.write(
        std::to_string(I), std::string(I == 0 ? 100000 : 100, 'a'));
  EXPECT_EQ(expectedBytes(Command, nullptr), 100000U + 99 * 100);
}

/// Each test has its own cache.
class LinkTurnTest : public testing::Test {
protected:
  LinkTurnTest() {
    ::unsetenv("HEADSTART_QUEUED"); // NOLINT: one thread
    Settings.QueueBytes = Memory;
  }
  ~LinkTurnTest() override {
    if (Other > 0) {
      ::kill(Other, SIGKILL);
      (void)exitStatus(Other);
    }
  }

  /// A link in another process that takes all of the memory and hangs.
  void startOther() {
    Other = startChild([&]() -> int {
      LinkTurn Turn;
      (void)Turn.wait(Settings, "other", "out", Memory);
      (void)Cache.write("begun", "");
      for (;;)
        ::pause();
    });
    // linksInQueue would take the queue's lock from the other link.
    while (!std::filesystem::exists(Cache.path("begun"))) {
      if (::waitpid(Other, nullptr, WNOHANG) != 0) {
        Other = -1;
        FAIL() << "the other link has ended";
      }
      std::this_thread::yield();
    }
  }
  /// Waits for the link \p Turn of another output. Returns its note.
  std::string wait(LinkTurn &Turn) const {
    testing::internal::CaptureStderr();
    std::string Note = Turn.wait(Settings, "test", "app", Memory);
    Messages = testing::internal::GetCapturedStderr();
    return Note;
  }

  TestDirectory Cache;
  Variable CacheHome{"XDG_CACHE_HOME", Cache.path()};
  PrefetchSettings Settings;
  pid_t Other = -1;
  mutable std::string Messages;
};

TEST_F(LinkTurnTest, BeginsAlongsideHungLink) {
  startOther();
  LinkTurn Turn({.Polls = 3, .UnknownPolls = 3});
  EXPECT_NE(wait(Turn).find("made no progress"), std::string::npos);
  EXPECT_NE(Messages.find("test: waiting for other links"), std::string::npos);
  EXPECT_NE(Turn.descriptor(), -1);
}

TEST_F(LinkTurnTest, NestedLinkHasNoTurn) {
  LinkTurn Turn;
  EXPECT_EQ(wait(Turn), "");
  EXPECT_NE(Turn.descriptor(), -1);
  Turn.pass();
  EXPECT_EQ(exitStatus(startChild([&] {
              LinkTurn Nested;
              // A queue of another memory size would give it a turn.
              PrefetchSettings Others = Settings;
              Others.QueueBytes = 2 * Memory;
              (void)Nested.wait(Others, "nested", "app", Memory);
              return Nested.descriptor() == -1 ? 7 : 1;
            })),
            7);
  Turn.leave();
  LinkTurn Next; // the variable names a link that has ended
  EXPECT_EQ(wait(Next), "");
  EXPECT_NE(Next.descriptor(), -1);
}

TEST_F(LinkTurnTest, NoTurnWithoutCache) {
  (void)Cache.write("headstart", "a file");
  LinkTurn Turn;
  EXPECT_EQ(wait(Turn), "");
  EXPECT_EQ(Turn.descriptor(), -1);
  EXPECT_FALSE(Turn.isStalled());
  EXPECT_EQ(Messages, "");
}

class ForeignTurnTest : public LinkTurnTest {
protected:
  ForeignTurnTest() {
    (void)Cache.write("a.o", std::string(1000, 'a'));
    Settings.QueueBytes = 1 << 30;
  }
  /// Returns the expected need of a link by \p Args that takes \p PeakBytes;
  /// nothing if it has no turn.
  std::optional<uint64_t> needOf(std::vector<std::string> Args,
                                 uint64_t PeakBytes, bool Succeeds = true) {
    Args.push_back(Cache.path("a.o"));
    int Ends[2];
    EXPECT_EQ(::pipe(Ends), 0);
    // A process does not see its own locks.
    const pid_t Link = startChild([&]() -> int {
      ForeignTurn Turn(Args, std::nullopt, Settings);
      (void)Turn.wait();
      uint64_t Need = UINT64_MAX;
      const pid_t Reader = startChild([&]() -> int {
        for (const std::string &Queue : queueDirectories(profileDirectory()))
          for (const QueuedLink &Found : linksInQueue(Queue))
            Need = Found.NeedBytes;
        return ::write(Ends[1], &Need, sizeof(Need)) == sizeof(Need) ? 0 : 1;
      });
      (void)exitStatus(Reader);
      Turn.end(Succeeds, PeakBytes);
      return 7;
    });
    uint64_t Need = UINT64_MAX;
    EXPECT_EQ(::read(Ends[0], &Need, sizeof(Need)),
              static_cast<ssize_t>(sizeof(Need)));
    ::close(Ends[0]);
    ::close(Ends[1]);
    EXPECT_EQ(exitStatus(Link), 7);
    return Need == UINT64_MAX ? std::nullopt : std::optional(Need);
  }
};

TEST_F(ForeignTurnTest, NeedIsPeakOfLastLink) {
  const std::string Output = Cache.path("app");
  const std::vector<std::string> Link = {"mold", "-o", Output};
  EXPECT_EQ(needOf(Link, 5000, /*Succeeds=*/false), 1500U);
  EXPECT_EQ(needOf(Link, 5000), 1500U);
  EXPECT_EQ(needOf(Link, 5001), 5000U);
  EXPECT_EQ(needOf(Link, 9000), 5000U); // 5001 counts as unchanged
  EXPECT_EQ(needOf(Link, 9000), 9000U);
  EXPECT_EQ(needOf({"mold", "-o", Cache.path("other")}, 1), 1500U);
  Settings.Profile = "none";
  EXPECT_EQ(needOf(Link, 9000), 1500U);
}

TEST_F(ForeignTurnTest, RecognizesDriverLink) {
  EXPECT_EQ(needOf({"clang++", "-O2", "-o", Cache.path("app")}, 1), 1500U);
  EXPECT_EQ(needOf({"g++", "-Wl,-O2", "-o" + Cache.path("app")}, 1), 1U);
  EXPECT_FALSE(needOf({"clang++", "-c"}, 1));
  EXPECT_FALSE(needOf({"unknown"}, 1));
  EXPECT_FALSE(needOf({"rustc"}, 1));
}

TEST_F(ForeignTurnTest, SmallLinkHasNoTurn) {
  Settings.QueueBytes = std::nullopt;
  EXPECT_FALSE(needOf({"mold", "-o", Cache.path("app")}, 1));
  EXPECT_TRUE(storedProfiles(profileDirectory()).empty());
}

} // namespace
