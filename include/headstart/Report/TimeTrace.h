//===- TimeTrace.h - The trace of lld's --time-trace ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A trace that LLVM's TimeProfiler has written, to be copied into another one.
/// It may be large (an optimizing link writes 100 MB), so one event at a time
/// is parsed, not the whole text.
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
  /// Takes ownership of \p Text. Checks that it is an object with `traceEvents`
  /// and `beginningOfTime` and that all brackets are closed; does not inspect
  /// the events. Any thread.
  static llvm::Expected<TimeTrace>
  parse(std::unique_ptr<llvm::MemoryBuffer> Text);

  /// Returns the trace's time 0 in microseconds since the epoch, by the
  /// system's clock.
  int64_t beginning() const { return Beginning; }

  /// Calls \p Visit with each event in order; it may change the event. Skips
  /// events that are not JSON objects, and returns their number.
  uint64_t
  forEachEvent(llvm::function_ref<void(llvm::json::Object &)> Visit) const;

private:
  std::unique_ptr<llvm::MemoryBuffer> Text;
  llvm::StringRef Events; ///< in Text: the array with its brackets
  int64_t Beginning = 0;
};

} // namespace headstart

#endif // HEADSTART_REPORT_TIMETRACE_H
