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
/// fetched whole. Only trying tells: of a slow disk's inputs the first 32 are
/// fetched as planned, the next 32 as a whole, and the faster way is kept.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_DISKPROBE_H
#define HEADSTART_LIB_ENGINE_DISKPROBE_H

#include <atomic>
#include <chrono>
#include <cstddef>

namespace headstart {

/// Every function may be called from any thread.
class DiskProbe {
public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr size_t SampleFiles = 32;
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
    if (Index == 0)
      First.store(Now);
    if (Index == SampleFiles) {
      Second.store(Now);
      Slow.store(Now - First.load() >= SampleFiles * SlowFile);
    }
    if (Index == 2 * SampleFiles)
      Whole.store(Slow.load() && !Disturbed.load() &&
                  (Now - Second.load()) * 100 <=
                      (Second.load() - First.load()) * WorthPercent);
    if (Index < SampleFiles)
      return false;
    return (Index < 2 * SampleFiles ? Slow : Whole).load();
  }

  /// Something else than the disk held the files up: nothing is learned.
  void disturb() { Disturbed.store(true); }

  bool prefersWholeFiles() const { return Whole.load(); }

private:
  std::atomic<Time> First{}, Second{};
  std::atomic<bool> Slow{false}, Whole{false}, Disturbed{false};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_DISKPROBE_H
