//===- Scratch.h - A temporary directory for outputs ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_BENCH_SCRATCH_H
#define HEADSTART_LIB_BENCH_SCRATCH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>

namespace headstart {

/// The size and hash of a file's contents.
struct OutputFile {
  uint64_t Bytes = 0;
  uint64_t HashLow = 0, HashHigh = 0; ///< XXH3, 128 bits

  friend bool operator==(const OutputFile &, const OutputFile &) = default;
};

/// The outputs by their paths below the directory of outputs.
using OutputFiles = std::map<std::string, OutputFile>;

/// A temporary directory, which the destructor removes.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch();

  /// Makes the directory next to \p Output, so that links write to the disk of
  /// the user's output; if that fails, in the directory for temporary files.
  llvm::Error make(llvm::StringRef Output);

  /// Whether the directory is next to the output.
  bool isNextToOutput() const { return IsNextToOutput; }

  /// Returns the absolute path of \p Name in the directory.
  std::string file(llvm::StringRef Name) const;
  /// Returns the absolute path of the directory to which links write.
  std::string outputs() const { return file("out"); }
  /// Empties the directory of outputs.
  llvm::Error clearOutputs() const;
  /// Reads the outputs except time traces, which are never identical.
  llvm::Expected<OutputFiles> readOutputs() const;

private:
  std::string Directory;
  bool IsNextToOutput = false;
};

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_SCRATCH_H
