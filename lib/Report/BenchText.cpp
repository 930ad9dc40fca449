//===- BenchText.cpp - The results of a comparison, for people ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/BenchReport.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/Message.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace headstart {

// The output of utils/embed-page.py for lib/Report/Page: the page before and
// after the report, in pieces. Empty if the build found no D3.
#include "BenchPageParts.inc"

/// Formats \p Seconds for people: "3.03 s", "483 ms", "8.3 ms".
static std::string formatLinkTime(double Seconds) {
  if (Seconds < 0.0995)
    return formatv("{0:F1} ms", Seconds * 1e3);
  if (Seconds < 0.9995)
    return formatv("{0} ms", static_cast<uint64_t>(std::lround(Seconds * 1e3)));
  return formatv(Seconds < 99.95 ? "{0:F2} s" : "{0:F0} s", Seconds);
}

/// Returns the ratio, with its interval if \p Series has enough rounds.
static std::string ratioOf(const BenchComparison &Comparison,
                           const BenchSeries &Series) {
  constexpr size_t MinRounds = 3;
  if (Comparison.Found == Verdict::Base)
    return "1";
  if (!Comparison.Ratio)
    return "?";
  if (Series.numValid() < MinRounds)
    return formatv("{0:F2}", Comparison.Ratio->Median);
  return formatv("{0:F2} ({1:F2} to {2:F2})", Comparison.Ratio->Median,
                 Comparison.Ratio->Low, Comparison.Ratio->High);
}

static bool hasVariant(const BenchReport &Report, StringRef Name) {
  return llvm::any_of(Report.Variants,
                      [&](const BenchVariant &V) { return V.Name == Name; });
}

/// Returns "24% less time", and " than off" with a \p Base; "" for the base.
static std::string inWords(const BenchComparison &Comparison, StringRef Base) {
  const auto With = [&](StringRef Preposition) {
    return Base.empty() ? "" : (" " + Preposition + " " + Base).str();
  };
  constexpr double Tenth = 0.1; // the page (results.js) uses this limit, too
  switch (Comparison.Found) {
  case Verdict::Faster:
    return formatv("{0:F0}% less time{1}", 100 * (1 - Comparison.Ratio->Median),
                   With("than"));
  case Verdict::Slower:
    return formatv("{0:F0}% more time{1}", 100 * (Comparison.Ratio->Median - 1),
                   With("than"));
  case Verdict::NoDifference:
    if (Comparison.Ratio->Low >= 1 - Tenth &&
        Comparison.Ratio->High <= 1 + Tenth)
      return "no difference found" + With("from");
    return Base.empty() ? "too noisy to tell"
                        : "too noisy to tell a difference" + With("from");
  case Verdict::Unknown:
    return "too few rounds to tell a difference";
  case Verdict::Base:
    break;
  }
  return "";
}

/// Writes columns as wide as their cells. The first column is flush left, the
/// others are flush right.
static void writeTable(ArrayRef<std::vector<std::string>> Rows,
                       raw_ostream &OS) {
  std::vector<size_t> Widths(Rows.front().size());
  for (const std::vector<std::string> &Row : Rows)
    for (size_t I = 0; I != Row.size(); ++I)
      Widths[I] = std::max(Widths[I], Row[I].size());
  for (const std::vector<std::string> &Row : Rows) {
    std::string Line = " ";
    for (size_t I = 0; I != Row.size(); ++I) {
      const std::string Space(Widths[I] - Row[I].size(), ' ');
      Line += I == 0 ? " " + Row[I] + Space : "  " + Space + Row[I];
    }
    OS << StringRef(Line).rtrim() << "\n";
  }
}

/// Writes a line with the result of \p Variant; nothing for the first variant.
static void writeInWords(const BenchVariant &Variant, CacheState State,
                         StringRef First, raw_ostream &OS) {
  const BenchSeries &S = Variant.Series[State];
  std::string Words = "no valid round";
  if (S.numValid() != 0) {
    Words = inWords(S.ToFirst, First);
    // Equal if off is the first variant, or if neither comparison is clear.
    if (S.ToOff && inWords(*S.ToOff, "off") != Words)
      Words = "compared with off: " + inWords(*S.ToOff, "") + "; with " +
              First.str() + ": " + inWords(S.ToFirst, "");
  }
  if (!Words.empty())
    OS << "  " << Variant.Name << ": " << Words << "\n";
}

static void writeSeries(const BenchReport &Report, CacheState State,
                        raw_ostream &OS) {
  const unsigned Rounds = Report.Rounds[State];
  if (Rounds == 0)
    return;
  OS << (State == CacheState::Cold ? "Cold" : "Warm") << ", "
     << counted(Rounds, "round") << " of each variant, alternating:\n";
  const std::string &First = Report.Variants.front().Name;
  // Whether off is a second base besides the first variant.
  const bool HasOff = First != "off" && hasVariant(Report, "off");
  std::vector<std::vector<std::string>> Table;
  auto Add = [&](std::vector<std::string> Row, std::string ToOff,
                 const std::string &Read, const std::string &Faults) {
    if (HasOff)
      Row.push_back(std::move(ToOff));
    Row.insert(Row.end(), {Read, Faults});
    Table.push_back(std::move(Row));
  };
  Add({"", "median", "min", "max", "ratio to " + First}, "ratio to off", "read",
      "faults");
  for (const BenchVariant &Variant : Report.Variants) {
    const BenchSeries &S = Variant.Series[State];
    if (S.numValid() == 0) {
      Add({Variant.Name, "?", "?", "?", "?"}, S.ToOff ? "?" : "", "?", "?");
      continue;
    }
    Add({Variant.Name, formatLinkTime(S.Median), formatLinkTime(S.Min),
         formatLinkTime(S.Max), ratioOf(S.ToFirst, S)},
        S.ToOff                 ? ratioOf(*S.ToOff, S)
        : Variant.Name == "off" ? "1"
                                : "",
        S.MedianReadBytes ? formatBytes(*S.MedianReadBytes) : "?",
        S.MedianMajorFaults ? formatv("{0:N}", *S.MedianMajorFaults).str()
                            : "?");
  }
  writeTable(Table, OS);
  for (const BenchVariant &Variant : Report.Variants)
    writeInWords(Variant, State, First, OS);
  for (const BenchVariant &Variant : Report.Variants)
    for (const BenchRound &R : Variant.Series[State].Rounds)
      if (!R.IsValid || R.Outlier)
        OS << (R.IsValid ? "  outlier" : "  discarded") << ": round "
           << R.Number << " of " << Variant.Name
           << (R.wasRun() ? ", " + formatLinkTime(R.Seconds) : "")
           << (R.IsValid ? "" : ": " + R.Note) << "\n";
  OS << "\n";
}

void writeBenchText(const BenchReport &Report, raw_ostream &OS) {
  OS << counted(Report.Inputs.size(), "input") << ", "
     << formatBytes(Report.inputBytes()) << "; "
     << counted(Report.Machine.Cores, "core") << " ("
     << Report.Machine.Processor << "), "
     << formatBytes(Report.Machine.MemoryBytes) << "\n";
  for (const BenchVariant &Variant : Report.Variants)
    OS << "  " << left_justify(Variant.Name, 14) << "  " << Variant.Title
       << "\n";
  if (hasVariant(Report, "stock") && hasVariant(Report, "off"))
    OS << "The ratio to off shows the effect of prefetching; the ratio to "
          "stock shows the effect of changing the linker.\n";
  OS << "\n";
  for (const CacheState State : CacheStates)
    writeSeries(Report, State, OS);
  for (const std::string &Note : Report.Notes)
    OS << "note: " << Note << "\n";
  if (Report.SameOutputs)
    OS << (*Report.SameOutputs ? "All outputs are identical."
                               : "The outputs DIFFER.");
  if (!Report.OutputNote.empty())
    OS << (Report.SameOutputs ? " " : "") << Report.OutputNote;
  OS << "\n";
}

bool hasBenchPage() { return !pageBeforeReport().empty(); }

void writeBenchPage(StringRef ReportJSON, raw_ostream &OS) {
  for (StringLiteral Piece : pageBeforeReport())
    OS << Piece;
  // "</script" would end the HTML element, and "<!--" would move its end. JSON
  // has '<' only in strings, so escaping it does not change the report.
  for (const char C : json::fixUTF8(ReportJSON))
    if (C == '<')
      OS << "\\u003c";
    else
      OS << C;
  for (StringLiteral Piece : pageAfterReport())
    OS << Piece;
}

} // namespace headstart
