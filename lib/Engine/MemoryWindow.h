//===- MemoryWindow.h - How far ahead of the linker -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: how much may be fetched ahead of the linker. What is
/// fetched too early for the memory there is pushes out what the linker needs
/// next, and is itself gone when its time comes.
///
/// With memory to spare there is only a budget. Short of memory (the inputs
/// alone fill half of what is available; the linker's own data and its output
/// need as much again) fetching also waits for the linker: at most one stage
/// ahead of it, and no more than a quarter of what is available at that time.
/// Memory that others give back makes room as well: a thread that waits for
/// room (Gate.h) measures again.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_MEMORYWINDOW_H
#define HEADSTART_LIB_ENGINE_MEMORYWINDOW_H

#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Plan/Tuning.h"
#include "headstart/Report/Decisions.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace headstart {

/// Called from one thread at a time (Gate.h), unless it says otherwise.
class MemoryWindow {
public:
  using Reader = std::function<os::SystemMemory()>;

  /// \p Budget: the most bytes ahead, ever. \p Read tells what memory there is.
  /// \p Numbers must outlive it.
  MemoryWindow(uint64_t Budget, Reader Read, const Tuning &Numbers,
               DecisionCounts &Decisions)
      : Numbers(Numbers), Decisions(Decisions), Budget(Budget), Limit(Budget),
        Read(std::move(Read)) {}

  /// \name From any thread
  /// @{
  /// Decides, once, whether memory is short for inputs of so many bytes. Until
  /// then it is not.
  void decide(uint64_t InputsBytes);
  /// The same while inputs are still being counted: decides as soon as those
  /// that are known are too many. Whether memory is short.
  bool decideEarly(uint64_t InputsBytes);
  bool isShort() const { return Short.load(std::memory_order_relaxed); }
  /// Sets the limit by what memory there is, which takes some 50 us.
  void measure() { measure(Read()); }
  /// The same if memory is short and much was fetched since the last time;
  /// whether it was done.
  bool measureIfDue();
  /// Bytes that are fetched, and that the linker has not come to.
  uint64_t ahead() const { return Ahead.load(std::memory_order_relaxed); }
  /// The most that may be ahead now.
  uint64_t limit() const { return Limit.load(std::memory_order_relaxed); }
  LinkStage stage() const { return Stage.load(std::memory_order_relaxed); }
  /// @}

  /// Whether something may be fetched for \p For.
  bool hasRoom(LinkStage For) const;
  /// Whether there may be room when memory is measured again.
  bool mayGrow() const { return isShort() && ahead() >= limit(); }

  /// \p Bytes are fetched for \p For.
  void add(LinkStage For, uint64_t Bytes);
  /// The linker has come to so many of the bytes of its first stage.
  void release(uint64_t Bytes);
  /// The linker has come to \p Now; what was fetched for it and for all stages
  /// before it is no longer ahead. An earlier stage than before changes
  /// nothing.
  void reached(LinkStage Now);

private:
  void measure(const os::SystemMemory &Memory);

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  const uint64_t Budget;
  std::atomic<uint64_t> Limit; ///< at most Budget; less when memory is short
  const Reader Read;
  std::mutex Deciding;
  bool IsDecided = false; ///< guarded by Deciding, as the next
  std::optional<uint64_t>
      AvailableAtFirst; ///< bytes; 0: the system does not tell
  std::array<uint64_t, NumLinkStages> ByStage{};
  std::atomic<uint64_t> Ahead{0}; ///< the sum of ByStage
  std::atomic<LinkStage> Stage{LinkStage::Parse};
  std::atomic<bool> Short{false};
  std::atomic<uint64_t> SinceMeasured{0}; ///< bytes
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_MEMORYWINDOW_H
