//===- ChildProcess.cpp - Programs that this one runs (Windows) -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"

#include "StartProgram.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <io.h>
#include <optional>

namespace headstart::os {

using namespace detail;

namespace {

using Clock = std::chrono::steady_clock;

/// The longest time between two checks of a CapturedProgram.
constexpr std::chrono::milliseconds PollInterval{20};

} // namespace

/// The program that runs in our place; there is only one.
static Started Foreground; // NOLINT: never destroyed before the process ends

/// Handles a console event, which the console sends to each attached process:
/// leaves it to the program, and lets this process end after the program.
static BOOL WINAPI leaveToProgram(DWORD Event) {
  if (!Foreground.Process.isOpen())
    return FALSE; // the program does not run yet
  // Windows ends this process when the handler of another event returns.
  if (Event != CTRL_C_EVENT && Event != CTRL_BREAK_EVENT)
    ::WaitForSingleObject(Foreground.Process.get(), INFINITE);
  return TRUE;
}

std::error_code ForegroundProgram::start(const std::vector<std::string> &Args) {
  StartOptions Options;
  // The job leaves out what the program starts (a server that outlives it).
  Options.JobLimits =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
  // The program would inherit an ignored Ctrl-C, but inherits no handler.
  ::SetConsoleCtrlHandler(leaveToProgram, TRUE);
  if (std::error_code Error = startProgram(Args, Options, Foreground)) {
    ::SetConsoleCtrlHandler(leaveToProgram, FALSE);
    return Error;
  }
  Child = static_cast<int>(::GetProcessId(Foreground.Process.get()));
  return {};
}

ProgramEnd ForegroundProgram::wait() {
  (void)Grace; // Windows has no signals to forward
  (void)Child;
  ::WaitForSingleObject(Foreground.Process.get(), INFINITE);
  DWORD Code = EXIT_FAILURE;
  ::GetExitCodeProcess(Foreground.Process.get(), &Code);
  if (const auto Memory = memoryOf(Foreground.Process.get());
      Memory && Memory->PeakWorkingSetSize != 0)
    PeakBytes = Memory->PeakWorkingSetSize;
  // From now on, Ctrl-C may end this process.
  ::SetConsoleCtrlHandler(leaveToProgram, FALSE);
  return {.BySignal = false, .Code = static_cast<int>(Code)};
}

static_assert(std::atomic<bool>::is_always_lock_free); // for a handler
static std::atomic<bool> HadFault{false};
static std::atomic<DWORD> SparedThread{0};
static LPTOP_LEVEL_EXCEPTION_FILTER FilterBefore = nullptr;

[[noreturn]] static void parkThread() {
  HadFault.store(true);
  for (;;)
    ::Sleep(INFINITE);
}

/// Called on the thread of an unhandled exception.
static LONG WINAPI stopThread(EXCEPTION_POINTERS *Exception) {
  if (::GetCurrentThreadId() != SparedThread.load())
    parkThread();
  return FilterBefore != nullptr ? FilterBefore(Exception)
                                 : EXCEPTION_CONTINUE_SEARCH;
}

/// Called by abort, on the thread that called abort.
static void stopAborting(int Signal) {
  if (::GetCurrentThreadId() != SparedThread.load()) {
    // The C runtime removes the handler before it calls it.
    std::signal(Signal, stopAborting); // NOLINT(cert-err33-c): what to do?
    parkThread();
  }
  std::signal(Signal, SIG_DFL); // NOLINT(cert-err33-c): what to do?
}

// A vectored handler would also see exceptions that other code handles.
// __fastfail (after a smashed stack or heap) still ends the process.
void containFaults() {
  SparedThread.store(::GetCurrentThreadId());
  FilterBefore = ::SetUnhandledExceptionFilter(stopThread);
  std::signal(SIGABRT, stopAborting); // NOLINT(cert-err33-c): what to do?
}

bool hadFault() { return HadFault.load(); }

void endLike(const ProgramEnd &End) {
  // ExitProcess would wait for what ended threads still hold.
  ::TerminateProcess(::GetCurrentProcess(),
                     static_cast<UINT>(End.BySignal
                                           ? ProgramEnd::SignalBase + End.Code
                                           : End.Code));
  std::abort(); // not reached
}

// A Windows process cannot become another program, so this one waits for the
// program and ends as the program did.
std::error_code becomeProgram(const std::vector<std::string> &Args) {
  ForegroundProgram Program;
  if (std::error_code Error = Program.start(Args))
    return Error;
  endLike(Program.wait());
}

void setVariable(const std::string &Name, const std::string &Value) {
  std::wstring WideName;
  std::wstring WideValue;
  if (!toWide(Name, WideName) && !toWide(Value, WideValue))
    ::SetEnvironmentVariableW(WideName.c_str(), WideValue.c_str());
}

// Detaches only the standard handles: Windows does not list the others that
// this process has inherited.
void detachDescriptors(int) {
  const int Nothing = ::_open("NUL", _O_RDWR | _O_NOINHERIT | _O_BINARY);
  if (Nothing < 0)
    return;
  for (const int Standard : {0, 1, 2})
    ::_dup2(Nothing, Standard); // also sets the standard handle
  if (Nothing > 2)
    ::_close(Nothing);
}

namespace {

/// A program whose output is captured. The destructor kills it and all that it
/// has started, unless it has ended.
class CapturedProgram {
public:
  ~CapturedProgram();

  std::error_code start(const std::vector<std::string> &Args,
                        ProgramStream Stream);
  std::error_code listen(const AnswerLimits &Limits, std::string &Answer);

private:
  /// Reads the available bytes and returns how many; nothing at the end.
  std::optional<size_t> read(std::string &Answer);

  Started Program;
  UniqueHandle Reading;
  bool HasEnded = false;
};

} // namespace

CapturedProgram::~CapturedProgram() {
  if (!Program.Process.isOpen())
    return;
  if (HasEnded) {
    // Processes that the program has left behind keep running.
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION None = {};
    if (Program.Job.isOpen())
      ::SetInformationJobObject(Program.Job.get(),
                                JobObjectExtendedLimitInformation, &None,
                                sizeof(None));
    return;
  }
  if (Program.Job.isOpen())
    ::TerminateJobObject(Program.Job.get(), EXIT_FAILURE);
  ::TerminateProcess(Program.Process.get(), EXIT_FAILURE);
  ::WaitForSingleObject(Program.Process.get(), INFINITE);
}

std::error_code CapturedProgram::start(const std::vector<std::string> &Args,
                                       ProgramStream Which) {
  const UniqueHandle Nothing = openNothing();
  HANDLE Ends[2] = {};
  if (!Nothing.isOpen() || ::CreatePipe(&Ends[0], &Ends[1], nullptr, 0) == 0)
    return lastError();
  Reading = UniqueHandle(Ends[0]);
  const UniqueHandle Writing(Ends[1]);
  if (::SetHandleInformation(Writing.get(), HANDLE_FLAG_INHERIT,
                             HANDLE_FLAG_INHERIT) == 0)
    return lastError();
  const bool IsOutput = Which == ProgramStream::Output;
  StartOptions Options;
  // An invisible console of its own keeps our Ctrl-C from the program.
  Options.Flags = CREATE_NO_WINDOW;
  Options.JobLimits = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  Options.Streams = {Nothing.get(), IsOutput ? Writing.get() : Nothing.get(),
                     IsOutput ? Nothing.get() : Writing.get()};
  return startProgram(Args, Options, Program);
}

std::optional<size_t> CapturedProgram::read(std::string &Answer) {
  std::array<char, 65536> Bytes;
  DWORD Available = 0;
  if (::PeekNamedPipe(Reading.get(), nullptr, 0, nullptr, &Available,
                      nullptr) == 0)
    return std::nullopt;
  if (Available == 0)
    return 0;
  DWORD Count = 0;
  if (::ReadFile(Reading.get(), Bytes.data(), static_cast<DWORD>(Bytes.size()),
                 &Count, nullptr) == 0)
    return std::nullopt;
  Answer.append(Bytes.data(), Count);
  return Count;
}

std::error_code CapturedProgram::listen(const AnswerLimits &Limits,
                                        std::string &Answer) {
  const Clock::time_point Deadline = Clock::now() + Limits.Time;
  bool IsOpen = true;
  for (;;) {
    // Check this before the stream: a program that has ended has written all. A
    // server that it has left behind may hold the stream open for ever.
    HasEnded = ::WaitForSingleObject(Program.Process.get(), 0) == WAIT_OBJECT_0;
    size_t Count = 0;
    if (IsOpen) {
      const std::optional<size_t> Got = read(Answer);
      IsOpen = Got.has_value();
      Count = Got.value_or(0);
    }
    if (Answer.size() > Limits.Bytes) {
      HasEnded = false; // so that all that it has started is killed, too
      return std::make_error_code(std::errc::value_too_large);
    }
    if (HasEnded && Count == 0)
      return {};
    if (Limits.Cancelled && Limits.Cancelled->load()) {
      HasEnded = false;
      return std::make_error_code(std::errc::operation_canceled);
    }
    if (Clock::now() >= Deadline) {
      HasEnded = false;
      return std::make_error_code(std::errc::timed_out);
    }
    // Windows cannot wait for a pipe and a process together.
    if (Count == 0)
      ::WaitForSingleObject(Program.Process.get(),
                            static_cast<DWORD>(PollInterval.count()));
  }
}

std::error_code captureOutput(const std::vector<std::string> &Args,
                              ProgramStream Stream, const AnswerLimits &Limits,
                              std::string &Answer) {
  CapturedProgram Program;
  const std::error_code Error = Program.start(Args, Stream);
  // As on all systems, a program that cannot run has no output.
  if (Error == std::errc::no_such_file_or_directory ||
      Error == std::errc::executable_format_error)
    return {};
  return Error ? Error : Program.listen(Limits, Answer);
}

} // namespace headstart::os
