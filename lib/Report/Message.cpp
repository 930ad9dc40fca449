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

/// Whether \p OS has colours and NO_COLOR is unset or empty (no-color.org).
static bool hasColours(raw_ostream &OS) {
  return OS.has_colors() &&
         sys::Process::GetEnv("NO_COLOR").value_or("").empty();
}

/// The colour and the beginning of a message, by Severity.
static constexpr std::pair<HighlightColor, StringLiteral> Levels[] = {
    {HighlightColor::Error, "error: "},
    {HighlightColor::Warning, "warning: "},
    {HighlightColor::Note, "note: "}};

void printColoured(StringRef Text, Severity Level, raw_ostream &OS) {
  WithColor(OS, Levels[static_cast<size_t>(Level)].first,
            hasColours(OS) ? ColorMode::Enable : ColorMode::Disable)
      << Text;
}

void printMessage(StringRef Tool, Severity Level, const Twine &Text,
                  raw_ostream &OS) {
  // One write per line: several threads write to unbuffered standard error.
  std::string Line;
  raw_string_ostream Buffer(Line);
  Buffer << Tool << ": ";
  Buffer.enable_colors(hasColours(OS));
  const auto &[Colour, Lead] = Levels[static_cast<size_t>(Level)];
  WithColor(Buffer, Colour,
            hasColours(OS) ? ColorMode::Enable : ColorMode::Disable)
      << Lead;
  Buffer << Text << "\n";
  OS << Line;
}

std::string counted(uint64_t Count, const Twine &What) {
  return (Twine(Count) + " " + What + (Count == 1 ? "" : "s")).str();
}

BarStyle BarStyle::of(function_ref<const char *(const char *)> Environment) {
  auto Value = [&](const char *Name) {
    const char *Text = Environment(Name);
    return StringRef(Text ? Text : "");
  };
  BarStyle Style;
  // The first variable that is set and not empty wins, as in setlocale(3).
  for (const char *Name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (StringRef Locale = Value(Name); !Locale.empty()) {
      Style.Unicode = Locale.contains_insensitive("utf-8") ||
                      Locale.contains_insensitive("utf8");
      break;
    }
  const StringRef Terminal = Value("TERM");
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

static std::string drawLevels(ArrayRef<unsigned> Levels, BarStyle Style) {
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
  for (unsigned Level : Levels) {
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

std::string drawStrip(ArrayRef<ResidentShare> Pieces, BarStyle Style) {
  SmallVector<unsigned, 64> Levels;
  for (ResidentShare Piece : Pieces)
    Levels.push_back(levelOf(Piece));
  return drawLevels(Levels, Style);
}

std::string drawBar(ResidentShare Share, unsigned Width, BarStyle Style) {
  SmallVector<unsigned, 64> Levels;
  const double Full = Share.Resident >= Share.Whole
                          ? Width
                          : static_cast<double>(Share.Resident) /
                                static_cast<double>(Share.Whole) *
                                static_cast<double>(Width);
  for (unsigned I = 0; I != Width; ++I) {
    // The unit is a thousandth of a column.
    const double Part = std::clamp(Full - I, 0.0, 1.0);
    Levels.push_back(levelOf({static_cast<uint64_t>(Part * 1000), 1000}));
  }
  return drawLevels(Levels, Style);
}

unsigned stripWidth(unsigned Columns) {
  // A percentage, a size and a path also need room on the line.
  constexpr unsigned Min = 8;
  constexpr unsigned Max = 40;
  const unsigned Width = Columns / 3;
  return Width < Min ? 0 : std::min(Width, Max);
}

} // namespace headstart
