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

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headstart {

/// Shares with an integral type are fractions with 1 above the line: 16 stands
/// for a sixteenth.
struct Tuning {
  using Seconds = std::chrono::duration<double>;

  /// \name Processor time, in seconds (docs/internals/Experiments.md)
  /// @{
  double OpenSeconds = 25e-6;   ///< to open, query, map and hand over a file
  double FileSeconds = 100e-6;  ///< to prepare a file that is not cached
  double BusyThreads = 2;       ///< that prepare files while others wait
  double RequestSeconds = 6e-6; ///< to make one request and to wait for it
  double RangeSecondsPerByte = 0.25e-9;   ///< in the kernel's small pages
  double LargeSecondsPerByte = 0.06e-9;   ///< in large pages
  double SymbolsSecondsPerByte = 0.25e-9; ///< to read the symbols of an object
  double QuerySeconds = 2e-6;             ///< to query a range's residency
  double StatSeconds = 2e-6;
  double EntrySeconds = 0.3e-6; ///< for an entry of a listing
  /// @}

  /// \name A store (StoreModel.h)
  /// @{
  /// The guess with which the prices begin, and the requests and bytes that it
  /// counts for.
  Seconds GuessedRequest{10e-6};
  Seconds GuessedByte{0.7e-9};
  double GuessedRequests = 16;
  double GuessedBytes = 4 << 20;
  /// Prices are estimated again after so many requests in so much time. A limit
  /// on a device is kept on average over a slice of 20 ms (Linux
  /// block/blk-throttle.c, DFL_THROTL_SLICE_SSD): less would measure bursts.
  /// The first estimate takes less, each further one twice as much.
  double WindowRequests = 16;
  Seconds FirstWindowTime{0.002};
  Seconds WindowTime{0.02};
  /// A window counts for so much of the next one.
  double Forgetting = 0.97;
  /// The shortest round trip of a window counts as so much longer in the next.
  double TripAging = 1.005;
  /// That both prices differ from the guess by one factor is as likely as so
  /// many windows say.
  double RatioWeight = 6;
  /// After an answer that took so long a thread asks how long it has waited for
  /// a processor.
  Seconds SlowAnswer{0.0005};
  /// Steps under way, until the store is known, and at least.
  double FirstWindow = 8;
  double MaxWindow = 64;
  /// Of what the store answers at once, so many times are under way.
  double WindowGain = 2;
  /// Where a request costs more, they are made larger; the linker's own reads
  /// then bring more around them, too.
  Seconds DearRequest{50e-6};
  /// A step in large pages that does not come takes so many round trips. Until
  /// some were tried, one of so many does not.
  double LargeTrips = 5;
  double GuessedLargeSteps = 20;
  /// Bytes in one request, and in one for large pages.
  uint64_t RequestBytes = UINT64_C(128) << 10;
  uint64_t LargeRequestBytes = UINT64_C(1) << 20;
  /// @}

  /// \name A file (Policy.h)
  /// @{
  /// The time of a link for each byte of its inputs, if all are cached. Three
  /// flavours took 1.8 to 2.4 ns on two cores.
  double LinkSecondsPerByte = 2e-9;
  /// How much of an object is needed first, in one range, and later, in others,
  /// until some were planned: the guess counts for so many files and bytes.
  double GuessedFirstShare = 0.3;
  double GuessedLaterShare = 0.4;
  double GuessedRanges = 2;
  double GuessedFiles = 4;
  double GuessedSize = 4 << 20;
  double GuessedInspectSecondsPerByte = 0.4e-9;
  /// The bytes that page tables report as touched count for so many times the
  /// bytes that a plan would have.
  double TouchedShare = 1.3;
  /// About how much a member of an archive has.
  uint64_t MemberBytes = UINT64_C(96) << 10;
  /// The requests of its inspection: the end of one and the beginning of the
  /// next come in one.
  double MemberInspections = 1.5;
  /// Of what may not be needed of archives, so much is not.
  double LazyShare = 0.5;
  /// A query for what another request has brought counts as so many.
  double GuessedQueries = 20;
  /// After so many cached objects in a row some are left to the linker. To
  /// prepare fewer costs next to nothing, and the link's profile has them.
  unsigned MinStreak = 64;
  /// At least one of so many cached objects is prepared.
  unsigned MaxStride = 64;
  /// The most objects that are scanned for dependencies and for nothing else.
  /// To scan all 3,217 objects of a warm link cost 7% of it.
  unsigned MaxDependencyScans = 32;
  /// @}

  /// \name Names
  /// @{
  /// A listing takes about three round trips: open, read, and read to the end.
  double ListingTrips = 3;
  /// The listing ends after so many entries for each input.
  double MaxEntriesPerInput = 64;
  /// So many inputs ahead of the linker have their paths queried again, of
  /// which so many are forgotten.
  size_t RefreshAhead = 256;
  double ForgottenShare = 0.02;
  /// From so many seconds on it is worth it to query a path again.
  double slowName() const { return StatSeconds / ForgottenShare; }
  /// A path is queried again if it was opened longer ago: FUSE keeps what a
  /// server says of a path for a second by default, NFS for three.
  std::chrono::milliseconds FreshFor{500};
  /// Ranges are combined if at least so many bytes may be fetched ahead: what
  /// comes early with another range takes room until its stage.
  uint64_t MinRoomToCombine = UINT64_C(64) << 20;
  /// @}

  /// \name Steps and memory
  /// @{
  /// Bytes fetched between two checks of `cancel`; also the most that one wait
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

/// Sets the number \p Name, such as "FirstWindow", to \p Value; a time in
/// seconds. False: there is no such number, or it is no value.
bool setTuning(Tuning &Numbers, llvm::StringRef Name, llvm::StringRef Value);

} // namespace headstart

#endif // HEADSTART_PLAN_TUNING_H
