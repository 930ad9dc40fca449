//===- ProgressLine.h - A line that tells how far it is ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The progress of a fetch, on one line of a terminal.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_PROGRESSLINE_H
#define HEADSTART_TOOLS_HEADSTART_PROGRESSLINE_H

#include "headstart/Engine/TreeFetcher.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <string>

namespace headstart {

/// Draws on standard error where that is a terminal; else does nothing. To be
/// used by one thread at a time.
class ProgressLine {
public:
  ProgressLine();

  bool isShown() const { return Columns != 0; }

  /// Draws \p Figures anew. \p IsComplete says that there will be no more files
  /// than those.
  void draw(const TreeFetchFigures &Figures, bool IsComplete);
  /// Draws \p Text in its place, as far as it fits.
  void show(llvm::StringRef Text);
  /// Takes the line away.
  void erase();

private:
  using Clock = std::chrono::steady_clock;

  void measure(const TreeFetchFigures &Figures);

  unsigned Columns; ///< of the terminal; 0: there is none
  size_t Drawn = 0; ///< columns that are in use
  Clock::time_point LastTime = Clock::now();
  uint64_t LastDone = 0;
  double BytesPerSecond = 0; ///< of late; 0: not known yet
};

/// "0:07", "12:34", "1:02:03".
std::string formatSeconds(double Seconds);

/// "1,234".
std::string formatCount(uint64_t Count);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_PROGRESSLINE_H
