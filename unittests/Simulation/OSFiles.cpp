//===- OSFiles.cpp - Files and the page cache of lib/OS, simulated --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file functions of lib/OS that lib/Engine and the layers below it call,
// implemented with SimulatedOS. If one were missing here, the linker would take
// it from the real lib/OS, and report duplicate definitions of the others.
//
//===----------------------------------------------------------------------===//

#include "../../lib/OS/Shared.h"
#include "SimulatedOS.h"
#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace headstart;
using namespace headstart::os;
using simulation::LargePages;
using simulation::SimulatedOS;

using FilePtr = std::shared_ptr<simulation::File>;

FileStatus os::statFile(const std::string &Path, std::error_code &Error,
                        const FileIdentity *) {
  SimulatedOS &OS = SimulatedOS::current();
  OS.allocate();
  OS.requestFile("statFile", Path, /*Opens=*/false);
  OS.charge(OS.Costs.Stat);
  Error.clear();
  FilePtr File = OS.find(Path);
  if (!File)
    return {};
  return {FileKind::Regular, File->Identity};
}

std::error_code OpenFile::open(const std::string &Path, OpenFile &Result) {
  return open(Path, {}, Result);
}

std::error_code OpenFile::open(const std::string &Path, const FileStatus &,
                               OpenFile &Result) {
  SimulatedOS &OS = SimulatedOS::current();
  OS.allocate();
  Result.close();
  OS.requestFile("open", Path, /*Opens=*/true);
  OS.charge(OS.Costs.Open);
  FilePtr File = OS.find(Path);
  if (!File)
    return std::make_error_code(std::errc::no_such_file_or_directory);
  if (OS.NumOpen >= OS.FreeDescriptors || OS.failsOnceIn(OS.Wrong.Open))
    return std::make_error_code(std::errc::too_many_files_open);
  OS.tell("open", Path);
  ++File->Opens;
  OS.begin(*File);
  Result.Identity = File->Identity;
  Result.Handle = OS.open(std::move(File));
  return {};
}

void OpenFile::close() {
  if (!isOpen())
    return;
  SimulatedOS &OS = SimulatedOS::current();
  OS.beginSlow("close");
  OS.charge(OS.Costs.Close);
  OS.close(Handle);
  Handle = InvalidHandle;
  Identity = {};
}

static const FilePtr &fileOf(const OpenFile &File) {
  return SimulatedOS::current().opened(File.nativeHandle());
}

/// Copies the bytes of \p File from \p Offset on.
static void copyBytes(const simulation::File &File, uint64_t Offset,
                      std::span<char> Into) {
  std::fill(Into.begin(), Into.end(), '\0');
  auto It = std::upper_bound(
      File.Bytes.begin(), File.Bytes.end(), Offset,
      [](uint64_t At, const auto &Each) { return At < Each.first; });
  if (It != File.Bytes.begin())
    --It;
  const uint64_t Last = Offset + Into.size();
  for (; It != File.Bytes.end() && It->first < Last; ++It) {
    const auto &[At, Bytes] = *It;
    uint64_t Begin = std::max(At, Offset);
    uint64_t End = std::min(At + Bytes.size(), Last);
    if (Begin < End)
      std::memcpy(Into.data() + (Begin - Offset), Bytes.data() + (Begin - At),
                  End - Begin);
  }
  if (File.VersionAt != 0 && Offset <= File.VersionAt && File.VersionAt < Last)
    Into[File.VersionAt - Offset] = static_cast<char>(File.Version);
}

size_t OpenFile::readAt(uint64_t Offset, std::span<char> Into,
                        std::error_code &Error) const {
  SimulatedOS &OS = SimulatedOS::current();
  OS.allocate();
  Error.clear();
  FilePtr File = fileOf(*this);
  OS.begin(*File);
  ByteRange Range =
      ByteRange{Offset, Into.size()}.clippedTo(File->Identity.Size);
  OS.noteRequest();
  OS.beginSlow("readAt");
  if (OS.failsOnceIn(OS.Wrong.Read)) {
    Error = std::make_error_code(std::errc::io_error);
    return 0;
  }
  OS.tell("read", File->Path, Range);
  // A file that is read as a whole is copied; other reads inspect a file.
  const bool IsWhole = Range.Length == File->Identity.Size;
  OS.charge(OS.Costs.Read);
  OS.load(*File, Range);
  OS.charge((OS.Costs.CopyByte + (IsWhole ? 0 : OS.Costs.InspectByte)) *
            static_cast<double>(Range.Length));
  OS.yield();
  // Reads after the fetch come from memory.
  if (OS.isEngine() && !File->IsFetched)
    File->Inspected.push_back(Range);
  copyBytes(*File, Offset, Into.first(Range.Length));
  return Range.Length;
}

void OpenFile::expectScatteredReads() const {}

std::error_code MappedFile::map(const OpenFile &File, MappedFile &Result) {
  SimulatedOS &OS = SimulatedOS::current();
  OS.allocate();
  OS.beginSlow("map");
  OS.charge(OS.Costs.Map);
  if (OS.failsOnceIn(OS.Wrong.Map))
    return std::make_error_code(std::errc::not_enough_memory);
  Result = MappedFile();
  Result.Data = OS.map(fileOf(File));
  Result.Size = File.size();
  return {};
}

MappedFile::~MappedFile() {
  if (Data)
    SimulatedOS::current().unmap(Data);
}

size_t PageCache::pageSize() { return simulation::PageBytes; }

PageCacheCapabilities PageCache::probe() {
  PageCacheCapabilities Found;
  Found.PopulateRead = true; // for large pages
  return Found;
}

static Residency residencyOf(const simulation::File &File, ByteRange Range) {
  Range = Range.clippedTo(File.Identity.Size);
  Residency Result;
  Result.TotalPages = simulation::PageSet::pagesOf(Range);
  Result.ResidentPages = File.Cached.count(Range);
  return Result;
}

static double missingBytes(const simulation::File &File, ByteRange Range) {
  const Residency Found = residencyOf(File, Range);
  return static_cast<double>((Found.TotalPages - Found.ResidentPages) *
                             simulation::PageBytes);
}

std::optional<Residency> PageCache::residency(const OpenFile &File,
                                              ByteRange Range) const {
  SimulatedOS &OS = SimulatedOS::current();
  FilePtr Of = fileOf(File);
  OS.beginSlow("residency");
  OS.query(*Of);
  OS.charge(OS.Costs.Residency);
  OS.tell("query", Of->Path, Range);
  if (!Of->ReportsResidency)
    return std::nullopt;
  const Residency Found = residencyOf(*Of, Range);
  OS.CachedFound += Found.complete();
  return Found;
}

std::optional<bool>
PageCache::seemsCached(const OpenFile &File,
                       std::span<const ByteRange> Ranges) const {
  SimulatedOS &OS = SimulatedOS::current();
  FilePtr Of = fileOf(File);
  OS.beginSlow("seemsCached");
  OS.charge(OS.Costs.Residency);
  if (!OS.deviceOf(*Of).ReportsCached)
    return std::nullopt;
  const std::optional<bool> Found =
      detail::sample(Ranges, File.size(), [&](uint64_t At) {
        return std::optional(Of->Cached.has(At / simulation::PageBytes));
      });
  OS.CachedFound += Found == true;
  return Found;
}

HintResult PageCache::hint(const OpenFile &File, std::span<const ByteRange> All,
                           const MappedFile *) const {
  SimulatedOS &OS = SimulatedOS::current();
  OS.noteRequest();
  OS.beginSlow("hint");
  for (ByteRange Range : All) {
    OS.tell("hint", fileOf(File)->Path, Range);
    OS.charge(OS.Costs.Hint +
              OS.Costs.PageByte * missingBytes(*fileOf(File), Range));
    OS.hint(*fileOf(File), Range);
  }
  return {};
}

HintResult PageCache::fetch(const OpenFile &File, ByteRange Range,
                            const MappedFile * /*Mapping*/) const {
  SimulatedOS &OS = SimulatedOS::current();
  OS.allocate();
  FilePtr Of = fileOf(File);
  HintResult Result;
  OS.noteRequest();
  OS.beginSlow("fetch");
  if (OS.failsOnceIn(OS.Wrong.Fetch)) {
    Result.Outcome = HintOutcome::Failed;
    Result.Error = std::make_error_code(std::errc::io_error);
    return Result;
  }
  OS.tell("fetch", Of->Path, Range);
  OS.begin(*Of);
  Of->IsFetched = true;
  if (OS.OnFetch)
    OS.OnFetch(*Of, Range);
  OS.charge(OS.Costs.Hint + OS.Costs.PageByte * missingBytes(*Of, Range));
  OS.load(*Of, Range);
  OS.yield();
  Result.Outcome = HintOutcome::Accepted;
  Result.AcceptedBytes = Range.clippedTo(Of->Identity.Size).Length;
  Result.Calls = 1;
  return Result;
}

PageCache PageCache::inLargeRequests() const { return *this; }
PageCache PageCache::withoutMappings() const { return *this; }

HintResult PageCache::fetchInLargePages(const OpenFile &File,
                                        ByteRange Range) const {
  SimulatedOS &OS = SimulatedOS::current();
  OS.allocate();
  OS.beginSlow("fetchInLargePages");
  HintResult Result;
  FilePtr Of = fileOf(File);
  llvm::scope_exit Note(
      [&] { OS.MissesLargePages |= !residencyOf(*Of, Range).complete(); });
  const LargePages How = OS.deviceOf(*Of).Large;
  if (How == LargePages::Unsupported)
    return Result;
  if (OS.failsOnceIn(OS.Wrong.Fetch)) {
    Result.Outcome = HintOutcome::Failed;
    Result.Error = std::make_error_code(std::errc::io_error);
    return Result;
  }
  OS.tell("large", Of->Path, Range);
  OS.begin(*Of);
  Of->IsFetched = true;
  const uint64_t End = std::min(Range.end(), Of->Identity.Size);
  for (uint64_t At = Range.Offset / LargeStepBytes * LargeStepBytes;
       How == LargePages::Work && At < End; At += LargeStepBytes) {
    const uint64_t First = std::max(At, Range.Offset);
    const uint64_t Last = std::min(At + LargeStepBytes, End);
    // A page fault on a cached page triggers no readahead.
    if (Of->Cached.has((First + (Last - First) / 2) / simulation::PageBytes))
      continue;
    OS.charge(OS.Costs.Hint +
              OS.Costs.LargeByte * missingBytes(*Of, {At, LargeStepBytes}));
    OS.load(*Of, {At, LargeStepBytes});
  }
  Result.Outcome = HintOutcome::Accepted;
  Result.AcceptedBytes = Range.clippedTo(Of->Identity.Size).Length;
  Result.Calls = 1;
  return Result;
}

HintResult PageCache::willNeed(std::span<const char>) const {
  SimulatedOS::current().beginSlow("willNeed");
  return {};
}

std::error_code PageCache::adviseCold(std::span<const char> Bytes) const {
  SimulatedOS &OS = SimulatedOS::current();
  OS.beginSlow("adviseCold");
  uint64_t Offset = 0;
  if (FilePtr Of = OS.mappedAt(Bytes.data(), Offset))
    OS.deactivate(*Of, {Offset, Bytes.size()});
  return {};
}

std::error_code PageCache::dontNeed(const MappedFile &) const {
  SimulatedOS::current().beginSlow("dontNeed");
  return {};
}

// mincore never waits for a device.
std::optional<Residency>
PageCache::residency(std::span<const char> Bytes) const {
  SimulatedOS &OS = SimulatedOS::current();
  uint64_t Offset = 0;
  FilePtr Of = OS.mappedAt(Bytes.data(), Offset);
  if (!Of)
    return std::nullopt;
  OS.charge(OS.Costs.Residency);
  return residencyOf(*Of, {Offset, Bytes.size()});
}

PageTables::PageTables(const Capabilities &) {}
PageTables::~PageTables() = default;
std::optional<std::vector<ByteRange>>
PageTables::present(std::span<const char> Bytes) {
  SimulatedOS &OS = SimulatedOS::current();
  uint64_t Offset = 0;
  FilePtr Of = OS.mappedAt(Bytes.data(), Offset);
  if (!OS.IsTimed || !Of)
    return std::nullopt;
  OS.charge(OS.Costs.Residency);
  std::vector<ByteRange> Result;
  for (uint64_t At = 0; Of->Mapped.size() != 0 && At < Bytes.size();
       At += simulation::PageBytes)
    if (Of->Mapped.has((Offset + At) / simulation::PageBytes))
      Result.push_back(
          {At, std::min<uint64_t>(simulation::PageBytes, Bytes.size() - At)});
  return Result;
}

// A directory is identified by its path; a handle is the number of entries
// still to be listed. Simulated links do not search directories, so only the
// operations before the names are known take time.

bool os::reportsEveryChange(const OpenFile &File) {
  SimulatedOS &OS = SimulatedOS::current();
  OS.beginSlow("reportsEveryChange");
  return OS.deviceOf(*fileOf(File)).FileTick == 1;
}

DirectoryTraits os::traitsOf(const DirectoryHandle &) { return {}; }

std::error_code DirectoryHandle::open(const std::string &Path,
                                      DirectoryHandle &Result) {
  SimulatedOS &OS = SimulatedOS::current();
  OS.allocate();
  OS.requestName("list", OS.deviceOfPath(Path + "/"));
  OS.noteListing(Path);
  OS.tell("list", Path);
  Result.Handle = static_cast<intptr_t>(OS.entriesOf(Path));
  return {};
}

void DirectoryHandle::close() { Handle = InvalidHandle; }

std::error_code DirectoryHandle::openChild(const char *, LinkRule,
                                           DirectoryHandle &, bool &) const {
  return std::make_error_code(std::errc::not_supported);
}

std::error_code DirectoryHandle::addStatus(DirectoryEntry &, LinkRule) const {
  return std::make_error_code(std::errc::not_supported);
}

std::error_code DirectoryHandle::openFile(const char *, OpenFile &) const {
  return std::make_error_code(std::errc::not_supported);
}

std::error_code DirectoryHandle::identity(FileIdentity &) const {
  return std::make_error_code(std::errc::not_supported);
}

DirectoryReader::DirectoryReader(size_t) {}

void DirectoryReader::start(DirectoryHandle &TheDirectory) {
  Directory = &TheDirectory;
  Capacity = static_cast<size_t>(TheDirectory.nativeHandle());
}

size_t DirectoryReader::read(std::span<DirectoryEntry> Into,
                             std::error_code &Error) {
  SimulatedOS::current().beginSlow("readdir");
  Error.clear();
  const size_t Listed = std::min(Into.size(), Capacity);
  Capacity -= Listed;
  return Listed;
}
