//===- TraceLog.h - What the prefetcher's threads did, and when --*- C++
//-*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Events of the prefetcher's threads, in the format that Perfetto and
/// chrome://tracing open.
///
/// Protocol: each thread appends to a TraceLane of its own, without a lock.
/// TraceLog::write may be called once every thread has been joined.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_TRACELOG_H
#define HEADSTART_REPORT_TRACELOG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace headstart {

using TraceClock = std::chrono::steady_clock;

/// One thing that took some time.
struct TraceEvent {
  const char *Name = ""; ///< a literal: "open", "fetch", "wait for memory"
  TraceClock::time_point Begin;
  TraceClock::time_point End;
  std::string Path; ///< the file concerned, or empty
  uint64_t Offset = 0;
  uint64_t Bytes = 0;
  llvm::StringRef Why = ""; ///< a literal: the kind of bytes, or empty
};

/// The events of one thread. Only that thread may append.
class TraceLane {
public:
  void add(TraceEvent Event) { Events.push_back(std::move(Event)); }

private:
  friend class TraceLog;
  std::string Name;
  std::vector<TraceEvent> Events;
};

class TraceLog {
public:
  /// Times in the trace count from \p Origin.
  explicit TraceLog(TraceClock::time_point Origin) : Origin(Origin) {}

  /// A lane for the calling thread; owned by the log, valid as long as it is.
  /// Any thread.
  TraceLane &addLane(llvm::StringRef Name);

  /// Writes all lanes as a trace in JSON. Call after all threads are joined.
  void write(llvm::raw_ostream &OS) const;

private:
  TraceClock::time_point Origin;
  mutable std::mutex Mutex;
  std::vector<std::unique_ptr<TraceLane>> Lanes; // guarded by Mutex
};

} // namespace headstart

#endif // HEADSTART_REPORT_TRACELOG_H
