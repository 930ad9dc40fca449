//===- PageCache.cpp - Ask about and change the page cache (Windows) ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A resident page of a file is in the working set of each process that has
// touched it, or on the standby or modified list. PrefetchVirtualMemory reads
// mapped pages and leaves them on the standby list.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageCache.h"

#include "../Shared.h"
#include "WorkingSet.h"
#include "headstart/OS/Program.h"

#include <atomic>
#include <chrono>
#include <vector>

// The code is inside the namespace, since winbase.h has its own OpenFile.
namespace headstart::os {

using namespace detail;

namespace {

/// The most entries of a PrefetchVirtualMemory call: 8 KiB, which it copies.
constexpr size_t RangesPerCall = 512;

/// The most bytes of a call, which may wait for them. Between two calls the
/// system may report that memory is low.
constexpr uint64_t BytesPerCall = UINT64_C(256) * 1024 * 1024;

/// The most bytes of one entry. Nothing is known to cut a longer one, but steps
/// show how much was accepted before a call failed.
constexpr uint64_t WindowsStepBytes = UINT64_C(64) * 1024 * 1024;
/// Wine passes each entry to madvise(MADV_WILLNEED), for which Linux silently
/// reads no more than the disk's readahead, 128 KiB by default (see
/// HintStepBytes).
constexpr uint64_t WineStepBytes = UINT64_C(128) * 1024;

} // namespace

namespace {

/// A part of a file, mapped for the duration of one function only, since no
/// process can shrink, delete or replace a mapped file.
class ScratchView {
public:
  /// Maps at least [\p From, \p To), which is not empty and inside the file.
  ScratchView(const OpenFile &File, uint64_t From, uint64_t To) {
    const UniqueHandle Section(::CreateFileMappingW(
        handleOf(File), nullptr, PAGE_READONLY, 0, 0, nullptr));
    if (!Section.isOpen()) {
      Error = lastError();
      return;
    }
    SYSTEM_INFO Info;
    ::GetSystemInfo(&Info);
    Begin = roundDown(From, Info.dwAllocationGranularity);
    if (To - Begin > std::numeric_limits<size_t>::max() / 2) {
      Error = std::make_error_code(std::errc::not_enough_memory);
      return;
    }
    Address = static_cast<char *>(::MapViewOfFile(
        Section.get(), FILE_MAP_READ, static_cast<DWORD>(Begin >> 32),
        static_cast<DWORD>(Begin), static_cast<size_t>(To - Begin)));
    if (Address == nullptr)
      Error = lastError();
  }
  ScratchView(const ScratchView &) = delete;
  ScratchView &operator=(const ScratchView &) = delete;
  ~ScratchView() {
    if (Address != nullptr)
      ::UnmapViewOfFile(Address);
  }

  bool isMapped() const { return Address != nullptr; }
  /// Returns the address of byte \p Offset of the file.
  char *at(uint64_t Offset) const { return Address + (Offset - Begin); }

  std::error_code Error; ///< why it is not mapped

private:
  uint64_t Begin = 0;
  char *Address = nullptr;
};

/// Prefetches ranges of memory in batches.
class HintBatch {
public:
  HintBatch(HintResult &Result, uint64_t StepBytes)
      : Result(Result), StepBytes(StepBytes) {}

  /// Adds \p Length bytes (not 0) at \p Begin.
  void add(char *Begin, uint64_t Length);
  /// Hints the remaining entries.
  void flush();

private:
  void addEntry(char *Begin, uint64_t Length);

  HintResult &Result;
  uint64_t StepBytes;
  std::vector<WIN32_MEMORY_RANGE_ENTRY> Entries;
  uint64_t EntryBytes = 0;
  uint64_t AskedBytes = 0; ///< of the ranges, without the rounding
};

} // namespace

/// Whether the system was short of memory at the last query: one for each 64
/// MiB of hints, and one a call while it is. \p Bytes are about to be hinted.
static bool wasMemoryLow(uint64_t Bytes) {
  constexpr uint64_t Distance = UINT64_C(64) * 1024 * 1024;
  static std::atomic<uint64_t> Left{0};
  static std::atomic<bool> WasLow{false};
  uint64_t Before = Left.load();
  while (!Left.compare_exchange_weak(Before, Before >= Bytes ? Before - Bytes
                                                             : Distance)) {
  }
  if (Before < Bytes || WasLow.load())
    WasLow.store(memoryIsLow().value_or(false));
  return WasLow.load();
}

void HintBatch::add(char *Begin, uint64_t Length) {
  const uint64_t Lead =
      reinterpret_cast<uintptr_t>(Begin) % PageCache::pageSize();
  for (uint64_t At = 0; At < Lead + Length;) {
    const uint64_t Size = std::min(StepBytes, Lead + Length - At);
    addEntry(Begin - Lead + At, Size);
    AskedBytes += Size - (At < Lead ? std::min(Lead - At, Size) : 0);
    At += Size;
    if (Entries.size() == RangesPerCall || EntryBytes >= BytesPerCall)
      flush();
  }
}

/// Requests adjacent and overlapping ranges once.
void HintBatch::addEntry(char *Begin, uint64_t Length) {
  EntryBytes += Length;
  if (!Entries.empty()) {
    WIN32_MEMORY_RANGE_ENTRY &Last = Entries.back();
    char *const LastBegin = static_cast<char *>(Last.VirtualAddress);
    char *const LastEnd = LastBegin + Last.NumberOfBytes;
    if (Begin >= LastBegin && Begin <= LastEnd &&
        Begin + Length <= LastBegin + StepBytes) {
      Last.NumberOfBytes =
          static_cast<size_t>(std::max(LastEnd, Begin + Length) - LastBegin);
      return;
    }
  }
  Entries.push_back({Begin, static_cast<size_t>(Length)});
}

void HintBatch::flush() {
  if (Entries.empty())
    return;
  ++Result.Calls;
  // The system needs the remaining memory for what already runs.
  if (wasMemoryLow(EntryBytes))
    Result.fail(std::make_error_code(std::errc::not_enough_memory));
  else if (::PrefetchVirtualMemory(::GetCurrentProcess(), Entries.size(),
                                   Entries.data(), 0) == 0)
    Result.fail(lastError());
  else
    Result.AcceptedBytes += AskedBytes;
  Entries.clear();
  EntryBytes = AskedBytes = 0;
}

/// Returns how much of [\p Begin, \p Begin + \p Length) is resident; nothing if
/// the system does not report it.
static std::optional<Residency> countPages(const char *Begin, uint64_t Length,
                                           bool ReportsPlace) {
  Residency Found;
  Found.IsLowerBound = !ReportsPlace;
  const auto Start = reinterpret_cast<uintptr_t>(Begin);
  const auto Count = [&](uintptr_t, PagePlace Place) {
    ++Found.TotalPages;
    Found.ResidentPages += Place == PagePlace::WorkingSet ||
                           (ReportsPlace && Place == PagePlace::Memory);
  };
  if (!forEachPage(Start - Start % PageCache::pageSize(),
                   Start + static_cast<uintptr_t>(Length), Count))
    return std::nullopt;
  return Found;
}

/// Whether the system reports a resident page that this process has not
/// touched. Tries it with the first page of the program's file, which a read
/// brings into memory.
static bool reportsPlace() {
  OpenFile Program;
  char Byte;
  std::error_code Error;
  if (OpenFile::open(programPath(), Program) ||
      Program.readAt(0, {&Byte, 1}, Error) != 1)
    return false;
  const ScratchView View(Program, 0, 1);
  if (!View.isMapped())
    return false;
  bool IsReported = false;
  const auto Start = reinterpret_cast<uintptr_t>(View.at(0));
  (void)forEachPage(Start, Start + 1, [&](uintptr_t, PagePlace Place) {
    IsReported = Place == PagePlace::Memory;
  });
  return IsReported;
}

size_t PageCache::pageSize() {
  static const size_t Size = [] {
    SYSTEM_INFO Info;
    ::GetSystemInfo(&Info);
    return static_cast<size_t>(Info.dwPageSize);
  }();
  return Size;
}

PageCache PageCache::withoutMappings() const {
  PageCache Other = *this;
  // Then `fetch` reads, and `seemsCached` takes samples.
  Other.Capabilities.Hint = Other.Capabilities.Mincore = false;
  return Other;
}

PageCacheCapabilities PageCache::probe() {
  // A process tries it only once.
  static const PageCacheCapabilities Found = [] {
    PageCacheCapabilities Result;
    Result.Hint = true;
    Result.Mincore = reportsPlace();
    Result.Evict = true;
    Result.HintStepBytes = isWine() ? WineStepBytes : WindowsStepBytes;
    return Result;
  }();
  return Found;
}

HintResult PageCache::hint(const OpenFile &File,
                           std::span<const ByteRange> Ranges,
                           const MappedFile *Mapping) const {
  HintResult Result = beginHint(File, Capabilities);
  if (Result.Outcome != HintOutcome::Accepted)
    return Result;
  // Contains what the file has of the ranges; only this part is mapped.
  ByteRange Hull;
  for (const ByteRange &Range : Ranges) {
    const ByteRange Clipped = Range.clippedTo(File.size());
    if (Clipped.empty())
      continue;
    const uint64_t From =
        Hull.empty() ? Clipped.Offset : std::min(Hull.Offset, Clipped.Offset);
    Hull = {From, std::max(Hull.end(), Clipped.end()) - From};
  }
  if (Hull.empty())
    return Result;

  std::optional<ScratchView> View;
  if (Mapping == nullptr || Hull.end() > Mapping->size()) {
    View.emplace(File, Hull.Offset, Hull.end());
    if (!View->isMapped()) {
      ++Result.Calls;
      Result.fail(View->Error);
      return Result;
    }
  }
  HintBatch Batch(Result, hintStepOf(Capabilities));
  for (const ByteRange &Range : Ranges)
    if (const ByteRange Clipped = Range.clippedTo(File.size());
        !Clipped.empty())
      Batch.add(View ? View->at(Clipped.Offset)
                     : const_cast<char *>(Mapping->data()) + Clipped.Offset,
                Clipped.Length);
  Batch.flush();
  return Result;
}

HintResult PageCache::fetch(const OpenFile &File, ByteRange Range,
                            const MappedFile *Mapping) const {
  return fetchClipped(File, Range, [&](ByteRange Clipped, HintResult &Result) {
    if (!Capabilities.Hint || Clipped.Length <= pageSize())
      return fetchByReading(File, Clipped, Result);
    const HintResult Hinted = hint(File, {&Clipped, 1}, Mapping);
    Result.Calls += Hinted.Calls;
    // The reads do what the hint did not, or return the error.
    if (Hinted.Outcome != HintOutcome::Accepted)
      return fetchByReading(File, Clipped, Result);
    // Wait for the last byte only: reading all of it would copy it.
    fetchByReading(File, {Clipped.end() - 1, 1}, Result);
    if (Result.Outcome == HintOutcome::Accepted)
      Result.AcceptedBytes = Clipped.Length;
  });
}

std::optional<Residency> PageCache::residency(const OpenFile &File,
                                              ByteRange Range) const {
  // This process has touched nothing in a new mapping, so without the
  // capability the result would be 0 for every file.
  if (!File.isOpen() || !Capabilities.Mincore)
    return std::nullopt;
  const ByteRange Clipped = Range.clippedTo(File.size());
  if (Clipped.empty())
    return Residency{};
  const ScratchView View(File, Clipped.Offset, Clipped.end());
  if (!View.isMapped())
    return std::nullopt;
  return countPages(View.at(Clipped.Offset), Clipped.Length, true);
}

/// Returns the time to read a byte of \p File; negative if that fails.
static std::chrono::duration<double> timeRead(const OpenFile &File,
                                              uint64_t Offset) {
  const auto Begin = std::chrono::steady_clock::now();
  char Byte;
  std::error_code Error;
  const bool IsRead = File.readAt(Offset, {&Byte, 1}, Error) == 1;
  const auto End = std::chrono::steady_clock::now();
  return IsRead ? End - Begin : std::chrono::duration<double>(-1);
}

std::optional<bool>
PageCache::seemsCached(const OpenFile &File,
                       std::span<const ByteRange> Ranges) const {
  // A second read measures the time of a cached page, since the first one has
  // cached it. Even the fastest disks take longer than Least.
  constexpr double Factor = 4;
  constexpr std::chrono::duration<double> Least = std::chrono::microseconds(20);
  // This many samples suffice; each one of a cold file costs a request.
  constexpr uint64_t Enough = 8;
  if (!File.isOpen())
    return std::nullopt;
  uint64_t Bytes = 0;
  for (const ByteRange &Range : Ranges)
    Bytes += Range.clippedTo(File.size()).Length;
  unsigned Samples = 0, Slow = 0;
  const std::optional<bool> Found = sample(
      Ranges, File.size(),
      [&](uint64_t At) -> std::optional<bool> {
        const auto First = timeRead(File, At);
        if (First.count() < 0)
          return std::nullopt;
        ++Samples;
        Slow += First >= Least && First >= Factor * timeRead(File, At) + Least;
        return Slow < 2 || 2 * Slow <= Samples;
      },
      std::max(SampleDistance, Bytes / Enough));
  // Some of many samples may have waited for a processor.
  return Found == true ? 4 * Slow <= Samples : Found;
}

/// Does what RAMMap's options -Ew, -Es, -Em and -Et do, by the calls that phnt
/// (ntexapi.h) describes. The system then works on for some seconds.
std::error_code evictAll() {
  constexpr ULONG IncreaseQuota = 5, ProfileProcess = 13; // privileges
  constexpr int MemoryLists = 80; // SystemMemoryListInformation
  constexpr ULONG EmptyWorkingSets = 2, FlushModified = 3, PurgeStandby = 4;
  auto *const Enable =
      detail::findFunction<LONG WINAPI(ULONG, BOOLEAN, BOOLEAN, BOOLEAN *)>(
          L"ntdll.dll", "RtlAdjustPrivilege");
  auto *const Set = detail::findFunction<LONG WINAPI(int, void *, ULONG)>(
      L"ntdll.dll", "NtSetSystemInformation");
  if (Enable == nullptr || Set == nullptr)
    return std::make_error_code(std::errc::function_not_supported);
  auto Do = [&](ULONG Command) {
    return Set(MemoryLists, &Command, sizeof(Command));
  };
  BOOLEAN Before = FALSE;
  LONG Status = 0;
  for (const ULONG Privilege : {IncreaseQuota, ProfileProcess})
    if (Status >= 0)
      Status = Enable(Privilege, TRUE, FALSE, &Before);
  if (Status >= 0)
    Status = Do(EmptyWorkingSets);
  constexpr auto Flush = static_cast<SIZE_T>(-1);
  if (Status >= 0 && ::SetSystemFileCacheSize(Flush, Flush, 0) == FALSE)
    return detail::lastError();
  for (const ULONG Command : {FlushModified, PurgeStandby})
    if (Status >= 0)
      Status = Do(Command);
  constexpr DWORD SystemWorks = 5000; // ms
  if (Status >= 0)
    ::Sleep(SystemWorks);
  return Status >= 0 ? std::error_code()
                     : detail::errorOf(detail::codeOfStatus(Status));
}

// In Microsoft's FastFAT (Windows-driver-samples, filesys/fastfat), a relative
// of NTFS, an unbuffered handle purges the file when it is opened while no
// buffered handle exists (create.c), or when the last buffered handle is closed
// (cleanup.c). Ours is buffered.
std::error_code PageCache::evict(OpenFile &File) const {
  if (!Capabilities.Evict)
    return std::make_error_code(std::errc::function_not_supported);
  if (!File.isOpen())
    return std::make_error_code(std::errc::bad_file_descriptor);
  // Opening to write would fail if a process shares the file only for reading.
  // The file system writes dirty pages before it purges them.
  const UniqueHandle Unbuffered(::ReOpenFile(handleOf(File), GENERIC_READ,
                                             ShareAll, FILE_FLAG_NO_BUFFERING));
  if (!Unbuffered.isOpen())
    return lastError();
  const FileIdentity Identity = File.identity();
  File.close();
  // Now no buffered handle of ours is open, so this open purges, too.
  const UniqueHandle Second(::ReOpenFile(Unbuffered.get(), GENERIC_READ,
                                         ShareAll, FILE_FLAG_NO_BUFFERING));
  UniqueHandle Again(::ReOpenFile(Unbuffered.get(), GENERIC_READ, ShareAll, 0));
  if (!Again.isOpen())
    return lastError();
  File.Handle = std::bit_cast<intptr_t>(Again.release());
  File.Identity = Identity;
  return {};
}

/// Removes \p Pages from this process's working set. For pages that are not
/// locked VirtualUnlock does just that and returns ERROR_NOT_LOCKED (its
/// documentation). They stay in memory, on the standby list if they are clean.
static std::error_code trim(std::span<char> Pages) {
  if (!Pages.empty() && ::VirtualUnlock(Pages.data(), Pages.size()) == 0 &&
      ::GetLastError() != ERROR_NOT_LOCKED)
    return lastError();
  return {};
}

std::error_code PageCache::dontNeed(const MappedFile &Mapping) const {
  return trim({const_cast<char *>(Mapping.data()), Mapping.size()});
}

HintResult PageCache::willNeed(std::span<const char> Memory) const {
  HintResult Result;
  if (!Capabilities.Hint)
    return Result;
  Result.Outcome = HintOutcome::Accepted;
  if (Memory.empty())
    return Result;
  HintBatch Batch(Result, hintStepOf(Capabilities));
  Batch.add(const_cast<char *>(Memory.data()), Memory.size());
  Batch.flush();
  return Result;
}

std::error_code PageCache::adviseCold(std::span<const char> Memory) const {
  return trim(wholePages(Memory));
}

std::optional<Residency>
PageCache::residency(std::span<const char> Memory) const {
  if (Memory.empty())
    return Residency{};
  return countPages(Memory.data(), Memory.size(), Capabilities.Mincore);
}

} // namespace headstart::os
