//===- LinkStats.cpp - What prefetching did for one link ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/LinkStats.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <cinttypes>
#include <cstdio>

using namespace llvm;

namespace headstart {

std::string formatBytes(uint64_t Bytes) {
  static constexpr std::array Units = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  if (Bytes < 1000)
    return std::to_string(Bytes) + (Bytes == 1 ? " byte" : " bytes");
  auto Value = static_cast<double>(Bytes);
  size_t Unit = 0;
  // 999.95 would be printed as "1000": step up before that.
  while (Value >= 999.5 && Unit + 1 < Units.size()) {
    Value /= 1000;
    ++Unit;
  }
  char Text[32];
  std::snprintf(Text, sizeof(Text), Value < 9.95 ? "%.1f %s" : "%.0f %s", Value,
                Units[Unit]);
  return Text;
}

/// Writes \p Ms with three decimals: a microsecond is finer than any of these
/// clocks means, and LLVM's JSON would print all 17 digits.
static void writeMilliseconds(json::OStream &J, StringRef Key,
                              std::optional<double> Ms) {
  J.attributeBegin(Key);
  if (Ms)
    J.rawValue([&](raw_ostream &OS) { OS << format("%.3f", *Ms); });
  else
    J.value(nullptr);
  J.attributeEnd();
}

void writeStatsJSON(const LinkStats &S, raw_ostream &OS) {
  json::OStream J(OS, /*IndentSize=*/2);
  auto Optional = [](auto Value) -> json::Value {
    if (!Value)
      return nullptr;
    return *Value;
  };
  J.object([&] {
    J.attribute("version", 1);
    J.attribute("tool", S.Tool);
    J.attribute("flavour", S.Flavour);
    J.attribute("mode", S.On ? "on" : "off");
    J.attribute("inputs", S.Inputs);
    J.attribute("inputs_bytes", S.InputsBytes);
    J.attribute("resident_bytes_before", S.ResidentBytesBefore);
    J.attribute("hinted_bytes", S.HintedBytes);
    J.attribute("hint_calls", S.HintCalls);
    J.attribute("handed_over", S.HandedOver);
    J.attribute("not_handed_over", S.NotHandedOver);
    J.attribute("touched_bytes", Optional(S.TouchedBytes));
    J.attribute("wasted_bytes", Optional(S.WastedBytes));
    J.attribute("budget_bytes", S.BudgetBytes);
    J.attribute("jobs", S.Jobs);
    J.attribute("profile", S.Profile);
    writeMilliseconds(J, "first_hint_ms", S.FirstHintMs);
    writeMilliseconds(J, "last_hint_ms", S.LastHintMs);
    writeMilliseconds(J, "link_ms", S.LinkMs);
    J.attributeArray("errors", [&] {
      for (const CountedProblem &P : S.Problems)
        J.object([&] {
          J.attribute("message", json::fixUTF8(P.Message));
          J.attribute("count", P.Count);
        });
    });
  });
  OS << "\n";
}

/// Breaks \p Text at spaces so that no line is longer than 79 columns.
static void writeWrapped(StringRef Text, raw_ostream &OS) {
  constexpr size_t Columns = 79;
  while (Text.size() > Columns) {
    size_t Cut = Text.rfind(' ', Columns + 1);
    if (Cut == StringRef::npos)
      Cut = Text.find(' ');
    if (Cut == StringRef::npos)
      break;
    OS << Text.take_front(Cut) << "\n";
    Text = Text.drop_front(Cut + 1);
  }
  OS << Text << "\n";
}

static void addProblems(const LinkStats &S, raw_ostream &P) {
  for (const CountedProblem &Problem : S.Problems) {
    P << " " << Problem.Message;
    if (Problem.Count > 1)
      P << " (and " << Problem.Count - 1 << " more like it)";
    P << ".";
  }
}

static std::string seconds(double Ms) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.2f s", Ms / 1000);
  return Text;
}

void writeStatsParagraph(const LinkStats &S, raw_ostream &OS) {
  std::string Text;
  raw_string_ostream P(Text);
  P << S.Tool << ": prefetch ";
  if (!S.On) {
    P << "off. The link took " << seconds(S.LinkMs) << ".";
    addProblems(S, P);
    writeWrapped(Text, OS);
    return;
  }
  P << S.Inputs << (S.Inputs == 1 ? " input" : " inputs") << ", "
    << formatBytes(S.InputsBytes);
  if (S.InputsBytes) {
    double Cold = 100.0 *
                  static_cast<double>(S.InputsBytes - S.ResidentBytesBefore) /
                  static_cast<double>(S.InputsBytes);
    P << " (" << format("%.0f", Cold) << "% not in memory)";
  }
  P << ". ";
  if (S.HintedBytes == 0) {
    // A budget of nothing is the user's wish.
    P << (S.BudgetBytes == 0 && S.ResidentBytesBefore < S.InputsBytes
              ? "Nothing was allowed to be fetched"
              : "Nothing had to be fetched");
  } else {
    P << "Fetched " << formatBytes(S.HintedBytes) << " with " << S.Jobs
      << (S.Jobs == 1 ? " thread" : " threads");
    if (S.FirstHintMs && S.LastHintMs)
      P << " from " << seconds(*S.FirstHintMs) << " to "
        << seconds(*S.LastHintMs) << " of a link of " << seconds(S.LinkMs);
  }
  // Beside a linker that is not ours nothing can be handed over.
  if (S.HandedOver + S.NotHandedOver != 0)
    P << "; " << S.HandedOver << " of " << S.HandedOver + S.NotHandedOver
      << " files handed to the linker ready-made";
  P << ".";
  if (S.HintedBytes == 0)
    P << " The link took " << seconds(S.LinkMs) << ".";
  addProblems(S, P);
  writeWrapped(Text, OS);
}

} // namespace headstart
