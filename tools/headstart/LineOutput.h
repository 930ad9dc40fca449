//===- LineOutput.h - Lines from many threads -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Standard output for a walk: each thread fills a buffer of its own, which is
/// written in whole records.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_LINEOUTPUT_H
#define HEADSTART_TOOLS_HEADSTART_LINEOUTPUT_H

#include "Command.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace headstart {

class LineOutput {
public:
  /// For threads 0 to \p Threads - 1. \p OnFailure is called once, by some
  /// thread, when nothing can be written any more.
  LineOutput(unsigned Threads, std::function<void()> OnFailure = {});
  ~LineOutput();
  LineOutput(const LineOutput &) = delete;
  LineOutput &operator=(const LineOutput &) = delete;

  /// What stands between two records, where it is not part of them: every
  /// record begins with it, and the first one of all loses it.
  void setSeparator(llvm::StringRef Text) { Separator = Text.str(); }

  /// To append whole records to. Of one thread.
  llvm::SmallVectorImpl<char> &buffer(unsigned Thread) {
    return Buffers[Thread].Bytes;
  }
  /// Writes the buffer when it is large, or somebody is watching. To be called
  /// after some whole records.
  void mayWrite(unsigned Thread) {
    if (Buffers[Thread].Bytes.size() >= WriteAt)
      write(Thread);
  }

  /// Writes something that is no record, after all records so far.
  void writeText(llvm::StringRef Text);
  /// Writes what is left and says whether all could be written; see
  /// `failOutput`. To be called by the main thread.
  Exit finish();

private:
  struct alignas(64) Buffer {
    llvm::SmallVector<char, 0> Bytes;
  };
  void write(unsigned Thread);
  void writeBytes(llvm::StringRef Bytes);

  std::vector<Buffer> Buffers;
  size_t WriteAt; ///< bytes
  std::string Separator;
  std::function<void()> OnFailure;
  std::mutex Mutex;
  llvm::raw_fd_ostream OS; ///< guarded by Mutex, as the rest
  bool IsFirst = true;
  std::error_code Failure;
};

/// Problems from many threads, for standard error. Any thread.
class ProblemPrinter {
public:
  /// Prints one line.
  void print(llvm::StringRef Path, llvm::StringRef What);
  /// Counts a problem of one of the files in a tree, which may have thousands
  /// of them. `printCounted` prints it.
  void count(llvm::StringRef Path, llvm::StringRef What);
  /// Prints a line for each text that was counted: with the first path, and how
  /// many more there were.
  void printCounted();
  bool any() const { return Any; }

  /// Who prints instead of `fail`: somebody else may write to standard error as
  /// well, which is not made for two threads. To be called while nobody prints.
  void setPrinter(std::function<void(const std::string &Message)> Function) {
    Printer = std::move(Function);
  }

private:
  std::mutex Mutex;
  std::function<void(const std::string &)> Printer;
  std::atomic<bool> Any = false;
  struct Counted {
    std::string FirstPath;
    uint64_t Count = 0;
  };
  std::map<std::string, Counted> Problems; ///< by text; guarded by Mutex
};

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_LINEOUTPUT_H
