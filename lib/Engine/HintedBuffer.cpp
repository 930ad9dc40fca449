//===- HintedBuffer.cpp - Hints for parts of any MemoryBuffer -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/HintedBuffer.h"

using namespace llvm;

namespace headstart {

HintedBuffer::HintedBuffer(std::unique_ptr<MemoryBuffer> TheWrapped,
                           const os::PageCache &Cache)
    : Wrapped(std::move(TheWrapped)), Cache(Cache) {
  init(Wrapped->getBufferStart(), Wrapped->getBufferEnd(),
       /*RequiresNullTerminator=*/false);
}

std::span<const char> HintedBuffer::part(ByteRange Range) const {
  ByteRange Clipped = Range.clippedTo(getBufferSize());
  return {getBufferStart() + Clipped.Offset,
          static_cast<size_t>(Clipped.Length)};
}

os::HintResult HintedBuffer::willNeed(ByteRange Range) const {
  if (isMapped()) {
    os::HintResult Result = Cache.willNeed(part(Range));
    Result.Range = Range;
    return Result;
  }
  os::HintResult Result;
  Result.Range = Range;
  Result.Outcome = os::HintOutcome::Accepted;
  Result.AcceptedBytes = part(Range).size();
  return Result;
}

void HintedBuffer::dontNeed(ByteRange Range) const {
  if (isMapped())
    (void)Cache.notNeededSoon(part(Range));
}

std::optional<os::Residency> HintedBuffer::residency(ByteRange Range) const {
  if (isMapped())
    return Cache.residency(part(Range));
  // What is on the heap is in memory, as far as anybody can rely on it.
  uint64_t Pages =
      (part(Range).size() + Cache.pageSize() - 1) / Cache.pageSize();
  return os::Residency{Pages, Pages};
}

std::optional<os::Residency> HintedBuffer::residency() const {
  return residency({0, getBufferSize()});
}

} // namespace headstart
