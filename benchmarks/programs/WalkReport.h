//===- WalkReport.h - What walk programs have in common ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the programs that walk a tree for the benchmarks have in common: their
/// command line, and the line of JSON that they print.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_BENCHMARKS_WALKREPORT_H
#define HEADSTART_BENCHMARKS_WALKREPORT_H

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace headstart::bench {

/// `PROGRAM [--stat] [--allocations] [--jobs N] FOLDER`
struct WalkArguments {
  const char *Directory = nullptr;
  unsigned Jobs = 0;    ///< 0: the program's default
  bool Status = false;  ///< sizes and times too
  bool Counted = false; ///< count allocations

  WalkArguments(int Argc, char **Argv) {
    for (int I = 1; I < Argc; ++I) {
      if (!std::strcmp(Argv[I], "--stat"))
        Status = true;
      else if (!std::strcmp(Argv[I], "--allocations"))
        Counted = true;
      else if (!std::strcmp(Argv[I], "--jobs") && I + 1 < Argc)
        Jobs = static_cast<unsigned>(std::strtoul(Argv[++I], nullptr, 10));
      else
        Directory = Argv[I];
    }
    if (!Directory) {
      std::fprintf(stderr,
                   "usage: %s [--stat] [--allocations] [--jobs N] "
                   "FOLDER\n",
                   Argv[0]);
      std::exit(2);
    }
  }
};

/// What a walk has counted, of everything below the directory. Programs of all
/// languages must come to the same.
struct alignas(128) WalkCounts { // one for each thread, none shares a line
  uint64_t Directories = 0;      ///< the root not counted
  uint64_t Entries = 0;          ///< directories included, the root not counted
  uint64_t NameBytes = 0;        ///< of the entries' own names
  uint64_t SizeBytes = 0;        ///< of all but directories
  uint64_t Times = 0; ///< sum of the seconds of the times of modification

  void add(const WalkCounts &Other) {
    Directories += Other.Directories;
    Entries += Other.Entries;
    NameBytes += Other.NameBytes;
    SizeBytes += Other.SizeBytes;
    Times += Other.Times;
  }
};

inline void report(const WalkCounts &Counts, unsigned Threads, double Seconds,
                   const uint64_t *Allocations = nullptr) {
  std::printf("{\"folders\":%" PRIu64 ",\"entries\":%" PRIu64
              ",\"name_bytes\":%" PRIu64 ",\"size_bytes\":%" PRIu64
              ",\"times\":%" PRIu64 ",\"threads\":%u,\"seconds\":%.6f",
              Counts.Directories, Counts.Entries, Counts.NameBytes,
              Counts.SizeBytes, Counts.Times, Threads, Seconds);
  if (Allocations)
    std::printf(",\"allocations\":%" PRIu64, *Allocations);
  std::puts("}");
}

} // namespace headstart::bench

#endif // HEADSTART_BENCHMARKS_WALKREPORT_H
