//===- BenchReport.cpp - The results of a comparison of links -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/BenchReport.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace headstart {

StringRef stateName(CacheState State) {
  return State == CacheState::Cold ? "cold" : "warm";
}

size_t BenchSeries::numValid() const {
  return llvm::count_if(Rounds, [](const BenchRound &R) { return R.IsValid; });
}

uint64_t BenchReport::inputBytes() const {
  uint64_t Sum = 0;
  for (const BenchInput &Input : Inputs)
    Sum += Input.Bytes;
  return Sum;
}

namespace {

/// Writes the parts of a report into an open JSON stream.
class JSONWriter {
public:
  explicit JSONWriter(raw_ostream &OS) : J(OS) {}

  void write(const BenchReport &Report);

private:
  void text(StringRef Key, StringRef Value) {
    J.attribute(Key, json::fixUTF8(Value));
  }
  void textOrNull(StringRef Key, StringRef Value) {
    J.attribute(Key, headstart::textOrNull(Value));
  }
  /// Writes six decimals, which is finer than the resolution of these clocks.
  void decimal(StringRef Key, std::optional<double> Value) {
    writeDecimal(J, Key, Value, /*Decimals=*/6);
  }
  void decimalIf(bool IsKnown, StringRef Key, double Value) {
    decimal(Key, IsKnown ? std::optional(Value) : std::nullopt);
  }
  void texts(StringRef Key, const std::vector<std::string> &Values);

  void machine(const BenchMachine &M);
  void inputs(const BenchReport &Report);
  void round(const BenchRound &Round);
  void comparison(const BenchComparison &Comparison);
  void series(StringRef Key, const BenchSeries &Series);
  void watched(StringRef Key, const std::optional<WatchedLink> &Link);
  void variant(const BenchVariant &Variant);
  void outputs(const BenchReport &Report);

  json::OStream J;
};

} // namespace

static StringRef verdictName(Verdict V) {
  static constexpr std::array Names = {"base", "faster", "slower",
                                       "no difference", "unknown"};
  return Names.at(static_cast<size_t>(V));
}

void JSONWriter::texts(StringRef Key, const std::vector<std::string> &Values) {
  J.attributeArray(Key, [&] {
    for (const std::string &Value : Values)
      J.value(json::fixUTF8(Value));
  });
}

void JSONWriter::machine(const BenchMachine &M) {
  J.attributeObject("machine", [&] {
    textOrNull("system", M.System);
    textOrNull("processor", M.Processor);
    J.attribute("cores", M.Cores);
    J.attribute("memory_bytes", M.MemoryBytes);
    textOrNull("disk", M.Disk);
    textOrNull("file_system", M.FileSystem);
    J.attribute("readahead_bytes", M.ReadaheadBytes);
    J.attribute("throttle_bytes_per_second", M.ThrottleBytesPerSecond);
    J.attribute("memory_limit_bytes", M.MemoryLimitBytes);
  });
}

void JSONWriter::inputs(const BenchReport &Report) {
  J.attributeObject("inputs", [&] {
    J.attribute("count", Report.Inputs.size());
    J.attribute("bytes", Report.inputBytes());
    J.attributeArray("files", [&] {
      for (const BenchInput &Input : Report.Inputs)
        J.object([&] {
          text("path", Input.Path);
          J.attribute("bytes", Input.Bytes);
          text("why", Input.Why);
        });
    });
  });
}

void JSONWriter::round(const BenchRound &R) {
  J.object([&] {
    J.attribute("number", R.Number);
    decimalIf(R.wasRun(), "seconds", R.Seconds);
    decimalIf(R.wasRun(), "user_seconds", R.UserSeconds);
    decimalIf(R.wasRun(), "system_seconds", R.SystemSeconds);
    J.attribute("major_faults", R.MajorFaults);
    J.attribute("read_bytes", R.ReadBytes);
    J.attribute("peak_memory_bytes", R.PeakMemoryBytes);
    J.attribute("resident_before_bytes", R.ResidentBefore);
    J.attribute("kept", R.IsValid);
    J.attribute("outlier", R.Outlier);
    textOrNull("note", R.Note);
  });
}

void JSONWriter::comparison(const BenchComparison &Comparison) {
  if (Comparison.Ratio)
    J.attributeObject("ratio", [&] {
      decimal("median", Comparison.Ratio->Median);
      decimal("low", Comparison.Ratio->Low);
      decimal("high", Comparison.Ratio->High);
    });
  else
    J.attribute("ratio", nullptr);
  J.attribute("verdict", verdictName(Comparison.Found));
}

void JSONWriter::series(StringRef Key, const BenchSeries &Series) {
  if (Series.Rounds.empty()) {
    J.attribute(Key, nullptr);
    return;
  }
  J.attributeObject(Key, [&] {
    J.attributeArray("rounds", [&] {
      for (const BenchRound &R : Series.Rounds)
        round(R);
    });
    const bool Any = Series.numValid() != 0;
    decimalIf(Any, "median_seconds", Series.Median);
    decimalIf(Any, "min_seconds", Series.Min);
    decimalIf(Any, "max_seconds", Series.Max);
    decimalIf(Any, "deviation_seconds", Series.Deviation);
    J.attribute("median_read_bytes", Series.MedianReadBytes);
    J.attribute("median_major_faults", Series.MedianMajorFaults);
    comparison(Series.ToFirst);
    if (Series.ToOff)
      J.attributeObject("to_off", [&] { comparison(*Series.ToOff); });
    else
      J.attribute("to_off", nullptr);
  });
}

void JSONWriter::watched(StringRef Key,
                         const std::optional<WatchedLink> &Link) {
  if (!Link) {
    J.attribute(Key, nullptr);
    return;
  }
  J.attributeObject(Key, [&] {
    decimal("seconds", Link->Seconds);
    J.attributeObject("samples", [&] {
      J.attributeArray("ms", [&] {
        for (const double Ms : Link->Ms)
          J.rawValue([&](raw_ostream &OS) { OS << format("%.2f", Ms); });
      });
      J.attribute("fetched_bytes", Link->FetchedBytes);
      J.attribute("touched_bytes", Link->TouchedBytes);
      J.attribute("major_faults", Link->MajorFaults);
      J.attribute("read_bytes", Link->ReadBytes);
      J.attribute("memory_bytes", Link->MemoryBytes);
    });
    if (Link->Phases)
      J.attributeArray("phases", [&] {
        for (const BenchPhase &Phase : *Link->Phases)
          J.object([&] {
            text("name", Phase.Name);
            decimal("begin_ms", Phase.BeginMs);
            decimal("end_ms", Phase.EndMs);
          });
      });
    else
      J.attribute("phases", nullptr);
    Expected<json::Value> Stats = json::parse(Link->StatsJSON);
    J.attributeBegin("stats");
    // Copy the link's text, since LLVM would write its numbers in 17 digits.
    if (Stats)
      J.rawValue(StringRef(Link->StatsJSON).trim());
    else
      J.value(nullptr);
    J.attributeEnd();
    consumeError(Stats.takeError());
    if (!Link->ResidentBefore && !Link->Fetched && !Link->Touched) {
      J.attribute("inputs", nullptr);
      return;
    }
    J.attributeObject("inputs", [&] {
      J.attribute("resident_before_bytes", Link->ResidentBefore);
      J.attribute("fetched_bytes", Link->Fetched);
      J.attribute("touched_bytes", Link->Touched);
      J.attribute("wasted_bytes", Link->Wasted);
    });
  });
}

void JSONWriter::variant(const BenchVariant &Variant) {
  J.object([&] {
    text("name", Variant.Name);
    text("title", Variant.Title);
    texts("command", Variant.Command);
    J.attributeObject("environment", [&] {
      for (StringRef Setting : Variant.Environment) {
        const auto [Name, Value] = Setting.split('=');
        if (Setting.contains('='))
          text(Name, Value);
        else
          J.attribute(Name, nullptr);
      }
    });
    for (const CacheState State : CacheStates)
      series(stateName(State), Variant.in(State));
    J.attributeObject("observed", [&] {
      for (const CacheState State : CacheStates)
        watched(stateName(State),
                Variant.Watched.at(static_cast<size_t>(State)));
    });
  });
}

void JSONWriter::outputs(const BenchReport &Report) {
  J.attributeObject("outputs", [&] {
    J.attribute("same", Report.SameOutputs);
    J.attributeArray("files", [&] {
      for (const auto &[Name, Bytes] : Report.Outputs)
        J.object([&, &Name = Name, Bytes = Bytes] {
          text("name", Name);
          J.attribute("bytes", Bytes);
        });
    });
    textOrNull("note", Report.OutputNote);
  });
}

void JSONWriter::write(const BenchReport &Report) {
  J.object([&] {
    J.attribute("version", 1);
    text("program", Report.Program);
    text("date", Report.Date);
    machine(Report.Machine);
    text("folder", Report.Directory);
    texts("command", Report.Command);
    J.attributeObject("linker", [&] {
      text("name", Report.LinkerName);
      text("flavour", Report.Flavour);
      J.attribute("kind", Report.IsHeadstart ? "headstart" : "other");
      textOrNull("stock", Report.Stock);
    });
    J.attributeObject("rounds", [&] {
      for (const CacheState State : CacheStates)
        J.attribute(stateName(State),
                    Report.Rounds.at(static_cast<size_t>(State)));
    });
    texts("notes", Report.Notes);
    inputs(Report);
    J.attributeArray("variants", [&] {
      for (const BenchVariant &Variant : Report.Variants)
        variant(Variant);
    });
    outputs(Report);
  });
}

void writeBenchJSON(const BenchReport &Report, raw_ostream &OS) {
  JSONWriter(OS).write(Report);
  OS << "\n";
}

static void writeRound(StringRef State, StringRef Variant,
                       const BenchRound &Round, raw_ostream &OS) {
  OS << State << ',' << Variant << ',' << Round.Number << ','
     << (Round.IsValid ? "yes" : "no");
  if (Round.wasRun())
    OS << formatv(",{0:F6},{1:F6},{2:F6}", Round.Seconds, Round.UserSeconds,
                  Round.SystemSeconds);
  else
    OS << ",,,";
  for (const std::optional<uint64_t> &Figure :
       {Round.MajorFaults, Round.ReadBytes, Round.PeakMemoryBytes,
        Round.ResidentBefore}) {
    OS << ',';
    if (Figure)
      OS << *Figure;
  }
  OS << ",\"";
  for (const char C : Round.Note)
    OS << (C == '"' ? "\"" : "") << C;
  OS << "\"\n";
}

void writeBenchCSV(const BenchReport &Report, raw_ostream &OS) {
  OS << BenchCSVStart
     << "kept,seconds,user_seconds,system_seconds,"
        "major_faults,read_bytes,peak_memory_bytes,resident_before_bytes,"
        "note\n";
  for (const CacheState State : CacheStates)
    for (const BenchVariant &Variant : Report.Variants)
      for (const BenchRound &Round : Variant.in(State).Rounds)
        writeRound(stateName(State), Variant.Name, Round, OS);
}

} // namespace headstart
