//===- MemoryWindow.cpp - Limits fetches by memory ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryWindow.h"
#include "headstart/OS/Threads.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

bool MemoryWindow::decide(uint64_t Bytes, bool IsComplete, uint64_t Expected) {
  // Not std::call_once: if an allocation fails, an exception leaves the
  // function, and under ThreadSanitizer other threads then wait forever.
  std::lock_guard<std::mutex> Lock(Deciding);
  if (isDecided())
    return isShort();
  bool IsShort = !Available || Bytes > *Available;
  // Another process may have released memory since the last time.
  if (IsShort || IsComplete) {
    const os::SystemMemory Memory = Read();
    // A system that does not report memory has given the engine a careful
    // budget.
    Available = Memory.AvailableBytes == 0 ? UINT64_MAX : Memory.available();
    if (!AvailableBefore)
      AvailableBefore = Available;
    IsShort = Bytes > *Available;
    if (IsShort)
      measure(Memory);
  }
  if (IsShort || IsComplete)
    Decisions.note(IsShort ? Decision::MemoryShort : Decision::MemoryPlentiful);
  Short.store(IsShort);
  MayBeShort.store(IsShort || (!IsComplete && Expected > *Available));
  IsDecided.store(IsShort || IsComplete);
  return IsShort;
}

/// Returns the share of the time in which tasks waited for memory since an
/// earlier measurement, at least MeasureAfter ago. The first one, and a system
/// that does not count that time, have only PressurePercent.
double MemoryWindow::pressurePercent(const os::SystemMemory &Memory) {
  if (!Memory.Stalled)
    return Memory.PressurePercent.value_or(0);
  std::lock_guard<std::mutex> Lock(Measuring);
  const auto Now = os::now();
  const auto Elapsed = Now - StalledAt;
  // Another thread may have measured later.
  if (Stalled && (Elapsed < Numbers.MeasureAfter || *Memory.Stalled < *Stalled))
    return Pressure;
  using Time = std::chrono::duration<double>;
  Pressure = Stalled ? 100 * Time(*Memory.Stalled - *Stalled) / Time(Elapsed)
                     : Memory.PressurePercent.value_or(0);
  Stalled = Memory.Stalled;
  StalledAt = Now;
  return Pressure;
}

void MemoryWindow::measure(const os::SystemMemory &Memory) {
  // More makes the link faster still, but reads more than the linker alone.
  uint64_t Now = Memory.available() / Numbers.WindowShare;
  if (pressurePercent(Memory) >= Numbers.HighPressurePercent) {
    Decisions.note(Decision::PressureHigh);
    Now /= 2;
  }
  Limit.store(std::min(Budget, Now));
}

/// Whether bytes that are fetched for \p For are ahead of the linker. In the
/// first stage it reaches them input by input (`release`), and followed ones
/// when it touches them. It has reached all others of a stage that has begun.
bool MemoryWindow::isAhead(LinkStage For, bool IsFollowed) const {
  return IsFollowed ? For >= stage()
                    : For > stage() || stage() == LinkStage::Parse;
}

bool MemoryWindow::hasRoom(LinkStage For, bool IsFollowed) const {
  // The linker may need these bytes now, unlike those of an earlier stage.
  if (For == stage() && !isAhead(For, IsFollowed))
    return limit() != 0;
  if (ahead() >= limit())
    return false;
  return !isShort() ||
         static_cast<unsigned>(For) <= static_cast<unsigned>(stage()) + 1;
}

bool MemoryWindow::measureIfDue() {
  auto Last = MeasuredAt.load();
  const auto Now = os::now();
  // If several threads find it due, one measures.
  if (!isShort() ||
      (SinceMeasured.load() < Numbers.MeasureBytes &&
       Now - Last < Numbers.MeasureAfter) ||
      !MeasuredAt.compare_exchange_strong(Last, Now))
    return false;
  SinceMeasured = 0;
  measure(Read());
  return true;
}

void MemoryWindow::add(LinkStage For, uint64_t Bytes, bool IsFollowed) {
  SinceMeasured += Bytes;
  if (!isAhead(For, IsFollowed))
    return;
  (IsFollowed ? Followed : ByStage)[static_cast<unsigned>(For)] += Bytes;
  Ahead += Bytes;
}

void MemoryWindow::touched(LinkStage For, uint64_t Bytes) {
  uint64_t &Left = Followed[static_cast<unsigned>(For)];
  Bytes = std::min(Bytes, Left);
  Left -= Bytes;
  Ahead -= Bytes;
}

void MemoryWindow::release(uint64_t Bytes) {
  uint64_t &Parse = ByStage[static_cast<unsigned>(LinkStage::Parse)];
  // After that stage, `reached` has released all of its bytes at once.
  Bytes = std::min(Bytes, Parse);
  Parse -= Bytes;
  Ahead -= Bytes;
}

void MemoryWindow::reached(LinkStage Now) {
  if (Now <= stage())
    return;
  Stage.store(Now);
  for (unsigned S = 0; S <= static_cast<unsigned>(Now); ++S) {
    Ahead -= std::exchange(ByStage[S], 0);
    if (S != static_cast<unsigned>(Now))
      Ahead -= std::exchange(Followed[S], 0);
  }
  // The linker's work has changed how much memory is available.
  SinceMeasured = Numbers.MeasureBytes;
}

} // namespace headstart
