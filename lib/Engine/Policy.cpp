//===- Policy.cpp - Decides how to fetch a file ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Policy.h"
#include <algorithm>
#include <cmath>

namespace headstart {

Policy::Policy(const Tuning &Numbers, unsigned Processors, unsigned Inspections)
    : Numbers(Numbers), Processors(Processors), Inspections(Inspections),
      Sizes(Numbers.GuessedSize), Files(Numbers.GuessedFiles),
      Queries(Numbers.GuessedQueries) {
  Planned.First = {Numbers.GuessedFirstShare * Sizes, Files};
  Planned.Later = {Numbers.GuessedLaterShare * Sizes,
                   Numbers.GuessedRanges * Files};
  Planned.Processor = Numbers.GuessedInspectSecondsPerByte * Sizes;
}

double Policy::price(const Expense &What, double UsedBytes,
                     const StorePrices &Store) const {
  // What is fetched later is fetched while the linker works.
  const double Work = Numbers.LaterSecondsPerByte * UsedBytes;
  const double Later = Store.of(What.Later.Bytes, What.Later.Requests);
  return Store.of(What.First.Bytes, What.First.Requests) +
         std::max(0.0, Later - Work) + processorShare(What.Processor);
}

Policy::Expense Policy::rangeExpense(uint64_t Bytes, uint64_t RequestBytes,
                                     double SecondsPerByte) const {
  Expense Result;
  Result.First.Bytes = double(Bytes);
  Result.First.Requests = double(llvm::divideCeil(Bytes, RequestBytes));
  Result.Processor = Result.First.Requests * Numbers.RequestSeconds +
                     double(Bytes) * SecondsPerByte;
  return Result;
}

Policy::Expense Policy::largeExpense(uint64_t Bytes) const {
  return rangeExpense(Bytes, Numbers.LargeRequestBytes,
                      Numbers.LargeSecondsPerByte);
}

Policy::Expense Policy::smallExpense(uint64_t Bytes,
                                     const StorePrices &Store) const {
  return rangeExpense(Bytes, requestBytes(Store), Numbers.RangeSecondsPerByte);
}

Policy::Expense Policy::recordedExpense(llvm::ArrayRef<PlannedRange> Plan,
                                        const StorePrices &Store) const {
  Expense Result;
  for (const PlannedRange &R : coalesceRanges(Plan.vec(), gapBytes(Store))) {
    const Expense Range = smallExpense(R.Range.Length, Store);
    (R.Stage == LinkStage::Parse ? Result.First : Result.Later) += Range.First;
    Result.Processor += Range.Processor;
  }
  return Result;
}

Policy::Expense Policy::inspectExpense(const FileFacts &File,
                                       const StorePrices &Store) const {
  const double Missing = double(File.Missing);
  std::lock_guard<std::mutex> Lock(Mutex);
  const double First = Planned.First.Bytes / Sizes;
  // lld reads only the symbols of a member that is not linked.
  const double Later =
      Planned.Later.Bytes / Sizes * (File.IsArchive ? linkedShare() : 1);
  Expense Result;
  Result.First = {First * Missing, Planned.First.Requests / Files};
  Result.Later = {Later * Missing, Planned.Later.Requests / Files};
  // With a record, at most the touched bytes are fetched.
  const Expense Touched = recordedExpense(File.Recorded, Store);
  if (const double Bytes = Touched.First.Bytes + Touched.Later.Bytes;
      Bytes != 0 && Bytes < Result.First.Bytes + Result.Later.Bytes) {
    Result.First.Bytes = Bytes * First / (First + Later);
    Result.Later.Bytes = Bytes - Result.First.Bytes;
  }
  if (!File.IsInspected)
    Result.First.Requests += Inspections;
  if (File.IsArchive) {
    // The bytes that a member needs are adjacent.
    const double Members = double(File.Size) / double(Numbers.MemberBytes);
    Result.First.Requests = std::max(1.0, Members) * Numbers.MemberInspections;
    Result.Later.Requests = std::max(1.0, Members);
  }
  const double Requests = Result.First.Requests + Result.Later.Requests;
  Result.Processor =
      Requests * Numbers.RequestSeconds +
      (Result.First.Bytes + Result.Later.Bytes) * Numbers.RangeSecondsPerByte +
      double(File.Size) * Planned.Processor / Sizes;
  return Result;
}

FetchMethod Policy::choose(const FileFacts &File,
                           const StorePrices &Store) const {
  FetchMethod Best = FetchMethod::Whole;
  // The linker works only on the members of an archive that are linked.
  const double Used = double(File.Size) * (File.IsArchive ? linkedShare() : 1);
  double Least = price(File.MayBeLarge ? largeExpense(File.Missing)
                                       : smallExpense(File.Missing, Store),
                       Used, Store);
  auto Consider = [&](FetchMethod Method, const Expense &What) {
    const double Price = price(What, Used, Store);
    if (Price <= Least)
      Best = Method;
    Least = std::min(Least, Price);
  };
  if (File.Recorded.empty() || !File.HasStages)
    Consider(FetchMethod::Inspect, inspectExpense(File, Store));
  if (!File.Recorded.empty()) {
    Expense Recorded = recordedExpense(File.Recorded, Store);
    // Page tables also have pages that were only near those that were read.
    if (!File.HasStages)
      Recorded.First.Bytes *= Numbers.TouchedShare;
    Consider(FetchMethod::Recorded, Recorded);
  }
  return Best;
}

void Policy::notePlan(uint64_t Size, llvm::ArrayRef<PlannedRange> Plan,
                      double Seconds, const StorePrices &Store) {
  const Expense New = recordedExpense(Plan, Store);
  std::lock_guard<std::mutex> Lock(Mutex);
  Sizes += double(Size);
  ++Files;
  Planned.First += New.First;
  Planned.Later += New.Later;
  Planned.Processor += Seconds;
}

uint64_t Policy::gapBytes(const StorePrices &Store) const {
  const double Request = Store.Request + processorShare(Numbers.RequestSeconds);
  // The bytes between two ranges need requests, too.
  const double Byte = Store.Byte + Request / double(requestBytes(Store)) +
                      processorShare(Numbers.RangeSecondsPerByte);
  return static_cast<uint64_t>(Request / Byte);
}

bool Policy::isLargeCheaper(ByteRange Range, ByteRange Pages,
                            const StorePrices &Store) const {
  return price(largeExpense(Pages.Length), 0, Store) <=
         price(smallExpense(Range.Length, Store), 0, Store);
}

bool Policy::isWorthSymbols(uint64_t LazyBytes, uint64_t Files,
                            uint64_t FileBytes, double Missing,
                            const StorePrices &Store) const {
  // Lazy bytes are read in the second stage, before the linker's later work.
  Expense Saved, Spent;
  Saved.First.Bytes = double(LazyBytes) * Numbers.LazyShare;
  Saved.Processor = Saved.First.Bytes * Numbers.RangeSecondsPerByte;
  Spent.First.Requests = Missing * Inspections;
  Spent.Processor = double(Files) * Numbers.OpenSeconds +
                    double(FileBytes) * Numbers.SymbolsSecondsPerByte;
  return price(Saved, 0, Store) > price(Spent, 0, Store);
}

unsigned Policy::threads(double Latency) const {
  return static_cast<unsigned>(
      std::min(Numbers.BusyThreads * (1 + Latency / Numbers.FileSeconds), 1e6));
}

/// A thread prepares one of n objects. If files are cached in runs of about the
/// length of this one, the chance that the next object is not cached is one in
/// Streak, and n/2 objects are missed until the next one is prepared. The best
/// n has the least sum of both prices.
unsigned Policy::skipped(unsigned Streak, double Size, double NameLatency,
                         const StorePrices &Store) const {
  if (NameLatency > Numbers.slowName())
    return 0;
  const double Prepared = processorShare(Numbers.OpenSeconds);
  const double Missed = Store.of(Size, Inspections);
  const double Stride = std::sqrt(2 * Prepared * Streak / Missed);
  return static_cast<unsigned>(
             std::max<double>(1, std::min<double>(Stride, Numbers.MaxStride))) -
         1;
}

bool Policy::isWorthListing(uint64_t Inputs, double NameLatency) const {
  const double Trips = double(Inputs) - Numbers.ListingTrips;
  return Trips * NameLatency >
         double(Inputs) * Numbers.MaxEntriesPerInput * Numbers.EntrySeconds;
}

bool Policy::isWorthQuery(uint64_t Bytes, const StorePrices &Store) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Fetched / Queries * Store.of(double(Bytes), 1) >
         processorShare(Numbers.QuerySeconds);
}

void Policy::noteQuery(bool WasFetched) {
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Queries;
  Fetched += WasFetched;
}

} // namespace headstart
