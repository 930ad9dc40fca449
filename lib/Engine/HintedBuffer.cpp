//===- HintedBuffer.cpp - Hints for parts of any MemoryBuffer -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/HintedBuffer.h"
#include "headstart/OS/PageTables.h"
#include "headstart/Plan/FetchPlan.h"

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

void FileContents::dontNeed(const os::PageCache &Cache) const {
  if (Buffer)
    return Buffer->dontNeedIfMmap();
  os::PageTables Tables;
  (void)touched(Tables);
  (void)Cache.dontNeed(Mapping);
}

std::optional<std::vector<ByteRange>>
FileContents::touched(os::PageTables &Tables) const {
  std::optional<std::vector<ByteRange>> Present =
      Tables.present(Mapping.bytes());
  if (!Present)
    return std::nullopt;
  std::lock_guard Lock(Mutex);
  Present->insert(Present->end(), Touched.begin(), Touched.end());
  Touched = unite(std::move(*Present));
  return Touched;
}

void FileContents::adviseCold(ByteRange Range,
                              const os::PageCache &Cache) const {
  if (isMapped())
    (void)Cache.adviseCold(part(Range));
}

HintedBuffer::HintedBuffer(std::shared_ptr<const FileContents> TheContents,
                           StringRef Identifier, bool RequiresNullTerminator,
                           const os::PageCache &Cache)
    : Contents(std::move(TheContents)), Identifier(Identifier), Cache(Cache) {
  StringRef Bytes = Contents->bytes();
  init(Bytes.begin(), Bytes.end(), RequiresNullTerminator);
}

HintedBuffer::HintedBuffer(std::unique_ptr<MemoryBuffer> Buffer,
                           const os::PageCache &Cache)
    : HintedBuffer(std::make_shared<FileContents>(std::move(Buffer)), "",
                   /*RequiresNullTerminator=*/false, Cache) {
  Identifier = Contents->Buffer->getBufferIdentifier();
}

std::unique_ptr<HintedBuffer>
HintedBuffer::over(std::shared_ptr<const FileContents> Contents,
                   StringRef Identifier, const BufferRequest &Request,
                   const os::PageCache &Cache) {
  // A caller that expects the file to change under it wants a private copy.
  if (Request.IsVolatile)
    return nullptr;
  StringRef Bytes = Contents->bytes();
  if (Request.Alignment && !isAddrAligned(*Request.Alignment, Bytes.data()))
    return nullptr;
  // The rest of the last page of a mapped file is zero. There is no rest if the
  // file ends with the page.
  if (Request.RequiresNullTerminator && Contents->isMapped() &&
      Bytes.size() % Cache.pageSize() == 0)
    return nullptr;
  std::unique_ptr<HintedBuffer> Buffer(new HintedBuffer(
      std::move(Contents), Identifier, Request.RequiresNullTerminator, Cache));
  Buffer->IsRequested = true;
  return Buffer;
}

os::HintResult HintedBuffer::willNeed(ByteRange Range) const {
  if (Contents->isMapped())
    return Cache.willNeed(Contents->part(Range));
  os::HintResult Result;
  Result.Outcome = os::HintOutcome::Accepted;
  Result.AcceptedBytes = Contents->part(Range).size();
  return Result;
}

MemoryBuffer::BufferKind HintedBuffer::getBufferKind() const {
  return Contents->isMapped() ? MemoryBuffer_MMap : MemoryBuffer_Malloc;
}

void HintedBuffer::dontNeedIfMmap() { Contents->dontNeed(Cache); }

} // namespace headstart
