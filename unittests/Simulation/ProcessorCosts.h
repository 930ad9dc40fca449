//===- ProcessorCosts.h - Processor time of work ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The processor time of system calls, of the engine and of the linkers, in
/// nanoseconds. The figures come from docs/Benchmarks.md and
/// docs/internals/Experiments.md (2 cores, AMD EPYC), and from lld's own
/// --time-trace and /time. In `simulate` computing takes no time.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_PROCESSORCOSTS_H
#define HEADSTART_UNITTESTS_SIMULATION_PROCESSORCOSTS_H

#include "Fibers.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "llvm/ADT/ArrayRef.h"

namespace headstart::simulation {

struct ProcessorCosts {
  /// \name System calls
  /// @{
  double Stat = 0;      ///< a stat of a path
  double Open = 0;      ///< an open and an fstat
  double Close = 0;     ///< a close
  double Map = 0;       ///< an mmap
  double Residency = 0; ///< a residency query
  double Hint = 0;      ///< a hint, for each range
  double Read = 0;      ///< a read, without the copying
  double CopyByte = 0;  ///< a byte copied by a read
  double Wait = 0;      ///< a wait for a store: two context switches
  double PageByte = 0;  ///< a byte that enters the page cache in small pages
  double LargeByte = 0; ///< a byte that enters it in large pages
  double Fault = 0;     ///< a fault on a page that is not cached
  /// @}

  /// \name The engine
  /// @{
  double InspectByte = 0; ///< a byte of headers or symbols that is inspected
  double HandOver = 0;    ///< a hand-over of a buffer, for the linker's thread
  /// @}

  /// The machine on which docs/Benchmarks.md was measured.
  static ProcessorCosts measured();
};

/// The costs of one of a linker's stages: first the main thread reads the
/// inputs, then all threads do.
struct StageCosts {
  double SerialByte;   ///< by the main thread, for each byte
  double ParallelByte; ///< by all threads, for each byte
  unsigned Phases;     ///< it reads: a bit for each LinkStage
  LinkStage When;
  bool OnlySymbols = false; ///< it reads only the symbols of those phases
};

struct LinkerCosts {
  double Start = 0;     ///< start of the stock linker's process
  double OwnStart = 0;  ///< start of Headstart's process
  double OpenInput = 0; ///< for each input, besides the system calls
  double Member = 0;    ///< for each member of an archive
  /// Whether the linker opens all inputs before it parses the first.
  bool OpensAllFirst = false;
  llvm::ArrayRef<StageCosts> Stages;

  /// Measured with LLVM 22, warm, on 2 cores.
  static const LinkerCosts &of(Flavour Kind);
};

inline Nanoseconds nanoseconds(double Cost) {
  return static_cast<Nanoseconds>(Cost);
}

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_PROCESSORCOSTS_H
