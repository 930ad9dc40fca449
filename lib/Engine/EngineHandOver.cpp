//===- EngineHandOver.cpp - How inputs are opened and handed over ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opening inputs, which is done by a thread of the engine or by the linker's,
/// whoever comes first; and what else the linker's threads do in the engine:
/// they ask for inputs, and tell how far they have come.
///
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"

using namespace llvm;

namespace headstart {

/// In the trace; null without one.
TraceLane *PrefetchEngine::Impl::linkersLane() {
  constexpr int Place = 1; // below the linker's stages
  return Options.Trace
             ? &Options.Trace->laneOfThisThread("linker's inputs", Place)
             : nullptr;
}

void PrefetchEngine::Impl::sampleWindow() const {
  if (!Options.Trace)
    return;
  Options.Trace->sample("fetched", [&] { return HintedBytes.load(); });
  Options.Trace->sample("fetched ahead", [&] { return Window.ahead(); });
  Options.Trace->sample("budget", [&] { return Window.limit(); });
}

void PrefetchEngine::Impl::reached(LinkStage Stage) {
  Window.reached(Stage);
  sampleWindow();
}

/// Gets hold of the bytes of \p File for the linker, without reading a large
/// file. False when the engine should not, or cannot.
bool PrefetchEngine::Impl::hold(const os::OpenFile &File,
                                const std::string &Path, bool Cold,
                                TraceLane *Lane,
                                std::shared_ptr<const FileContents> &Result) {
  auto Contents = std::make_shared<FileContents>();
  if (File.size() < MinMappedBytes) {
    Contents->Copy =
        WritableMemoryBuffer::getNewUninitMemBuffer(File.size(), Path);
    TraceSpan Span(Cold ? Lane : nullptr, "fetch", Path);
    Span.event().Why = "whole file";
    Span.event().Stage = linkStageName(LinkStage::Parse);
    if (Cold)
      Hints.note(TraceClock::now());
    std::error_code Error;
    if (!Contents->Copy ||
        File.readAt(0, {Contents->Copy->getBufferStart(), File.size()},
                    Error) != File.size()) {
      Span.forget();
      return false;
    }
    Span.event().Bytes = File.size();
    if (Cold) {
      HintedBytes.fetch_add(File.size(), std::memory_order_relaxed);
      HintCalls.fetch_add(1, std::memory_order_relaxed);
      Hints.note(TraceClock::now());
      sampleWindow();
    }
    Result = std::move(Contents);
    return true;
  }
  if (Mappings.fetch_add(1, std::memory_order_relaxed) >= Options.MaxMappings)
    return false;
  if (std::error_code E = os::MappedFile::map(File, Contents->Mapping)) {
    Problems.add("cannot map", Path, E.message());
    return false;
  }
  Result = std::move(Contents);
  return true;
}

/// Looks, before anything of it is read, how much of an input is in memory.
void PrefetchEngine::Impl::noteResidency(InputEntry &Entry,
                                         const os::OpenFile &File) {
  InputsBytes.fetch_add(File.size(), std::memory_order_relaxed);
  Entry.Before = Cache.residency(File, {0, File.size()});
  if (Entry.Before)
    ResidentBytes.fetch_add(residentBytes(*Entry.Before, File.size()),
                            std::memory_order_relaxed);
  else
    UnknownBytes.fetch_add(File.size(), std::memory_order_relaxed);
}

uint64_t PrefetchEngine::Impl::residentBytes(const os::Residency &Found,
                                             uint64_t FileBytes) const {
  return std::min(Found.ResidentPages * Cache.pageSize(), FileBytes);
}

/// Opens a claimed entry and publishes what came of it. \p File stays open for
/// the caller, when it could be opened.
void PrefetchEngine::Impl::openAndPublish(InputEntry &Entry, os::OpenFile &File,
                                          TraceLane *Lane) {
  ResolvedInput Found = Resolver->resolve(Entry.Named);
  auto PassOver = [&] {
    Table.publish(Entry, EntryState::Unavailable, std::move(Found.Path), {},
                  nullptr);
  };
  auto Fail = [&](StringRef What, StringRef Reason) {
    Problems.add(What, Found.Path, Reason);
    PassOver();
  };
  if (!Found.exists() && Entry.Named.Optional)
    return PassOver();
  if (!Found.exists())
    return Fail("not found before the link", "no such file");
  // Another name for what is under way already.
  if (Entry.Named.Search != SearchRule::AsGiven &&
      Table.isTaken(Found.Path, Entry))
    return PassOver();
  if (Found.Status.Kind != os::FileKind::Regular)
    return Fail("not a regular file, left to the linker",
                Found.Status.Kind == os::FileKind::Directory
                    ? "is a directory"
                    : "a FIFO, a device or a socket");
  // Nothing to fetch. The files of /proc and tracefs look so, too, and reading
  // them may wait, or do something.
  if (Found.Status.Identity.Size == 0)
    return PassOver();
  if (std::error_code E = os::OpenFile::open(Found.Path, Found.Status, File))
    return Fail("cannot open", E.message());
  noteResidency(Entry, File);
  if (InputTable::isObject(Entry.Named))
    Streak.note(File.size() < MinMappedBytes && Entry.Before &&
                Entry.Before->complete());
  if (Options.Trace)
    Options.Trace->sample("found in memory",
                          [&] { return ResidentBytes.load(); });
  std::shared_ptr<const FileContents> Contents;
  // An empty file has no bytes to hold, and the linker an opinion on it.
  if (Options.HandOver && File.size() != 0)
    (void)hold(File, Found.Path,
               /*Cold=*/Entry.Before && !Entry.Before->complete(), Lane,
               Contents);
  Table.publish(Entry, EntryState::Ready, std::move(Found.Path),
                File.identity(), std::move(Contents));
}

/// The linker has asked for \p Entry: its parse bytes no longer count.
void PrefetchEngine::Impl::giveBack(InputEntry &Entry) {
  Entry.Asked.store(true);
  Window.giveBack(Entry.BytesAhead.exchange(0));
}

/// The entry that the linker means by \p Path, or null; waits when a thread is
/// just opening it.
InputEntry *PrefetchEngine::Impl::find(StringRef Path, bool &Claimed,
                                       TraceLane *Lane) {
  std::optional<TraceClock::time_point> Begin;
  TraceWait Wait(Lane, "wait until it is open");
  InputEntry *Entry = Table.find(Path, Streak.isWarm(), Claimed, [&] {
    Begin = TraceClock::now();
    Wait.begin();
  });
  if (Begin)
    Waited.fetch_add((TraceClock::now() - *Begin).count(),
                     std::memory_order_relaxed);
  return Entry;
}

std::unique_ptr<MemoryBuffer>
PrefetchEngine::Impl::take(StringRef Path, const BufferRequest &Request) {
  TraceLane *Lane = linkersLane();
  TraceSpan Span(Lane, "left to the linker", Path);
  bool Claimed = false;
  InputEntry *Entry = find(Path, Claimed, Lane);
  if (!Entry)
    return nullptr;
  if (Claimed) {
    TraceSpan Opening(Lane, "open", Path);
    os::OpenFile File;
    openAndPublish(*Entry, File, Lane);
  }
  // From here on the entry is published and no longer changes; the mutex of
  // the table has ordered its fields before us.
  giveBack(*Entry);
  sampleWindow();
  // A link asks in the order of the table; this one is for what it does not.
  if (!(Entry->Flags.load(std::memory_order_relaxed) & InputEntry::BegunFlag))
    Urgent.store(Entry, std::memory_order_relaxed);
  if (!Entry->Contents || Entry->Path != Path)
    return nullptr;
  // Between our look and the linker's, a compiler may have replaced the file,
  // or somebody deleted it: the linker must see what is there now.
  std::error_code Error;
  os::FileStatus Status = os::lookAt(Entry->Path, Error);
  if (Status.Kind != os::FileKind::Regular ||
      Status.Identity != Entry->Identity) {
    Problems.add("changed since it was opened", Path, "left to the linker");
    return nullptr;
  }
  std::unique_ptr<MemoryBuffer> Buffer =
      makeSharedBuffer(Entry->Contents, Path, Request, Cache);
  if (Buffer) {
    Entry->Given.store(true, std::memory_order_relaxed);
    HandedOver.fetch_add(1, std::memory_order_relaxed);
    Span.event().Name = "handed over";
    Span.event().Bytes = Entry->Identity.Size;
    if (!Claimed)
      Span.event().Flow = {TraceFlow::To, flowOf(*Entry)};
  }
  return Buffer;
}

} // namespace headstart
