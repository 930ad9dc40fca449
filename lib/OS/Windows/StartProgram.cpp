//===- StartProgram.cpp - Starting a program (Windows) --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StartProgram.h"

#include "headstart/OS/WideText.h"

#include <algorithm>
#include <cstdlib>
#include <cwchar>
#include <map>
#include <memory>

namespace headstart::os::detail {

static bool isFile(const std::wstring &Path) {
  const DWORD Attributes = ::GetFileAttributesW(Path.c_str());
  return Attributes != INVALID_FILE_ATTRIBUTES &&
         (Attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/// Sets \p Found to \p Path, or to that with `.exe` appended, if it is a file.
static bool findWithSuffix(std::wstring Path, std::wstring &Found) {
  // No suffix of batch files is tried: cmd.exe parses their command line by
  // other rules than those by which we quote.
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

/// Finds the program \p Arg: as it is if it is a path, else in PATH. Searches
/// the current directory only if PATH names it.
static std::error_code findProgram(const std::string &Arg,
                                   std::wstring &Found) {
  std::wstring Name;
  if (std::error_code Error = toWide(Arg, Name))
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
      std::wstring Directory = Path.substr(At, End - At);
      std::erase(Directory, L'"');
      if (!Directory.empty())
        IsFound = findWithSuffix(Directory + L'\\' + Name, Found);
      At = End + 1;
    }
  }
  if (!IsFound)
    return NotFound;
  // Windows ignores dots and spaces at the end: `a.bat .` is `a.bat`.
  const std::wstring Opened =
      Found.substr(0, Found.find_last_not_of(L" .") + 1);
  if (hasSuffix(Opened, L".bat") || hasSuffix(Opened, L".cmd"))
    return std::make_error_code(std::errc::executable_format_error);
  return {};
}

static std::error_code commandLineOf(const std::wstring &Program,
                                     const std::vector<std::string> &Args,
                                     std::wstring &Line) {
  // A simpler rule applies to the first argument: all between two quotes.
  Line = L'"' + Program + L'"';
  for (size_t I = 1; I < Args.size(); ++I) {
    std::wstring Arg;
    if (std::error_code Error = toWide(Args[I], Arg))
      return Error;
    appendArgument(std::wstring_view(Arg), Line);
  }
  return {};
}

namespace {

/// The startup information for CreateProcessW: what the program inherits.
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
    // The list holds each handle once.
    Inherited.assign(Options.Streams->begin(), Options.Streams->end());
    std::sort(Inherited.begin(), Inherited.end());
    Inherited.erase(std::unique(Inherited.begin(), Inherited.end()),
                    Inherited.end());
    SIZE_T Size = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &Size);
    Memory = std::make_unique<char[]>(Size);
    auto *const List =
        reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(Memory.get());
    // Without the list the program would inherit all inheritable handles.
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

  std::error_code Error; ///< why the constructor failed

private:
  STARTUPINFOEXW Info = {};
  std::vector<HANDLE> Inherited;
  std::unique_ptr<char[]> Memory;
};

} // namespace

/// Makes \p Block of our environment and \p Changes, sorted for CreateProcessW.
static std::error_code environmentWith(const std::vector<std::string> &Changes,
                                       std::wstring &Block) {
  // Compares names and ignores case.
  const auto Less = [](const std::wstring &A, const std::wstring &B) {
    return ::CompareStringOrdinal(A.c_str(), -1, B.c_str(), -1, TRUE) ==
           CSTR_LESS_THAN;
  };
  std::map<std::wstring, std::wstring, decltype(Less)> Variables(Less);
  wchar_t *const Ours = ::GetEnvironmentStringsW();
  if (Ours == nullptr)
    return lastError();
  for (const wchar_t *At = Ours; *At != L'\0'; At += ::wcslen(At) + 1) {
    const std::wstring Variable(At);
    // The variables of drives' current directories begin with '='.
    Variables[Variable.substr(0, Variable.find(L'=', 1))] = Variable;
  }
  ::FreeEnvironmentStringsW(Ours);
  for (const std::string &Change : Changes) {
    std::wstring Variable;
    if (std::error_code Error = toWide(Change, Variable))
      return Error;
    const size_t Sign = Variable.find(L'=', 1);
    Variables.erase(Variable.substr(0, Sign));
    if (Sign != std::wstring::npos)
      Variables[Variable.substr(0, Sign)] = Variable;
  }
  for (const auto &[Name, Variable] : Variables)
    Block.append(Variable).push_back(L'\0');
  Block.push_back(L'\0');
  return {};
}

std::error_code startProgram(const std::vector<std::string> &Args,
                             StartOptions Options, Started &Result) {
  std::wstring Program;
  std::wstring Line;
  std::wstring Environment;
  const bool HasName = !Options.Program.empty();
  if (std::error_code Error =
          findProgram(HasName ? Options.Program : Args.front(), Program))
    return Error;
  std::wstring Name = Program;
  if (HasName)
    if (std::error_code Error = toWide(Args.front(), Name))
      return Error;
  if (std::error_code Error = commandLineOf(Name, Args, Line))
    return Error;
  if (!Options.Environment.empty()) {
    if (std::error_code Error =
            environmentWith(Options.Environment, Environment))
      return Error;
    Options.Flags |= CREATE_UNICODE_ENVIRONMENT;
  }
  StartupInfo Startup(Options);
  if (Startup.Error)
    return Startup.Error;
  PROCESS_INFORMATION Info = {};
  // The program must not run outside the job, or it could leave others behind.
  if (::CreateProcessW(Program.c_str(), Line.data(), nullptr, nullptr, TRUE,
                       Options.Flags | CREATE_SUSPENDED,
                       Environment.empty() ? nullptr : Environment.data(),
                       nullptr, Startup.get(), &Info) == 0)
    return lastError();
  Result.Process = UniqueHandle(Info.hProcess);
  const UniqueHandle Thread(Info.hThread);
  Result.Job = UniqueHandle(::CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION Limits = {};
  Limits.BasicLimitInformation.LimitFlags = Options.JobLimits;
  // Without a job the program runs as well, but does not end with us.
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

std::optional<PROCESS_MEMORY_COUNTERS_EX> memoryOf(HANDLE Process) {
  PROCESS_MEMORY_COUNTERS_EX Memory = {};
  if (::K32GetProcessMemoryInfo(
          Process, reinterpret_cast<PROCESS_MEMORY_COUNTERS *>(&Memory),
          sizeof(Memory)) == 0)
    return std::nullopt;
  return Memory;
}

SECURITY_ATTRIBUTES inheritableAttributes() {
  SECURITY_ATTRIBUTES Inherit = {};
  Inherit.nLength = sizeof(Inherit);
  Inherit.bInheritHandle = TRUE;
  return Inherit;
}

UniqueHandle openNothing() {
  SECURITY_ATTRIBUTES Inherit = inheritableAttributes();
  return UniqueHandle(::CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE,
                                    &Inherit, OPEN_EXISTING, 0, nullptr));
}

} // namespace headstart::os::detail
