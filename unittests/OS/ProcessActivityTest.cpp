//===- ProcessActivityTest.cpp - Progress of other processes --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ProcessActivity.h"
#include "PosixTestSupport.h"

#include "gtest/gtest.h"
#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

void end(pid_t Child) {
  ::kill(Child, SIGKILL);
  ::waitpid(Child, nullptr, 0);
}

/// Waits until \p Condition holds; the test hangs if it never does.
template <class Function> void waitUntil(const Function &Condition) {
  while (!Condition())
    std::this_thread::yield();
}

TEST(ProcessActivityTest, AncestorOfCallerIsIdle) {
  const auto Own = activityOf(static_cast<uint64_t>(::getpid()));
  ASSERT_TRUE(Own);
  EXPECT_TRUE(Own->IsIdle);
  const pid_t Child = startChild([] {
    const auto Parent = activityOf(static_cast<uint64_t>(::getppid()));
    return Parent && Parent->IsIdle ? 7 : 1;
  });
  EXPECT_EQ(exitStatus(Child), 7);
}

TEST(ProcessActivityTest, StoppedProcessIsIdle) {
  const pid_t Child = startChild([]() -> int {
    for (;;)
      ::pause();
  });
  const auto IsIdle = [&] {
    const auto Activity = activityOf(static_cast<uint64_t>(Child));
    return Activity && Activity->IsIdle;
  };
  EXPECT_FALSE(IsIdle());
  ::kill(Child, SIGSTOP);
  waitUntil(IsIdle);
  ::kill(Child, SIGCONT);
  waitUntil([&] { return !IsIdle(); });
  end(Child);
}

/// A driver only waits for its linker.
TEST(ProcessActivityTest, WorkOfDescendantIsProgress) {
  const pid_t Driver = startChild([]() -> int {
    const pid_t Linker = startChild([]() -> int {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile unsigned I = 0;; I = I + 1)
        ;
    });
    ::waitpid(Linker, nullptr, 0);
    return 0;
  });
  const auto Progress = [&] {
    const auto Activity = activityOf(static_cast<uint64_t>(Driver));
    return Activity ? Activity->Progress : 0;
  };
  const uint64_t Before = Progress();
  waitUntil([&] { return Progress() > Before + 3; });
  end(Driver);
}

TEST(ProcessActivityTest, EndedProcessHasNoActivity) {
  const pid_t Child = startChild([] { return 0; });
  (void)exitStatus(Child);
  EXPECT_FALSE(activityOf(static_cast<uint64_t>(Child)));
  EXPECT_FALSE(activityOf(0));
}

TEST(ProcessActivityTest, WaitEndsWhenAncestorExecs) {
  // cargo run becomes the program that it has built.
  Ancestor Shell;
  Shell.Args = {"sh", "-c", "read x; exec cat"};
  std::array<int, 2> Pipe = {};
  ASSERT_EQ(::pipe(Pipe.data()), 0);
  const pid_t Child = startChild([&] {
    ::dup2(Pipe[0], STDIN_FILENO);
    return ::execlp("sh", "sh", "-c", "read x; exec cat", nullptr);
  });
  Shell.Process = static_cast<uint64_t>(Child);
  const std::string Line = "/proc/" + std::to_string(Child) + "/cmdline";
  waitUntil(
      [&] { return contentsOf(Line).starts_with(std::string("sh\0-c", 5)); });
  std::atomic<bool> HasEnded{false};
  std::thread Waiting([&] {
    waitForEnd(Shell);
    HasEnded = true;
  });
  EXPECT_FALSE(HasEnded);
  EXPECT_EQ(::write(Pipe[1], "\n", 1), 1);
  Waiting.join();
  EXPECT_EQ(::kill(Child, 0), 0);
  end(Child);
  ::close(Pipe[0]);
  ::close(Pipe[1]);
}

TEST(ProcessActivityTest, WaitEndsWhenAncestorExits) {
  Ancestor Ended;
  const pid_t Child = startChild([] { return 0; });
  Ended.Process = static_cast<uint64_t>(Child);
  EXPECT_EQ(exitStatus(Child), 0);
  Ended.Args = {"make"};
  waitForEnd(Ended);
}

TEST(ProcessActivityTest, ProcessSpaceIsStable) {
  EXPECT_NE(processSpace(), "");
  EXPECT_EQ(processSpace(), processSpace());
  EXPECT_EQ(processSpace().find_first_of(" \n"), std::string::npos);
}

} // namespace
