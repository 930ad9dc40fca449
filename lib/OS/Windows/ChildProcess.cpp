//===- ChildProcess.cpp - Programs that this one runs (Windows) -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"

#include "Support.h"
#include "headstart/OS/WideText.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <io.h>
#include <memory>
#include <optional>
#include <thread>

namespace headstart::os {

using namespace detail;

namespace {

using Clock = std::chrono::steady_clock;

/// The most between two looks at a program that is asked.
constexpr std::chrono::milliseconds LookAgain{20};

/// A program that has been started.
struct Started {
  UniqueHandle Process;
  UniqueHandle Job; ///< that it is in
};

/// What a program gets from us.
struct StartOptions {
  DWORD Flags = 0;     ///< of CreateProcessW
  DWORD JobLimits = 0; ///< JOB_OBJECT_LIMIT_...
  /// Its standard handles, which can be inherited, and all that it inherits;
  /// none if it gets ours.
  std::optional<std::array<HANDLE, 3>> Streams;
};

} // namespace

static bool isFile(const std::wstring &Path) {
  const DWORD Attributes = ::GetFileAttributesW(Path.c_str());
  return Attributes != INVALID_FILE_ATTRIBUTES &&
         (Attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/// \p Path, or with `.exe` behind it, if that is a file.
static bool findWithSuffix(std::wstring Path, std::wstring &Found) {
  // cmd.exe reads the command line of a batch file, by other rules than those
  // by which we quote: such a one has to be asked for in its words.
  const size_t Name = Path.find_last_of(L"\\/") + 1;
  if (Path.find(L'.', Name) != std::wstring::npos && isFile(Path)) {
    Found = std::move(Path);
    return true;
  }
  Path += L".exe";
  if (!isFile(Path))
    return false;
  Found = std::move(Path);
  return true;
}

static bool hasSuffix(const std::wstring &Path, std::wstring_view Suffix) {
  return Path.size() >= Suffix.size() &&
         ::CompareStringOrdinal(Path.c_str() + Path.size() - Suffix.size(),
                                static_cast<int>(Suffix.size()), Suffix.data(),
                                static_cast<int>(Suffix.size()),
                                TRUE) == CSTR_EQUAL;
}

/// Finds the program \p Word: as it is if it is a path, else in PATH, and in
/// the current folder only if PATH names it.
static std::error_code findProgram(const std::string &Word,
                                   std::wstring &Found) {
  std::wstring Name;
  if (std::error_code Error = toWide(Word, Name))
    return Error;
  const auto NotFound =
      std::make_error_code(std::errc::no_such_file_or_directory);
  if (Name.empty() || Name.find(L'"') != std::wstring::npos)
    return NotFound;
  bool IsFound = false;
  if (Name.find_first_of(L"\\/:") != std::wstring::npos) {
    IsFound = findWithSuffix(Name, Found);
  } else {
    std::wstring Path(::GetEnvironmentVariableW(L"PATH", nullptr, 0), L'\0');
    Path.resize(::GetEnvironmentVariableW(L"PATH", Path.data(),
                                          static_cast<DWORD>(Path.size())));
    for (size_t At = 0; !IsFound && At < Path.size();) {
      const size_t End = std::min(Path.find(L';', At), Path.size());
      std::wstring Folder = Path.substr(At, End - At);
      std::erase(Folder, L'"');
      if (!Folder.empty())
        IsFound = findWithSuffix(Folder + L'\\' + Name, Found);
      At = End + 1;
    }
  }
  if (!IsFound)
    return NotFound;
  // Windows leaves out dots and spaces at the end: `a.bat .` is `a.bat`.
  const std::wstring Opened =
      Found.substr(0, Found.find_last_not_of(L" .") + 1);
  if (hasSuffix(Opened, L".bat") || hasSuffix(Opened, L".cmd"))
    return std::make_error_code(std::errc::executable_format_error);
  return {};
}

static std::error_code commandLineOf(const std::wstring &Program,
                                     const std::vector<std::string> &Words,
                                     std::wstring &Line) {
  // The first word is read by a simpler rule: all between two quotes.
  Line = L'"' + Program + L'"';
  for (size_t I = 1; I < Words.size(); ++I) {
    std::wstring Word;
    if (std::error_code Error = toWide(Words[I], Word))
      return Error;
    appendArgument(std::wstring_view(Word), Line);
  }
  return {};
}

namespace {

/// What CreateProcessW is told of what the program inherits.
class StartupInfo {
public:
  explicit StartupInfo(StartOptions &Options) {
    Info.StartupInfo.cb = sizeof(Info.StartupInfo);
    if (!Options.Streams)
      return;
    Info.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    Info.StartupInfo.hStdInput = (*Options.Streams)[0];
    Info.StartupInfo.hStdOutput = (*Options.Streams)[1];
    Info.StartupInfo.hStdError = (*Options.Streams)[2];
    // Each handle once.
    Inherited.assign(Options.Streams->begin(), Options.Streams->end());
    std::sort(Inherited.begin(), Inherited.end());
    Inherited.erase(std::unique(Inherited.begin(), Inherited.end()),
                    Inherited.end());
    SIZE_T Size = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &Size);
    Memory = std::make_unique<char[]>(Size);
    auto *const List =
        reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(Memory.get());
    // Without the list it would inherit whatever can be inherited.
    if (::InitializeProcThreadAttributeList(List, 1, 0, &Size) == 0) {
      Error = lastError();
      return;
    }
    Info.lpAttributeList = List;
    if (::UpdateProcThreadAttribute(
            List, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, Inherited.data(),
            Inherited.size() * sizeof(HANDLE), nullptr, nullptr) == 0) {
      Error = lastError();
      return;
    }
    Info.StartupInfo.cb = sizeof(Info);
    Options.Flags |= EXTENDED_STARTUPINFO_PRESENT;
  }
  StartupInfo(const StartupInfo &) = delete;
  StartupInfo &operator=(const StartupInfo &) = delete;
  ~StartupInfo() {
    if (Info.lpAttributeList != nullptr)
      ::DeleteProcThreadAttributeList(Info.lpAttributeList);
  }
  STARTUPINFOW *get() { return &Info.StartupInfo; }

  std::error_code Error; ///< why there is none

private:
  STARTUPINFOEXW Info = {};
  std::vector<HANDLE> Inherited;
  std::unique_ptr<char[]> Memory;
};

} // namespace

static std::error_code startProgram(const std::vector<std::string> &Words,
                                    StartOptions Options, Started &Result) {
  std::wstring Program;
  std::wstring Line;
  if (std::error_code Error = findProgram(Words.front(), Program))
    return Error;
  if (std::error_code Error = commandLineOf(Program, Words, Line))
    return Error;
  StartupInfo Startup(Options);
  if (Startup.Error)
    return Startup.Error;
  PROCESS_INFORMATION Info = {};
  // It does not run before it is in the job, or it could leave programs behind.
  if (::CreateProcessW(Program.c_str(), Line.data(), nullptr, nullptr, TRUE,
                       Options.Flags | CREATE_SUSPENDED, nullptr, nullptr,
                       Startup.get(), &Info) == 0)
    return lastError();
  Result.Process = UniqueHandle(Info.hProcess);
  const UniqueHandle Thread(Info.hThread);
  Result.Job = UniqueHandle(::CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION Limits = {};
  Limits.BasicLimitInformation.LimitFlags = Options.JobLimits;
  // Without a job it runs all the same; it will not end with us.
  if (Result.Job.isOpen() &&
      (::SetInformationJobObject(Result.Job.get(),
                                 JobObjectExtendedLimitInformation, &Limits,
                                 sizeof(Limits)) == 0 ||
       ::AssignProcessToJobObject(Result.Job.get(), Info.hProcess) == 0))
    Result.Job.close();
  if (::ResumeThread(Info.hThread) != static_cast<DWORD>(-1))
    return {};
  const std::error_code Error = lastError();
  ::TerminateProcess(Info.hProcess, EXIT_FAILURE);
  return Error;
}

/// The program that runs in our place, of which there is one.
static Started Foreground; // NOLINT: never destroyed before the process ends

/// The console tells every process that is attached to it: the program does
/// what is to be done, and we end when it has.
static BOOL WINAPI leaveToProgram(DWORD Event) {
  if (!Foreground.Process.isOpen())
    return FALSE; // it does not run yet
  // When this returns from one of the others, the process is ended.
  if (Event != CTRL_C_EVENT && Event != CTRL_BREAK_EVENT)
    ::WaitForSingleObject(Foreground.Process.get(), INFINITE);
  return TRUE;
}

std::error_code
ForegroundProgram::start(const std::vector<std::string> &Words) {
  StartOptions Options;
  // What the program itself starts (a server that outlives it) is not ours.
  Options.JobLimits =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
  // Handlers are not inherited; that Ctrl-C is ignored would be.
  ::SetConsoleCtrlHandler(leaveToProgram, TRUE);
  if (std::error_code Error = startProgram(Words, Options, Foreground)) {
    ::SetConsoleCtrlHandler(leaveToProgram, FALSE);
    return Error;
  }
  Child = static_cast<int>(::GetProcessId(Foreground.Process.get()));
  return {};
}

ProgramEnd ForegroundProgram::wait() {
  (void)Grace; // Windows has no signals to be passed on
  (void)Child;
  ::WaitForSingleObject(Foreground.Process.get(), INFINITE);
  DWORD Code = EXIT_FAILURE;
  ::GetExitCodeProcess(Foreground.Process.get(), &Code);
  // What we do from now on can be interrupted.
  ::SetConsoleCtrlHandler(leaveToProgram, FALSE);
  return {.BySignal = false, .Code = static_cast<int>(Code)};
}

static_assert(std::atomic<bool>::is_always_lock_free); // in a handler
static std::atomic<bool> HadFault{false};
static std::atomic<DWORD> SparedThread{0};
static LPTOP_LEVEL_EXCEPTION_FILTER FilterBefore = nullptr;

[[noreturn]] static void parkThread() {
  HadFault.store(true);
  for (;;)
    ::Sleep(INFINITE);
}

/// Called on the thread of an exception that nobody has handled.
static LONG WINAPI stopThread(EXCEPTION_POINTERS *Exception) {
  if (::GetCurrentThreadId() != SparedThread.load())
    parkThread();
  return FilterBefore != nullptr ? FilterBefore(Exception)
                                 : EXCEPTION_CONTINUE_SEARCH;
}

/// Called by abort, on the thread that calls it.
static void stopAborting(int Signal) {
  if (::GetCurrentThreadId() != SparedThread.load()) {
    // The C runtime has taken the handler away, before it called it.
    std::signal(Signal, stopAborting); // NOLINT(cert-err33-c): what to do?
    parkThread();
  }
  std::signal(Signal, SIG_DFL); // NOLINT(cert-err33-c): what to do?
}

// Not a vectored handler: it would also see what others go on to handle. What
// ends a process by __fastfail (a smashed stack or heap) still does.
void containFaults() {
  SparedThread.store(::GetCurrentThreadId());
  FilterBefore = ::SetUnhandledExceptionFilter(stopThread);
  std::signal(SIGABRT, stopAborting); // NOLINT(cert-err33-c): what to do?
}

bool hadFault() { return HadFault.load(); }

void endLike(const ProgramEnd &End) {
  constexpr int SignalBase = 128; // as shells report a signal
  // ExitProcess would wait for what threads that are no more hold.
  ::TerminateProcess(
      ::GetCurrentProcess(),
      static_cast<UINT>(End.BySignal ? SignalBase + End.Code : End.Code));
  std::abort(); // not reached
}

// A process cannot become another program here: it waits for it, and ends as
// it did.
std::error_code becomeProgram(const std::vector<std::string> &Words) {
  ForegroundProgram Program;
  if (std::error_code Error = Program.start(Words))
    return Error;
  endLike(Program.wait());
}

// Of the handles that were given to us, the standard ones: what else there may
// be, the system does not list.
void letGoOfDescriptors() {
  const int Nothing = ::_open("NUL", _O_RDWR | _O_NOINHERIT | _O_BINARY);
  if (Nothing < 0)
    return;
  for (const int Standard : {0, 1, 2})
    ::_dup2(Nothing, Standard); // also sets the standard handle
  if (Nothing > 2)
    ::_close(Nothing);
}

namespace {

/// A program that is asked. Killed with all that it has started if it is not
/// waited for.
class AskedProgram {
public:
  AskedProgram() = default;
  AskedProgram(const AskedProgram &) = delete;
  AskedProgram &operator=(const AskedProgram &) = delete;
  ~AskedProgram();

  std::error_code start(const std::vector<std::string> &Words,
                        ProgramStream Stream);
  std::error_code listen(const AnswerLimits &Limits, std::string &Answer);

private:
  /// Reads what is there, and says how much; nothing at the end of the stream.
  std::optional<size_t> read(std::string &Answer);

  Started Program;
  UniqueHandle Reading;
  bool HasEnded = false;
};

} // namespace

AskedProgram::~AskedProgram() {
  if (!Program.Process.isOpen())
    return;
  if (HasEnded) {
    // What it has left behind stays.
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

std::error_code AskedProgram::start(const std::vector<std::string> &Words,
                                    ProgramStream Which) {
  SECURITY_ATTRIBUTES Inherit = {};
  Inherit.nLength = sizeof(Inherit);
  Inherit.bInheritHandle = TRUE;
  const UniqueHandle Nothing(::CreateFileW(
      L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
      &Inherit, OPEN_EXISTING, 0, nullptr));
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
  // A console of its own, which nobody sees, and so no Ctrl-C of ours.
  Options.Flags = CREATE_NO_WINDOW;
  Options.JobLimits = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  Options.Streams = {Nothing.get(), IsOutput ? Writing.get() : Nothing.get(),
                     IsOutput ? Nothing.get() : Writing.get()};
  return startProgram(Words, Options, Program);
}

std::optional<size_t> AskedProgram::read(std::string &Answer) {
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

std::error_code AskedProgram::listen(const AnswerLimits &Limits,
                                     std::string &Answer) {
  const Clock::time_point Deadline = Clock::now() + Limits.Time;
  bool IsOpen = true;
  for (;;) {
    // Looked at before the stream: what it wrote before it ended is there. A
    // server that it has left behind may hold the stream open for ever.
    HasEnded = ::WaitForSingleObject(Program.Process.get(), 0) == WAIT_OBJECT_0;
    size_t Count = 0;
    if (IsOpen) {
      const std::optional<size_t> Got = read(Answer);
      IsOpen = Got.has_value();
      Count = Got.value_or(0);
    }
    if (Answer.size() > Limits.Bytes) {
      HasEnded = false; // to be killed with what it has started
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
    // A pipe cannot be waited for together with a process.
    if (Count == 0)
      ::WaitForSingleObject(Program.Process.get(),
                            static_cast<DWORD>(LookAgain.count()));
  }
}

std::error_code askProgram(const std::vector<std::string> &Words,
                           ProgramStream Stream, const AnswerLimits &Limits,
                           std::string &Answer) {
  AskedProgram Program;
  const std::error_code Error = Program.start(Words, Stream);
  // As everywhere: what cannot be run says nothing.
  if (Error == std::errc::no_such_file_or_directory ||
      Error == std::errc::executable_format_error)
    return {};
  return Error ? Error : Program.listen(Limits, Answer);
}

} // namespace headstart::os
