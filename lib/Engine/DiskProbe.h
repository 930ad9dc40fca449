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

  static constexpr size_t SampleFiles = 128;
  /// A disk that brings a file's first ranges (some five requests) in less is
  /// fast enough either way.
  static constexpr std::chrono::microseconds SlowFile{2000};
  /// How much longer a whole file may take than its first ranges, in percent:
  /// the rest of it would need requests of its own.
  static constexpr int WorthPercent = 125;

  /// Whether the object that is taken as number \p Index (from 0, each once, in
  /// order but for what threads do at the same time) at \p Now should be
  /// fetched as a whole.
  bool fetchesWhole(size_t Index, Time Now) {
    if (Index % SampleFiles == 0)
      endSample(Index != 0, Now);
    State S = Current.load();
    return S == Trying || S == Whole;
  }

  /// Something else than the disk held the files up: nothing is learned.
  void disturb() { Current.store(Planned); }

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

    bool hasTwiceTheRateOf(const Sample &Other) const {
      return static_cast<double>(Bytes) *
                 static_cast<double>(Other.Took.count()) >=
             2 * static_cast<double>(Other.Bytes) *
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
    if (S == Watching && Last.Took >= SampleFiles * SlowFile) {
      AsPlanned = Last;
      Current.store(Trying);
    } else if (S == Trying || S == Whole) {
      AsWhole.Took += Last.Took;
      AsWhole.Bytes += Last.Bytes;
      bool IsFaster =
          S == Whole || Last.Took * 100 <= AsPlanned.Took * WorthPercent;
      Current.store(IsFaster && AsWhole.hasTwiceTheRateOf(AsPlanned) ? Whole
                                                                     : Planned);
    }
  }

  std::mutex Mutex;
  Time Begin;                    ///< of this sample; guarded by Mutex
  Sample AsPlanned, AsWhole;     ///< guarded by Mutex
  std::atomic<uint64_t> Came{0}; ///< bytes, in this sample
  std::atomic<State> Current{Watching};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_DISKPROBE_H
