//===- MeasuredProgram.h - Programs whose cost is measured ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a program apart from this process's terminal, reports what it has cost,
/// and samples it while it runs.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_MEASUREDPROGRAM_H
#define HEADSTART_OS_MEASUREDPROGRAM_H

#include "headstart/OS/ChildProcess.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headstart::os {

/// A program, and how to run it.
struct ProgramStart {
  std::vector<std::string> Args; ///< argv, the program's name first
  /// The file to run; empty: Args[0]. Without a `/` it is searched for in PATH.
  std::string Program;
  /// Changes to this process's environment: "NAME=VALUE" adds a variable,
  /// "NAME" leaves it out.
  std::vector<std::string> Environment;
  /// The file that receives both output streams; it is replaced. If empty, the
  /// output is discarded. The standard input is always empty.
  std::string Output;
};

/// The cost of a program and all programs that it has started, even those that
/// it has not waited for (which are killed with it). Figures that the system
/// does not report are absent.
struct ProgramUsage {
  ProgramEnd End;
  double Seconds = 0; ///< from before its process is created to its end
  double UserSeconds = 0;
  double SystemSeconds = 0;
  std::optional<uint64_t> MajorFaults;
  std::optional<uint64_t> ReadBytes;       ///< from disks
  std::optional<uint64_t> PeakMemoryBytes; ///< of the largest of them, with the
                                           ///< file pages that it has mapped
};

/// One program. Only one thread may use it, and a process runs one at a time.
class MeasuredProgram {
public:
  MeasuredProgram() = default;
  MeasuredProgram(const MeasuredProgram &) = delete;
  MeasuredProgram &operator=(const MeasuredProgram &) = delete;
  /// Kills the program if it still runs.
  ~MeasuredProgram();

  /// Starts the program in a process group of its own, so that the terminal's
  /// signals do not reach it. It ends when this process does. Returns the error
  /// of the system's exec; then nothing runs.
  std::error_code start(const ProgramStart &Start);

  /// Waits until the program has ended, and returns what it has cost. Returns
  /// nothing if a signal has arrived, or \p MaxWait has passed.
  std::optional<ProgramUsage> wait(std::chrono::milliseconds MaxWait);

  /// Kills the program and its group, and waits for it.
  void kill();

  /// Returns the process number, or -1 if none runs.
  int id() const { return Child; }

private:
  int Child = -1;
  std::chrono::steady_clock::time_point Begin;
};

/// A running program at one moment, including those that it has started. In
/// bytes; figures that the system does not report are absent.
struct ProgramSample {
  std::optional<uint64_t> MajorFaults;    ///< so far
  std::optional<uint64_t> ReadBytes;      ///< so far, from disks
  std::optional<uint64_t> AnonymousBytes; ///< of memory, now
};

/// Samples the process \p Id and its children. Costs some system calls for
/// each. Returns nothing if it has ended, or if the system does not report it.
std::optional<ProgramSample> sampleProgram(int Id);

/// A file that a program has mapped, and how much of it is in its page tables.
struct MappedPart {
  std::string Path; ///< absolute and without links, as the kernel reports it
  uint64_t Bytes = 0;
};

/// Returns the files that the process \p Id and its children have mapped
/// without write access, once per mapping. Walks their page tables: some
/// milliseconds for a gigabyte. Empty if the system does not report it.
std::vector<MappedPart> mappedFilesOf(int Id);

/// Writes the dirty pages of the file system of \p Path to the disk, so that
/// the system does not do it during a measurement. Blocks.
void writeBack(const std::string &Path);

} // namespace headstart::os

#endif // HEADSTART_OS_MEASUREDPROGRAM_H
