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

  void write(const BenchReport &Report) {
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
        J.attribute("stock", textOrNull(Report.Stock));
      });
      J.attributeObject("rounds", [&] {
        for (const CacheState State : CacheStates)
          J.attribute(stateName(State), Report.Rounds[State]);
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

private:
  void text(StringRef Key, StringRef Value) {
    J.attribute(Key, json::fixUTF8(Value));
  }
  void texts(StringRef Key, const std::vector<std::string> &Values) {
    J.attribute(Key, json::Array(map_range(Values, json::fixUTF8)));
  }
  /// Writes six decimals, which is finer than the resolution of these clocks.
  void decimal(StringRef Key, double Value, bool IsKnown = true) {
    writeDecimal(J, Key, IsKnown ? std::optional(Value) : std::nullopt,
                 /*Decimals=*/6);
  }
  void objectOrNull(StringRef Key, bool IsKnown, function_ref<void()> Write) {
    if (IsKnown)
      J.attributeObject(Key, Write);
    else
      J.attribute(Key, nullptr);
  }

  void machine(const BenchMachine &M) {
    J.attributeObject("machine", [&] {
      J.attribute("system", textOrNull(M.System));
      J.attribute("processor", textOrNull(M.Processor));
      J.attribute("cores", M.Cores);
      J.attribute("memory_bytes", M.MemoryBytes);
      J.attribute("disk", textOrNull(M.Disk));
      J.attribute("file_system", textOrNull(M.FileSystem));
      J.attribute("readahead_bytes", M.ReadaheadBytes);
    });
  }

  void inputs(const BenchReport &Report) {
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

  void round(const BenchRound &R) {
    J.object([&] {
      J.attribute("number", R.Number);
      decimal("seconds", R.Seconds, R.wasRun());
      decimal("user_seconds", R.UserSeconds, R.wasRun());
      decimal("system_seconds", R.SystemSeconds, R.wasRun());
      J.attribute("major_faults", R.MajorFaults);
      J.attribute("read_bytes", R.ReadBytes);
      J.attribute("peak_memory_bytes", R.PeakMemoryBytes);
      J.attribute("resident_before_bytes", R.ResidentBefore);
      J.attribute("kept", R.IsValid);
      J.attribute("outlier", R.Outlier);
      J.attribute("note", textOrNull(R.Note));
    });
  }

  void comparison(const BenchComparison &Comparison) {
    static constexpr std::array Verdicts = {"base", "faster", "slower",
                                            "no difference", "unknown"};
    objectOrNull("ratio", Comparison.Ratio.has_value(), [&] {
      decimal("median", Comparison.Ratio->Median);
      decimal("low", Comparison.Ratio->Low);
      decimal("high", Comparison.Ratio->High);
    });
    J.attribute("verdict", Verdicts.at(static_cast<size_t>(Comparison.Found)));
  }

  void series(StringRef Key, const BenchSeries &Series) {
    objectOrNull(Key, !Series.Rounds.empty(), [&] {
      J.attributeArray("rounds", [&] {
        for (const BenchRound &R : Series.Rounds)
          round(R);
      });
      const bool Any = Series.numValid() != 0;
      decimal("median_seconds", Series.Median, Any);
      decimal("min_seconds", Series.Min, Any);
      decimal("max_seconds", Series.Max, Any);
      decimal("deviation_seconds", Series.Deviation, Any);
      J.attribute("median_read_bytes", Series.MedianReadBytes);
      J.attribute("median_major_faults", Series.MedianMajorFaults);
      comparison(Series.ToFirst);
      objectOrNull("to_off", Series.ToOff.has_value(),
                   [&] { comparison(*Series.ToOff); });
    });
  }

  void watched(StringRef Key, const std::optional<WatchedLink> &Link) {
    objectOrNull(Key, Link.has_value(), [&] {
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
      phases(Link->Phases);
      // Copy the link's text, since LLVM would write its numbers in 17 digits.
      Expected<json::Value> Stats = json::parse(Link->StatsJSON);
      J.attributeBegin("stats");
      J.rawValue(Stats ? StringRef(Link->StatsJSON).trim() : "null");
      J.attributeEnd();
      consumeError(Stats.takeError());
      J.attributeObject("inputs", [&] {
        J.attribute("resident_before_bytes", Link->ResidentBefore);
        J.attribute("fetched_bytes", Link->Fetched);
        J.attribute("touched_bytes", Link->Touched);
        J.attribute("wasted_bytes", Link->Wasted);
      });
    });
  }

  void phases(const std::optional<std::vector<BenchPhase>> &Phases) {
    if (!Phases) {
      J.attribute("phases", nullptr);
      return;
    }
    J.attributeArray("phases", [&] {
      for (const BenchPhase &Phase : *Phases)
        J.object([&] {
          text("name", Phase.Name);
          decimal("begin_ms", Phase.BeginMs);
          decimal("end_ms", Phase.EndMs);
        });
    });
  }

  void variant(const BenchVariant &Variant) {
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
        series(stateName(State), Variant.Series[State]);
      J.attributeObject("observed", [&] {
        for (const CacheState State : CacheStates)
          watched(stateName(State), Variant.Watched[State]);
      });
    });
  }

  void outputs(const BenchReport &Report) {
    J.attributeObject("outputs", [&] {
      J.attribute("same", Report.SameOutputs);
      J.attributeArray("files", [&] {
        for (const auto &[Name, Bytes] : Report.Outputs)
          J.object([&, &Name = Name, Bytes = Bytes] {
            text("name", Name);
            J.attribute("bytes", Bytes);
          });
      });
      J.attribute("note", textOrNull(Report.OutputNote));
    });
  }

  json::OStream J;
};

} // namespace

void writeBenchJSON(const BenchReport &Report, raw_ostream &OS) {
  JSONWriter(OS).write(Report);
  OS << "\n";
}

} // namespace headstart
