//===- ChildProcessTest.cpp - Programs that this one runs -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"
#include "PosixTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"

#include "gtest/gtest.h"
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

using Args = std::vector<std::string>;

Args shell(const std::string &Script) { return {"sh", "-c", Script}; }

/// Runs \p Program in place of a child of this process and returns the child's
/// raw wait status.
int statusOf(const Args &Program) {
  const pid_t Child = startChild([&] {
    ForegroundProgram Foreground;
    if (const std::error_code Error = Foreground.start(Program))
      return Error.value();
    endLike(Foreground.wait());
  });
  int Status = 0;
  EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
  return Status;
}

/// Waits until \p Path exists; returns whether it does.
bool waitFor(const std::string &Path) {
  for (unsigned I = 0; I != 3000 && ::access(Path.c_str(), F_OK) != 0; ++I)
    ::usleep(10000);
  return ::access(Path.c_str(), F_OK) == 0;
}

TEST(ChildProcessTest, ExitsWithProgramStatus) {
  for (const int Code : {0, 1, 3, 255}) {
    const int Status = statusOf(shell("exit " + std::to_string(Code)));
    ASSERT_TRUE(WIFEXITED(Status));
    EXPECT_EQ(WEXITSTATUS(Status), Code);
  }
}

TEST(ChildProcessTest, DiesByProgramSignal) {
  for (const int Signal : {SIGKILL, SIGTERM, SIGSEGV, SIGINT, SIGPIPE}) {
    const int Status =
        statusOf(shell("kill -" + std::to_string(Signal) + " $$"));
    ASSERT_TRUE(WIFSIGNALED(Status)) << Signal;
    EXPECT_EQ(WTERMSIG(Status), Signal);
    EXPECT_FALSE(WCOREDUMP(Status));
  }
}

TEST(ChildProcessTest, ReportsWhyProgramCannotRun) {
  const TestDirectory Directory;
  const std::string Plain = Directory.write("plain", "no program");
  EXPECT_EQ(WEXITSTATUS(statusOf({Directory.path("nowhere")})), ENOENT);
  EXPECT_EQ(WEXITSTATUS(statusOf({"headstart-no-such-program"})), ENOENT);
  EXPECT_EQ(WEXITSTATUS(statusOf({Plain})), EACCES);
}

TEST(ChildProcessTest, RunsScriptWithoutShebang) {
  const TestDirectory Directory;
  const std::string Script = Directory.write("script", "exit 7\n");
  ASSERT_EQ(::chmod(Script.c_str(), 0755), 0);
  EXPECT_EQ(WEXITSTATUS(statusOf({Script})), 7);
}

TEST(ChildProcessTest, ForwardsSignals) {
  const std::pair<int, std::string> Signals[] = {
      {SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"},
      {SIGTERM, "TERM"}, {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}};
  for (const auto &[Signal, Name] : Signals) {
    const TestDirectory Directory;
    std::string Script = "trap 'echo $0 >>";
    Script +=
        Directory.path("got") + "; exit 5' $0; : >" + Directory.path("ready");
    Script += "; while :; do sleep 0.05; done";
    const pid_t Child = startChild([&]() -> int {
      ForegroundProgram Foreground;
      (void)Foreground.start({"sh", "-c", Script, Name});
      endLike(Foreground.wait());
    });
    ASSERT_TRUE(waitFor(Directory.path("ready")));
    ASSERT_EQ(::kill(Child, Signal), 0);
    EXPECT_EQ(exitStatus(Child), 5) << Name;
    EXPECT_EQ(contentsOf(Directory.path("got")), Name + "\n");
  }
}

TEST(ChildProcessTest, DoesNotForwardSignalSentToProcessGroup) {
  const TestDirectory Directory;
  const pid_t Child = startChild([&]() -> int {
    ::setpgid(0, 0);
    ForegroundProgram Foreground(std::chrono::minutes(10));
    // The program does not end at once: a repeated signal would reach it.
    (void)Foreground.start(
        shell("trap 'echo TERM >>" + Directory.path("got") +
              "; T=1' TERM; : >" + Directory.path("ready") +
              "; while test -z \"$T\"; do sleep 0.01; done; sleep 0.3;"
              " sleep 0.1; exit 6"));
    endLike(Foreground.wait());
  });
  ASSERT_TRUE(waitFor(Directory.path("ready")));
  ASSERT_EQ(::kill(-Child, SIGTERM), 0);
  EXPECT_EQ(exitStatus(Child), 6);
  EXPECT_EQ(contentsOf(Directory.path("got")), "TERM\n");
}

TEST(ChildProcessTest, DelaysSignalThatProgramMayHaveReceived) {
  const TestDirectory Directory;
  const pid_t Child = startChild([&]() -> int {
    ForegroundProgram Foreground(std::chrono::minutes(10));
    (void)Foreground.start(shell("trap 'echo TERM >" + Directory.path("got") +
                                 "' TERM; : >" + Directory.path("ready") +
                                 "; sleep 0.3; sleep 0.1; exit 6"));
    endLike(Foreground.wait());
  });
  ASSERT_TRUE(waitFor(Directory.path("ready")));
  ASSERT_EQ(::kill(Child, SIGTERM), 0);
  EXPECT_EQ(exitStatus(Child), 6);
  EXPECT_EQ(contentsOf(Directory.path("got")), "");
}

TEST(ChildProcessTest, StopsAndContinuesWithProgram) {
  const TestDirectory Directory;
  const pid_t Child = startChild([&]() -> int {
    ForegroundProgram Foreground;
    (void)Foreground.start(shell("kill -STOP $$; exit 4"));
    endLike(Foreground.wait());
  });
  int Status = 0;
  ASSERT_EQ(::waitpid(Child, &Status, WUNTRACED), Child);
  ASSERT_TRUE(WIFSTOPPED(Status));
  ASSERT_EQ(::kill(Child, SIGCONT), 0);
  EXPECT_EQ(exitStatus(Child), 4);
}

TEST(ChildProcessTest, KeepsIgnoredSignalsIgnored) {
  const pid_t Child = startChild([&]() -> int {
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGCHLD, SIG_IGN);
    ForegroundProgram Foreground;
    (void)Foreground.start(shell("kill -HUP $$; exit 8"));
    endLike(Foreground.wait());
  });
  EXPECT_EQ(exitStatus(Child), 8);
}

TEST(ChildProcessTest, ProgramDiesWithKilledParent) {
  const TestDirectory Directory;
  // Only the program holds the write end, so the reader sees the pipe's end.
  int Ends[2];
  ASSERT_EQ(::pipe(Ends), 0);
  const pid_t Child = startChild([&]() -> int {
    ForegroundProgram Foreground;
    (void)Foreground.start(
        shell("echo x >" + Directory.path("ready") + "; exec sleep 600"));
    detachDescriptors();
    endLike(Foreground.wait());
  });
  ::close(Ends[1]);
  ASSERT_TRUE(waitFor(Directory.path("ready")));
  ASSERT_EQ(::kill(Child, SIGKILL), 0);
  char Byte = 0;
  EXPECT_EQ(::read(Ends[0], &Byte, 1), 0);
  ::close(Ends[0]);
  int Status = 0;
  ::waitpid(Child, &Status, 0);
}

TEST(ChildProcessTest, DoesNotHoldPipesThatProgramClosed) {
  const TestDirectory Directory;
  int Ends[2];
  ASSERT_EQ(::pipe(Ends), 0);
  const pid_t Child = startChild([&]() -> int {
    ::dup2(Ends[1], STDOUT_FILENO);
    ::close(Ends[0]);
    ForegroundProgram Foreground;
    // Descriptor 1 and the pipe's own are both inherited.
    (void)Foreground.start(
        shell("exec >&- " + std::to_string(Ends[1]) + ">&-; while ! test -e " +
              Directory.path("seen") + "; do sleep 0.02; done; exit 9"));
    detachDescriptors();
    endLike(Foreground.wait());
  });
  ::close(Ends[1]);
  char Byte = 0;
  EXPECT_EQ(::read(Ends[0], &Byte, 1), 0); // hangs if any process holds it
  ::close(Ends[0]);
  (void)Directory.write("seen", "");
  EXPECT_EQ(exitStatus(Child), 9);
}

TEST(ChildProcessTest, KeepsDescriptorInUse) {
  const pid_t Child = startChild([]() -> int {
    int Ends[2];
    (void)!::pipe(Ends);
    detachDescriptors(Ends[1]);
    const bool Kept = ::fcntl(Ends[1], F_GETFD) != -1;
    const bool Closed =
        ::fcntl(Ends[0], F_GETFD) == -1 && ::fcntl(Ends[1] + 1, F_GETFD) == -1;
    return Kept && Closed ? 7 : 1;
  });
  EXPECT_EQ(exitStatus(Child), 7);
}

TEST(ChildProcessTest, ReportsPeakMemoryOfProgramAndChildren) {
  const pid_t Child = startChild([]() -> int {
    setVariable("TAKEN", "100");
    ForegroundProgram Foreground;
    // The shell's child takes the memory: a variable of $TAKEN megabytes.
    (void)Foreground.start(shell(
        "sh -c 'x=$(head -c ${TAKEN}000000 /dev/zero | tr \"\\0\" x); :'; :"));
    (void)Foreground.wait();
    constexpr uint64_t Least = 100'000'000;
    return Foreground.peakMemory().value_or(0) >= Least ? 7 : 1;
  });
  EXPECT_EQ(exitStatus(Child), 7);
}

TEST(ChildProcessTest, ReportsPeakMemoryOfRunningChild) {
  if (!peakMemoryOf(::getpid()))
    GTEST_SKIP() << "this system does not report the memory of a process";
  int Ready[2], End[2];
  ASSERT_EQ(::pipe(Ready), 0);
  ASSERT_EQ(::pipe(End), 0);
  constexpr uint64_t Least = 100'000'000;
  char Byte;
  const pid_t Child = startChild([&]() -> int {
    ::close(End[1]);
    // Its own child takes the memory, and this process does not wait for it.
    startChild([&]() -> int {
      const std::string Taken(Least, 'x');
      return ::write(Ready[1], Taken.data(), 1) == 1 &&
                     ::read(End[0], &Byte, 1) == 0
                 ? 0
                 : 1;
    });
    return static_cast<int>(::read(End[0], &Byte, 1));
  });
  EXPECT_EQ(::read(Ready[0], &Byte, 1), 1);
  EXPECT_GE(peakMemoryOf(Child).value_or(0), Least);
  ::close(End[1]); // now both end
  EXPECT_EQ(exitStatus(Child), 0);
  EXPECT_FALSE(peakMemoryOf(Child));
  for (const int Descriptor : {Ready[0], Ready[1], End[0]})
    ::close(Descriptor);
}

TEST(ChildProcessTest, ThreadFaultEndsOnlyThatThread) {
  for (const int Signal : {SIGSEGV, SIGABRT}) {
    const pid_t Child = startChild([&]() -> int {
      ForegroundProgram Foreground;
      (void)Foreground.start(shell("sleep 0.3; exit 5"));
      containFaults();
      Threads Bad; // like a prefetching thread, never joined
      (void)Bad.start([&] { ::raise(Signal); });
      while (!hadFault())
        ::usleep(1000);
      endLike(Foreground.wait());
    });
    EXPECT_EQ(exitStatus(Child), 5);
  }
  // A fault of the waiting thread ends the process.
  const pid_t Child = startChild([]() -> int {
    containFaults();
    return ::raise(SIGSEGV);
  });
  int Status = 0;
  ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFSIGNALED(Status)) << Status;
}

TEST(ChildProcessTest, ReplacesItselfWithProgram) {
  EXPECT_EQ(exitStatus(startChild(
                [] { return becomeProgram(shell("exit 12")).value(); })),
            12);
  EXPECT_EQ(becomeProgram({"headstart-no-such-program"}).value(), ENOENT);
}

TEST(CaptureOutputTest, CapturesOneStream) {
  std::string Answer;
  ASSERT_FALSE(captureOutput(shell("echo out; echo err >&2"),
                             ProgramStream::Error, {}, Answer));
  EXPECT_EQ(Answer, "err\n");
  Answer.clear();
  ASSERT_FALSE(captureOutput(shell("echo out; echo err >&2; exit 1"),
                             ProgramStream::Output, {}, Answer));
  EXPECT_EQ(Answer, "out\n");
}

TEST(CaptureOutputTest, ProgramInheritsNoInputOrDescriptors) {
  constexpr int Own = 77; // a number that the shell does not use
  ASSERT_EQ(::dup2(STDERR_FILENO, Own), Own);
  std::string Answer;
  EXPECT_FALSE(
      captureOutput(shell("cat; test -e /proc/$$/fd/77 || echo closed"),
                    ProgramStream::Output, {}, Answer));
  ::close(Own);
  EXPECT_EQ(Answer, "closed\n");
}

TEST(CaptureOutputTest, EnforcesLimits) {
  std::string Answer;
  EXPECT_EQ(captureOutput({"headstart-no-such-program"}, ProgramStream::Error,
                          {}, Answer),
            std::error_code());
  EXPECT_EQ(Answer, "");

  AnswerLimits Short;
  Short.Time = std::chrono::milliseconds(50);
  EXPECT_EQ(
      captureOutput(shell("sleep 600"), ProgramStream::Error, Short, Answer),
      std::errc::timed_out);
  EXPECT_EQ(captureOutput(shell("exec >&- 2>&-; exec sleep 600"),
                          ProgramStream::Error, Short, Answer),
            std::errc::timed_out);

  AnswerLimits Small;
  Small.Bytes = 100000;
  EXPECT_EQ(captureOutput({"yes"}, ProgramStream::Output, Small, Answer),
            std::errc::value_too_large);
  EXPECT_LT(Answer.size(), 200000U);

  const std::atomic<bool> Yes = true;
  AnswerLimits Cancelled;
  Cancelled.Cancelled = &Yes;
  EXPECT_EQ(captureOutput(shell("sleep 600"), ProgramStream::Error, Cancelled,
                          Answer),
            std::errc::operation_canceled);
}

TEST(CaptureOutputTest, DoesNotWaitForBackgroundProcesses) {
  const TestDirectory Directory;
  std::string Answer;
  // A background process holds the stream while the directory exists.
  ASSERT_FALSE(captureOutput(shell("(while test -d " + Directory.path() +
                                   "; do sleep 0.02; done) & echo said"),
                             ProgramStream::Output, {}, Answer));
  EXPECT_EQ(Answer, "said\n");
}

} // namespace
