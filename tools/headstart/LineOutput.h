//===- LineOutput.h - Lines of output and of progress -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lines that several threads or a long command write.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_LINEOUTPUT_H
#define HEADSTART_TOOLS_HEADSTART_LINEOUTPUT_H

#include "Command.h"
#include "headstart/Engine/TreeFetcher.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace headstart {

/// Standard output for a walk: each thread fills a buffer of its own, which is
/// written in whole records.
class LineOutput {
public:
  /// The output of threads 0 to \p Threads - 1. Some thread calls \p OnFailure
  /// once, when nothing can be written any more.
  LineOutput(unsigned Threads, std::function<void()> OnFailure = {});
  ~LineOutput();
  LineOutput(const LineOutput &) = delete;
  LineOutput &operator=(const LineOutput &) = delete;

  /// Every record of a list in JSON begins with this text.
  static constexpr llvm::StringRef JSONSeparator = ",\n";
  /// Writes the beginning of an object whose last attribute, \p Name, is a list
  /// of the records. The output omits the separator before the first record.
  void beginJSON(llvm::StringRef Name);

  /// The buffer of \p Thread, which alone appends whole records to it.
  llvm::SmallVectorImpl<char> &buffer(unsigned Thread) {
    return Buffers[Thread].Bytes;
  }
  /// Writes the buffer if it is large, or if the output is a terminal. The
  /// thread calls this after some whole records.
  void mayWrite(unsigned Thread) {
    if (Buffers[Thread].Bytes.size() >= WriteAt)
      write(Thread);
  }

  /// Writes \p Text, which is not a record, after all records so far.
  void writeText(llvm::StringRef Text);
  /// Writes the remaining records. Returns whether all could be written; see
  /// `failOutput`. Only the main thread may call this.
  Exit finish();

private:
  struct alignas(64) Buffer {
    llvm::SmallVector<char, 0> Bytes;
  };
  void write(unsigned Thread);
  void writeBytes(llvm::StringRef Bytes);

  std::vector<Buffer> Buffers;
  size_t WriteAt; ///< bytes
  std::function<void()> OnFailure;
  std::mutex Mutex;
  llvm::raw_fd_ostream OS; ///< guarded by Mutex, like the members below
  bool IsFirst = false;    ///< whether the next record is the first of a list
  std::error_code Failure;
};

/// Prints the problems of many threads to standard error. Any thread.
class ProblemPrinter {
public:
  /// Prints one line.
  void print(const std::string &Message);
  void print(llvm::StringRef Path, llvm::StringRef What) {
    print((Path + ": " + What).str());
  }
  /// Counts a problem of a file in a tree, which may have thousands of them.
  /// `printCounted` prints it.
  void count(llvm::StringRef Path, llvm::StringRef What) {
    Any = true;
    Problems.add(What, Path + ": " + What);
  }
  /// Prints a line for each text that was counted, with the first path and the
  /// number of others.
  void printCounted();
  bool any() const { return Any; }

  /// Replaces `fail` by \p Function, if another thread also writes to standard
  /// error, which supports only one at a time. No thread may print meanwhile.
  void setPrinter(std::function<void(const std::string &Message)> Function) {
    Printer = std::move(Function);
  }

private:
  std::mutex Mutex;
  std::function<void(const std::string &)> Printer;
  std::atomic<bool> Any = false;
  ProblemCounter Problems;
};

/// The progress of a command, on one line of a terminal. Draws on standard
/// error if that is a terminal; otherwise does nothing. Only one thread at a
/// time may use it.
class ProgressLine {
public:
  ProgressLine();

  bool isShown() const { return Columns != 0; }

  /// Draws \p Figures. \p IsComplete: no more files will be added to them.
  void draw(const TreeFetchFigures &Figures, bool IsComplete);
  /// Replaces the line with \p Text, as far as it fits.
  void show(llvm::StringRef Text);
  void erase();

private:
  using Clock = std::chrono::steady_clock;

  void measure(const TreeFetchFigures &Figures);

  unsigned Columns; ///< of the terminal; 0: no terminal
  size_t Drawn = 0; ///< columns that are in use
  Clock::time_point LastTime = Clock::now();
  uint64_t LastDone = 0;
  double BytesPerSecond = 0; ///< recently; 0: not known yet
};

/// "0:07", "12:34", "1:02:03".
std::string formatSeconds(double Seconds);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_LINEOUTPUT_H
