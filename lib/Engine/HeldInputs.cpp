//===- HeldInputs.cpp - Buffers for the linker ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldInputs.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/PageTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace headstart {

std::shared_ptr<const FileContents> HeldInputs::copy(const os::OpenFile &File,
                                                     const std::string &Path,
                                                     bool IsCold) {
  std::optional<TraceSpan> Span;
  if (IsCold) {
    Span.emplace("fetch", Path);
    Span->event().Why = "whole file";
    Span->event().Stage = linkStageName(LinkStage::Parse);
    Figures.Hints.note(TraceClock::now());
  }
  // `handOver` compares the file's times, and a copy does not follow the file.
  // A file that was written a moment ago can change again with the same times.
  const os::FileIdentity &Identity = File.identity();
  const int64_t Changed = std::max(Identity.ChangedNs, Identity.ModifiedNs);
  const int64_t Now = os::fileClockNs();
  if (!os::showsNextChange(Changed, Now) &&
      !os::showsNextChange(Changed, Now, os::reportsEveryChange(File))) {
    Figures.Decisions.note(Decision::JustChanged);
    return nullptr;
  }
  std::unique_ptr<WritableMemoryBuffer> Buffer =
      WritableMemoryBuffer::getNewUninitMemBuffer(File.size(), Path);
  std::error_code Error;
  if (!Buffer || File.readAt(0, {Buffer->getBufferStart(), File.size()},
                             Error) != File.size()) {
    if (Span)
      Span->forget();
    return nullptr;
  }
  if (Span) {
    Span->event().Bytes = File.size();
    Figures.Hints.note(TraceClock::now());
    Bytes.noteRead(File.size());
  }
  return std::make_shared<FileContents>(std::move(Buffer));
}

std::shared_ptr<const FileContents> HeldInputs::hold(const os::OpenFile &File,
                                                     const std::string &Path,
                                                     bool IsCold) {
  // An empty file has no bytes to hold, and the linker may report it.
  if (!Options.HandOver || File.size() == 0)
    return nullptr;
  if (File.size() < minMappedBytes(Cache.pageSize()))
    return copy(File, Path, IsCold);
  if (Mappings.fetch_add(1, std::memory_order_relaxed) >= Options.MaxMappings)
    return nullptr;
  auto Contents = std::make_shared<FileContents>();
  if (std::error_code E = os::MappedFile::map(File, Contents->Mapping)) {
    Figures.Problems.add("cannot map", Path, E.message());
    return nullptr;
  }
  return Contents;
}

std::unique_ptr<MemoryBuffer>
HeldInputs::handOver(InputEntry &Entry, StringRef Path,
                     const BufferRequest &Request) const {
  if (!Entry.Contents || Entry.Path != Path)
    return nullptr;
  // Since the engine opened the file, a compiler may have replaced it or the
  // user deleted it. The linker must see what is there now.
  std::error_code Error;
  os::FileStatus Status = os::statFile(Entry.Path, Error, &Entry.Identity);
  if (Status.Kind != os::FileKind::Regular ||
      Status.Identity != Entry.Identity) {
    Figures.Decisions.note(Decision::ChangedSinceOpen);
    Figures.Problems.add("changed since it was opened", Path,
                         "left to the linker");
    return nullptr;
  }
  std::unique_ptr<MemoryBuffer> Buffer =
      HintedBuffer::over(Entry.Contents, Path, Request, Cache);
  if (Buffer) {
    Figures.Decisions.note(Decision::HandedOver);
    Entry.IsHandedOver.store(true, std::memory_order_relaxed);
    Figures.HandedOver.fetch_add(1, std::memory_order_relaxed);
  }
  return Buffer;
}

void HeldInputs::releaseConsumed(LinkStage Now) {
  LinkStage Before = ReleasedUpTo.load();
  do {
    if (Before >= Now)
      return; // another thread has released up to this stage or a later one
  } while (!ReleasedUpTo.compare_exchange_weak(Before, Now));
  const LinkerModel &Model = LinkerModel::of(Options.Plan.Kind);
  for (const auto &[Entry, IsPlanned] : Inputs.ready()) {
    if (!IsPlanned || !Entry->Contents)
      continue;
    if (Before < Model.firstUnplanned() && Now >= Model.firstUnplanned())
      Entry->Contents->setReadAround(true, Cache);
    for (const PlannedRange &Range : Entry->Plan) {
      const StageSet Stages = Model.stagesOf(Range.Stage, Range.Why);
      // The linker comes back to headers and symbols in every stage.
      if (Range.Stage == LinkStage::Parse || Stages < bitOf(Before) ||
          Stages >= bitOf(Now))
        continue;
      Figures.Decisions.note(Decision::Released);
      Entry->Contents->adviseCold(Range.Range, Cache);
    }
  }
}

bool isWorthRecording(const InputEntry &Entry) {
  return Entry.IsHandedOver.load() &&
         (Entry.Contents->isMapped() || !isOnCommandLine(Entry.Named.Reason));
}

/// Returns what the next link fetches of \p Entry, of which \p Touched are in
/// the page tables. These also contain pages that were only near a touched
/// page, so nothing is added to an object, whose plan by layout is complete.
static std::vector<PlannedRange> planNextTime(const InputEntry &Entry,
                                              ArrayRef<ByteRange> Touched,
                                              const PlanOptions &Options) {
  if (Entry.Source == PlanSource::Other)
    return {};
  if (Entry.Source == PlanSource::Layout && isObjectByName(Entry.Named))
    return cutPlan(Entry.Plan, Touched, Options);
  return restrictPlan(Entry.Plan, Touched, Entry.Identity.Size, Options);
}

std::optional<std::vector<RecordedFile>> HeldInputs::touched() const {
  os::PageTables Tables;
  std::vector<RecordedFile> Result;
  for (const auto &[Each, IsPlanned] : Inputs.ready()) {
    const InputEntry &Entry = *Each;
    if (!isWorthRecording(Entry))
      continue;
    RecordedFile File{Entry.Path, Entry.Identity, {}, {}};
    if (!Entry.Contents->isMapped()) {
      File.Touched = {{0, Entry.Identity.Size}};
    } else if (std::optional<std::vector<ByteRange>> Present =
                   Entry.Contents->touched(Tables)) {
      File.Touched = std::move(*Present);
      if (IsPlanned)
        File.Plan = planNextTime(Entry, File.Touched, Options.Plan);
    } else {
      return std::nullopt;
    }
    // A cached file was not planned, but its recorded plan still holds.
    if (File.Plan.empty() && Entry.recordedPlan())
      File.Plan = *Entry.recordedPlan();
    Result.push_back(std::move(File));
  }
  return Result;
}

uint64_t HeldInputs::copiedBytes() const {
  uint64_t Copied = 0;
  for (const auto &Each : Inputs.ready())
    if (Each.Entry->IsHandedOver.load() && !isWorthRecording(*Each.Entry))
      Copied += Each.Entry->Identity.Size;
  return Copied;
}

uint64_t HeldInputs::wastedBytes(ArrayRef<RecordedFile> Touched) const {
  StringMap<const RecordedFile *> ByPath;
  for (const RecordedFile &File : Touched)
    ByPath.try_emplace(File.Path, &File);
  uint64_t Wasted = 0;
  for (const auto &Each : Inputs.ready()) {
    const InputEntry &Entry = *Each.Entry;
    // A copy that was not handed over was read unnecessarily.
    if (Entry.Contents && !Entry.Contents->isMapped() &&
        !Entry.IsHandedOver.load() && Entry.Before && !Entry.Before->complete())
      Wasted += Entry.Identity.Size;
    std::vector<ByteRange> Fetched;
    Fetched.reserve(Entry.Fetched.size());
    for (size_t I = 0; I != Entry.Fetched.size(); ++I)
      Fetched.push_back({Entry.Plan[I].Range.Offset, Entry.Fetched[I]});
    auto It = ByPath.find(Entry.Path);
    Wasted += bytesOutside(Fetched, It == ByPath.end()
                                        ? ArrayRef<ByteRange>()
                                        : ArrayRef(It->second->Touched));
  }
  return Wasted;
}

} // namespace headstart
