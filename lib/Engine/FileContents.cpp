//===- FileContents.cpp - The bytes of an input, mapped or read -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/FileContents.h"

using namespace llvm;

namespace headstart {

bool FileContents::isMapped() const {
  return Buffer ? Buffer->getBufferKind() == MemoryBuffer::MemoryBuffer_MMap
                : Mapping.isMapped();
}

std::span<const char> FileContents::part(ByteRange Range) const {
  ByteRange Clipped = Range.clippedTo(bytes().size());
  return {bytes().data() + Clipped.Offset, static_cast<size_t>(Clipped.Length)};
}

os::HintResult FileContents::willNeed(ByteRange Range,
                                      const os::PageCache &Cache) const {
  os::HintResult Result;
  if (isMapped()) {
    Result = Cache.willNeed(part(Range));
  } else {
    Result.Outcome = os::HintOutcome::Accepted;
    Result.AcceptedBytes = part(Range).size();
  }
  Result.Range = Range;
  return Result;
}

void FileContents::notNeededSoon(ByteRange Range,
                                 const os::PageCache &Cache) const {
  if (isMapped())
    (void)Cache.notNeededSoon(part(Range));
}

std::optional<os::Residency>
FileContents::residency(ByteRange Range, const os::PageCache &Cache) const {
  if (isMapped())
    return Cache.residency(part(Range));
  // What is on the heap is in memory, as far as anybody can rely on it.
  uint64_t Pages =
      (part(Range).size() + Cache.pageSize() - 1) / Cache.pageSize();
  return os::Residency{Pages, Pages};
}

} // namespace headstart
