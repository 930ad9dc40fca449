//===- Message.cpp - Messages and bars for a terminal ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/Message.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include <algorithm>
#include <cmath>
#include <utility>

using namespace llvm;

namespace headstart {

/// Returns Enable if \p OS has colours and NO_COLOR is unset or empty
/// (no-color.org).
static ColorMode colourMode(raw_ostream &OS) {
  return OS.has_colors() &&
                 sys::Process::GetEnv("NO_COLOR").value_or("").empty()
             ? ColorMode::Enable
             : ColorMode::Disable;
}

/// The colour and the beginning of a message, by Severity.
static constexpr std::pair<HighlightColor, StringLiteral> Levels[] = {
    {HighlightColor::Error, "error: "},
    {HighlightColor::Warning, "warning: "},
    {HighlightColor::Note, "note: "}};

void printColoured(StringRef Text, Severity Level, raw_ostream &OS) {
  WithColor(OS, Levels[static_cast<size_t>(Level)].first, colourMode(OS))
      << Text;
}

void printMessage(StringRef Tool, Severity Level, const Twine &Text,
                  raw_ostream &OS) {
  // One write per line: several threads write to unbuffered standard error.
  std::string Line;
  raw_string_ostream Buffer(Line);
  Buffer << Tool << ": ";
  Buffer.enable_colors(true); // WithColor has the mode of OS
  const auto &[Colour, Lead] = Levels[static_cast<size_t>(Level)];
  WithColor(Buffer, Colour, colourMode(OS)) << Lead;
  Buffer << Text << "\n";
  OS << Line;
}

std::string counted(uint64_t Count, const Twine &What) {
  return (Twine(Count) + " " + What + (Count == 1 ? "" : "s")).str();
}

BarStyle
BarStyle::of(function_ref<std::optional<std::string>(StringRef)> Environment) {
  auto Value = [&](StringRef Name) { return Environment(Name).value_or(""); };
  BarStyle Style;
  // The first variable that is set and not empty wins, as in setlocale(3).
  for (StringRef Name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string Locale = Value(Name); !Locale.empty()) {
      Style.Unicode = StringRef(Locale).contains_insensitive("utf-8") ||
                      StringRef(Locale).contains_insensitive("utf8");
      break;
    }
  const std::string Terminal = Value("TERM");
  Style.Colour =
      Value("NO_COLOR").empty() && !Terminal.empty() && Terminal != "dumb";
  return Style;
}

unsigned ResidentShare::percent() const {
  if (Resident >= Whole)
    return 100;
  if (Resident == 0)
    return 0;
  const double Exact =
      100.0 * static_cast<double>(Resident) / static_cast<double>(Whole);
  return static_cast<unsigned>(std::clamp(std::lround(Exact), 1L, 99L));
}

/// Returns a level from 0 (nothing is resident) to 4 (everything is).
static unsigned levelOf(ResidentShare Share) {
  constexpr unsigned Max = 4;
  if (Share.Resident >= Share.Whole)
    return Max;
  if (Share.Resident == 0)
    return 0;
  // The limits are a third, two thirds, and all.
  const double Part =
      static_cast<double>(Share.Resident) / static_cast<double>(Share.Whole);
  return std::clamp(1 + static_cast<unsigned>(Part * 3), 1U, Max - 1);
}

std::string drawStrip(ArrayRef<ResidentShare> Pieces, BarStyle Style) {
  // U+00B7, U+2591, U+2592, U+2593 and U+2588, in any charset of the compiler.
  constexpr StringRef Blocks[] = {"\xc2\xb7", "\xe2\x96\x91", "\xe2\x96\x92",
                                  "\xe2\x96\x93", "\xe2\x96\x88"};
  constexpr StringRef Letters[] = {".", "-", "+", "*", "#"};
  // Faint, yellow, green.
  constexpr StringRef Colours[] = {"\033[2m", "\033[33m", "\033[33m",
                                   "\033[33m", "\033[32m"};
  constexpr StringRef Plain = "\033[0m";
  std::string Text;
  StringRef Now;
  for (ResidentShare Piece : Pieces) {
    const unsigned Level = levelOf(Piece);
    if (Style.Colour && Colours[Level] != Now) {
      if (!Now.empty())
        Text += Plain;
      Now = Colours[Level];
      Text += Now;
    }
    Text += Style.Unicode ? Blocks[Level] : Letters[Level];
  }
  if (!Now.empty())
    Text += Plain;
  return Text;
}

std::string drawBar(ResidentShare Share, unsigned Width, BarStyle Style) {
  SmallVector<ResidentShare, 64> Columns;
  const double Full = Share.Resident >= Share.Whole
                          ? Width
                          : static_cast<double>(Share.Resident) /
                                static_cast<double>(Share.Whole) *
                                static_cast<double>(Width);
  for (unsigned I = 0; I != Width; ++I) {
    // The unit is a thousandth of a column.
    const double Part = std::clamp(Full - I, 0.0, 1.0);
    Columns.push_back({static_cast<uint64_t>(Part * 1000), 1000});
  }
  return drawStrip(Columns, Style);
}

unsigned stripWidth(unsigned Columns) {
  // A percentage, a size and a path also need room on the line.
  constexpr unsigned Min = 8;
  constexpr unsigned Max = 40;
  const unsigned Width = Columns / 3;
  return Width < Min ? 0 : std::min(Width, Max);
}

} // namespace headstart
