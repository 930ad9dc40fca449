//===- SimulatedFiles.h - Devices and their files ------------- -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_SIMULATEDFILES_H
#define HEADSTART_UNITTESTS_SIMULATION_SIMULATEDFILES_H

#include "Fibers.h"
#include "PageSet.h"
#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headstart::simulation {

struct SimulatedInput;

/// How a file system handles requests for large pages, and hints.
enum class LargePages : uint8_t { Work, Unsupported, Ignored };

/// A disk, a network share, or a mount.
struct Device {
  Nanoseconds Latency = 100'000; ///< of each request
  double NanosecondsPerByte = 1;
  /// The time of a request during which no other request begins.
  Nanoseconds PerRequest = 0;
  unsigned Channels = 8;       ///< the most requests at once
  Nanoseconds NameLatency = 0; ///< to open a file or stat a path
  /// The unit to which file times are rounded down; 1: they are exact.
  Nanoseconds FileTick = 1;
  LargePages Large = LargePages::Unsupported;
  /// Whether a read that does not wait (RWF_NOWAIT) reports what is cached.
  bool ReportsCached = false;
  bool TakesHints = false;     ///< otherwise hints have no effect
  Nanoseconds HangsAt = Never; ///< the engine's requests hang from then on
  /// The most bytes of one request; 0: each call makes one request of any size.
  uint64_t RequestBytes = 0;
  /// A limit (of a control group or a cloud volume): bytes and requests have
  /// prices. Capacity that was unused for up to LimitBurst may be used at once.
  double LimitPerByte = 0; ///< nanoseconds
  Nanoseconds LimitPerRequest = 0, LimitBurst = 0;
  double Jitter = 0; ///< the most that a request takes longer, in latencies
  /// The bytes around a page that is not cached which a fault on it reads.
  uint64_t Readahead = 128 << 10;

  // The work done so far:
  uint64_t Requests = 0, Bytes = 0;

  // The work under way:
  std::vector<Nanoseconds> ChannelFree;
  Nanoseconds BandwidthFree = 0;
  Nanoseconds LimitFree = 0;    ///< when all earlier requests are paid for
  Nanoseconds LongestQueue = 0; ///< the longest that a request has waited
  unsigned EngineRequests = 0;  ///< that the engine's threads wait for
};

/// The nonzero bytes of a file, ordered by offset. All other bytes are zero.
using FileBytes = std::vector<std::pair<uint64_t, std::string>>;

struct File {
  std::string Path;
  os::FileIdentity Identity;
  FileBytes Bytes;
  /// The offset of a byte that counts how often the file was written; 0: none.
  uint64_t VersionAt = 0;
  unsigned Version = 0;
  PageSet Cached;
  PageSet Mapped; ///< pages that the linker touched and that are still cached
  bool ReportsResidency = true; ///< otherwise another user owns the file
  bool WasCached = false;       ///< completely, when the link began
  bool WasCold = false;         ///< no page was cached when the link began
  size_t DeviceNumber = 0;
  size_t CachedPlace = SIZE_MAX; ///< its index in SimulatedOS::CachedFiles
  /// Hinted pages that are still being read, and the times of their arrival.
  std::vector<std::pair<ByteRange, Nanoseconds>> Coming;
  // The readahead of the mapping, in pages: the last window, and the page whose
  // use requests the next window.
  uint64_t AheadBegin = 0, AheadEnd = 0, AheadMark = UINT64_MAX;
  std::vector<uint64_t> UsedAt;          ///< last use, for each 64 pages
  Nanoseconds NameKnownUntil = 0;        ///< until then a stat needs no request
  const SimulatedInput *Input = nullptr; ///< null: the file was replaced

  // The operations on it, for the judges:
  unsigned Opens = 0;
  std::vector<ByteRange> Inspected; ///< small reads, before any other read
  /// The fetches by offset and, if ranges are combined, by length.
  std::map<std::pair<uint64_t, uint64_t>, unsigned> FetchedAt;
  uint64_t Ahead = 0;        ///< bytes fetched before the linker requested it
  bool IsFetched = false;    ///< the engine fetched some of it
  bool IsBegun = false;      ///< a thread of the engine has begun with it
  bool ArrivesWhole = false; ///< it is not fetched by its layout
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_SIMULATEDFILES_H
