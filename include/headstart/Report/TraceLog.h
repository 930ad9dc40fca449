//===- TraceLog.h - What the prefetcher's threads did, and when -*- C++ -*-===//
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
/// Protocol: each thread appends to a TraceLane of its own. No other thread
/// takes its lock until TraceLog::write: threads that are not ours may
/// go on meanwhile, when one of them ends the process.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_TRACELOG_H
#define HEADSTART_REPORT_TRACELOG_H

#include "headstart/Report/TimeTrace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headstart {

using TraceClock = std::chrono::steady_clock;

/// How a trace begins.
inline constexpr llvm::StringLiteral TraceStart =
    R"({"displayTimeUnit":"ms","traceEvents":[)";

/// An arrow from one event to another, which may be in another lane.
struct TraceFlow {
  enum End : uint8_t { None, From, To };
  End Which = None;
  uint64_t Id = 0; ///< the same at both ends
};

/// One thing that took some time.
struct TraceEvent {
  const char *Name = ""; ///< a literal: "open", "fetch", "wait for memory"
  TraceClock::time_point Begin;
  TraceClock::time_point End;
  std::string Path; ///< the file concerned, or empty
  uint64_t Offset = 0;
  uint64_t Bytes = 0;
  llvm::StringRef Why = "";   ///< a literal: the kind of bytes, or empty
  llvm::StringRef Stage = ""; ///< a literal: the stage it is for, or empty
  std::optional<uint64_t> Resident =
      std::nullopt; ///< bytes of the file found in memory
  TraceFlow Flow = {};
};

/// What a counter was at one time.
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

  /// The lane to which the calling thread's spans go; null: nowhere.
  static TraceLane *current();

  /// While it lives, the calling thread's spans go to \p Lane, which may be
  /// null.
  class Use {
  public:
    explicit Use(TraceLane *Lane);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    TraceLane *Before;
  };

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

  /// A lane for the calling thread; owned by the log, valid as long as it is.
  /// Viewers show lanes by their \p Place, the least on top. Any thread.
  TraceLane &addLane(llvm::StringRef Name, int Place = 0);

  /// The lane of the calling thread, made at its first call: for threads that
  /// are not ours. Further threads' lanes have a number behind \p Name. Any
  /// thread.
  TraceLane &laneOfThisThread(llvm::StringRef Name, int Place);

  /// Adds what \p Counter, a literal, is now. \p Value reads it, and nothing
  /// else: value and time are taken together, so that what only grows does so
  /// in the trace as well. Any thread.
  void sample(const char *Counter, llvm::function_ref<uint64_t()> Value);

  /// Has `write` copy the events of \p Text, which LLVM's TimeProfiler has
  /// written in this process or another: as a process of their own, on the same
  /// axis. The error says what is wrong with it; one that began before this log
  /// or has yet to begin is another link's. Call after all threads are joined.
  llvm::Error addTimeTrace(std::unique_ptr<llvm::MemoryBuffer> Text);

  /// Writes everything as a trace in JSON. Returns how many events of time
  /// traces had to be left out. Call after all threads of ours are joined; what
  /// others add meanwhile may be missing.
  uint64_t write(llvm::raw_ostream &OS) const;

private:
  TraceLane &newLane(llvm::StringRef Name, int Place);
  void writeEvents(llvm::json::OStream &J) const;
  void writeSamples(llvm::json::OStream &J) const;
  uint64_t writeTimeTrace(llvm::json::OStream &J) const;

  TraceClock::time_point Origin;
  /// Origin by the system's clock, in microseconds since the epoch.
  int64_t SystemOrigin;
  std::string Program;
  mutable std::mutex Mutex;
  std::vector<std::unique_ptr<TraceLane>> Lanes;    // guarded by Mutex
  std::map<std::thread::id, TraceLane *> OfThreads; // guarded by Mutex
  std::vector<TraceSample> Samples; // guarded by Mutex; in the order of time
  std::optional<TimeTrace> LinkersOwn;
};

/// Appends to the thread's lane, when it goes out of scope, what happened since
/// it was made. Without a lane it does nothing, and does not read the clock.
class TraceSpan {
public:
  explicit TraceSpan(const char *Name, llvm::StringRef Path = "")
      : Lane(TraceLane::current()) {
    if (!Lane)
      return;
    Event.Name = Name;
    Event.Path = Path.str();
    Event.Begin = TraceClock::now();
  }
  ~TraceSpan() {
    if (!Lane)
      return;
    Event.End = TraceClock::now();
    Lane->add(std::move(Event));
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;

  /// To say more of it.
  TraceEvent &event() { return Event; }
  /// Nothing has come of it: nothing is appended.
  void forget() { Lane = nullptr; }

private:
  TraceLane *Lane;
  TraceEvent Event;
};

/// The same for waiting, which may turn out not to be needed: then nothing is
/// appended.
class TraceWait {
public:
  explicit TraceWait(const char *Name)
      : Lane(TraceLane::current()), Name(Name) {}
  ~TraceWait() {
    if (Lane && Begin)
      Lane->add({Name, *Begin, TraceClock::now(), ""});
  }
  TraceWait(const TraceWait &) = delete;
  TraceWait &operator=(const TraceWait &) = delete;

  void begin() { Begin = TraceClock::now(); }
  bool hasBegun() const { return Begin.has_value(); }

private:
  TraceLane *Lane;
  const char *Name;
  std::optional<TraceClock::time_point> Begin;
};

} // namespace headstart

#endif // HEADSTART_REPORT_TRACELOG_H
