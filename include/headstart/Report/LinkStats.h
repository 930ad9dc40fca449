//===- LinkStats.h - What prefetching did for one link ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The figures of one link, and their two forms: the JSON that scripts read
/// and the paragraph that people read. Plain data: knows no other layer.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_LINKSTATS_H
#define HEADSTART_REPORT_LINKSTATS_H

#include "headstart/Report/Decisions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// One problem, and how often it came up. A link with 4,000 unreadable inputs
/// has one line with a count, not 4,000.
struct CountedProblem {
  std::string Message; ///< with the path of the first occurrence
  uint64_t Count = 0;
};

/// What the prefetcher takes processor time for.
enum class PrefetchWork : uint8_t {
  Opening,     ///< finding, opening and mapping inputs
  Residency,   ///< asking what is in memory
  Inspecting,  ///< reading headers, names and symbols
  Planning,    ///< which ranges are fetched
  Fetching,    ///< asking for them, and waiting
  HandingOver, ///< on the linker's threads
  Scheduling,  ///< the rest
  Record,      ///< of the last link and of this
};
inline constexpr unsigned NumPrefetchWorks = 8;

/// Its key in the JSON: "handing_over". A literal.
const char *prefetchWorkName(PrefetchWork Work);

/// The prices of a store, as they were estimated last.
struct StoreFigures {
  double RequestUs = 0; ///< of its time, for one more request
  double ByteNs = 0;    ///< of its time, for one more byte
  double LatencyMs = 0; ///< of a request that waits for no other; 0: unknown
  double NameMs = 0;    ///< to open a file by its name; 0: unknown
  unsigned AtOnce = 0;  ///< the most steps that may be under way
  unsigned Samples = 0; ///< from which these come
};

struct LinkStats {
  std::string Tool;    ///< "lld-link"
  std::string Flavour; ///< "coff"
  std::string Output;  ///< its path; empty where there was no link
  bool On = false;
  std::string WhyOff;               ///< "--no-prefetch-inputs"; empty when on
  uint64_t Inputs = 0;              ///< files the prefetcher knew of
  uint64_t InputsBytes = 0;         ///< their sizes, of those that it opened
  uint64_t ResidentBytesBefore = 0; ///< of InputsBytes, found in memory
  uint64_t UnknownBytesBefore = 0;  ///< of InputsBytes: not known whether
  /// Asked of the system, hint or fetch: whole ranges, of which a part may have
  /// been in memory.
  uint64_t HintedBytes = 0;
  uint64_t HintCalls = 0;     ///< system calls for that
  uint64_t HandedOver = 0;    ///< inputs given to the linker ready-made
  uint64_t NotHandedOver = 0; ///< inputs the linker opened for itself
  std::optional<uint64_t> TouchedBytes;
  std::optional<uint64_t> WastedBytes;
  uint64_t BudgetBytes = 0; ///< the most fetched ahead of the linker
  unsigned Jobs = 0;
  unsigned FirstJobs = 0; ///< before the engine started more; 0: it did not
  double LatencyMs = 0;   ///< of the store that needed more; 0: it stalled
  std::string Profile = "none";      ///< none, used, stale or recorded
  std::optional<double> FirstHintMs; ///< from the start of main
  std::optional<double> LastHintMs;
  double LinkMs = 0;
  /// The linker was done before the prefetcher.
  bool Unfinished = false;
  /// Memory was short, and fetching stayed close to the linker.
  bool ShortOfMemory = false;
  /// How long the linker waited for inputs that a thread was just opening.
  std::optional<double> WaitedMs;
  /// What the linker's own threads read from disks: inputs that were not there
  /// yet, and the program. Absent where the system does not tell.
  std::optional<uint64_t> LinkerReadBytes;
  /// How often they stopped for a page that was not in memory.
  std::optional<uint64_t> LinkerStops;
  /// Processor time in milliseconds, by PrefetchWork. Absent where the system
  /// does not tell.
  std::optional<std::array<double, NumPrefetchWorks>> ProcessorMs;
  std::vector<StoreFigures> Stores;
  /// How often each branch of the engine's decisions was taken.
  std::array<uint64_t, NumDecisions> Decisions{};
  std::vector<CountedProblem> Problems;
};

/// How the file of `--prefetch-stats=FILE` begins.
inline constexpr llvm::StringLiteral StatsStart =
    "{\n  \"version\": 1,\n  \"tool\": ";

/// Writes the object that `--prefetch-stats=FILE` promises, with a newline.
void writeStatsJSON(const LinkStats &Stats, llvm::raw_ostream &OS);

/// Writes one readable paragraph, lines of at most 79 columns.
void writeStatsParagraph(const LinkStats &Stats, llvm::raw_ostream &OS);

/// \p Bytes for people: "1.5 GB", "640 kB", "12 bytes" (powers of ten, as
/// disks are sold and their speeds are quoted).
std::string formatBytes(uint64_t Bytes);

} // namespace headstart

#endif // HEADSTART_REPORT_LINKSTATS_H
