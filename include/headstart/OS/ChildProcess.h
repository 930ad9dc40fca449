//===- ChildProcess.h - Programs that this one runs -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Running another program: one that takes our place at the terminal until it
/// ends, and one that is asked a question. The standard library only, no LLVM.
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
  bool BySignal = false;
  /// Its exit status, or the number of the signal; on Windows, where there are
  /// none, all 32 bits of the status (0xC0000005 after a bad address).
  int Code = 0;
};

/// A program that runs as if it had been started in our place: with our
/// environment, directory, descriptors, process group and terminal. To be used
/// by one thread, and once in a process.
class ForegroundProgram {
public:
  /// \p Grace is how long a program may take to end by a signal that it may
  /// have got without us; see `wait`.
  explicit ForegroundProgram(
      std::chrono::milliseconds Grace = std::chrono::milliseconds(200))
      : Grace(Grace) {}
  ForegroundProgram(const ForegroundProgram &) = delete;
  ForegroundProgram &operator=(const ForegroundProgram &) = delete;

  /// Starts the program \p Args[0], looked for in PATH, with all of \p Args.
  /// The error is that of the system's exec; then nothing runs. To be called
  /// before there are other threads. From then on, what is sent to this
  /// process to end, stop or wake it is kept until `wait`.
  ///
  /// The program is killed when this process is killed beyond its control. On
  /// Windows it is looked for with and without `.exe`, and batch files, whose
  /// arguments follow other rules, are refused
  /// (`errc::executable_format_error`).
  std::error_code start(const std::vector<std::string> &Args);

  /// Waits for the program to end. Blocks. Meanwhile:
  ///
  /// - Signals that are sent to this process (HUP, INT, QUIT, TERM, USR1, USR2,
  ///   ALRM, WINCH, TSTP, CONT) are passed on, but not those that the terminal
  ///   sends to every process of the group. The system does not say whether
  ///   another one was sent to the group: HUP, INT, QUIT and TERM are passed on
  ///   when the program still runs after the grace, the rest at once.
  /// - When the program stops, so does this process; when this is woken, so is
  ///   the program.
  ///
  /// On Windows Ctrl-C and Ctrl-Break, which the console sends to both, are
  /// left to the program; when the console is closed, this process ends after
  /// it.
  ProgramEnd wait();

  /// What the program has read from disks, with those that it has started and
  /// waited for, and with no other program that this process has run. After
  /// `wait` only; nothing where the system does not tell.
  std::optional<DiskUse> diskUse() const { return Use; }

  /// The most memory that the program has had at once, with the file pages that
  /// it has mapped; on POSIX of the largest of those that it has started and
  /// waited for. When and where as for `diskUse`.
  std::optional<uint64_t> peakMemory() const { return PeakBytes; }

private:
  std::chrono::milliseconds Grace;
  int Child = -1;
  std::optional<DiskUse> Use;
  std::optional<uint64_t> PeakBytes;
};

/// Sets the variable \p Name of the environment of this process, which the
/// programs that it starts inherit. While no other thread uses the environment.
void setVariable(const std::string &Name, const std::string &Value);

/// From now on a fault of any thread but the calling one (a bad address, a
/// failed assertion) stops that thread for ever instead of ending the process.
/// What it held stays held: afterwards nothing that it shares may be waited
/// for.
void containFaults();

/// Whether a thread has been stopped by a fault. Any thread.
bool hadFault();

/// Ends this process at once as a program ended: with its exit status, or by
/// the same signal (leaving no second core dump), which is what a shell or a
/// build system would have seen without us. Runs no exit handlers; other
/// threads end wherever they are.
[[noreturn]] void endLike(const ProgramEnd &End);

/// Becomes the program \p Args[0], looked for in PATH. Returns only when that
/// fails: why.
std::error_code becomeProgram(const std::vector<std::string> &Args);

/// Closes every descriptor and puts /dev/null in the place of the standard
/// streams: a process that waits for a pipe to be closed at this end waits for
/// the program that was started, not for us. \p Kept, if not -1, stays open.
void detachDescriptors(int Kept = -1);

/// Which stream of a program is listened to.
enum class ProgramStream : unsigned char { Output, Error };

/// How long, and how much, to listen to a program.
struct AnswerLimits {
  std::chrono::milliseconds Time{5000};
  size_t Bytes = 16 * 1024 * 1024;
  /// When it becomes true, the program is ended; may be null. Read some fifty
  /// times a second.
  const std::atomic<bool> *Cancelled = nullptr;
};

/// Runs \p Args[0], looked for in PATH, and puts what it writes to \p Stream
/// into \p Answer. It has nothing on its standard input, no other descriptor
/// of ours, and is out of reach of the terminal's signals. Its exit status does
/// not matter. When a limit is hit, the program and those that it has started
/// are killed, and the error is `timed_out`, `value_too_large` or
/// `operation_canceled`. Blocks. Any thread.
std::error_code captureOutput(const std::vector<std::string> &Args,
                              ProgramStream Stream, const AnswerLimits &Limits,
                              std::string &Answer);

} // namespace headstart::os

#endif // HEADSTART_OS_CHILDPROCESS_H
