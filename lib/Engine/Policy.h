//===- Policy.h - How a file is fetched -------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: every decision on what to fetch, as a comparison of
/// prices. Pure: it makes no system call, and the prices of the store are
/// passed in (StoreModel.h). A price is a time by which a link becomes longer.
/// The store and the processors work at the same time, so the longer of both
/// times counts.
///
/// The linker waits for what it reads first of all files before it goes on, so
/// a byte of the first stage counts in full. What it reads later is fetched
/// while it works: it counts for nothing if the store is much faster than the
/// linker, and in full if it is much slower.
///
/// How much of a file is needed, in how many ranges, and what its inspection
/// takes, is learned from the files of this link that were planned.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_POLICY_H
#define HEADSTART_LIB_ENGINE_POLICY_H

#include "StoreModel.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <mutex>

namespace headstart {

/// What is known of a file before it is planned.
struct FileFacts {
  uint64_t Size = 0;    ///< bytes
  uint64_t Missing = 0; ///< of these: not cached, as far as is known
  bool IsInspected = false;
  bool IsArchive = false; ///< else it is an object
  /// Whether it could be fetched in large pages.
  bool MayBeLarge = false;
  /// What the last link read of it; empty: not known. HasStages: and when.
  llvm::ArrayRef<PlannedRange> Recorded;
  bool HasStages = true;
};

enum class FetchMethod : uint8_t {
  Whole,    ///< all of it, without an inspection
  Recorded, ///< what the profile says, without an inspection
  Inspect,  ///< it is inspected and planned
};

/// Every function may be called from any thread.
class Policy {
public:
  /// \p Numbers must outlive it. \p Inspections: how many requests, one after
  /// the other, an inspection takes.
  Policy(const Tuning &Numbers, unsigned Processors, unsigned Inspections)
      : Numbers(Numbers), Processors(Processors), Inspections(Inspections) {}

  /// How an object, or an archive of which each member is inspected, is
  /// fetched.
  FetchMethod choose(const FileFacts &File, const StorePrices &Store) const;

  /// An object of \p Size bytes was planned; its inspection took \p Seconds of
  /// processor time.
  void notePlan(uint64_t Size, llvm::ArrayRef<PlannedRange> Plan,
                double Seconds);

  /// Two ranges with at most so many bytes between them are fetched as one.
  uint64_t gapBytes(const StorePrices &Store) const;

  /// Whether \p Range is fetched in large pages, which brings \p Pages.
  /// \p Risk: what it may cost, in seconds, if they do not come.
  bool isLargeCheaper(ByteRange Range, ByteRange Pages, double Risk,
                      const StorePrices &Store) const;

  /// Whether to know which of \p LazyBytes are needed is worth reading the
  /// symbols of \p Files objects with \p FileBytes, of which the share
  /// \p Missing is not cached.
  bool isWorthSymbols(uint64_t LazyBytes, uint64_t Files, uint64_t FileBytes,
                      double Missing, const StorePrices &Store) const;

  /// How many threads keep a store busy whose requests take \p Latency.
  unsigned threads(double Latency) const;

  /// How many objects of about \p Size bytes are left to the linker behind the
  /// next one, after \p Streak cached ones in a row (at least
  /// Tuning::MinStreak, which the caller checks): to prepare a cached one
  /// costs more than the linker's own open, unless a name takes long.
  unsigned skipped(unsigned Streak, double Size, double NameLatency,
                   const StorePrices &Store) const;

  /// Whether a directory of which \p Inputs are inputs is listed before they
  /// are opened, where a name takes so many seconds.
  bool isWorthListing(uint64_t Inputs, double NameLatency) const;
  /// Whether paths are queried again ahead of the linker.
  bool isWorthRefreshing(double NameLatency) const;

  /// A step of \p Bytes may have been fetched with something else: whether to
  /// query that; and what came of it.
  bool isWorthQuery(uint64_t Bytes, const StorePrices &Store) const;
  void noteQuery(bool WasFetched);

private:
  /// What is fetched at a time.
  struct Amount {
    double Bytes = 0, Requests = 0;
    Amount &operator+=(const Amount &Other) {
      Bytes += Other.Bytes;
      Requests += Other.Requests;
      return *this;
    }
  };
  /// What a method fetches before the linker goes on, and later; and seconds.
  struct Expense {
    Amount First, Later;
    double Processor = 0;
  };
  double price(const Expense &What, const StorePrices &Store) const;
  double processorShare(double Seconds) const { return Seconds / Processors; }
  Expense rangeExpense(uint64_t Bytes, bool IsLarge) const;
  Expense recordedExpense(llvm::ArrayRef<PlannedRange> Plan) const;
  Expense inspectExpense(const FileFacts &File) const;

  const Tuning &Numbers;
  const unsigned Processors, Inspections;
  mutable std::mutex Mutex; // guards all below
  double Sizes = 0, Files = 0;
  Expense Planned; ///< of these files together
  double Queries = 0, Fetched = 0;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_POLICY_H
