//===- WindowsProgramTest.cpp - This program, and those it runs -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/Program.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

using namespace headstart::os::test;
namespace fs = std::filesystem;
namespace os = headstart::os;

namespace {

using Args = std::vector<std::string>;

/// The path of WindowsProbe, which is built next to this program.
std::string probe() {
  return (fs::path(os::programPath()).parent_path() / "WindowsProbe.exe")
      .string();
}

std::string capture(const Args &Program,
                    os::ProgramStream Stream = os::ProgramStream::Output) {
  os::AnswerLimits Limits;
  Limits.Time = std::chrono::seconds(60);
  std::string Answer;
  const std::error_code Error =
      os::captureOutput(Program, Stream, Limits, Answer);
  EXPECT_FALSE(Error) << Error.message();
  return Answer;
}

/// Runs the probe with \p Arguments; returns its exit status.
DWORD statusOf(const std::wstring &Arguments) {
  std::wstring Line = L'"' + fs::path(probe()).wstring() + L"\" " + Arguments;
  STARTUPINFOW Startup = {};
  Startup.cb = sizeof(Startup);
  PROCESS_INFORMATION Info = {};
  if (::CreateProcessW(nullptr, Line.data(), nullptr, nullptr, FALSE, 0,
                       nullptr, nullptr, &Startup, &Info) == 0)
    return 9999;
  ::WaitForSingleObject(Info.hProcess, 60'000);
  DWORD Code = 9998;
  ::GetExitCodeProcess(Info.hProcess, &Code);
  ::CloseHandle(Info.hProcess);
  ::CloseHandle(Info.hThread);
  return Code;
}

std::wstring quotedProbe() { return L'"' + fs::path(probe()).wstring() + L'"'; }

/// Whether \p Path can be deleted, which fails while its program runs.
bool waitUntilDeletable(const fs::path &Path) {
  for (unsigned I = 0; I != 600; ++I) {
    std::error_code Error;
    if (fs::remove(Path, Error) && !Error)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST(WindowsProgramTest, PartsMatchFile) {
  const std::vector<os::ProgramPart> Parts = os::programParts();
  ASSERT_FALSE(Parts.empty());
  os::OpenFile File;
  ASSERT_FALSE(os::OpenFile::open(os::programPath(), File));
  const auto *const Code = reinterpret_cast<const char *>(
      static_cast<std::vector<os::ProgramPart> (*)()>(&os::programParts));
  bool HoldsCode = false;
  for (const os::ProgramPart &Part : Parts) {
    ASSERT_LE(Part.Offset + Part.Memory.size(), File.size());
    const bool IsCode = Code >= Part.Memory.data() &&
                        Code < Part.Memory.data() + Part.Memory.size();
    HoldsCode |= IsCode;
    if (!IsCode) // the loader may have relocated addresses
      continue;
    std::vector<char> Bytes(std::min<size_t>(Part.Memory.size(), 4096));
    std::error_code Error;
    ASSERT_EQ(File.readAt(Part.Offset, Bytes, Error), Bytes.size());
    EXPECT_EQ(std::memcmp(Bytes.data(), Part.Memory.data(), Bytes.size()), 0);
  }
  EXPECT_TRUE(HoldsCode);
}

TEST(WindowsProgramTest, ForgetsInvalidHandles) {
  const HANDLE Before = ::GetStdHandle(STD_INPUT_HANDLE);
  const HANDLE Closed = ::CreateEventW(nullptr, FALSE, FALSE, nullptr);
  ::CloseHandle(Closed);
  ::SetStdHandle(STD_INPUT_HANDLE, Closed);
  const HANDLE Output = ::GetStdHandle(STD_OUTPUT_HANDLE);
  os::holdStandardDescriptors();
  EXPECT_EQ(::GetStdHandle(STD_INPUT_HANDLE), nullptr);
  EXPECT_EQ(::GetStdHandle(STD_OUTPUT_HANDLE), Output);
  ::SetStdHandle(STD_INPUT_HANDLE, Before);
}

TEST(WindowsCaptureOutputTest, PassesArgumentsUnchanged) {
  const Args Sent = {"a",  "",          "a b",   "\"",     "x\"y z",
                     "\\", "C:\\a b\\", "*.txt", "%PATH%", "\\\\\"q"};
  Args Program = {probe(), "arguments"};
  std::string Expected;
  for (const std::string &Arg : Sent) {
    // The C runtime may expand patterns, but these match no file.
    Program.push_back(Arg);
    Expected += Arg + "\n";
  }
  EXPECT_EQ(capture(Program), Expected);
}

TEST(WindowsCaptureOutputTest, CapturesOneStream) {
  EXPECT_EQ(capture({probe(), "streams"}), "out\n");
  EXPECT_EQ(capture({probe(), "streams"}, os::ProgramStream::Error), "err\n");
  EXPECT_EQ(capture({"headstart-no-such-program"}), "");
}

TEST(WindowsCaptureOutputTest, FindsProgramsInPath) {
  EXPECT_NE(capture({"cmd", "/c", "ver"}), "");
  EXPECT_EQ(capture({"cmd.exe", "/c", "echo", "said"}), "said\r\n");
}

TEST(WindowsCaptureOutputTest, EnforcesLimits) {
  std::string Answer;
  os::AnswerLimits Short;
  Short.Time = std::chrono::milliseconds(50);
  EXPECT_EQ(os::captureOutput({probe(), "sleep"}, os::ProgramStream::Output,
                              Short, Answer),
            std::errc::timed_out);
  os::AnswerLimits Small;
  Small.Time = std::chrono::seconds(60);
  Small.Bytes = 100'000;
  EXPECT_EQ(os::captureOutput({probe(), "flood"}, os::ProgramStream::Output,
                              Small, Answer),
            std::errc::value_too_large);
  EXPECT_LT(Answer.size(), 200'000U);
  const std::atomic<bool> Yes = true;
  os::AnswerLimits Cancelled;
  Cancelled.Cancelled = &Yes;
  EXPECT_EQ(os::captureOutput({probe(), "sleep"}, os::ProgramStream::Output,
                              Cancelled, Answer),
            std::errc::operation_canceled);
}

TEST(WindowsCaptureOutputTest, DoesNotWaitForBackgroundProcesses) {
  const std::string Id = capture({probe(), "leave"});
  ASSERT_FALSE(Id.empty());
  const HANDLE Left = ::OpenProcess(PROCESS_TERMINATE | SYNCHRONIZE, FALSE,
                                    static_cast<DWORD>(std::stoul(Id)));
  ASSERT_NE(Left, nullptr) << "the process has ended: " << ::GetLastError();
  // The process is not killed.
  EXPECT_EQ(::WaitForSingleObject(Left, 500), static_cast<DWORD>(WAIT_TIMEOUT));
  ::TerminateProcess(Left, 0);
  ::CloseHandle(Left);
}

TEST(WindowsCaptureOutputTest, KillsChildrenAtLimit) {
  // `cmd` starts the program that writes, and waits for it.
  os::AnswerLimits Small;
  Small.Time = std::chrono::seconds(60);
  Small.Bytes = 10'000;
  std::string Answer;
  const TestDirectory Directory;
  const fs::path Copy = fs::path(Directory.path()) / "copy.exe";
  fs::copy_file(probe(), Copy);
  EXPECT_EQ(os::captureOutput({"cmd", "/c", Copy.string(), "flood"},
                              os::ProgramStream::Output, Small, Answer),
            std::errc::value_too_large);
  EXPECT_TRUE(waitUntilDeletable(Copy));
}

TEST(WindowsForegroundTest, ExitsWithProgramStatus) {
  EXPECT_EQ(statusOf(L"run " + quotedProbe() + L" exit 0"), 0U);
  EXPECT_EQ(statusOf(L"run " + quotedProbe() + L" exit 3"), 3U);
  EXPECT_EQ(statusOf(L"run " + quotedProbe() + L" exit 0xC0000005"),
            0xC0000005U);
  EXPECT_EQ(statusOf(L"become " + quotedProbe() + L" exit 12"), 12U);
}

TEST(WindowsForegroundTest, ReportsWhyProgramCannotRun) {
  const TestDirectory Directory;
  const std::string Batch = Directory.write("x.bat", "exit 0\n");
  const std::string Plain = Directory.write("plain.exe", "no program");
  const auto Why = [](const std::string &Program) {
    return std::stoi("0" + capture({probe(), "run", Program}));
  };
  EXPECT_EQ(Why("headstart-no-such-program"), ENOENT);
  EXPECT_EQ(Why(Directory.path("nowhere")), ENOENT);
  // Windows drops trailing dots and spaces; Wine 8 runs none of these names.
  for (const char *const Tail : {"", " ", ".", " .", ". ."})
    EXPECT_EQ(Why(Batch + Tail), ENOEXEC) << Tail;
  EXPECT_EQ(Why(Plain), ENOEXEC);
}

TEST(WindowsForegroundTest, ThreadFaultEndsOnlyThatThread) {
  EXPECT_EQ(statusOf(L"fault abort"), 5U);
  EXPECT_EQ(statusOf(L"fault address"), 5U);
}

TEST(WindowsForegroundTest, ProgramDiesWithKilledParent) {
  const TestDirectory Directory;
  // Runs a copy, which cannot be deleted while it runs.
  const fs::path Copy = fs::path(Directory.path()) / "copy.exe";
  fs::copy_file(probe(), Copy);
  const fs::path Ready = fs::path(Directory.path()) / "ready";
  std::wstring Line = quotedProbe() + L" run \"" + Copy.wstring() +
                      L"\" sleep \"" + Ready.wstring() + L'"';
  STARTUPINFOW Startup = {};
  Startup.cb = sizeof(Startup);
  PROCESS_INFORMATION Info = {};
  ASSERT_NE(::CreateProcessW(nullptr, Line.data(), nullptr, nullptr, FALSE, 0,
                             nullptr, nullptr, &Startup, &Info),
            0);
  for (unsigned I = 0; I != 1200 && !fs::exists(Ready); ++I)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(fs::exists(Ready));
  std::error_code Error;
  const bool IsHeld = !fs::remove(Copy, Error);
  ::TerminateProcess(Info.hProcess, 1);
  ::WaitForSingleObject(Info.hProcess, 60'000);
  ::CloseHandle(Info.hProcess);
  ::CloseHandle(Info.hThread);
  if (!IsHeld)
    GTEST_SKIP() << "the system lets a running program's file be deleted";
  EXPECT_TRUE(waitUntilDeletable(Copy));
}

} // namespace
