//===- MeasuredProgram.cpp - Programs whose cost is measured (Windows) ----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program and all that it starts are in one job, which counts their time.
// Windows counts faults, but not which of them read from the disk, and bytes
// read, but not their source. This file therefore reports neither.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/MeasuredProgram.h"

#include "StartProgram.h"

#include <algorithm>
#include <cstdlib>

namespace headstart::os {

using namespace detail;

/// The measured program; there is one at a time.
static Started Measured; // NOLINT: never destroyed before the process ends

static double inSeconds(uint64_t Ticks) {
  constexpr double TicksPerSecond = 1e7;
  return static_cast<double>(Ticks) / TicksPerSecond;
}

static uint64_t ticksOf(const FILETIME &Time) {
  return ULARGE_INTEGER{{Time.dwLowDateTime, Time.dwHighDateTime}}.QuadPart;
}

MeasuredProgram::~MeasuredProgram() { kill(); }

std::error_code MeasuredProgram::start(const ProgramStart &Start) {
  // toSystemPath allows any length; NUL is not a path.
  std::wstring Printed = L"NUL";
  if (!Start.Output.empty())
    if (std::error_code Error = toSystemPath(Start.Output, Printed))
      return Error;
  SECURITY_ATTRIBUTES Inherit = inheritableAttributes();
  const UniqueHandle Out(::CreateFileW(
      Printed.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
      &Inherit, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!Out.isOpen())
    return lastError();
  const UniqueHandle In = openNothing();
  if (!In.isOpen())
    return lastError();
  StartOptions Options;
  // An invisible console of its own keeps our Ctrl-C from the program.
  Options.Flags = CREATE_NO_WINDOW;
  Options.JobLimits = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  Options.Streams = {In.get(), Out.get(), Out.get()};
  Options.Program = Start.Program;
  Options.Environment = Start.Environment;
  Begin = std::chrono::steady_clock::now();
  if (std::error_code Error = startProgram(Start.Args, Options, Measured))
    return Error;
  Child = static_cast<int>(::GetProcessId(Measured.Process.get()));
  return {};
}

std::optional<ProgramUsage>
MeasuredProgram::wait(std::chrono::milliseconds MaxWait) {
  if (Child < 0 || ::WaitForSingleObject(Measured.Process.get(),
                                         static_cast<DWORD>(MaxWait.count())) !=
                       WAIT_OBJECT_0)
    return std::nullopt;
  ProgramUsage Usage;
  Usage.Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin)
          .count();
  DWORD Code = EXIT_FAILURE;
  ::GetExitCodeProcess(Measured.Process.get(), &Code);
  Usage.End.Code = static_cast<int>(Code);
  FILETIME Made = {};
  FILETIME Ended = {};
  FILETIME System = {};
  FILETIME User = {};
  ::GetProcessTimes(Measured.Process.get(), &Made, &Ended, &System, &User);
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION Job = {};
  if (Measured.Job.isOpen())
    ::QueryInformationJobObject(Measured.Job.get(),
                                JobObjectBasicAccountingInformation, &Job,
                                sizeof(Job), nullptr);
  // Wine counts no times for a job.
  Usage.UserSeconds = inSeconds(std::max<uint64_t>(
      ticksOf(User), static_cast<uint64_t>(Job.TotalUserTime.QuadPart)));
  Usage.SystemSeconds = inSeconds(std::max<uint64_t>(
      ticksOf(System), static_cast<uint64_t>(Job.TotalKernelTime.QuadPart)));
  if (const auto Memory = memoryOf(Measured.Process.get());
      Memory && Memory->PeakWorkingSetSize != 0)
    Usage.PeakMemoryBytes = Memory->PeakWorkingSetSize;
  kill(); // ends what the program has left running
  return Usage;
}

void MeasuredProgram::kill() {
  if (Child < 0)
    return;
  if (Measured.Job.isOpen())
    ::TerminateJobObject(Measured.Job.get(), EXIT_FAILURE);
  ::TerminateProcess(Measured.Process.get(), EXIT_FAILURE);
  ::WaitForSingleObject(Measured.Process.get(), INFINITE);
  Measured.Job.close();
  Measured.Process.close();
  Child = -1;
}

std::optional<ProgramSample> sampleProgram(int Id) {
  const UniqueHandle Process(
      ::OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE,
                    static_cast<DWORD>(Id)));
  const auto Memory = Process.isOpen() ? memoryOf(Process.get()) : std::nullopt;
  if (!Memory)
    return std::nullopt;
  ProgramSample Sample;
  Sample.AnonymousBytes = Memory->PrivateUsage;
  return Sample;
}

} // namespace headstart::os
