//===- MemoryWindow.h - Limits fetches by memory ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: how much may be fetched ahead of the linker. Bytes
/// that are fetched too early evict bytes that the linker needs next, and are
/// themselves evicted before the linker reads them.
///
/// If memory is plentiful, only a budget applies. It is short if the link needs
/// more than is available. Fetching then stays at most one stage ahead of the
/// linker, and within a quarter of the memory that is available at that time.
/// Bytes are ahead until the linker reaches their input (in the first stage),
/// until it is seen to touch them (if followed, see LinkerPosition.h), or else
/// until it reaches their stage.
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
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace headstart {

/// One thread at a time (Gate.h) calls it, unless noted otherwise.
class MemoryWindow {
public:
  using Reader = std::function<os::SystemMemory()>;

  /// \p Budget: the most bytes ahead, ever. \p Read reports the available
  /// memory. \p Numbers must outlive it.
  MemoryWindow(uint64_t Budget, Reader Read, const Tuning &Numbers,
               DecisionCounts &Decisions)
      : Numbers(Numbers), Decisions(Decisions), Budget(Budget), Limit(Budget),
        Read(std::move(Read)) {}

  /// \name From any thread
  /// @{
  /// Decides, once, whether memory is short for a link that needs \p Bytes, and
  /// returns that. While its inputs are still being counted (not
  /// \p IsComplete), it decides as soon as the known ones need too much.
  /// \p Expected: the need if the others are like these.
  bool decide(uint64_t Bytes, bool IsComplete, uint64_t Expected = 0);
  bool isDecided() const { return IsDecided.load(); }
  bool isShort() const { return Short.load(); }
  /// The bytes that were available at the first call of `decide`; only if it
  /// is decided.
  uint64_t availableBefore() const { return *AvailableBefore; }
  /// Whether it is short, or will be if the link needs what is expected.
  bool mayBeShort() const { return MayBeShort.load(); }
  /// If memory is short, and much was fetched or some time has passed since the
  /// last time, sets the limit by the available memory, which takes some 50 us.
  /// Returns whether it did.
  bool measureIfDue();
  /// The fetched bytes that the linker has not reached yet.
  uint64_t ahead() const { return Ahead.load(); }
  /// The most that may be ahead now.
  uint64_t limit() const { return Limit.load(); }
  LinkStage stage() const { return Stage.load(); }
  /// @}

  /// Whether something may be fetched for \p For. \p IsFollowed: see `add`.
  bool hasRoom(LinkStage For, bool IsFollowed) const;
  /// Counts \p Bytes that are fetched for \p For. \p IsFollowed: `touched`
  /// reports when the linker touches them.
  void add(LinkStage For, uint64_t Bytes, bool IsFollowed = false);
  /// Notes that \p Bytes that were followed for \p For are no longer ahead.
  void touched(LinkStage For, uint64_t Bytes);
  /// Notes that the linker has reached \p Bytes of its first stage.
  void release(uint64_t Bytes);
  /// Notes that the linker has come to \p Now. Bytes that were fetched for
  /// earlier stages are no longer ahead, nor those for this one unless they are
  /// followed. An earlier stage than before changes nothing.
  void reached(LinkStage Now);

private:
  bool isAhead(LinkStage For, bool IsFollowed) const;
  void measure(const os::SystemMemory &Memory);
  double pressurePercent(const os::SystemMemory &Memory);

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  const uint64_t Budget;
  std::atomic<uint64_t> Limit; ///< at most Budget; less when memory is short
  const Reader Read;
  std::mutex Deciding;
  std::atomic<bool> IsDecided{false}; ///< written last
  /// Bytes, when last and when first read to decide; guarded by Deciding
  /// until it is decided.
  std::optional<uint64_t> Available, AvailableBefore;
  std::array<uint64_t, NumLinkStages> ByStage{}, Followed{};
  std::atomic<uint64_t> Ahead{0}; ///< the sum of both
  std::atomic<LinkStage> Stage{LinkStage::Parse};
  std::atomic<bool> Short{false}, MayBeShort{false};
  std::atomic<uint64_t> SinceMeasured{0}; ///< bytes
  std::atomic<std::chrono::steady_clock::time_point> MeasuredAt;
  std::mutex Measuring; ///< guards the next three
  std::optional<std::chrono::microseconds> Stalled;
  std::chrono::steady_clock::time_point StalledAt;
  double Pressure = 0; ///< in percent
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_MEMORYWINDOW_H
