//===- ResidencyBar.h - How much is in memory, drawn in text ----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bars and strips of characters that show how much of something is in memory,
/// and where. Plain text in, plain text out; any thread.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_RESIDENCYBAR_H
#define HEADSTART_REPORT_RESIDENCYBAR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>

namespace headstart {

/// What a terminal can show.
struct BarStyle {
  bool Unicode = false; ///< block characters in UTF-8; else ASCII
  bool Colour = false;  ///< escape sequences for colours

  /// By LC_ALL, LC_CTYPE and LANG, NO_COLOR and TERM. \p Environment gives a
  /// variable's value, or null.
  static BarStyle
  of(llvm::function_ref<const char *(const char *)> Environment);
};

/// How much of a file, or of a piece of one, is in memory.
struct ResidentShare {
  uint64_t Resident = 0; ///< in any unit
  uint64_t Whole = 0;    ///< in the same

  /// In percent: 100 only when all of it is, 0 only when nothing is. Nothing at
  /// all is 100.
  unsigned percent() const;
};

/// A character for each of \p Pieces, which follow one another in a file: from
/// nothing to all of it in five steps, the first and the last just that.
std::string drawStrip(llvm::ArrayRef<ResidentShare> Pieces, BarStyle Style);

/// \p Width columns, of which as many are full as \p Share says; the last one
/// that is not empty may be partly.
std::string drawBar(ResidentShare Share, unsigned Width, BarStyle Style);

/// How wide a strip may be on a terminal of so many columns; 0: there is no
/// room for one.
unsigned stripWidth(unsigned Columns);

} // namespace headstart

#endif // HEADSTART_REPORT_RESIDENCYBAR_H
