//===- Paging.cpp - The page cache of a timed system ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paging if SimulatedOS::IsTimed: requests of a limited size, the readahead of
// Linux's mappings (mm/filemap.c, do_sync_mmap_readahead and
// do_async_mmap_readahead), and the eviction of the least recently used pages.
//
//===----------------------------------------------------------------------===//

#include "SimulatedOS.h"
#include <algorithm>

namespace headstart::simulation {

/// Requests \p Bytes in at least \p Runs requests. Returns the last one's end.
Nanoseconds SimulatedOS::requestPieces(Device &From, uint64_t Bytes,
                                       uint64_t Runs) {
  const uint64_t Most = From.RequestBytes == 0 ? Bytes : From.RequestBytes;
  const uint64_t Pieces = std::max(Runs, (Bytes + Most - 1) / Most);
  From.ChannelFree.resize(From.Channels, 0);
  Nanoseconds Last = now();
  for (uint64_t I = 0; I != Pieces; ++I) {
    const uint64_t Piece = Bytes * (I + 1) / Pieces - Bytes * I / Pieces;
    auto Free =
        std::min_element(From.ChannelFree.begin(), From.ChannelFree.end());
    Nanoseconds Begin = std::max({now(), *Free, From.BandwidthFree});
    if (From.LimitBurst != 0) {
      From.LimitFree = std::max(From.LimitFree, now());
      Begin = std::max(Begin, From.LimitFree - From.LimitBurst);
      From.LimitFree +=
          From.LimitPerRequest +
          nanoseconds(static_cast<double>(Piece) * From.LimitPerByte);
    }
    From.LongestQueue = std::max(From.LongestQueue, Begin - now());
    From.BandwidthFree =
        Begin + From.PerRequest +
        nanoseconds(static_cast<double>(Piece) * From.NanosecondsPerByte);
    double Longer = 0;
    if (From.Jitter != 0)
      Longer = From.Jitter * static_cast<double>(Random.below(1024)) / 1024;
    *Free = From.BandwidthFree + From.Latency +
            nanoseconds(Longer * static_cast<double>(From.Latency));
    Last = std::max(Last, *Free);
  }
  From.Requests += Pieces;
  From.Bytes += Bytes;
  return Last;
}

/// Requests the missing pages of \p Range. Returns the time of their arrival.
Nanoseconds SimulatedOS::fetchMissing(File &Of, ByteRange Range) {
  if (Range.empty())
    return now();
  const uint64_t End = (Range.end() + PageBytes - 1) / PageBytes;
  uint64_t Missing = 0, Runs = 0;
  for (uint64_t At = Of.Cached.nextMissing(Range.Offset / PageBytes, End);
       At != End; ++Runs) {
    const uint64_t Stop = Of.Cached.nextCached(At, End);
    Missing += Stop - At;
    At = Of.Cached.nextMissing(Stop, End);
  }
  noteUse(Of, Range);
  if (Missing == 0)
    return now();
  addCached(Of, Of.Cached.add(Range));
  const Nanoseconds Arrival =
      requestPieces(deviceOf(Of), Missing * PageBytes, Runs);
  Of.Coming.emplace_back(Range, Arrival);
  evictOldest();
  return Arrival;
}

/// Returns the time when all pages requested so far in \p Range have arrived.
Nanoseconds SimulatedOS::arrivalOf(File &Of, ByteRange Range) {
  Nanoseconds Arrival = now();
  std::erase_if(Of.Coming, [&](const auto &Each) {
    const auto &[Requested, When] = Each;
    if (When <= now())
      return true;
    if (Requested.Offset < Range.end() && Range.Offset < Requested.end())
      Arrival = std::max(Arrival, When);
    return false;
  });
  return Arrival;
}

void SimulatedOS::waitUntil(File &Of, Nanoseconds Arrival) {
  if (Arrival <= now() || !running())
    return;
  charge(Costs.Wait);
  if (Arrival <= now())
    return;
  Device &From = deviceOf(Of);
  From.EngineRequests += isEngine();
  sleep(Arrival - now());
  From.EngineRequests -= isEngine();
  waitForProcessor();
}

void SimulatedOS::loadTimed(File &Of, ByteRange Range) {
  hang(deviceOf(Of));
  const Nanoseconds Requested = arrivalOf(Of, Range);
  waitUntil(Of, std::max(Requested, fetchMissing(Of, Range)));
}

/// The linker uses page \p Page of a mapping. Requests the next readahead
/// window if the page is its mark.
void SimulatedOS::requestAhead(File &Of, uint64_t Page) {
  const uint64_t Most =
      std::max<uint64_t>(deviceOf(Of).Readahead / PageBytes, 1);
  if (Page != Of.AheadMark)
    return;
  Of.AheadBegin = Of.AheadEnd;
  Of.AheadEnd = std::min(Of.AheadEnd + Most, Of.Cached.size());
  Of.AheadMark = UINT64_MAX;
  if (Of.AheadBegin >= Of.AheadEnd)
    return;
  Of.AheadMark = Of.AheadBegin;
  const ByteRange Window{Of.AheadBegin * PageBytes,
                         (Of.AheadEnd - Of.AheadBegin) * PageBytes};
  charge(Costs.PageByte * static_cast<double>(Window.Length));
  fetchMissing(Of, Window.clippedTo(Of.Identity.Size));
}

void SimulatedOS::touch(File &Of, ByteRange Range) {
  Range = Range.clippedTo(Of.Identity.Size);
  if (Range.empty())
    return;
  const uint64_t Most =
      std::max<uint64_t>(deviceOf(Of).Readahead / PageBytes, 1);
  const uint64_t End = (Range.end() + PageBytes - 1) / PageBytes;
  uint64_t At = Range.Offset / PageBytes;
  if (Of.Mapped.size() != Of.Cached.size())
    Of.Mapped = PageSet(Of.Identity.Size);
  Of.Mapped.add(Range);
  noteUse(Of, Range);
  while (At != End) {
    const uint64_t Missing = Of.Cached.nextMissing(At, End);
    if (At <= Of.AheadMark && Of.AheadMark < Missing)
      requestAhead(Of, Of.AheadMark);
    waitUntil(Of, arrivalOf(Of, {At * PageBytes, (Missing - At) * PageBytes}));
    if (Missing == End)
      return;
    // It may have arrived meanwhile, or other pages may have been evicted.
    At = Missing;
    if (Of.Cached.has(At))
      continue;
    Of.AheadBegin = At > Most / 2 ? At - Most / 2 : 0;
    Of.AheadEnd = std::min(Of.AheadBegin + Most, Of.Cached.size());
    Of.AheadMark = Of.AheadEnd - std::min(Most / 4, Of.AheadEnd - 1);
    const ByteRange Window{Of.AheadBegin * PageBytes,
                           (Of.AheadEnd - Of.AheadBegin) * PageBytes};
    charge(Costs.Fault + Costs.PageByte * static_cast<double>(Window.Length));
    fetchMissing(Of, Window.clippedTo(Of.Identity.Size));
    waitUntil(Of, arrivalOf(Of, {At * PageBytes, PageBytes}));
    ++At;
  }
}

/// Records a use of the pages of \p Range, in units of 64 pages.
void SimulatedOS::noteUse(File &Of, ByteRange Range) {
  if (CacheBytes == UINT64_MAX || Range.empty())
    return;
  Of.UsedAt.resize(Of.Cached.words());
  for (size_t Word = Range.Offset / PageBytes / 64,
              End = (Range.end() - 1) / PageBytes / 64;
       Word <= End; ++Word) {
    Of.UsedAt[Word] = ++NumUses;
    Uses.push_back({&Of, Word, NumUses});
  }
}

void SimulatedOS::deactivate(File &Of, ByteRange Range) {
  Range = Range.clippedTo(Of.Identity.Size);
  if (!IsTimed || CacheBytes == UINT64_MAX || Range.empty())
    return;
  Of.UsedAt.resize(Of.Cached.words());
  for (size_t Word = Range.Offset / PageBytes / 64,
              End = (Range.end() - 1) / PageBytes / 64;
       Word <= End; ++Word) {
    Of.UsedAt[Word] = ++NumUses;
    Uses.push_front({&Of, Word, NumUses});
  }
}

void SimulatedOS::evictOldest() {
  while (CachedPages * PageBytes > CacheBytes && !Uses.empty()) {
    const Use Oldest = Uses.front();
    Uses.pop_front();
    if (Oldest.Of->UsedAt[Oldest.Word] != Oldest.Number)
      continue;
    CachedPages -= Oldest.Of->Cached.removeWord(Oldest.Word);
    if (Oldest.Word < Oldest.Of->Mapped.words())
      (void)Oldest.Of->Mapped.removeWord(Oldest.Word);
  }
}

} // namespace headstart::simulation
