//===- TraceLog.h - The trace of the prefetcher's threads -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Events of the prefetcher's threads and of the linker, in the format that
/// Perfetto and chrome://tracing open.
///
/// Protocol: each thread appends to its own TraceLane. No other thread takes
/// the lane's lock until TraceLog::write. The lock exists because the linker's
/// threads may still append while one of them ends the process.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_TRACELOG_H
#define HEADSTART_REPORT_TRACELOG_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headstart {

using TraceClock = std::chrono::steady_clock;

/// The first bytes of a trace.
inline constexpr llvm::StringLiteral TraceStart =
    R"({"displayTimeUnit":"ms","traceEvents":[)";

/// An arrow from one event to another, which may be in another lane.
struct TraceFlow {
  enum End : uint8_t { None, From, To };
  End Which = None;
  uint64_t Id = 0; ///< the same at both ends
};

/// One activity with a begin and an end.
struct TraceEvent {
  const char *Name = ""; ///< a literal: "open", "fetch", "wait for memory"
  TraceClock::time_point Begin;
  TraceClock::time_point End;
  std::string Path; ///< the file concerned, or empty
  uint64_t Offset = 0;
  uint64_t Bytes = 0;
  llvm::StringRef Why = "";   ///< a literal: the kind of bytes, or empty
  llvm::StringRef Stage = ""; ///< a literal: the stage of its bytes, or empty
  std::optional<uint64_t> Resident =
      std::nullopt; ///< the cached bytes of the file
  TraceFlow Flow = {};
};

/// The value of a counter at one time.
struct TraceSample {
  const char *Counter = ""; ///< a literal: "fetched"
  TraceClock::time_point Time;
  uint64_t Bytes = 0;
};

/// The events of one thread. Only that thread may append.
class TraceLane {
public:
  TraceLane(llvm::StringRef Name, int Place) : Name(Name.str()), Place(Place) {}

  void add(TraceEvent Event) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Events.push_back(std::move(Event));
  }

  /// The lane that receives the calling thread's spans; null if none does. Set
  /// it by llvm::SaveAndRestore.
  static TraceLane *&current();

private:
  friend class TraceLog;
  const std::string Name;
  const int Place;
  mutable std::mutex Mutex;
  std::vector<TraceEvent> Events; // guarded by Mutex
};

class TraceLog {
public:
  /// Times in the trace count from \p Origin. \p Program is the name of the
  /// process in the trace.
  explicit TraceLog(TraceClock::time_point Origin,
                    llvm::StringRef Program = "headstart");

  /// Makes a lane for the calling thread. The log owns it. Viewers sort lanes
  /// by their \p Place, the least on top. Any thread.
  TraceLane &addLane(llvm::StringRef Name, int Place = 0);

  /// Returns the lane of the calling thread, one of the linker's, and makes it
  /// at the thread's first call. Lanes of further threads have a number after
  /// \p Name. Any thread.
  TraceLane &laneOfThisThread(llvm::StringRef Name, int Place);

  /// Adds a sample of \p Counter, a literal. \p Value must only read the
  /// counter: this function takes value and time under one lock, so that a
  /// counter that only grows also does so in the trace. Any thread.
  void sample(const char *Counter, llvm::function_ref<uint64_t()> Value);

  /// Writes the trace in JSON. Call after all of Headstart's threads are
  /// joined; what other threads add meanwhile may be missing.
  void write(llvm::raw_ostream &OS) const;

private:
  void writeEvents(llvm::json::OStream &J) const;
  void writeSamples(llvm::json::OStream &J) const;

  TraceClock::time_point Origin;
  std::string Program;
  mutable std::mutex Mutex;
  std::vector<std::unique_ptr<TraceLane>> Lanes;    // guarded by Mutex
  std::map<std::thread::id, TraceLane *> OfThreads; // guarded by Mutex
  std::vector<TraceSample> Samples; // guarded by Mutex; sorted by time
};

/// Appends an event from its beginning to its destruction to the thread's lane.
/// Without a lane or a beginning it does nothing, and does not read the clock.
/// If there is too little memory for the event, the destructor throws
/// std::bad_alloc, or discards the event if another exception is passing.
class TraceSpan {
public:
  TraceSpan() = default; ///< for a wait, which may not occur; see begin
  explicit TraceSpan(const char *Name, llvm::StringRef Path = "") {
    begin(Name, Path);
  }
  void begin(const char *Name, llvm::StringRef Path = "") {
    Lane = TraceLane::current();
    if (!Lane)
      return;
    Event.Name = Name;
    Event.Path = Path.str();
    Event.Begin = TraceClock::now();
  }
  ~TraceSpan() noexcept(false) {
    if (!Lane || std::uncaught_exceptions() != 0)
      return;
    Event.End = TraceClock::now();
    Lane->add(std::move(Event));
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;

  /// Returns the event, to add details.
  TraceEvent &event() { return Event; }
  /// Discards the event.
  void forget() { Lane = nullptr; }

private:
  TraceLane *Lane = nullptr;
  TraceEvent Event;
};

} // namespace headstart

#endif // HEADSTART_REPORT_TRACELOG_H
