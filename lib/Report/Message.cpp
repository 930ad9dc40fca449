//===- Message.cpp - Errors, warnings and notes ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/Message.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
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

} // namespace headstart
