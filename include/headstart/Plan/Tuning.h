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
/// Users get the defaults. Tests, the simulation and benchmarks set other
/// values, so that a mechanism that begins at 256 inputs begins at 5.
///
/// PlanOptions has the two numbers that depend on the flavour or the page size.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_TUNING_H
#define HEADSTART_PLAN_TUNING_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headstart {

/// A share with an integral type is the denominator of a fraction: 16 means a
/// sixteenth.
struct Tuning {
  using Seconds = std::chrono::duration<double>;

  /// \name Processor time, in seconds (docs/internals/Experiments.md)
  /// @{
  double OpenSeconds = 25e-6;   ///< to open, query, map and hand over a file
  double FileSeconds = 100e-6;  ///< to prepare a file that is not cached
  double BusyThreads = 2;       ///< threads that prepare while others wait
  double RequestSeconds = 6e-6; ///< to make one request and to wait for it
  double RangeSecondsPerByte = 0.25e-9;   ///< in the kernel's small pages
  double LargeSecondsPerByte = 0.06e-9;   ///< in large pages
  double SymbolsSecondsPerByte = 0.25e-9; ///< to read the symbols of an object
  double QuerySeconds = 2e-6;             ///< to query a range's residency
  double StatSeconds = 2e-6;
  double EntrySeconds = 0.3e-6; ///< to read one entry of a listing
  /// @}

  /// \name A store (StoreModel.h)
  /// @{
  /// The initial prices, and the requests and bytes for which they count.
  Seconds GuessedRequest{10e-6};
  Seconds GuessedByte{0.7e-9};
  double GuessedRequests = 16;
  double GuessedBytes = 4 << 20;
  /// A window ends, and prices are estimated again, after this many requests
  /// and this much time. Linux enforces the limit of a device as an average
  /// over slices of 20 ms (block/blk-throttle.c, DFL_THROTL_SLICE_SSD), so a
  /// shorter window would measure bursts. The first window is shorter; each
  /// further one doubles up to this time.
  double WindowRequests = 16;
  Seconds FirstWindowTime{0.002};
  Seconds WindowTime{0.02};
  /// The weight of a window relative to the next one.
  double Forgetting = 0.97;
  /// With each window, the shortest round trip known grows by this factor.
  double TripAging = 1.005;
  /// The weight, in windows, of the assumption that both prices differ from the
  /// guess by the same factor.
  double RatioWeight = 6;
  /// After an answer that took this long, a thread queries how long it has
  /// waited for a processor.
  Seconds SlowAnswer{0.0005};
  /// The fewest steps in flight, also before the store is known, and the most.
  double FirstWindow = 8;
  double MaxWindow = 64;
  /// The steps in flight, relative to those that the store answers at once.
  double WindowGain = 2;
  /// If a request costs more, requests are larger, and the linker's own reads
  /// also read more around them.
  Seconds DearRequest{50e-6};
  /// A step in large pages that fails takes this many round trips. Before any
  /// were tried, one in this many is assumed to fail.
  double LargeTrips = 5;
  double GuessedLargeSteps = 20;
  /// The bytes of one request, and of one for large pages.
  uint64_t RequestBytes = UINT64_C(128) << 10;
  uint64_t LargeRequestBytes = UINT64_C(1) << 20;
  /// @}

  /// \name A file (Policy.h)
  /// @{
  /// The time of a link per byte of its inputs, if all are cached. Three
  /// flavours took 1.8 to 2.4 ns on two cores.
  double LinkSecondsPerByte = 2e-9;
  /// The shares of an object needed first, in one range, and later, in
  /// GuessedRanges. Once objects were planned, their shares are averaged with
  /// these, which count for this many files and bytes.
  double GuessedFirstShare = 0.3;
  double GuessedLaterShare = 0.4;
  double GuessedRanges = 2;
  double GuessedFiles = 4;
  double GuessedSize = 4 << 20;
  double GuessedInspectSecondsPerByte = 0.4e-9;
  /// A byte that page tables report as touched costs this many times as much as
  /// a byte of a plan.
  double TouchedShare = 1.3;
  /// The approximate size of an archive's member.
  uint64_t MemberBytes = UINT64_C(96) << 10;
  /// The requests to inspect a member. The end of one member and the beginning
  /// of the next take one request together.
  double MemberInspections = 1.5;
  /// The share of the bytes of lazy inputs that the linker does not need.
  double LazyShare = 0.5;
  /// Before any query, one in this many is assumed to find that another request
  /// has fetched the range.
  double GuessedQueries = 20;
  /// After this many cached objects in a row, some are left to the linker.
  /// Preparing fewer costs almost nothing, and adds them to the link's profile.
  unsigned MinStreak = 64;
  /// At least one of this many cached objects is prepared.
  unsigned MaxStride = 64;
  /// The most objects that are scanned only for dependencies. Scanning all
  /// 3,217 objects of a cached link took 7% of it.
  unsigned MaxDependencyScans = 32;
  /// @}

  /// \name Names
  /// @{
  /// A listing takes about three round trips: open, read, and read to the end.
  double ListingTrips = 3;
  /// A listing ends after this many entries per input.
  double MaxEntriesPerInput = 64;
  /// The most inputs ahead of the linker whose paths are queried again, and the
  /// share of these paths that the system has forgotten.
  size_t RefreshAhead = 256;
  /// They are chosen again after the linker has reached this many inputs,
  /// because each change wakes all threads.
  size_t RefreshStep = 16;
  double ForgottenShare = 0.02;
  /// The seconds for a path above which it is worthwhile to query it again.
  double slowName() const { return StatSeconds / ForgottenShare; }
  /// A path is queried again if it was opened longer ago. FUSE caches a
  /// server's answer about a path for one second by default, NFS for three.
  std::chrono::milliseconds FreshFor{500};
  /// Ranges are combined if at least this many bytes may be fetched ahead. A
  /// range that is fetched early with another one takes memory until its stage.
  uint64_t MinRoomToCombine = UINT64_C(64) << 20;
  /// @}

  /// \name Steps and memory
  /// @{
  /// The bytes fetched between two checks of `cancel`, and the most for one
  /// wait for the disk. Half a megabyte takes 5 ms on a disk of 100 MB/s.
  uint64_t StepBytes = UINT64_C(512) << 10;
  /// Memory is short if the inputs exceed this share of the available memory.
  uint64_t ShortMemoryShare = 2;
  /// Then at most this share of the available memory is fetched ahead.
  uint64_t WindowShare = 4;
  /// Memory is measured again after this many fetched bytes: about 50 us for a
  /// few dozen milliseconds of reading.
  uint64_t MeasureBytes = UINT64_C(32) << 20;
  /// While threads wait for room, memory is measured again after this time.
  std::chrono::milliseconds MeasureAfter{50};
  /// If threads of the machine waited for memory in this share of the last ten
  /// seconds, half as much is fetched ahead.
  double HighPressurePercent = 10;
  /// @}

  /// \name Stores that do not answer
  /// @{
  /// Threads hang if none has requested work or read anything for this long.
  std::chrono::milliseconds StallTime{500};
  /// The linker waits this long for a file that a thread is opening. Then it
  /// opens the file itself.
  std::chrono::milliseconds OpenTimeout{1000};
  /// @}
};

/// Sets the number \p Name, such as "FirstWindow", to \p Value, a time in
/// seconds. Returns false if no such number exists, or \p Value is none.
bool setTuning(Tuning &Numbers, llvm::StringRef Name, llvm::StringRef Value);

} // namespace headstart

#endif // HEADSTART_PLAN_TUNING_H
