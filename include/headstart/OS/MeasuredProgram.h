//===- MeasuredProgram.h - Programs whose cost is measured ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a program apart from this one's terminal, says what it has cost, and
/// samples it while it runs. One source per platform; the standard library
/// only, no LLVM.
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
#include <utility>
#include <vector>

namespace headstart::os {

/// What to run, and how.
struct ProgramStart {
  std::vector<std::string> Args; ///< argv, the program's name first
  /// The file that is run; empty: Args[0]. Without a `/` looked for in PATH.
  std::string Program;
  /// Added to this process's environment: "NAME=VALUE", or "NAME" to leave
  /// that variable out.
  std::vector<std::string> Environment;
  /// The file that takes what it prints, both streams; replaced. Empty: what
  /// it prints is lost. It has nothing on its standard input.
  std::string Output;
  /// What the program's process writes its own number into before the program
  /// begins (cgroup.procs).
  std::vector<std::string> Groups;
};

/// What a program has cost, with all that it has started, also what it has not
/// waited for (which is ended with it). What the system does not tell is
/// absent.
struct ProgramUsage {
  ProgramEnd End;
  double Seconds = 0; ///< from before its process was made to its end
  double UserSeconds = 0;
  double SystemSeconds = 0;
  std::optional<uint64_t> MajorFaults;
  std::optional<uint64_t> ReadBytes;       ///< from disks
  std::optional<uint64_t> PeakMemoryBytes; ///< of the largest of them, with the
                                           ///< file pages that it has mapped
};

/// One program. To be used by one thread.
class MeasuredProgram {
public:
  MeasuredProgram() = default;
  MeasuredProgram(const MeasuredProgram &) = delete;
  MeasuredProgram &operator=(const MeasuredProgram &) = delete;
  /// Kills what still runs.
  ~MeasuredProgram();

  /// Starts the program, in a process group of its own: the terminal's signals
  /// do not reach it. It ends when this process does. The error is that of the
  /// system's exec, or of a group that cannot be entered; then nothing runs.
  std::error_code start(const ProgramStart &Start);

  /// Waits until the program has ended: what it has cost. Nothing when a signal
  /// came in, or \p MaxWait has passed.
  std::optional<ProgramUsage>
  wait(std::optional<std::chrono::milliseconds> MaxWait = std::nullopt);

  /// Kills the program and its group, and waits for it.
  void kill();

  /// The system's number for the process; -1 when none runs.
  int id() const { return Child; }

private:
  int Child = -1;
  std::chrono::steady_clock::time_point Begin;
};

/// A running program at one moment, with those that it has started. Bytes; what
/// the system does not tell is absent.
struct ProgramSample {
  std::optional<uint64_t> MajorFaults;    ///< so far
  std::optional<uint64_t> ReadBytes;      ///< so far, from disks
  std::optional<uint64_t> AnonymousBytes; ///< of memory, now
};

/// Samples the process \p Id and its children. Costs some system calls for
/// each. Nothing when it has ended, or where the system does not tell.
std::optional<ProgramSample> sampleProgram(int Id);

/// A file that a program has mapped, and how much of it is in its page tables.
struct MappedPart {
  std::string Path; ///< as the system knows it: absolute, links resolved
  uint64_t Bytes = 0;
};

/// The files that the process \p Id and its children have mapped without the
/// right to write, as often as they are mapped. Walks their page tables: some
/// milliseconds for a gigabyte. Empty where the system does not tell.
std::vector<MappedPart> mappedFilesOf(int Id);

/// Writes back what waits to be written to the file system of \p Path, so that
/// the system does not do it during a measurement. Blocks.
void writeBack(const std::string &Path);

} // namespace headstart::os

#endif // HEADSTART_OS_MEASUREDPROGRAM_H
