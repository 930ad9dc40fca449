//===- LinkStats.h - The figures of one link --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The figures of one link, and their two forms: the JSON that scripts read
/// and the paragraph that people read. Plain data; uses no other layer.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_LINKSTATS_H
#define HEADSTART_REPORT_LINKSTATS_H

#include "headstart/Report/Decisions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// One problem and its count, so that a link with 4,000 unreadable inputs has
/// one line, not 4,000.
struct CountedProblem {
  std::string Message; ///< with the path of the first occurrence
  uint64_t Count = 0;

  /// Returns " (and 3 more like it)", or "".
  std::string others() const;
};

/// Counts problems by kind. Any thread.
class ProblemCounter {
public:
  /// \p Message is the text if this is the first problem of its \p Kind.
  void add(llvm::StringRef Kind, const llvm::Twine &Message) {
    std::lock_guard Lock(Mutex);
    CountedProblem &P = Problems[Kind.str()];
    if (P.Count++ == 0)
      P.Message = Message.str();
  }
  void addTo(std::vector<CountedProblem> &Result) const {
    std::lock_guard Lock(Mutex);
    for (const auto &P : Problems)
      Result.push_back(P.second);
  }

private:
  mutable std::mutex Mutex;
  std::map<std::string, CountedProblem> Problems; ///< guarded by Mutex
};

/// The purposes for which the prefetcher takes processor time; LinkStats.cpp
/// has their names.
enum class PrefetchWork : uint8_t {
  Opening,     ///< finding, opening and mapping inputs
  Residency,   ///< querying what is cached
  Inspecting,  ///< reading headers, dependencies and symbols
  Planning,    ///< choosing the ranges to fetch
  Fetching,    ///< requesting ranges and waiting for them
  HandingOver, ///< work on the linker's threads
  Scheduling,  ///< the rest
  Record,      ///< reading the last link's profile, storing this link's
};
inline constexpr unsigned NumPrefetchWorks = 8;

/// The last estimates of a store's prices.
struct StoreFigures {
  double RequestUs = 0; ///< the store's time for one more request
  double ByteNs = 0;    ///< the store's time for one more byte
  double LatencyMs = 0; ///< of a request that waits for no other; 0: unknown
  double NameMs = 0;    ///< for opening a file by its name; 0: unknown
  unsigned AtOnce = 0;  ///< the limit of steps under way
  unsigned Samples = 0; ///< the number of measurements
};

struct LinkStats {
  std::string Tool;    ///< "lld-link"
  std::string Flavour; ///< "coff"
  std::string Output;  ///< its path; empty without a link
  bool On = false;
  std::string WhyOff;               ///< "--no-prefetch-inputs"; empty when on
  uint64_t Inputs = 0;              ///< files that the prefetcher knew
  uint64_t OpenedInputs = 0;        ///< those that it opened
  uint64_t InputsBytes = 0;         ///< the size of OpenedInputs
  uint64_t ResidentBytesBefore = 0; ///< of InputsBytes, already cached
  uint64_t UnknownBytesBefore = 0;  ///< of InputsBytes, cached or not
  /// The bytes requested from the system by hints and fetches, in whole ranges,
  /// of which a part may have been cached.
  uint64_t HintedBytes = 0;
  uint64_t HintCalls = 0;     ///< system calls for HintedBytes
  uint64_t HandedOver = 0;    ///< inputs handed over to the linker
  uint64_t NotHandedOver = 0; ///< inputs that the linker opened itself
  std::optional<uint64_t> TouchedBytes;
  std::optional<uint64_t> WastedBytes;
  uint64_t BudgetBytes = 0; ///< the limit of bytes fetched ahead of the linker
  unsigned Jobs = 0;
  unsigned FirstJobs = 0; ///< before the engine started more; 0: it did not
  double LatencyMs = 0;   ///< of the store that needs more; 0: it stalled
  std::string Profile = "none";      ///< none, used, stale or recorded
  std::optional<double> FirstHintMs; ///< from the start of main
  std::optional<double> LastHintMs;
  double LinkMs = 0;
  /// Whether the linker finished before the prefetcher.
  bool Unfinished = false;
  /// Whether memory was short, so that fetching stayed close to the linker.
  bool ShortOfMemory = false;
  /// How long the linker waited for inputs that a thread was opening.
  std::optional<double> WaitedMs;
  /// The bytes that the linker's own threads read from disks: uncached inputs
  /// and the program. Absent if the system does not report them.
  std::optional<uint64_t> LinkerReadBytes;
  /// How often these threads waited for a page (major page faults).
  std::optional<uint64_t> LinkerStops;
  /// Processor time in milliseconds, by PrefetchWork. Absent if the system does
  /// not report it.
  std::optional<std::array<double, NumPrefetchWorks>> ProcessorMs;
  std::vector<StoreFigures> Stores;
  /// How often the engine took each branch of its decisions.
  std::array<uint64_t, NumDecisions> Decisions{};
  std::vector<CountedProblem> Problems;
};

/// The first bytes of the file of `--prefetch-stats=FILE`.
inline constexpr llvm::StringLiteral StatsStart =
    "{\n  \"version\": 1,\n  \"tool\": ";

/// Writes the JSON object of `--prefetch-stats=FILE`, with a newline.
void writeStatsJSON(const LinkStats &Stats, llvm::raw_ostream &OS);

/// Writes a paragraph for people, in lines of at most 79 columns.
void writeStatsParagraph(const LinkStats &Stats, llvm::raw_ostream &OS);

/// Writes an attribute of the open object: \p Value with \p Decimals decimals,
/// where LLVM's JSON would print all 17 digits; null if it is absent.
void writeDecimal(llvm::json::OStream &J, llvm::StringRef Key,
                  std::optional<double> Value, int Decimals = 3);

/// \p Text as JSON; null if it is empty.
llvm::json::Value textOrNull(llvm::StringRef Text);

/// Formats \p Bytes for people: "1.5 GB", "640 kB", "12 bytes". Uses powers of
/// ten, like the sizes and speeds of disks.
std::string formatBytes(uint64_t Bytes);

} // namespace headstart

#endif // HEADSTART_REPORT_LINKSTATS_H
