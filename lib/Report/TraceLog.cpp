//===- TraceLog.cpp - The trace of the prefetcher's threads ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/TraceLog.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <tuple>
#include <utility>

using namespace llvm;

namespace headstart {

static constexpr int64_t OwnProcess = 1;
// Perfetto identifies a thread by its number alone. 0 is the idle thread.
static constexpr int64_t FirstThread = 1;

TraceLane *&TraceLane::current() {
  static thread_local TraceLane *LaneOfThread = nullptr;
  return LaneOfThread;
}

TraceLog::TraceLog(TraceClock::time_point Origin, StringRef Program)
    : Origin(Origin), Program(Program.str()) {}

TraceLane &TraceLog::addLane(StringRef Name, int Place) {
  std::lock_guard<std::mutex> Lock(Mutex);
  return *Lanes.emplace_back(std::make_unique<TraceLane>(Name, Place));
}

TraceLane &TraceLog::laneOfThisThread(StringRef Name, int Place) {
  std::lock_guard<std::mutex> Lock(Mutex);
  TraceLane *&Lane = OfThreads[std::this_thread::get_id()];
  if (!Lane) {
    const size_t Number = OfThreads.size();
    const std::string Own =
        Number == 1 ? Name.str() : (Name + " " + Twine(Number)).str();
    Lane = Lanes.emplace_back(std::make_unique<TraceLane>(Own, Place)).get();
  }
  return *Lane;
}

void TraceLog::sample(const char *Counter, function_ref<uint64_t()> Value) {
  std::lock_guard<std::mutex> Lock(Mutex);
  uint64_t Bytes = Value();
  Samples.push_back({Counter, TraceClock::now(), Bytes});
}

/// Writes \p D in microseconds, the format's unit, to the nanosecond.
static void writeTime(json::OStream &J, StringRef Key, TraceClock::duration D) {
  writeDecimal(J, Key, std::chrono::duration<double, std::micro>(D).count());
}

/// Writes a name ("process_name") or a place in the order ("thread_sort_index")
/// of a thread or, if \p Thread is 0, of the process.
static void writeMetadata(json::OStream &J, StringRef Kind, int64_t Thread,
                          StringRef Key, const json::Value &Value) {
  J.object([&] {
    J.attribute("ph", "M");
    J.attribute("pid", OwnProcess);
    if (Thread != 0)
      J.attribute("tid", Thread);
    J.attribute("name", Kind);
    J.attributeObject("args", [&] { J.attribute(Key, Value); });
  });
}

static void writeArguments(json::OStream &J, const TraceEvent &E) {
  J.attributeObject("args", [&] {
    if (!E.Path.empty())
      J.attribute("path", json::fixUTF8(E.Path));
    if (E.Bytes) {
      J.attribute("offset", E.Offset);
      J.attribute("bytes", E.Bytes);
    }
    if (E.Resident)
      J.attribute("resident", *E.Resident);
    if (!E.Why.empty())
      J.attribute("why", E.Why);
    if (!E.Stage.empty())
      J.attribute("stage", E.Stage);
  });
}

// The format is the "Trace Event Format":
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
// It has complete events ("X"), names and places ("M"), counters ("C"), and
// arrows ("s", "f").
void TraceLog::write(raw_ostream &OS) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  json::OStream J(OS);
  J.object([&] {
    J.attribute("displayTimeUnit", "ms");
    J.attributeArray("traceEvents", [&] {
      writeMetadata(J, "process_name", 0, "name", json::fixUTF8(Program));
      writeEvents(J);
      writeSamples(J);
    });
  });
  OS << "\n";
}

void TraceLog::writeEvents(json::OStream &J) const {
  std::multimap<int, const TraceLane *> Ordered;
  for (const std::unique_ptr<TraceLane> &Lane : Lanes)
    Ordered.emplace(Lane->Place, Lane.get());
  int64_t Thread = FirstThread;
  for (auto [Place, Each] : Ordered) {
    const TraceLane &Lane = *Each;
    std::lock_guard<std::mutex> Lock(Lane.Mutex);
    writeMetadata(J, "thread_name", Thread, "name", Lane.Name);
    writeMetadata(J, "thread_sort_index", Thread, "sort_index", Thread);
    // A thread appends an inner event before the event that contains it.
    std::vector<const TraceEvent *> Events;
    Events.reserve(Lane.Events.size());
    for (const TraceEvent &E : Lane.Events)
      Events.push_back(&E);
    llvm::sort(Events, [](const TraceEvent *A, const TraceEvent *B) {
      return std::tie(A->Begin, B->End, B) < std::tie(B->Begin, A->End, A);
    });
    for (const TraceEvent *E : Events) {
      J.object([&] {
        J.attribute("ph", "X");
        J.attribute("pid", OwnProcess);
        J.attribute("tid", Thread);
        J.attribute("name", E->Name);
        writeTime(J, "ts", E->Begin - Origin);
        writeTime(J, "dur", E->End - E->Begin);
        writeArguments(J, *E);
      });
      if (E->Flow.Which == TraceFlow::None)
        continue;
      J.object([&] {
        bool Ends = E->Flow.Which == TraceFlow::To;
        J.attribute("ph", Ends ? "f" : "s");
        if (Ends) // the arrow points at the event around its time
          J.attribute("bp", "e");
        J.attribute("pid", OwnProcess);
        J.attribute("tid", Thread);
        J.attribute("cat", "input");
        J.attribute("name", "input");
        J.attribute("id", E->Flow.Id);
        // Point at the end, since the awaited event may begin within this one.
        TraceClock::duration Last = std::max<TraceClock::duration>(
            E->End - std::chrono::nanoseconds(1) - E->Begin, {});
        writeTime(J, "ts", E->Begin + (Ends ? Last : Last.zero()) - Origin);
      });
    }
    ++Thread;
  }
}

/// Writes the counters, which belong to the process, whenever one changes.
void TraceLog::writeSamples(json::OStream &J) const {
  StringMap<uint64_t> Last;
  for (const TraceSample &S : Samples) {
    auto [It, IsFirst] = Last.try_emplace(S.Counter, S.Bytes);
    if (!IsFirst && std::exchange(It->second, S.Bytes) == S.Bytes)
      continue;
    J.object([&] {
      J.attribute("ph", "C");
      J.attribute("pid", OwnProcess);
      J.attribute("name", S.Counter);
      writeTime(J, "ts", S.Time - Origin);
      J.attributeObject("args", [&] { J.attribute("bytes", S.Bytes); });
    });
  }
}

} // namespace headstart
