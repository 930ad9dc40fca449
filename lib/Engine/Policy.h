//===- Policy.h - Decides how to fetch a file -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: every decision on what to fetch, as a comparison of
/// prices, without a system call. A price is a time by which a link becomes
/// longer. The linker waits for the first stage of all files, so a byte of that
/// stage counts in full. The bytes of later stages count as far as they take
/// longer than the linker's later work on the file. Processor time adds to
/// that, since the linker's threads need the processors as well.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_POLICY_H
#define HEADSTART_LIB_ENGINE_POLICY_H

#include "StoreModel.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cstdint>
#include <mutex>

namespace headstart {

/// The facts about a file that are known before it is planned.
struct FileFacts {
  uint64_t Size = 0;    ///< bytes
  uint64_t Missing = 0; ///< of these: not cached, as far as known
  bool IsInspected = false;
  bool IsArchive = false; ///< else it is an object
  /// Whether it could be fetched in large pages.
  bool MayBeLarge = false;
  /// The ranges that the last link read; empty: unknown. HasStages: also when.
  llvm::ArrayRef<PlannedRange> Recorded;
  bool HasStages = true;
};

enum class FetchMethod : uint8_t {
  Whole,    ///< the whole file, without an inspection
  Recorded, ///< the profile's ranges, without an inspection
  Inspect,  ///< the ranges of a plan, after an inspection
};

/// Every function may be called from any thread.
class Policy {
public:
  /// \p Numbers must outlive it. \p Inspections: the number of consecutive
  /// requests of an inspection.
  Policy(const Tuning &Numbers, unsigned Processors, unsigned Inspections);

  /// Chooses how to fetch an object, or an archive whose members are inspected.
  FetchMethod choose(const FileFacts &File, const StorePrices &Store) const;

  /// Whether \p Store's requests are so expensive that they are made twice as
  /// large, and the number of bytes in one.
  bool isDear(const StorePrices &Store) const {
    return Store.Request > Numbers.DearRequest.count();
  }
  uint64_t requestBytes(const StorePrices &Store) const {
    return Numbers.RequestBytes * (isDear(Store) ? 2 : 1);
  }

  /// Learns from an object of \p Size bytes that was planned, and whose
  /// inspection took \p Seconds of processor time. At the prices of \p Store,
  /// some ranges are combined.
  void notePlan(uint64_t Size, llvm::ArrayRef<PlannedRange> Plan,
                double Seconds, const StorePrices &Store);

  /// The most bytes between two ranges that are fetched as one.
  uint64_t gapBytes(const StorePrices &Store) const;

  /// Whether to fetch \p Range in large pages, which fetches \p Pages.
  bool isLargeCheaper(ByteRange Range, ByteRange Pages,
                      const StorePrices &Store) const;

  /// Whether to read the symbols of \p Files objects of \p FileBytes, of which
  /// \p Missing have to be fetched for that, to find out which of \p LazyBytes
  /// are needed.
  bool isWorthSymbols(uint64_t LazyBytes, uint64_t Files, uint64_t FileBytes,
                      double Missing, const StorePrices &Store) const;

  /// The number of threads that keep a store busy whose requests take
  /// \p Latency seconds.
  unsigned threads(double Latency) const;

  /// The number of objects of about \p Size bytes after the next one that are
  /// left to the linker, after \p Streak cached ones in a row (at least
  /// Tuning::MinStreak, which the caller checks). Preparing a cached object
  /// costs more than the linker's own open, unless a name takes long.
  unsigned skipped(unsigned Streak, double Size, double NameLatency,
                   const StorePrices &Store) const;

  /// Whether to list a directory before its \p Inputs inputs are opened, if
  /// opening a name takes \p NameLatency seconds.
  bool isWorthListing(uint64_t Inputs, double NameLatency) const;

  /// Whether to fetch a range of \p Bytes only when the linker is near, if
  /// memory is short. A linker that comes to the range before it was fetched
  /// waits for an answer, which takes \p Latency seconds (0: unknown); a range
  /// that is fetched too early is transferred twice.
  static bool isWorthFollowing(uint64_t Bytes, double Latency,
                               const StorePrices &Store) {
    // An answer takes at least as long as a request that waits for no other.
    return std::max(Latency, Store.Request) <= double(Bytes) * Store.Byte;
  }

  /// Whether to fetch although memory is short and the linker reads its inputs
  /// many times: each request saves it a wait of \p Latency seconds, but bytes
  /// that are evicted meanwhile are requested and transferred again.
  bool isWorthReadingTwice(double Latency, const StorePrices &Store) const {
    return isDear(Store) &&
           Latency > Numbers.RequestsForOne *
                         Store.of(double(requestBytes(Store)), 1);
  }

  /// Whether to query if another request has fetched a step of \p Bytes.
  bool isWorthQuery(uint64_t Bytes, const StorePrices &Store) const;
  /// Learns from the result of such a query.
  void noteQuery(bool WasFetched);

private:
  struct Amount {
    double Bytes = 0, Requests = 0;
    Amount &operator+=(const Amount &Other) {
      Bytes += Other.Bytes;
      Requests += Other.Requests;
      return *this;
    }
  };
  /// The amounts that a method fetches before the linker goes on and later, and
  /// its processor time in seconds.
  struct Expense {
    Amount First, Later;
    double Processor = 0;
  };
  double price(const Expense &What, double UsedBytes,
               const StorePrices &Store) const;
  double processorShare(double Seconds) const { return Seconds / Processors; }
  /// The share of the bytes of lazy inputs that the linker needs.
  double linkedShare() const { return std::max(0.0, 1 - Numbers.LazyShare); }
  Expense rangeExpense(uint64_t Bytes, uint64_t RequestBytes,
                       double SecondsPerByte) const;
  Expense largeExpense(uint64_t Bytes) const;
  Expense smallExpense(uint64_t Bytes, const StorePrices &Store) const;
  Expense recordedExpense(llvm::ArrayRef<PlannedRange> Plan,
                          const StorePrices &Store) const;
  Expense inspectExpense(const FileFacts &File, const StorePrices &Store) const;

  const Tuning &Numbers;
  const unsigned Processors, Inspections;
  mutable std::mutex Mutex;
  // Guarded by Mutex; the guesses count as some more files and queries:
  double Sizes, Files;
  Expense Planned; ///< the sum over these files
  double Queries, Fetched = 1;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_POLICY_H
