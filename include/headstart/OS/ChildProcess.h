//===- ChildProcess.h - Programs that this one runs -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs other programs: one takes this process's place at the terminal until it
/// ends, and one has its output captured.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_CHILDPROCESS_H
#define HEADSTART_OS_CHILDPROCESS_H

#include "headstart/OS/Threads.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headstart::os {

/// How a program ended.
struct ProgramEnd {
  /// A signal's number plus this is the exit status by which shells report it.
  static constexpr int SignalBase = 128;

  bool BySignal = false;
  /// The exit status, or the number of the signal. On Windows, which has no
  /// signals, all 32 bits of the status (0xC0000005 after a bad address).
  int Code = 0;
};

/// A program that runs as if it had been started in place of this process: with
/// its environment, directory, descriptors, process group and terminal. Only
/// one thread may use it, and only once in a process.
class ForegroundProgram {
public:
  /// \p Grace is how long the program may take to end by a signal that it may
  /// have received directly; see `wait`.
  explicit ForegroundProgram(
      std::chrono::milliseconds Grace = std::chrono::milliseconds(200))
      : Grace(Grace) {}
  ForegroundProgram(const ForegroundProgram &) = delete;
  ForegroundProgram &operator=(const ForegroundProgram &) = delete;

  /// Starts the program \p Args[0], searched for in PATH, with all of \p Args.
  /// Returns the error of the system's exec; then nothing runs. To be called
  /// before there are other threads. From then on, signals that end, stop or
  /// wake this process are held until `wait`.
  ///
  /// The program is killed if this process is killed and cannot react. Windows
  /// searches for it with and without `.exe`, and refuses batch files, whose
  /// arguments follow other rules (`errc::executable_format_error`).
  std::error_code start(const std::vector<std::string> &Args);

  /// The number of the program's process, after `start`.
  uint64_t id() const { return static_cast<uint64_t>(Child); }

  /// Blocks until the program ends. Meanwhile:
  ///
  /// - Signals that are sent to this process (HUP, INT, QUIT, TERM, USR1, USR2,
  ///   ALRM, WINCH, TSTP, CONT) are passed on, except those that the terminal
  ///   sends to every process of the group. The system does not report whether
  ///   any other signal was sent to the group: HUP, INT, QUIT and TERM are
  ///   passed on if the program still runs after the grace, the rest at once.
  /// - If the program stops, so does this process; if this process is woken, so
  ///   is the program.
  ///
  /// On Windows, Ctrl-C and Ctrl-Break, which the console sends to both, are
  /// left to the program. If the console is closed, this process ends after it.
  ProgramEnd wait();

  /// Returns what the program has read from disks, including the programs that
  /// it started and waited for, but no other program of this process. Valid
  /// after `wait`; nothing if the system does not report it.
  std::optional<DiskUse> diskUse() const { return Use; }

  /// Returns the most memory that the program has used at once, including the
  /// file pages that it mapped; on POSIX, of the largest of it and the programs
  /// that it started and waited for. Valid like `diskUse`.
  std::optional<uint64_t> peakMemory() const { return PeakBytes; }

private:
  std::chrono::milliseconds Grace;
  int Child = -1;
  std::optional<DiskUse> Use;
  std::optional<uint64_t> PeakBytes;
};

/// Sets the environment variable \p Name of this process, which the programs
/// that it starts inherit. No other thread may use the environment meanwhile.
void setVariable(const std::string &Name, const std::string &Value);

/// From now on, a fault of any thread except the calling one (a bad address, a
/// failed assertion) stops that thread for ever instead of ending the process.
/// The thread keeps its locks, so nothing that it shares may be waited for.
void containFaults();

/// Whether a fault has stopped a thread. Thread-safe.
bool hadFault();

/// Ends this process at once as a program ended: with its exit status, or by
/// the same signal (without a second core dump). A shell or a build system sees
/// what it would have seen without Headstart. Runs no exit handlers; other
/// threads end wherever they are.
[[noreturn]] void endLike(const ProgramEnd &End);

/// Becomes the program \p Args[0], searched for in PATH. Returns only on
/// failure, with the error.
std::error_code becomeProgram(const std::vector<std::string> &Args);

/// Closes every descriptor and replaces the standard streams by /dev/null, so
/// that a process that waits for the end of a pipe waits only for the started
/// program. \p Kept, if not -1, stays open.
void detachDescriptors(int Kept = -1);

/// Continues in two processes: returns false in this one, and true in a new
/// one, which has no terminal, no open files and no parent that waits for it.
/// To be called while there are no other threads. On a system other than Linux,
/// and if no process can be created, there is only this one.
bool continueDetached();

/// The stream of a program that is captured.
enum class ProgramStream : unsigned char { Output, Error };

/// The limits on a captured program's time and output.
struct AnswerLimits {
  std::chrono::milliseconds Time{5000};
  size_t Bytes = 16 * 1024 * 1024;
  /// Ends the program when it becomes true; may be null. Read some fifty times
  /// a second.
  const std::atomic<bool> *Cancelled = nullptr;
};

/// Runs \p Args[0], searched for in PATH, and stores what it writes to \p
/// Stream in \p Answer, on POSIX untranslated (LC_ALL=C) and without
/// LLD_REPRODUCE. Its standard input is empty, it has no other descriptor of
/// this process, and the terminal's signals do not reach it. Its exit status is
/// ignored. At a limit, the program and those that it has started are killed,
/// and the error is `timed_out`, `value_too_large` or `operation_canceled`.
/// Blocks. Thread-safe.
std::error_code captureOutput(const std::vector<std::string> &Args,
                              ProgramStream Stream, const AnswerLimits &Limits,
                              std::string &Answer);

} // namespace headstart::os

#endif // HEADSTART_OS_CHILDPROCESS_H
