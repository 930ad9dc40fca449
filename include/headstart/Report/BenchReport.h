//===- BenchReport.h - The results of a comparison of links -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The figures of `headstart bench`, and their forms: the JSON, which scripts
/// and the page read (headstart-bench(1) lists every key), the tables for a
/// terminal, and the page. Plain data; uses no other layer. A figure is absent
/// if this system does not report it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_BENCHREPORT_H
#define HEADSTART_REPORT_BENCHREPORT_H

#include "llvm/ADT/EnumeratedArray.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// The state of the page cache in which a link starts.
enum class CacheState : uint8_t { Cold, Warm };
inline constexpr std::array CacheStates = {CacheState::Cold, CacheState::Warm};

/// A value for each state, which is the index.
template <typename T>
using PerCacheState = llvm::EnumeratedArray<T, CacheState, CacheState::Warm>;

/// Returns "cold" or "warm".
llvm::StringRef stateName(CacheState State);

/// One link.
struct BenchRound {
  unsigned Number = 0; ///< rounds with the same number form pairs
  double Seconds = 0;  ///< 0 if the link was not run
  double UserSeconds = 0;
  double SystemSeconds = 0;
  std::optional<uint64_t> MajorFaults;
  std::optional<uint64_t> ReadBytes; ///< from disks
  std::optional<uint64_t> PeakMemoryBytes;
  /// The bytes of the inputs that were cached right before the link.
  std::optional<uint64_t> ResidentBefore;
  bool IsValid = true; ///< false: discarded
  bool Outlier = false;
  std::string Note; ///< why the round was discarded; else empty

  bool wasRun() const { return Seconds != 0; }
};

/// The median of the ratios of pairs of rounds, and its interval.
struct BenchRatio {
  double Median = 1;
  double Low = 1;
  double High = 1;
};

enum class Verdict : uint8_t { Base, Faster, Slower, NoDifference, Unknown };

/// A comparison of one series with another.
struct BenchComparison {
  std::optional<BenchRatio> Ratio; ///< absent for the base or without pairs
  Verdict Found = Verdict::Unknown;
};

/// The rounds of one variant in one state, and their summary.
struct BenchSeries {
  std::vector<BenchRound> Rounds;
  // In seconds, over the kept rounds; all 0 if there are none.
  double Median = 0;
  double Min = 0;
  double Max = 0;
  double Deviation = 0; ///< the median absolute deviation
  std::optional<uint64_t> MedianReadBytes;
  std::optional<uint64_t> MedianMajorFaults;
  BenchComparison ToFirst; ///< with the first variant
  /// The comparison with the same linker with prefetching off, which shows the
  /// effect of prefetching. Present only for the variants that prefetch.
  std::optional<BenchComparison> ToOff;

  size_t numValid() const; ///< the number of kept rounds
};

/// A stage of the linker, in milliseconds from the start of the link.
struct BenchPhase {
  std::string Name;
  double BeginMs = 0;
  double EndMs = 0;
};

using ByteCounts = std::optional<std::vector<uint64_t>>;

/// A link that was sampled while it ran. No median includes it.
struct WatchedLink {
  double Seconds = 0;
  std::vector<double> Ms; ///< each sample's time from the start of the link
  // One figure for each sample.
  ByteCounts FetchedBytes; ///< requested by the prefetcher so far
  ByteCounts TouchedBytes; ///< of inputs, mapped or read by the linker
  ByteCounts MajorFaults;  ///< so far
  ByteCounts ReadBytes;    ///< from disks, so far
  ByteCounts MemoryBytes;  ///< anonymous memory
  std::optional<std::vector<BenchPhase>> Phases;
  std::string StatsJSON; ///< the object of --prefetch-stats, or empty
  // One figure for each of the report's inputs.
  std::vector<uint64_t> ResidentBefore;
  ByteCounts Fetched;
  ByteCounts Touched;
  ByteCounts Wasted; ///< fetched and not touched
};

/// One variant of the link.
struct BenchVariant {
  std::string Name;  ///< "stock", "stock-prefetch", "off", "on", "on+profile"
  std::string Title; ///< the description for people
  std::vector<std::string> Command;
  std::vector<std::string> Environment; ///< "NAME=VALUE"; "NAME": not set
  PerCacheState<BenchSeries> Series;
  PerCacheState<std::optional<WatchedLink>> Watched;
};

struct BenchInput {
  std::string Path;
  uint64_t Bytes = 0;
  std::string Why;
};

struct BenchMachine {
  std::string System, Processor, Disk, FileSystem; ///< empty: unknown
  unsigned Cores = 0;
  uint64_t MemoryBytes = 0;
  std::optional<uint64_t> ReadaheadBytes;
};

struct BenchReport {
  std::string Program; ///< "headstart 0.1.0 (LLVM 22.1.8)"
  std::string Date;    ///< "2026-11-22T03:00:00Z"
  BenchMachine Machine;
  std::string Directory;
  std::vector<std::string> Command; ///< as the user gave it
  std::string LinkerName, Flavour;
  bool IsHeadstart = false;
  std::string Stock; ///< the stock linker's path, or empty
  PerCacheState<unsigned> Rounds = {0, 0};
  std::vector<std::string> Notes;
  std::vector<BenchInput> Inputs;     ///< in the order of the link
  std::vector<BenchVariant> Variants; ///< the first is the base of ToFirst
  /// Whether all links wrote identical outputs. Absent if the outputs cannot be
  /// compared; then OutputNote gives the reason.
  std::optional<bool> SameOutputs;
  std::string OutputNote;
  std::vector<std::pair<std::string, uint64_t>> Outputs; ///< name, bytes

  uint64_t inputBytes() const;
};

/// The first bytes of the JSON file.
inline constexpr llvm::StringLiteral BenchJSONStart =
    R"({"version":1,"program":)";

/// Writes \p Report as JSON, with a newline.
void writeBenchJSON(const BenchReport &Report, llvm::raw_ostream &OS);

/// Writes the tables and sentences for people. Does not wrap notes and titles.
void writeBenchText(const BenchReport &Report, llvm::raw_ostream &OS);

/// \name The page of `headstart bench`
/// One HTML file that loads nothing: the unchanged report, and a script that
/// draws it with D3. Its source is lib/Report/Page; docs/Benchmarking.md
/// explains how to read it.
/// @{
/// Whether this build contains the page. A build that finds no D3 omits it.
bool hasBenchPage();

/// Writes the page of \p ReportJSON, a JSON object in UTF-8, and replaces other
/// bytes. No text in it can end its HTML element. If it is not a report, the
/// page says so. Requires hasBenchPage(). Any thread; \p OS stores errors.
void writeBenchPage(llvm::StringRef ReportJSON, llvm::raw_ostream &OS);
/// @}

} // namespace headstart

#endif // HEADSTART_REPORT_BENCHREPORT_H
