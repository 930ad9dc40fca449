//===- ChildProcess.cpp - Programs that this one runs (POSIX) -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"

#include "../Posix/Support.h"
#include "ChildSupport.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <optional>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headstart::os {

using namespace detail;

namespace {

using Clock = std::chrono::steady_clock;

/// The longest time between two checks of a CapturedProgram.
constexpr std::chrono::milliseconds PollInterval{20};

constexpr std::array EndSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

sigset_t setOf(std::initializer_list<int> Signals) {
  sigset_t Set;
  ::sigemptyset(&Set);
  for (const int Signal : Signals)
    ::sigaddset(&Set, Signal);
  return Set;
}

/// Returns the signals to forward to the program, and SIGCHLD, which reports
/// that it has ended or stopped.
sigset_t handledSignals() {
  return setOf({SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,
                SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD});
}

/// Closes every descriptor from \p First to \p Last. Safe between fork and
/// exec.
void closeFrom(unsigned First, unsigned Last = ~0U) {
  if (First > Last || ::close_range(First, Last, 0) == 0)
    return;
  // Linux before 5.9 lacks the call. Hardly any process opens more than Max.
  constexpr unsigned Max = 65535;
  for (unsigned Descriptor = First; Descriptor <= std::min(Last, Max);
       ++Descriptor)
    ::close(static_cast<int>(Descriptor));
}

} // namespace

std::error_code ForegroundProgram::start(const std::vector<std::string> &Args) {
  std::vector<char *> Arguments = argumentsOf(Args);
  // Some parents leave SIGCHLD ignored; the child's end would go unreported.
  // The default is better for the program, too.
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t Blocked = handledSignals();
  // A closed pipe for our reports must not change how this process ends.
  ::sigaddset(&Blocked, SIGPIPE);
  sigset_t Before;
  ::pthread_sigmask(SIG_BLOCK, &Blocked, &Before);
  const std::error_code Error = startChild(Child, [&] {
    ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
    ::execvp(Arguments.front(), Arguments.data());
  });
  if (Error)
    ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Error;
}

namespace {

/// Receives signals for a program that runs in our place and forwards them.
class SignalRelay {
public:
  SignalRelay(pid_t Program, std::chrono::milliseconds Grace)
      : Program(Program), Grace(Grace) {}

  /// Waits for the next signal, or until the held signals are due, and forwards
  /// what is due.
  void next();
  /// Stops this process after \p Signal has stopped the program. Returns when
  /// this process is continued.
  void stopLike(int Signal);

private:
  void receive(const siginfo_t &Info);
  bool hasReachedProgram(const siginfo_t &Info) const;

  pid_t Program;
  std::chrono::milliseconds Grace;
  sigset_t Handled = handledSignals();
  sigset_t Held = setOf({}); ///< sent to end the program, not forwarded yet
  std::optional<Clock::time_point> Deadline; ///< of the held signals
};

} // namespace

/// Whether the terminal has sent the signal to the program as well.
bool SignalRelay::hasReachedProgram(const siginfo_t &Info) const {
  if (Info.si_code != SI_KERNEL || ::getpgid(Program) != ::getpgrp())
    return false;
  switch (Info.si_signo) {
  case SIGINT:
  case SIGQUIT:
  case SIGTSTP:
  case SIGTTIN:
  case SIGTTOU:
  case SIGWINCH:
    return true;
  case SIGHUP:
    // A terminal that hangs up signals only the leader of its session.
    return ::getsid(0) != ::getpid();
  default:
    return false; // a timer that this process set before it became us
  }
}

void SignalRelay::receive(const siginfo_t &Info) {
  if (Info.si_signo == SIGCHLD || hasReachedProgram(Info))
    return;
  if (std::ranges::find(EndSignals, Info.si_signo) == EndSignals.end()) {
    ::kill(Program, Info.si_signo);
    return;
  }
  // ninja signals the group, timeout(1) the group and this process. A second
  // signal would end lld while its handler removes unfinished files (LLVM 22
  // Unix/Signals.inc: SA_RESETHAND).
  ::sigaddset(&Held, Info.si_signo);
  if (!Deadline)
    Deadline = Clock::now() + Grace;
}

void SignalRelay::next() {
  siginfo_t Info;
  if (!Deadline) {
    if (::sigwaitinfo(&Handled, &Info) > 0)
      receive(Info);
    return;
  }
  const auto Left = std::max(std::chrono::nanoseconds(*Deadline - Clock::now()),
                             std::chrono::nanoseconds(0));
  const auto Seconds = std::chrono::duration_cast<std::chrono::seconds>(Left);
  timespec Wait = {};
  Wait.tv_sec = static_cast<time_t>(Seconds.count());
  Wait.tv_nsec = static_cast<long>((Left - Seconds).count()); // NOLINT
  if (::sigtimedwait(&Handled, &Info, &Wait) > 0) {
    receive(Info);
    return;
  }
  if (errno != EAGAIN)
    return;
  for (const int Signal : EndSignals)
    if (::sigismember(&Held, Signal) == 1)
      ::kill(Program, Signal);
  ::sigemptyset(&Held);
  Deadline.reset();
}

void SignalRelay::stopLike(int Signal) {
  sigset_t Waiting;
  if (::sigpending(&Waiting) == 0 && ::sigismember(&Waiting, SIGCONT) == 1)
    return; // continued already
  struct sigaction Action = {};
  ::sigaction(Signal, nullptr, &Action);
  // A shell shows its user the signal, so use the same one if it stops this
  // process, else SIGSTOP, which no process can ignore.
  if (Action.sa_handler != SIG_DFL) // NOLINT: a macro with a cast
    Signal = SIGSTOP;
  const sigset_t One = setOf({Signal});
  ::raise(Signal);
  ::pthread_sigmask(SIG_UNBLOCK, &One, nullptr); // stops here or in raise
  ::pthread_sigmask(SIG_BLOCK, &One, nullptr);
}

ProgramEnd ForegroundProgram::wait() {
  SignalRelay Relay(Child, Grace);
  for (;;) {
    int Status = 0;
    rusage Usage = {};
    const pid_t Found = ::wait4(Child, &Status, WNOHANG | WUNTRACED, &Usage);
    if (Found == Child && !WIFSTOPPED(Status)) {
      constexpr uint64_t Kilobyte = 1024;
      Use = diskUseIn(Usage);
      PeakBytes = Kilobyte * static_cast<uint64_t>(Usage.ru_maxrss);
      return endOf(Status);
    }
    if (Found == Child)
      Relay.stopLike(WSTOPSIG(Status));
    else if (Found == 0 || errno == EINTR)
      Relay.next();
    else
      return {.BySignal = false, .Code = EXIT_FAILURE}; // no such child
  }
}

static_assert(std::atomic<bool>::is_always_lock_free); // for a handler
static std::atomic<bool> HadFault{false};
static std::atomic<pid_t> SparedThread{0};

/// Handles a fault: stops its thread for ever, unless it is the spared one.
static void stopThread(int Signal) {
  if (::gettid() == SparedThread.load()) {
    ::signal(Signal, SIG_DFL);
    ::raise(Signal); // delivered when this handler returns
    return;
  }
  HadFault.store(true);
  for (;;)
    ::pause();
}

void containFaults() {
  SparedThread.store(::gettid());
  struct sigaction Action = {};
  Action.sa_handler = stopThread; // NOLINT: a macro for a member of a union
  ::sigfillset(&Action.sa_mask);
  for (const int Fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    ::sigaction(Fault, &Action, nullptr);
}

bool hadFault() { return HadFault.load(); }

void endLike(const ProgramEnd &End) {
  if (!End.BySignal)
    ::_exit(End.Code);
  // The program has already dumped core if it was to.
  const rlimit None = {.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &None);
  const sigset_t One = setOf({End.Code});
  ::signal(End.Code, SIG_DFL);
  ::raise(End.Code);
  ::pthread_sigmask(SIG_UNBLOCK, &One, nullptr);
  // A signal from itself does not end the first process of a container.
  ::_exit(ProgramEnd::SignalBase + End.Code);
}

std::error_code becomeProgram(const std::vector<std::string> &Args) {
  ::execvp(Args.front().c_str(), argumentsOf(Args).data());
  return lastError();
}

void setVariable(const std::string &Name, const std::string &Value) {
  ::setenv(Name.c_str(), Value.c_str(), 1); // NOLINT: as the header says
}

void detachDescriptors(int Kept) {
  unsigned First = 3;
  if (Kept >= static_cast<int>(First)) {
    closeFrom(First, static_cast<unsigned>(Kept) - 1);
    First = static_cast<unsigned>(Kept) + 1;
  }
  closeFrom(First);
  const int Nothing = openNothing(O_CLOEXEC);
  if (Nothing < 0)
    return;
  for (const int Standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::dup2(Nothing, Standard);
  if (Nothing > STDERR_FILENO)
    ::close(Nothing);
}

bool continueDetached() {
  // The process between the two ends at once, so that the calling process,
  // which will run another program, has no child that it does not know.
  const pid_t Between = ::fork();
  if (Between > 0)
    waitForChild(Between);
  if (Between != 0)
    return false;
  ::setsid();
  // Without /dev/null, the build would wait for the end of its pipe.
  if (::fork() != 0 || openNothing(O_CLOEXEC) < 0)
    ::_exit(0);
  detachDescriptors();
  return true;
}

namespace {

/// A program whose output is captured. The destructor kills it and its process
/// group, unless it has ended.
class CapturedProgram {
public:
  ~CapturedProgram() {
    if (Child > 0)
      killWithGroup(Child);
  }

  std::error_code start(const std::vector<std::string> &Args,
                        ProgramStream Stream);
  std::error_code listen(const AnswerLimits &Limits, std::string &Answer);

private:
  bool hasEnded();
  /// Reads the available bytes. Returns false at the end of the stream.
  bool read(std::string &Answer);

  Pipe Stream;
  pid_t Child = -1;
};

} // namespace

std::error_code CapturedProgram::start(const std::vector<std::string> &Args,
                                       ProgramStream Which) {
  if (std::error_code Error = Stream.open())
    return Error;
  std::vector<char *> Arguments = argumentsOf(Args);
  // A translated answer could not be read.
  // With LLD_REPRODUCE, lld writes a file even if it only prints its version.
  const std::vector<std::string> Environment =
      environmentWith({"LC_ALL=C", "LLD_REPRODUCE"});
  std::vector<char *> Variables = argumentsOf(Environment);
  const int Listened =
      Which == ProgramStream::Output ? STDOUT_FILENO : STDERR_FILENO;
  const int Other =
      Which == ProgramStream::Output ? STDERR_FILENO : STDOUT_FILENO;
  const std::error_code Error = startChild(Child, [&] {
    ::setpgid(0, 0);
    const sigset_t None = setOf({});
    ::pthread_sigmask(SIG_SETMASK, &None, nullptr);
    const int Nothing = openNothing(0); // closed by closeFrom
    if (Nothing < 0)
      return;
    ::dup2(Stream.writing(), Listened);
    ::dup2(Nothing, STDIN_FILENO);
    ::dup2(Nothing, Other);
    // Also closes the pipe of startChild: a program that cannot run has no
    // output, which is no error.
    constexpr unsigned FirstOther = 3;
    closeFrom(FirstOther);
    environ = Variables.data();
    ::execvp(Arguments.front(), Arguments.data());
  });
  Stream.closeEnd(1);
  return Error;
}

bool CapturedProgram::hasEnded() {
  if (Child > 0 && ::waitpid(Child, nullptr, WNOHANG) == Child)
    Child = -1;
  return Child <= 0;
}

bool CapturedProgram::read(std::string &Answer) {
  std::array<char, 65536> Bytes;
  const ssize_t Count = ::read(Stream.reading(), Bytes.data(), Bytes.size());
  if (Count <= 0)
    return Count < 0 && errno == EINTR;
  Answer.append(Bytes.data(), static_cast<size_t>(Count));
  return true;
}

std::error_code CapturedProgram::listen(const AnswerLimits &Limits,
                                        std::string &Answer) {
  const Clock::time_point Deadline = Clock::now() + Limits.Time;
  bool IsOpen = true;
  for (;;) {
    // Check this before the stream: a program that has ended has written all. A
    // server that it has left behind may hold the stream open for ever.
    const bool Ended = hasEnded();
    pollfd Poll = {};
    Poll.fd = IsOpen ? Stream.reading() : -1;
    Poll.events = POLLIN;
    const int Ready =
        ::poll(&Poll, 1, Ended ? 0 : static_cast<int>(PollInterval.count()));
    if (Ready > 0)
      IsOpen = read(Answer);
    else if (Ended)
      return {};
    if (Ended && !IsOpen)
      return {};
    if (Answer.size() > Limits.Bytes)
      return std::make_error_code(std::errc::value_too_large);
    if (Limits.Cancelled && Limits.Cancelled->load())
      return std::make_error_code(std::errc::operation_canceled);
    if (Clock::now() >= Deadline)
      return std::make_error_code(std::errc::timed_out);
  }
}

std::error_code captureOutput(const std::vector<std::string> &Args,
                              ProgramStream Stream, const AnswerLimits &Limits,
                              std::string &Answer) {
  CapturedProgram Program;
  if (std::error_code Error = Program.start(Args, Stream))
    return Error;
  return Program.listen(Limits, Answer);
}

} // namespace headstart::os
