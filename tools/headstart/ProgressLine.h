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

/// Draws on standard error if that is a terminal; otherwise does nothing. Only
/// one thread at a time may use it.
class ProgressLine {
public:
  ProgressLine();

  bool isShown() const { return Columns != 0; }

  /// Draws \p Figures. \p IsComplete: no more files will be added to them.
  void draw(const TreeFetchFigures &Figures, bool IsComplete);
  /// Replaces the line with \p Text, as far as it fits.
  void show(llvm::StringRef Text);
  void erase();

private:
  using Clock = std::chrono::steady_clock;

  void measure(const TreeFetchFigures &Figures);

  unsigned Columns; ///< of the terminal; 0: no terminal
  size_t Drawn = 0; ///< columns that are in use
  Clock::time_point LastTime = Clock::now();
  uint64_t LastDone = 0;
  double BytesPerSecond = 0; ///< recently; 0: not known yet
};

/// "0:07", "12:34", "1:02:03".
std::string formatSeconds(double Seconds);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_PROGRESSLINE_H
