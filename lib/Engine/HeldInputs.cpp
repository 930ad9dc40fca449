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
#include "headstart/OS/DirectoryTraits.h"

using namespace llvm;

namespace headstart {

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
