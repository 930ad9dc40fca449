//===- Tuning.h - The numbers that decisions use ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every threshold by which the engine decides what to fetch, in one struct.
/// The defaults are what users get. Tests, the simulation and benchmarks set
/// other values: a mechanism that begins at 256 inputs then begins at 5.
///
/// PlanOptions has the two numbers that depend on the flavour.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_TUNING_H
#define HEADSTART_PLAN_TUNING_H

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headstart {

/// Shares are fractions with 1 above the line: 16 stands for a sixteenth.
struct Tuning {
  using Seconds = std::chrono::duration<double>;

  /// \name Cached inputs
  /// @{
  /// So many cached objects in a row begin a streak: most objects that follow
  /// are left to the linker.
  unsigned StreakObjects = 64;
  /// One of so many objects is inspected in a streak of twice that length; the
  /// number grows with the streak.
  unsigned StreakStride = 8;
  /// It grows no further.
  unsigned MaxStreakStride = 64;
  /// A file of which this share or less is not cached is fetched without a
  /// plan.
  uint64_t AlmostCachedShare = 16;
  /// @}

  /// \name Dependencies and symbols
  /// @{
  /// The most objects that are scanned for dependencies and for nothing else.
  /// To scan all 3,217 objects of a warm link cost 7% of it.
  unsigned MaxDependencyScans = 32;
  /// ELF archives that are less than this share of all inputs are fetched
  /// whole.
  uint64_t FewArchivesShare = 8;
  /// The symbols of cached inputs are read if at least this share of all bytes
  /// is not cached.
  uint64_t SymbolsShare = 64;
  /// @}

  /// \name A plan, or the whole file (FetchCost.h)
  /// @{
  /// Nothing is decided before so many bytes were inspected and fetched.
  uint64_t CostSampleBytes = UINT64_C(16) << 20;
  /// The same on a high-latency store.
  uint64_t RemoteCostSampleBytes = UINT64_C(1) << 20;
  /// Processor time, measured on the samples (docs/Benchmarks.md): to inspect
  /// and plan an object.
  double LookSeconds = 150e-6;
  /// For a byte that comes in ranges instead of large pages.
  double RangeSecondsPerByte = 0.25e-9;
  /// For the symbols of an object, by its size.
  double SymbolsSecondsPerByte = 0.25e-9;
  /// How many ranges a plan has, until some were made.
  uint64_t ExpectedRanges = 3;
  /// A whole file must cost less than this share of a plan: a plan fetches the
  /// bytes in the order in which the linker reads them.
  double WholeFileWorth = 0.75;
  /// @}

  /// \name Disks that count requests (DiskProbe.h)
  /// @{
  size_t ProbeFiles = 128;
  /// A disk that brings the first ranges of a file (about five requests) in
  /// less is fast enough.
  std::chrono::microseconds SlowFile{2000};
  /// A sample of whole files may take this much of the time of a sample of
  /// plans: the rest of a file would need requests of its own.
  int ProbeWorthPercent = 125;
  /// Whole files must bring so many times the bytes in the time.
  double ProbeMinGain = 2;
  /// @}

  /// \name A store (DeviceModel.h)
  /// @{
  /// A store whose requests take this long or longer has a high latency.
  Seconds HighLatency{0.0008};
  /// Requests under way, until the store is known, and at least.
  double FirstWindow = 8;
  double MaxWindow = 64;
  /// Requests for large pages under way. FUSE skips those while three quarters
  /// of the twelve that it takes at once by default are under way
  /// (fs/fuse/file.c, fuse_readahead).
  unsigned MaxLargeRequests = 5;
  /// Bytes a second, until FirstBytes have come.
  double FirstRate = 500e6;
  uint64_t FirstBytes = UINT64_C(32) << 20;
  /// A request and a byte count at most so many times their price, for what
  /// there was more of.
  double MaxBalance = 4;
  /// @}

  /// \name A high-latency store
  /// @{
  /// A directory with so many inputs is listed before the first is opened. A
  /// listing takes about three round trips: open, read, and read to the end.
  uint64_t MinListedInputs = 4;
  /// The listing ends after so many entries for each input.
  uint64_t MaxEntriesPerInput = 64;
  /// So many inputs ahead of the linker have their paths queried again.
  size_t RefreshAhead = 256;
  /// A path is queried again if it was opened longer ago: FUSE keeps what a
  /// server says of a path for a second by default, NFS for three.
  std::chrono::milliseconds FreshFor{500};
  /// The least that is asked for at either end of a file, in bytes.
  uint64_t MinEndBytes = UINT64_C(32) << 10;
  /// Ranges are combined if at least so many bytes may be fetched ahead: what
  /// comes early with another range takes room until its stage.
  uint64_t MinRoomToCombine = UINT64_C(64) << 20;
  /// A range comes in large pages if it has so many times HintStepBytes.
  unsigned MinLargeSteps = 4;
  /// @}

  /// \name Steps and memory
  /// @{
  /// Bytes fetched between two looks at `cancel`; also the most that one wait
  /// for the disk is worth. Half a megabyte is 5 ms on a disk of 100 MB/s.
  uint64_t StepBytes = UINT64_C(512) << 10;
  /// Memory is short if the inputs are more than this share of what is
  /// available.
  uint64_t ShortMemoryShare = 2;
  /// Then at most this share of what is available is fetched ahead.
  uint64_t WindowShare = 4;
  /// Memory is measured again after so many fetched bytes: some 50 us for a few
  /// dozen milliseconds of reading.
  uint64_t MeasureBytes = UINT64_C(32) << 20;
  /// The same while threads wait for room.
  std::chrono::milliseconds MeasureAfter{50};
  /// The share of the last ten seconds in which a thread of the machine waited
  /// for memory, from which on half as much is fetched ahead.
  double HighPressurePercent = 10;
  /// @}

  /// \name Stores that do not answer
  /// @{
  /// Threads hang if none of them has asked for work, or fetched anything, for
  /// so long.
  std::chrono::milliseconds StallTime{500};
  /// The linker waits this long for a file that a thread is opening. Then it
  /// opens the file itself.
  std::chrono::milliseconds OpenTimeout{1000};
  /// @}
};

} // namespace headstart

#endif // HEADSTART_PLAN_TUNING_H
