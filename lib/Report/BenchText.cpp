//===- BenchText.cpp - What a comparison has found, for a terminal --------===//
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
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace headstart {

/// Three digits that mean something, at least: "3.03 s", "483 ms", "8.3 ms".
static std::string seconds(double Seconds) {
  if (Seconds < 0.0995)
    return formatv("{0:F1} ms", Seconds * 1e3);
  if (Seconds < 0.9995)
    return formatv("{0} ms", static_cast<uint64_t>(std::lround(Seconds * 1e3)));
  return Seconds < 99.95 ? formatv("{0:F2} s", Seconds).str()
                         : formatv("{0:F0} s", Seconds).str();
}

static std::string grouped(uint64_t Count) {
  return formatv("{0:N}", Count).str();
}

static std::string columnOr(std::optional<uint64_t> Value,
                            std::string (*Format)(uint64_t)) {
  return Value ? Format(*Value) : "?";
}

static std::string ratioOf(const BenchSeries &Series) {
  if (Series.Found == Verdict::Base)
    return "1";
  if (!Series.Ratio)
    return "?";
  return formatv("{0:F2} ({1:F2} to {2:F2})", Series.Ratio->Median,
                 Series.Ratio->Low, Series.Ratio->High);
}

/// "24% less time", "no difference found".
static std::string inWords(const BenchSeries &Series) {
  switch (Series.Found) {
  case Verdict::Faster:
    return formatv("{0:F0}% less time", 100 * (1 - Series.Ratio->Median));
  case Verdict::Slower:
    return formatv("{0:F0}% more time", 100 * (Series.Ratio->Median - 1));
  case Verdict::NoDifference:
    return "no difference found";
  case Verdict::Unknown:
    return "too few rounds to tell";
  case Verdict::Base:
    break;
  }
  return "";
}

namespace {

/// A table whose columns are as wide as what is in them: the first and the last
/// flush left, the others right.
class TextTable {
public:
  void add(std::vector<std::string> Row) { Rows.push_back(std::move(Row)); }
  void write(raw_ostream &OS) const {
    std::vector<size_t> Widths(Rows.front().size());
    for (const std::vector<std::string> &Row : Rows)
      for (size_t I = 0; I != Row.size(); ++I)
        Widths[I] = std::max(Widths[I], Row[I].size());
    for (const std::vector<std::string> &Row : Rows) {
      std::string Line = " ";
      for (size_t I = 0; I != Row.size(); ++I) {
        const std::string Space(Widths[I] - Row[I].size(), ' ');
        const bool IsLeft = I == 0 || I + 1 == Row.size();
        Line +=
            (I == 0 ? " " : "  ") + (IsLeft ? Row[I] + Space : Space + Row[I]);
      }
      OS << StringRef(Line).rtrim() << "\n";
    }
  }

private:
  std::vector<std::vector<std::string>> Rows;
};

} // namespace

static void writeSeries(const BenchReport &Report, CacheState State,
                        raw_ostream &OS) {
  const unsigned Rounds = Report.Rounds.at(static_cast<size_t>(State));
  if (Rounds == 0)
    return;
  OS << (State == CacheState::Cold ? "Cold" : "Warm") << ", " << Rounds
     << (Rounds == 1 ? " round" : " rounds") << " each, in turn:\n";
  TextTable Table;
  Table.add({"", "median", "min", "max", "ratio", "read", "faults", ""});
  for (const BenchVariant &Variant : Report.Variants) {
    const BenchSeries &S = Variant.in(State);
    if (!S.hasKept()) {
      Table.add(
          {Variant.Name, "?", "?", "?", "?", "?", "?", "no round counts"});
      continue;
    }
    Table.add({Variant.Name, seconds(S.Median), seconds(S.Min), seconds(S.Max),
               ratioOf(S), columnOr(S.MedianReadBytes, formatBytes),
               columnOr(S.MedianMajorFaults, grouped), inWords(S)});
  }
  Table.write(OS);
  for (const BenchVariant &Variant : Report.Variants)
    for (const BenchRound &R : Variant.in(State).Rounds) {
      if (!R.Kept)
        OS << "  thrown away: round " << R.Number << " of " << Variant.Name
           << (R.Seconds == 0 ? "" : ", " + seconds(R.Seconds)) << ": "
           << R.Note << "\n";
      else if (R.Outlier)
        OS << "  outlier: round " << R.Number << " of " << Variant.Name << ", "
           << seconds(R.Seconds) << "\n";
    }
  OS << "\n";
}

void writeBenchText(const BenchReport &Report, raw_ostream &OS) {
  OS << Report.Inputs.size()
     << (Report.Inputs.size() == 1 ? " input, " : " inputs, ")
     << formatBytes(Report.inputBytes()) << "; " << Report.Machine.Cores
     << (Report.Machine.Cores == 1 ? " core (" : " cores (")
     << Report.Machine.Processor << "), "
     << formatBytes(Report.Machine.MemoryBytes);
  if (Report.Machine.ThrottleBytesPerSecond)
    OS << "; disk held to "
       << formatBytes(*Report.Machine.ThrottleBytesPerSecond) << "/s";
  if (Report.Machine.MemoryLimitBytes)
    OS << "; memory held to " << formatBytes(*Report.Machine.MemoryLimitBytes);
  OS << "\n";
  for (const BenchVariant &Variant : Report.Variants)
    OS << "  " << left_justify(Variant.Name, 14) << "  " << Variant.Title
       << "\n";
  OS << "\n";
  writeSeries(Report, CacheState::Cold, OS);
  writeSeries(Report, CacheState::Warm, OS);
  for (const std::string &Note : Report.Notes)
    OS << "note: " << Note << "\n";
  if (Report.SameOutputs)
    OS << (*Report.SameOutputs
               ? "The outputs of all links are the same to the byte."
               : "The outputs DIFFER.");
  if (!Report.OutputNote.empty())
    OS << (Report.SameOutputs ? " " : "") << Report.OutputNote;
  OS << "\n";
}

} // namespace headstart
