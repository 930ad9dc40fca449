//===- DiskProbe.h - Whether the disk counts requests or bytes --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine. Some disks give so many bytes a second, some so many
/// requests (a volume in a cloud, a disk that turns). To the latter a file as a
/// whole costs no more than its headers and symbols, so that it should be
/// fetched whole. Only trying tells: when 128 files in turn came slowly, the
/// next 128 are fetched as a whole. That is kept for as long as it brings twice
/// the bytes in the time. A disk that is held to a rate stops for a tenth of a
/// second at a time: fewer files say nothing of it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_DISKPROBE_H
#define HEADSTART_LIB_ENGINE_DISKPROBE_H

#include "headstart/Plan/Tuning.h"
#include "headstart/Report/Decisions.h"
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace headstart {

/// Every function may be called from any thread.
class DiskProbe {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// \p Numbers must outlive it.
  DiskProbe(const Tuning &Numbers, DecisionCounts &Decisions)
      : Numbers(Numbers), Decisions(Decisions) {}

  /// Whether the object that is taken as number \p Index (from 0, each once, in
  /// order but for what threads do at the same time) at \p Now should be
  /// fetched as a whole.
  bool fetchesWhole(size_t Index, Time Now) {
    if (Index % Numbers.ProbeFiles == 0)
      endSample(Index != 0, Now);
    State S = Current.load();
    return S == Trying || S == Whole;
  }

  /// Something else than the disk held the files up: nothing is learned.
  void disturb() {
    if (Current.exchange(Planned) != Planned)
      Decisions.note(Decision::ProbeDisturbed);
  }

  bool prefersWholeFiles() const { return Current.load() == Whole; }

  /// So many bytes have come.
  void note(uint64_t Bytes) {
    Came.fetch_add(Bytes, std::memory_order_relaxed);
  }

private:
  enum State : uint8_t {
    Watching, ///< as planned; tries when files come slowly
    Trying,   ///< a sample of whole files
    Planned,  ///< as planned, for good
    Whole,    ///< as a whole, while that is worth it
  };

  /// What came in a time.
  struct Sample {
    Time::duration Took{};
    uint64_t Bytes = 0;

    bool gains(double Times, const Sample &Other) const {
      return static_cast<double>(Bytes) *
                 static_cast<double>(Other.Took.count()) >=
             Times * static_cast<double>(Other.Bytes) *
                 static_cast<double>(Took.count());
    }
  };

  void endSample(bool HasSample, Time Now) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Sample Last{Now - Begin, Came.exchange(0)};
    Begin = Now;
    if (!HasSample)
      return;
    State S = Current.load();
    if (S == Watching && Last.Took >= Numbers.ProbeFiles * Numbers.SlowFile) {
      AsPlanned = Last;
      Decisions.note(Decision::ProbeTried);
      Current.store(Trying);
    } else if (S == Trying || S == Whole) {
      AsWhole.Took += Last.Took;
      AsWhole.Bytes += Last.Bytes;
      bool IsFaster =
          S == Whole ||
          Last.Took * 100 <= AsPlanned.Took * Numbers.ProbeWorthPercent;
      const bool IsKept =
          IsFaster && AsWhole.gains(Numbers.ProbeMinGain, AsPlanned);
      Decisions.note(IsKept ? Decision::ProbeKept : Decision::ProbeEnded);
      Current.store(IsKept ? Whole : Planned);
    }
  }

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  std::mutex Mutex;
  Time Begin;                    ///< of this sample; guarded by Mutex
  Sample AsPlanned, AsWhole;     ///< guarded by Mutex
  std::atomic<uint64_t> Came{0}; ///< bytes, in this sample
  std::atomic<State> Current{Watching};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_DISKPROBE_H
