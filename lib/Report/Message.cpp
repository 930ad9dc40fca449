//===- Message.cpp - Messages for a terminal ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/Message.h"
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

unsigned percentOf(uint64_t Part, uint64_t Whole) {
  if (Part >= Whole)
    return 100;
  if (Part == 0)
    return 0;
  const double Exact =
      100.0 * static_cast<double>(Part) / static_cast<double>(Whole);
  return static_cast<unsigned>(std::clamp(std::lround(Exact), 1L, 99L));
}

} // namespace headstart
