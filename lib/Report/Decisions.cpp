//===- Decisions.cpp - Counters of the engine's decisions -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/Decisions.h"

namespace headstart {

const char *decisionName(Decision What) {
  static constexpr std::array<const char *, NumDecisions> Names = {
      "cached",
      "partly cached",
      "not cached",
      "cache unknown",
      "prepared in order",
      "prepared urgent",
      "prepared deferred",
      "streak left",
      "linker opened",
      "linker waited",
      "linker timed out",
      "held copy",
      "held mapping",
      "held nothing",
      "just changed",
      "handed over",
      "changed since open",
      "whole cheaper",
      "whole few archives",
      "by profile",
      "by touched ranges",
      "by layout",
      "by layout and profile",
      "not needed",
      "not opened",
      "scanned",
      "scan skipped recorded",
      "scan skipped enough",
      "symbols pass",
      "symbols pass skipped",
      "symbols read",
      "symbols read of left",
      "symbols not read",
      "lazy fetched",
      "lazy fetched unasked",
      "lazy not linked",
      "stage begun",
      "stage not begun",
      "memory plentiful",
      "memory short",
      "left for memory",
      "waited for memory",
      "pressure high",
      "measured waiting",
      "released",
      "answered from cache",
      "answer unscheduled",
      "answer counted",
      "waited for store",
      "urgent request",
      "window grew",
      "window shrank",
      "more threads",
      "directory listed",
      "path refreshed",
      "ranges combined",
      "already fetched",
      "large pages",
      "large pages failed",
      "stepwise",
      "stalled",
      "stalled directory"};
  static_assert(Names.back() != nullptr, "a decision has no name");
  return Names.at(static_cast<size_t>(What));
}

} // namespace headstart
