//===- LinkerPosition.h - Where the linker is in a stage --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: which of the fetched ranges the linker has touched,
/// by the page tables of the engine's mappings, which are handed over. While
/// memory is short, fetching stays a bounded distance ahead of the linker
/// within a stage.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_LINKERPOSITION_H
#define HEADSTART_LIB_ENGINE_LINKERPOSITION_H

#include "Gate.h"
#include "headstart/Engine/HintedBuffer.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/ByteRange.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "headstart/Plan/Tuning.h"
#include "headstart/Report/Decisions.h"
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace headstart {

/// Every function may be called from any thread.
class LinkerPosition {
public:
  /// All arguments must outlive it.
  LinkerPosition(Gate &Owner, const os::PageCache &Cache, const Tuning &Numbers,
                 DecisionCounts &Decisions)
      : Owner(Owner), Cache(Cache), Numbers(Numbers), Decisions(Decisions) {}

  /// Whether the system reports page tables, as far as known.
  bool isReported() const { return IsReported.load(); }

  /// Adds \p Range, which was fetched for \p Stage and which the gate counts as
  /// followed. The ranges of a stage are added in about the order in which the
  /// linker processes them. \p ShowsPosition: the linker reads the range in
  /// this stage, and not only small pieces of it.
  void add(std::shared_ptr<const FileContents> Of, ByteRange Range,
           LinkStage Stage, bool ShowsPosition);

  /// Reports to the gate the ranges that the linker has touched or passed. If
  /// it has touched none, reports those that were evicted: it may have touched
  /// them before. Returns whether it reported any. Takes about a microsecond
  /// for each range that it checks.
  bool follow();

private:
  struct Fetched {
    std::shared_ptr<const FileContents> Of;
    ByteRange Range;
    /// Whether the page tables can show that the linker touches it: at first
    /// they did not contain it.
    bool ShowsPosition = false;
  };
  using Queue = std::deque<Fetched>;

  bool isTouched(const Fetched &Each);
  size_t countPassed(const Queue &Ranges);
  size_t countEvicted(const Queue &Ranges) const;

  Gate &Owner;
  const os::PageCache &Cache;
  const Tuning &Numbers;
  DecisionCounts &Decisions;
  std::atomic<bool> IsReported{true};
  std::mutex Mutex;
  // Guarded by Mutex:
  std::optional<os::PageTables> Tables; ///< opened when first needed
  std::array<Queue, NumLinkStages> ByStage;
  LinkStage Checked = LinkStage::Parse; ///< the last stage of `follow`
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_LINKERPOSITION_H
