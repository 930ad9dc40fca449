//===- HeldInputs.cpp - Buffers for the linker ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the bytes of open inputs, and hands them over. Buffers share ownership
// of the held bytes, and may outlive the engine.
//
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "headstart/Engine/HintedBuffer.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/PageTables.h"

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

std::shared_ptr<const FileContents> EngineImpl::copy(const os::OpenFile &File,
                                                     const std::string &Path,
                                                     bool IsCold) {
  // `handOver` compares the file's times, and a copy does not follow the file.
  // A file that was written a moment ago can change again with the same times.
  const os::FileIdentity &Identity = File.identity();
  const int64_t Changed = std::max(Identity.ChangedNs, Identity.ModifiedNs);
  const int64_t Now = os::fileClockNs();
  if (!os::showsNextChange(Changed, Now) &&
      !os::showsNextChange(Changed, Now, os::reportsEveryChange(File))) {
    note(Decision::JustChanged);
    return nullptr;
  }
  TraceSpan Span("fetch", Path);
  Span.event().Bytes = File.size();
  Span.event().Why = "whole file";
  Span.event().Stage = Command.model().stageName(LinkStage::Parse);
  const auto Begin = TraceClock::now();
  std::unique_ptr<WritableMemoryBuffer> Buffer =
      WritableMemoryBuffer::getNewUninitMemBuffer(File.size(), Path);
  std::error_code Error;
  const bool HasRead =
      Buffer && File.readAt(0, {Buffer->getBufferStart(), File.size()},
                            Error) == File.size();
  if (!HasRead || !IsCold)
    Span.forget();
  if (!HasRead)
    return nullptr;
  if (IsCold) {
    Figures.noteHintAt(Begin);
    Figures.noteHintAt(TraceClock::now());
    Figures.addFetched(File.size(), 1);
    TheFetcher.sample();
  }
  return std::make_shared<FileContents>(std::move(Buffer));
}

std::shared_ptr<const FileContents> EngineImpl::hold(const os::OpenFile &File,
                                                     const std::string &Path,
                                                     bool IsCold) {
  // An empty file has no bytes to hold, and the linker may report it.
  if (!Options.HandOver || File.size() == 0)
    return nullptr;
  if (File.size() < minMappedBytes(Cache.pageSize()))
    return copy(File, Path, IsCold);
  if (Mappings.fetch_add(1) >= Options.MaxMappings)
    return nullptr;
  auto Contents = std::make_shared<FileContents>();
  if (std::error_code E = os::MappedFile::map(File, Contents->Mapping)) {
    Figures.addProblem("cannot map", Path, E.message());
    return nullptr;
  }
  return Contents;
}

std::unique_ptr<MemoryBuffer>
EngineImpl::handOver(InputEntry &Entry, StringRef Path,
                     const BufferRequest &Request) {
  if (!Entry.Contents || Entry.Path != Path)
    return nullptr;
  // Since the engine opened the file, a compiler may have replaced it or the
  // user deleted it. The linker must see what is there now.
  std::error_code Error;
  os::FileStatus Status = os::statFile(Entry.Path, Error, &Entry.Identity);
  if (Status.Kind != os::FileKind::Regular ||
      Status.Identity != Entry.Identity) {
    note(Decision::ChangedSinceOpen);
    Figures.addProblem("changed since it was opened", Path,
                       "left to the linker");
    return nullptr;
  }
  std::unique_ptr<MemoryBuffer> Buffer =
      HintedBuffer::over(Entry.Contents, Path, Request, Cache);
  if (Buffer) {
    note(Decision::HandedOver);
    Entry.IsHandedOver = true;
    ++Figures.HandedOver;
  }
  return Buffer;
}

void EngineImpl::releaseConsumed(LinkStage Now) {
  LinkStage Before = ReleasedUpTo.load();
  do {
    if (Before >= Now)
      return; // another thread has released up to this stage or a later one
  } while (!ReleasedUpTo.compare_exchange_weak(Before, Now));
  const LinkerModel &Model = Command.model();
  for (const InputEntry &Entry : Inputs.ready()) {
    if (!Entry.IsPlanned || !Entry.Contents)
      continue;
    for (const PlannedRange &Range : Entry.Plan) {
      const StageSet Stages = Model.stagesOf(Range.Stage, Range.Why);
      // The linker comes back to headers and symbols in every stage.
      if (Range.Stage == LinkStage::Parse || Stages < bitOf(Before) ||
          Stages >= bitOf(Now))
        continue;
      note(Decision::Released);
      Entry.Contents->adviseCold(Range.Range, Cache);
    }
  }
}

} // namespace headstart
