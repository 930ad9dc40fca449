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
#include <set>
#include <tuple>
#include <utility>

using namespace llvm;
using std::chrono::microseconds;

namespace headstart {

namespace {

/// Finds where JSON values begin and end, without parsing them.
class Cursor {
public:
  explicit Cursor(StringRef Text) : Rest(Text) {}

  /// Skips white space, and then \p C if it is next. Returns whether it was.
  bool consume(char C) {
    Rest = Rest.ltrim(" \t\r\n");
    return Rest.consume_front(StringRef(&C, 1));
  }

  bool atEnd() { return Rest.ltrim(" \t\r\n").empty(); }

  /// Skips one value and returns its text. Returns an empty text if there is no
  /// value, or if the value has no end.
  StringRef value() {
    Rest = Rest.ltrim(" \t\r\n");
    size_t Size = sizeOfValue();
    StringRef Value = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    return Value;
  }

private:
  size_t sizeOfValue() const {
    if (!Rest.starts_with("\"") && !Rest.starts_with("{") &&
        !Rest.starts_with("["))
      return std::min(Rest.find_first_of(",]} \t\r\n"), Rest.size());
    size_t Depth = 0;
    for (size_t I = 0; I != StringRef::npos;
         I = Rest.find_first_of("\"{[]}", I + 1)) {
      if (Rest[I] == '"') {
        // The end of the string.
        while ((I = Rest.find_first_of("\"\\", I + 1)) != StringRef::npos &&
               Rest[I] == '\\')
          ++I;
        if (I == StringRef::npos)
          return 0;
      } else if (Rest[I] == '{' || Rest[I] == '[') {
        // json::parse recurses for each level. lld's events have three levels.
        if (++Depth > MaxNesting)
          return 0;
      } else {
        --Depth;
      }
      if (Depth == 0)
        return I + 1;
    }
    return 0;
  }

  static constexpr size_t MaxNesting = 64;
  StringRef Rest;
};

} // namespace

Expected<TimeTrace> TimeTrace::parse(std::unique_ptr<MemoryBuffer> Text) {
  TimeTrace Result;
  Cursor At(Text->getBuffer());
  if (!At.consume('{'))
    return createStringError("this is not a trace");
  bool HasBeginning = false;
  if (!At.consume('}')) {
    do {
      StringRef Key = At.value();
      if (!Key.starts_with("\"") || !At.consume(':'))
        return createStringError("this is not a trace, or it is truncated");
      StringRef Value = At.value();
      if (Value.empty())
        return createStringError("the file is truncated");
      if (Key == "\"traceEvents\"")
        Result.Events = Value;
      else if (Key == "\"beginningOfTime\"")
        HasBeginning = !Value.getAsInteger(10, Result.Beginning);
    } while (At.consume(','));
    if (!At.consume('}'))
      return createStringError("the file is truncated");
  }
  if (!At.atEnd() || !Result.Events.starts_with("[") || !HasBeginning)
    return createStringError("this is not a time trace of LLVM");
  Result.Text = std::move(Text);
  return Result;
}

uint64_t
TimeTrace::forEachEvent(function_ref<void(json::Object &)> Visit) const {
  uint64_t Skipped = 0;
  Cursor At(Events.drop_front().drop_back());
  while (!At.atEnd()) {
    Expected<json::Value> Event = json::parse(At.value());
    if (json::Object *Object = Event ? Event->getAsObject() : nullptr)
      Visit(*Object);
    else
      ++Skipped;
    consumeError(Event.takeError());
    if (!At.consume(','))
      break;
  }
  return Skipped;
}

// Perfetto identifies a thread by its number alone, in all processes. 0 is the
// idle thread.
static constexpr int64_t OwnProcess = 1;
static constexpr int64_t LinkersProcess = 2;
static constexpr int64_t FirstThread = 1;
static constexpr int64_t FirstLinkersThread = 1001;

TraceLane *&TraceLane::current() {
  static thread_local TraceLane *LaneOfThread = nullptr;
  return LaneOfThread;
}

TraceLog::TraceLog(TraceClock::time_point Origin, StringRef Program)
    : Origin(Origin), Program(Program.str()) {
  auto Since = std::chrono::system_clock::now().time_since_epoch() -
               (TraceClock::now() - Origin);
  SystemOrigin = std::chrono::duration_cast<microseconds>(Since).count();
}

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

Error TraceLog::addTimeTrace(std::unique_ptr<MemoryBuffer> Text) {
  Expected<TimeTrace> Parsed = TimeTrace::parse(std::move(Text));
  if (!Parsed)
    return Parsed.takeError();
  // The constructor read two clocks one after the other.
  constexpr int64_t Tolerance = 2000;
  int64_t Now =
      std::chrono::duration_cast<microseconds>(TraceClock::now() - Origin)
          .count();
  int64_t Begin = Parsed->Beginning - SystemOrigin;
  if (Begin < -Tolerance || Begin > Now + Tolerance)
    return createStringError("this is the trace of another link");
  LinkersOwn = std::move(*Parsed);
  return Error::success();
}

/// Writes \p D in microseconds, the format's unit, to the nanosecond.
static void writeTime(json::OStream &J, StringRef Key, TraceClock::duration D) {
  writeDecimal(J, Key, std::chrono::duration<double, std::micro>(D).count());
}

/// Writes a name ("process_name") or a place in the order
/// ("process_sort_index") of a thread or, if \p Thread is 0, of a process.
static void writeMetadata(json::OStream &J, StringRef Kind, int64_t Process,
                          int64_t Thread, StringRef Key,
                          const json::Value &Value) {
  J.object([&] {
    J.attribute("ph", "M");
    J.attribute("pid", Process);
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
uint64_t TraceLog::write(raw_ostream &OS) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  uint64_t LeftOut = 0;
  json::OStream J(OS);
  J.object([&] {
    J.attribute("displayTimeUnit", "ms");
    J.attributeArray("traceEvents", [&] {
      writeMetadata(J, "process_name", OwnProcess, 0, "name",
                    json::fixUTF8(Program));
      writeMetadata(J, "process_sort_index", OwnProcess, 0, "sort_index", 0);
      writeEvents(J);
      writeSamples(J);
      LeftOut = writeTimeTrace(J);
    });
  });
  OS << "\n";
  return LeftOut;
}

void TraceLog::writeEvents(json::OStream &J) const {
  std::multimap<int, const TraceLane *> Ordered;
  for (const std::unique_ptr<TraceLane> &Lane : Lanes)
    Ordered.emplace(Lane->Place, Lane.get());
  int64_t Thread = FirstThread;
  for (auto [Place, Each] : Ordered) {
    const TraceLane &Lane = *Each;
    std::lock_guard<std::mutex> Lock(Lane.Mutex);
    writeMetadata(J, "thread_name", OwnProcess, Thread, "name", Lane.Name);
    writeMetadata(J, "thread_sort_index", OwnProcess, Thread, "sort_index",
                  Thread);
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

/// Whether \p Event is a sum over the link, with its own lane and no time.
static bool isTotal(const json::Object &Event) {
  const json::Object *Arguments = Event.getObject("args");
  return Event.getString("name").value_or("").starts_with("Total ") &&
         Arguments && Arguments->get("avg ms");
}

uint64_t TraceLog::writeTimeTrace(json::OStream &J) const {
  if (!LinkersOwn)
    return 0;
  writeMetadata(J, "process_sort_index", LinkersProcess, 0, "sort_index", 1);
  const int64_t Shift =
      std::max<int64_t>(0, LinkersOwn->Beginning - SystemOrigin);
  std::map<int64_t, int64_t> Threads;
  std::set<std::pair<std::string, int64_t>> Named;
  uint64_t LeftOut = 0;
  uint64_t Unreadable = LinkersOwn->forEachEvent([&](json::Object &Event) {
    std::optional<StringRef> Kind = Event.getString("ph");
    std::optional<int64_t> Thread = Event.getInteger("tid");
    std::optional<int64_t> Time = Event.getInteger("ts");
    bool IsMetadata = Kind && *Kind == "M";
    if (!Kind || !Thread || (!Time && !IsMetadata)) {
      ++LeftOut;
      return;
    }
    if (isTotal(Event))
      return;
    auto [It, IsNew] = Threads.try_emplace(
        *Thread, FirstLinkersThread + static_cast<int64_t>(Threads.size()));
    Event["pid"] = LinkersProcess;
    Event["tid"] = It->second;
    if (IsMetadata) {
      // LLVM names a thread each time that it profiles the thread.
      StringRef Name = Event.getString("name").value_or("");
      if (!Named.emplace(Name.str(), *Thread).second)
        return;
      Event.erase("ts");
    } else
      Event["ts"] = *Time + Shift;
    J.value(std::move(Event));
  });
  return Unreadable + LeftOut;
}

} // namespace headstart
