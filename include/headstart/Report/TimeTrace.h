//===- TimeTrace.h - What lld writes for --time-trace -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A trace that LLVM's TimeProfiler has written, to be copied into another one.
/// It may be large (a link that optimizes writes 100 MB): its text is walked
/// over, and one event at a time is parsed.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_TIMETRACE_H
#define HEADSTART_REPORT_TIMETRACE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>

namespace headstart {

class TimeTrace {
public:
  /// Takes \p Text over when it looks like such a trace from end to end: an
  /// object with `traceEvents` and `beginningOfTime`, all brackets closed. What
  /// an event holds is not inspected. Any thread.
  static llvm::Expected<TimeTrace>
  parse(std::unique_ptr<llvm::MemoryBuffer> Text);

  /// When its time 0 was: microseconds since the epoch, by the system's clock.
  int64_t beginning() const { return Beginning; }

  /// Calls \p Visit with each event, in their order; the event is the callee's
  /// to change. Returns how many were no JSON objects and were skipped.
  uint64_t
  forEachEvent(llvm::function_ref<void(llvm::json::Object &)> Visit) const;

private:
  std::unique_ptr<llvm::MemoryBuffer> Text;
  llvm::StringRef Events; ///< in Text: the array, brackets included
  int64_t Beginning = 0;
};

} // namespace headstart

#endif // HEADSTART_REPORT_TIMETRACE_H
