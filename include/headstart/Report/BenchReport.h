//===- BenchReport.h - What a comparison of links has found -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The figures of `headstart bench`, and their forms: the JSON, which scripts
/// and the page read (headstart-bench(1) has every key), and the tables for a
/// terminal. Plain data: knows no other layer. Absent: this system does not
/// report it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_BENCHREPORT_H
#define HEADSTART_REPORT_BENCHREPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// In which state of the page cache a link starts.
enum class CacheState : uint8_t { Cold, Warm };
inline constexpr size_t NumCacheStates = 2;

/// "cold" or "warm".
llvm::StringRef stateName(CacheState State);

/// One link.
struct BenchRound {
  unsigned Number = 0; ///< rounds of one number form pairs
  double Seconds = 0;  ///< 0: it was not even run
  double UserSeconds = 0;
  double SystemSeconds = 0;
  std::optional<uint64_t> MajorFaults;
  std::optional<uint64_t> ReadBytes; ///< from disks
  std::optional<uint64_t> PeakMemoryBytes;
  /// Of the inputs, found in memory right before the link.
  std::optional<uint64_t> ResidentBefore;
  bool IsValid = true; ///< false: it was not in the state that it was to be in
  bool Outlier = false;
  std::string Note; ///< why it was not kept; empty
};

/// The median of the ratios pair by pair, and an interval for it.
struct BenchRatio {
  double Median = 1;
  double Low = 1;
  double High = 1;
};

enum class Verdict : uint8_t { Base, Faster, Slower, NoDifference, Unknown };

/// A series against another one.
struct BenchComparison {
  std::optional<BenchRatio> Ratio; ///< absent for the base, and without pairs
  Verdict Found = Verdict::Unknown;
};

/// The rounds of one variant in one state, and what they come to.
struct BenchSeries {
  std::vector<BenchRound> Rounds;
  // Of those that were kept; seconds. All 0 without any.
  double Median = 0;
  double Min = 0;
  double Max = 0;
  double Deviation = 0; ///< the median absolute deviation
  std::optional<uint64_t> MedianReadBytes;
  std::optional<uint64_t> MedianMajorFaults;
  BenchComparison ToFirst; ///< to the first variant
  /// To the same linker with prefetch off: what prefetching is worth. Absent
  /// except for the variants that prefetch.
  std::optional<BenchComparison> ToOff;

  bool hasValidRound() const; ///< whether any round counts
};

/// A stage of the linker; milliseconds from the start of the link.
struct BenchPhase {
  std::string Name;
  double BeginMs = 0;
  double EndMs = 0;
};

using ByteCounts = std::optional<std::vector<uint64_t>>;

/// A link that was watched. It counts for no median.
struct WatchedLink {
  double Seconds = 0;
  std::vector<double> Ms; ///< of each sample, from the start of the link
  // One figure for each sample.
  ByteCounts FetchedBytes; ///< asked for by the prefetcher, so far
  ByteCounts TouchedBytes; ///< of inputs, mapped in or read by the linker
  ByteCounts MajorFaults;  ///< so far
  ByteCounts ReadBytes;    ///< from disks, so far
  ByteCounts MemoryBytes;  ///< anonymous memory
  std::optional<std::vector<BenchPhase>> Phases;
  std::string StatsJSON; ///< the object of --prefetch-stats; empty: none
  // One figure for each file of the report's inputs.
  ByteCounts ResidentBefore;
  ByteCounts Fetched;
  ByteCounts Touched;
  ByteCounts Wasted; ///< fetched, and not touched
};

/// One way to link.
struct BenchVariant {
  std::string Name;  ///< "stock", "stock-prefetch", "off", "on", "on+profile"
  std::string Title; ///< for people
  std::vector<std::string> Command;
  std::vector<std::string> Environment;           ///< "NAME=VALUE"
  std::array<BenchSeries, NumCacheStates> Series; ///< by CacheState
  std::array<std::optional<WatchedLink>, NumCacheStates> Watched;

  const BenchSeries &in(CacheState S) const {
    return Series.at(static_cast<size_t>(S));
  }
  BenchSeries &in(CacheState S) { return Series.at(static_cast<size_t>(S)); }
};

struct BenchInput {
  std::string Path;
  uint64_t Bytes = 0;
  std::string Why;
};

struct BenchMachine {
  std::string System, Processor, Disk, FileSystem; ///< empty: not known
  unsigned Cores = 0;
  uint64_t MemoryBytes = 0;
  std::optional<uint64_t> ReadaheadBytes;
  std::optional<uint64_t> ThrottleBytesPerSecond; ///< by --throttle
  std::optional<uint64_t> MemoryLimitBytes;       ///< by --memory
};

struct BenchReport {
  std::string Program; ///< "headstart 0.1.0 (LLVM 22.1.8)"
  std::string Date;    ///< "2026-11-22T03:00:00Z"
  BenchMachine Machine;
  std::string Directory;
  std::vector<std::string> Command; ///< as the user gave it
  std::string LinkerName, Flavour;
  bool IsHeadstart = false;
  std::string Stock; ///< the stock linker's path; empty: none
  std::array<unsigned, NumCacheStates> Rounds = {0, 0}; ///< by CacheState
  std::vector<std::string> Notes;
  std::vector<BenchInput> Inputs;     ///< in the order of the link
  std::vector<BenchVariant> Variants; ///< the first is the base of ToFirst
  /// Whether the outputs of all links had the same bytes; absent: they cannot
  /// be compared, OutputNote says why.
  std::optional<bool> SameOutputs;
  std::string OutputNote;
  std::vector<std::pair<std::string, uint64_t>> Outputs; ///< name, bytes

  uint64_t inputBytes() const;
};

/// How the two files begin.
inline constexpr llvm::StringLiteral BenchJSONStart =
    R"({"version":1,"program":)";
inline constexpr llvm::StringLiteral BenchCSVStart = "state,variant,round,";

/// At least three significant digits: "3.03 s", "483 ms", "8.3 ms".
std::string formatLinkTime(double Seconds);

/// Writes \p Report as JSON, with a newline.
void writeBenchJSON(const BenchReport &Report, llvm::raw_ostream &OS);

/// Writes the rounds of \p Report as CSV (RFC 4180 except for plain newlines),
/// a line each, with a line of names before. What is not known is empty.
void writeBenchCSV(const BenchReport &Report, llvm::raw_ostream &OS);

/// Writes the tables and the sentences that people read. Notes and titles are
/// not broken into lines.
void writeBenchText(const BenchReport &Report, llvm::raw_ostream &OS);

} // namespace headstart

#endif // HEADSTART_REPORT_BENCHREPORT_H
