//===- Scratch.h - A place for outputs that nobody wants --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_BENCH_SCRATCH_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_BENCH_SCRATCH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>

namespace headstart {

/// What a file holds.
struct OutputFile {
  uint64_t Bytes = 0;
  uint64_t HashLow = 0, HashHigh = 0; ///< XXH3, 128 bits

  friend bool operator==(const OutputFile &, const OutputFile &) = default;
};

/// Names below the directory of the outputs, and what is there.
using OutputFiles = std::map<std::string, OutputFile>;

/// A directory of its own, gone with the object.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch();

  /// Makes the directory: beside \p Output, so that what is written goes to the
  /// same disk as the user's; where that cannot be, in the directory for
  /// temporary files.
  llvm::Error make(llvm::StringRef Output);

  /// Whether it is the former.
  bool isNextToOutput() const { return IsNextToOutput; }

  /// The absolute path of \p Name in it.
  std::string file(llvm::StringRef Name) const;
  /// Where links write. Absolute.
  std::string outputs() const { return file("out"); }
  /// Empties that.
  llvm::Error clearOutputs() const;
  /// Reads what is there, but for traces of time, which are never the same.
  llvm::Expected<OutputFiles> readOutputs() const;

private:
  std::string Directory;
  bool IsNextToOutput = false;
};

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_SCRATCH_H
