//===- WindowsProbe.cpp - A Windows program that tests run ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     WindowsProbe arguments A B...  prints its arguments, a line each
//     WindowsProbe exit STATUS       exits with this status
//     WindowsProbe flood             writes until it is killed
//     WindowsProbe sleep             sleeps for ten minutes
//     WindowsProbe streams           prints a line to each, `input` if it reads
//     WindowsProbe leave             starts a sleeping program, prints its id
//     WindowsProbe run A B...        runs A in its place: os::ForegroundProgram
//     WindowsProbe become A B...     calls os::becomeProgram
//     WindowsProbe detached A B...   runs A without a console
//     WindowsProbe held HOW FILE A B...
//                                    runs A while FILE is open: `alone` shares
//                                    nothing, `reading` lets others read,
//                                    `deleted` leaves only the open handle
//     WindowsProbe fault KIND        two contained faults while `exit 5` runs;
//                                    KIND is abort or address
//     WindowsProbe page-cache        commands on its standard input; see below
//     WindowsProbe pipe NAME FILE    makes a pipe, prints `ready`, and writes
//                                    FILE to its client after a line on the
//                                    standard input
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"

#include "Windows/StartProgram.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <io.h>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

using namespace headstart;
using namespace headstart::os;

namespace {

using Args = std::vector<std::string>;

/// Opens the system's low-memory event by its kernel name, which no documented
/// function accepts, and sets or clears it.
bool signalLowMemory(bool IsLow) {
  struct Text {
    USHORT Length;
    USHORT Capacity;
    const wchar_t *Units;
  };
  struct Attributes {
    ULONG Size;
    HANDLE Root;
    const Text *Name;
    ULONG Flags;
    void *Security;
    void *Quality;
  };
  using OpenEvent = LONG WINAPI(HANDLE *, ACCESS_MASK, const Attributes *);
  auto *const Open = reinterpret_cast<OpenEvent *>(reinterpret_cast<void (*)()>(
      ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "NtOpenEvent")));
  const std::wstring Name = L"\\KernelObjects\\LowMemoryCondition";
  const auto Bytes = static_cast<USHORT>(Name.size() * sizeof(wchar_t));
  const Text NameText = {Bytes, Bytes, Name.c_str()};
  const Attributes Which = {
      sizeof(Attributes), nullptr, &NameText, 0, nullptr, nullptr};
  HANDLE Event = nullptr;
  if (Open == nullptr || Open(&Event, EVENT_MODIFY_STATE, &Which) < 0)
    return false;
  const bool IsDone = (IsLow ? ::SetEvent(Event) : ::ResetEvent(Event)) != 0;
  ::CloseHandle(Event);
  return IsDone;
}

// clang-format off
/// Answers each input line with one line: a number, or `error` and a reason.
///
///     open PATH          opens and maps a file; its size
///     touched            pages of the mapping that this process has touched
///     resident           PageCache::residency of the file: resident pages, or
///                        `unknown`
///     mapped             that of the mapping, `at-least` before a lower bound
///     hint BEGIN LENGTH  hints a range; the bytes that the system accepted
///     touch BEGIN LENGTH reads a byte of each page; their number
///     unmap              unmaps but keeps the file open; 0
///     evict              PageCache::evict; 0
///     close              unmaps and closes; 0
///     low-memory 0|1     sets or clears the system's own signal; 0. Wine
///                        allows this, Windows does not
// clang-format on
int servePageCache() {
  const PageCache Cache;
  os::OpenFile File;
  MappedFile Mapping;
  const auto Fail = [](std::error_code Error) {
    std::cout << "error " << Error.message() << std::endl;
  };
  const auto Print = [](const std::optional<Residency> &Found) {
    if (!Found)
      std::cout << "unknown" << std::endl;
    else
      std::cout << (Found->IsLowerBound ? "at-least " : "")
                << Found->ResidentPages << std::endl;
  };
  for (std::string Line; std::getline(std::cin, Line);) {
    if (!Line.empty() && Line.back() == '\r')
      Line.pop_back();
    std::istringstream In(Line);
    std::string Command;
    In >> Command;
    ByteRange Range;
    if (Command == "open") {
      std::string Path;
      std::getline(In >> std::ws, Path);
      std::error_code Error = os::OpenFile::open(Path, File);
      if (!Error)
        Error = MappedFile::map(File, Mapping);
      if (Error)
        Fail(Error);
      else
        std::cout << File.size() << std::endl;
    } else if (Command == "touched") {
      PageTables Tables;
      const auto Present = Tables.present(Mapping.bytes());
      if (!Present) {
        std::cout << "unknown" << std::endl;
        continue;
      }
      uint64_t Pages = 0;
      for (const ByteRange &R : *Present)
        Pages += (R.Length + Cache.pageSize() - 1) / Cache.pageSize();
      std::cout << Pages << std::endl;
    } else if (Command == "resident") {
      Print(Cache.residency(File, {0, File.size()}));
    } else if (Command == "mapped") {
      Print(Cache.residency(Mapping.bytes()));
    } else if (Command == "hint" && In >> Range.Offset >> Range.Length) {
      const HintResult Result = Cache.hint(File, {&Range, 1});
      if (Result.Outcome != HintOutcome::Accepted)
        std::cout << (Result.Error == std::errc::not_enough_memory
                          ? "low memory, took "
                          : "error, took ")
                  << Result.AcceptedBytes << std::endl;
      else
        std::cout << Result.AcceptedBytes << std::endl;
    } else if (Command == "touch" && In >> Range.Offset >> Range.Length) {
      uint64_t Pages = 0;
      for (uint64_t At = Range.Offset; At < Range.end();
           At += Cache.pageSize()) {
        volatile char Byte = Mapping.data()[At];
        (void)Byte;
        ++Pages;
      }
      std::cout << Pages << std::endl;
    } else if (Command == "low-memory" && In >> Range.Offset) {
      if (signalLowMemory(Range.Offset != 0))
        std::cout << 0 << std::endl;
      else
        std::cout << "refused" << std::endl;
    } else if (Command == "pressure") {
      std::cout << SystemMemory::read().PressurePercent.value_or(-1)
                << std::endl;
    } else if (Command == "evict") {
      if (const std::error_code Error = Cache.evict(File))
        Fail(Error);
      else
        std::cout << 0 << std::endl;
    } else if (Command == "unmap") {
      Mapping = MappedFile();
      std::cout << 0 << std::endl;
    } else if (Command == "close") {
      Mapping = MappedFile();
      File.close();
      std::cout << 0 << std::endl;
    } else {
      std::cout << "error unknown command" << std::endl;
    }
  }
  return 0;
}

int run(const Args &Program) {
  ForegroundProgram Foreground;
  if (const std::error_code Error = Foreground.start(Program)) {
    std::cout << Error.default_error_condition().value() << std::endl;
    return 99;
  }
  endLike(Foreground.wait());
}

/// Runs \p Program while this process holds a file open as \p How says.
int hold(const std::string &How, const std::string &Path, const Args &Program) {
  const DWORD Share = How == "alone"     ? 0
                      : How == "reading" ? FILE_SHARE_READ
                                         : FILE_SHARE_READ | FILE_SHARE_WRITE |
                                               FILE_SHARE_DELETE;
  const HANDLE File = ::CreateFileW(std::filesystem::u8path(Path).c_str(),
                                    GENERIC_READ | DELETE, Share, nullptr,
                                    OPEN_EXISTING, 0, nullptr);
  FILE_DISPOSITION_INFO Deleted = {.DeleteFile = TRUE};
  if (File == INVALID_HANDLE_VALUE ||
      (How == "deleted" &&
       ::SetFileInformationByHandle(File, FileDispositionInfo, &Deleted,
                                    sizeof(Deleted)) == 0)) {
    std::cout << "cannot hold " << Path << std::endl;
    return 98;
  }
  return run(Program);
}

/// Runs a program as a service does, without a console.
int runDetached(const Args &Program) {
  os::detail::Started Started;
  os::detail::StartOptions Options;
  Options.Flags = DETACHED_PROCESS;
  if (os::detail::startProgram(Program, Options, Started))
    return 99;
  ::WaitForSingleObject(Started.Process.get(), INFINITE);
  DWORD Code = 0;
  ::GetExitCodeProcess(Started.Process.get(), &Code);
  ::ExitProcess(Code);
}

/// Leaves a running program behind that holds this process's streams.
int leave() {
  std::wstring Line = L"\"";
  std::wstring Path(1000, L'\0');
  Path.resize(::GetModuleFileNameW(nullptr, Path.data(), 1000));
  Line += Path + L"\" sleep";
  STARTUPINFOW Startup = {};
  Startup.cb = sizeof(Startup);
  PROCESS_INFORMATION Info = {};
  if (::CreateProcessW(nullptr, Line.data(), nullptr, nullptr, TRUE, 0, nullptr,
                       nullptr, &Startup, &Info) == 0)
    return 1;
  std::cout << Info.dwProcessId << std::flush;
  return 0;
}

int fault(const std::string &Kind, const Args &Program) {
  ForegroundProgram Foreground;
  if (Foreground.start(Program))
    return 99;
  containFaults();
  Threads Bad; // never joined
  const auto BeBad = [&] {
    if (Kind == "abort")
      std::abort();
    ::RaiseException(EXCEPTION_ACCESS_VIOLATION, 0, 0, nullptr);
  };
  (void)Bad.start(BeBad);
  while (!hadFault())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // The C runtime removes a signal handler that it has called, so test a second
  // fault. If uncontained, it would soon end this process with another status.
  (void)Bad.start(BeBad);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  endLike(Foreground.wait());
}

/// Keeps the pipe's reader waiting until a line arrives on standard input.
int servePipe(const std::string &Name, const std::string &File) {
  const HANDLE Pipe = ::CreateNamedPipeA(
      (R"(\\.\pipe\)" + Name).c_str(), PIPE_ACCESS_OUTBOUND,
      PIPE_TYPE_BYTE | PIPE_WAIT, 1, 65536, 65536, 0, nullptr);
  if (Pipe == INVALID_HANDLE_VALUE)
    return 1;
  std::cout << "ready" << std::endl;
  if (::ConnectNamedPipe(Pipe, nullptr) == 0 &&
      ::GetLastError() != ERROR_PIPE_CONNECTED)
    return 1;
  std::cout << "opened" << std::endl;
  std::string Line;
  std::getline(std::cin, Line);
  std::ifstream In(File, std::ios::binary);
  std::ostringstream Bytes;
  Bytes << In.rdbuf();
  const std::string Contents = Bytes.str();
  DWORD Count = 0;
  ::WriteFile(Pipe, Contents.data(), static_cast<DWORD>(Contents.size()),
              &Count, nullptr);
  ::FlushFileBuffers(Pipe);
  ::CloseHandle(Pipe);
  return 0;
}

} // namespace

int main(int Count, char **Arguments) {
  _setmode(1, _O_BINARY);
  _setmode(2, _O_BINARY);
  const Args All(Arguments, Arguments + Count);
  const std::string Command = Count > 1 ? All[1] : "";
  const Args Rest(All.begin() + std::min(Count, 2), All.end());
  if (Command == "arguments") {
    for (const std::string &Arg : Rest)
      std::cout << Arg << '\n';
    return 0;
  }
  if (Command == "exit" && !Rest.empty())
    endLike({.BySignal = false,
             .Code = static_cast<int>(std::stoll(Rest[0], nullptr, 0))});
  if (Command == "flood")
    for (const std::string Block(1000, 'y');;)
      std::cout << Block << std::flush;
  if (Command == "sleep") {
    if (!Rest.empty())
      std::ofstream(Rest[0]) << "ready";
    std::this_thread::sleep_for(std::chrono::minutes(10));
    return 0;
  }
  if (Command == "streams") {
    std::cout << "out\n" << std::flush;
    std::cerr << "err\n";
    std::string Line;
    if (std::getline(std::cin, Line))
      std::cout << "input\n";
    return 1;
  }
  if (Command == "leave")
    return leave();
  if (Command == "run")
    return run(Rest);
  if (Command == "detached")
    return runDetached(Rest);
  if (Command == "held" && Rest.size() > 2)
    return hold(Rest[0], Rest[1], {Rest.begin() + 2, Rest.end()});
  if (Command == "become")
    return becomeProgram(Rest).default_error_condition().value();
  if (Command == "fault" && !Rest.empty())
    return fault(Rest[0], {All[0], "exit", "5"});
  if (Command == "page-cache")
    return servePageCache();
  if (Command == "pipe" && Rest.size() == 2)
    return servePipe(Rest[0], Rest[1]);
  std::cerr << "no such command\n";
  return 2;
}
