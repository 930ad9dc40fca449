//===- SimulatedOS.cpp - A simulated operating system ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedOS.h"
#include <algorithm>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace headstart::simulation {

SimulatedOS *SimulatedOS::Current = nullptr;

/// Reserves addresses for mappings that no thread may access.
static constexpr uint64_t AddressBytes = uint64_t(1) << 40;
static char *addresses() {
  static char *const Base = [] {
    void *New = mmap(nullptr, AddressBytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return New == MAP_FAILED ? nullptr : static_cast<char *>(New);
  }();
  return Base;
}

SimulatedOS::SimulatedOS(uint64_t Seed)
    : Fibers(Seed), Before(std::exchange(Current, this)) {
  // An arbitrary time of day, in the middle of a tick.
  setTime(1'000'000 * Second + static_cast<Nanoseconds>(Random.below(Second)));
}

SimulatedOS::~SimulatedOS() { Current = Before; }

int64_t SimulatedOS::fileTime(size_t DeviceNumber) {
  const Nanoseconds Tick = Devices[DeviceNumber].FileTick;
  if (Tick != 1)
    return now() - now() % Tick;
  return LastFileTime = std::max(now(), LastFileTime + 1);
}

static std::string directoryOf(const std::string &Path) {
  return Path.substr(0, Path.rfind('/'));
}

File &SimulatedOS::write(const std::string &Path, uint64_t Size,
                         FileBytes Bytes, size_t DeviceNumber) {
  constexpr Nanoseconds Hour = 3600 * Second;
  auto New = std::make_shared<File>();
  New->Path = Path;
  New->DeviceNumber = DeviceNumber;
  const int64_t Written = fileTime(DeviceNumber) - Hour;
  New->Identity = {DeviceNumber + 1, NextInode++, Size, Written, Written};
  New->Bytes = std::move(Bytes);
  New->Cached = PageSet(Size);
  std::shared_ptr<File> &Old = Files[Path];
  if (Old)
    Replaced.push_back(std::move(Old));
  else
    ++Directories[directoryOf(Path)];
  return *(Old = std::move(New));
}

void SimulatedOS::replace(const std::string &Path) {
  File &Old = *Files.at(Path);
  File &New = write(Path, Old.Identity.Size, Old.Bytes, Old.DeviceNumber);
  New.Identity.ModifiedNs = New.Identity.ChangedNs = fileTime(New.DeviceNumber);
  New.VersionAt = Old.VersionAt;
  New.Version = Old.Version + 1;
  New.ReportsResidency = Old.ReportsResidency;
  New.Input = std::exchange(Old.Input, nullptr);
}

void SimulatedOS::rewrite(File &Of) {
  ++Of.Version;
  Of.Identity.ModifiedNs = Of.Identity.ChangedNs = fileTime(Of.DeviceNumber);
}

std::shared_ptr<File> SimulatedOS::find(const std::string &Path) const {
  auto It = Files.find(Path);
  return It == Files.end() ? nullptr : It->second;
}

uint64_t SimulatedOS::entriesOf(const std::string &Path) const {
  auto It = Directories.find(Path);
  return It == Directories.end() ? 0 : It->second;
}

/// The first directory of the path has the device number: "/in2/a.o".
size_t SimulatedOS::deviceOfPath(const std::string &Path) const {
  size_t At = Path.find_first_of("0123456789", 1);
  size_t End = Path.find('/', 1);
  if (At == std::string::npos || At > End)
    return 0;
  return std::min<size_t>(static_cast<size_t>(Path[At] - '0'),
                          Devices.size() - 1);
}

void SimulatedOS::beginSlow(const char *Call) {
  if (!running())
    return;
  if (running()->Locks != 0)
    fail(std::string(Call) + " is called while a mutex is held");
  running()->WaitsForStore = false;
  yield();
  waitForProcessor();
}

void SimulatedOS::requestName(const char *Call, size_t DeviceNumber) {
  beginSlow(Call);
  Device &Of = Devices[DeviceNumber];
  hang(Of);
  if (Of.NameLatency == 0 || !running())
    return;
  Of.EngineRequests += isEngine();
  sleep(Of.NameLatency);
  Of.EngineRequests -= isEngine();
}

void SimulatedOS::requestFile(const char *Call, const std::string &Path,
                              bool Opens) {
  const size_t Number = deviceOfPath(Path);
  if (!IsTimed || Devices[Number].NameLatency == 0)
    return requestName(Call, Number);
  // FUSE's default. FUSE opens a file with a separate request.
  constexpr Nanoseconds Fresh = Second;
  std::shared_ptr<File> Of = find(Path);
  auto Listed = ListedUntil.find(directoryOf(Path));
  const bool IsKnown = (Of && now() < Of->NameKnownUntil) ||
                       (Listed != ListedUntil.end() && now() < Listed->second);
  if (!IsKnown)
    requestName(Call, Number);
  if (Opens)
    requestName(Call, Number);
  if (IsKnown && !Opens)
    beginSlow(Call);
  if (Of)
    Of->NameKnownUntil = now() + Fresh;
}

void SimulatedOS::noteListing(const std::string &Directory) {
  if (IsTimed)
    ListedUntil[Directory] = now() + Second;
}

void SimulatedOS::hang(const Device &On) {
  constexpr Nanoseconds VeryLong = 100'000 * Second;
  if (now() >= On.HangsAt && isEngine())
    sleep(VeryLong);
}

void SimulatedOS::waitForProcessor() {
  if (!isEngine() || !failsOnceIn(WaitsForProcessor))
    return;
  const auto For = static_cast<Nanoseconds>(
      Random.below(static_cast<uint64_t>(MaxProcessorWait)));
  running()->ProcessorWait += For;
  sleep(For);
}

void SimulatedOS::allocate() {
  if (running() && (isEngine() || running()->Guards != 0) &&
      failsOnceIn(Wrong.Memory))
    throw std::bad_alloc();
}

void SimulatedOS::addCached(File &Of, uint64_t Pages) {
  CachedPages += Pages;
  if (Of.CachedPlace == SIZE_MAX) {
    Of.CachedPlace = CachedFiles.size();
    CachedFiles.push_back(&Of);
  }
}

void SimulatedOS::cacheWord(File &Of, size_t Word, uint64_t Pages) {
  const uint64_t Old = Of.Cached.count();
  Of.Cached.addWord(Word, Pages);
  addCached(Of, Of.Cached.count() - Old);
}

/// Evicts files until the cache is within its limit.
void SimulatedOS::evict() {
  while (CachedPages * PageBytes > CacheBytes && !CachedFiles.empty()) {
    const size_t Drawn = Random.below(CachedFiles.size());
    File &Of = *CachedFiles[Drawn];
    CachedPages -= std::min(CachedPages, Of.Cached.count());
    Of.Cached.clear();
    Of.Coming.clear();
    Of.CachedPlace = SIZE_MAX;
    CachedFiles[Drawn] = CachedFiles.back();
    CachedFiles.pop_back();
    if (Drawn != CachedFiles.size())
      CachedFiles[Drawn]->CachedPlace = Drawn;
  }
}

/// Sends a request of \p Bytes to \p From. Returns the time of the answer.
Nanoseconds SimulatedOS::request(Device &From, uint64_t Bytes) {
  constexpr uint64_t MaxRequest = uint64_t(1) << 20;
  From.ChannelFree.resize(From.Channels, 0);
  auto Free =
      std::min_element(From.ChannelFree.begin(), From.ChannelFree.end());
  const Nanoseconds Begin = std::max({now(), *Free, From.BandwidthFree});
  From.LongestQueue = std::max(From.LongestQueue, Begin - now());
  const auto Requests = static_cast<Nanoseconds>(Bytes / MaxRequest + 1);
  From.BandwidthFree = Begin + Requests * From.PerRequest +
                       static_cast<Nanoseconds>(static_cast<double>(Bytes) *
                                                From.NanosecondsPerByte);
  return *Free = From.BandwidthFree + From.Latency;
}

void SimulatedOS::load(File &Of, ByteRange Range) {
  constexpr Nanoseconds StallTime = 100 * Second;
  Range = Range.clippedTo(Of.Identity.Size);
  if (IsTimed)
    return loadTimed(Of, Range);
  Device &From = deviceOf(Of);
  hang(From);
  Nanoseconds Arrival = now();
  std::erase_if(Of.Coming, [&](const auto &Each) {
    const auto &[Hinted, When] = Each;
    if (When <= now())
      return true;
    if (Hinted.Offset < Range.end() && Range.Offset < Hinted.end())
      Arrival = std::max(Arrival, When);
    return false;
  });
  if (uint64_t Missing = Of.Cached.add(Range)) {
    addCached(Of, Missing);
    evict();
    Arrival = std::max(Arrival, request(From, Missing * PageBytes));
  }
  if (Arrival == now())
    return;
  if (isEngine() && failsOnceIn(Wrong.Stall))
    Arrival += StallTime;
  From.EngineRequests += isEngine();
  sleep(Arrival - now());
  From.EngineRequests -= isEngine();
  waitForProcessor();
}

void SimulatedOS::noteRequest() {
  if (isEngine() && OnSmallRequest)
    OnSmallRequest();
}

void SimulatedOS::query(const File &Of) {
  if (QueryTime == 0 || !running())
    return;
  // A thread may hold its place at the device during the query.
  deviceOf(Of).EngineRequests += isEngine();
  sleep(QueryTime);
  deviceOf(Of).EngineRequests -= isEngine();
}

void SimulatedOS::hint(File &Of, ByteRange Range) {
  constexpr Nanoseconds LongQueue = Second / 20;
  Device &From = deviceOf(Of);
  Range = Range.clippedTo(Of.Identity.Size);
  // The kernel drops readahead if the queue is long.
  if (!From.TakesHints || now() >= From.HangsAt ||
      From.BandwidthFree > now() + LongQueue)
    return;
  if (IsTimed) {
    fetchMissing(Of, Range);
    return;
  }
  if (uint64_t Missing = Of.Cached.add(Range)) {
    addCached(Of, Missing);
    Of.Coming.emplace_back(Range, request(From, Missing * PageBytes));
    evict();
  }
}

void SimulatedOS::tell(const char *What, const std::string &Path,
                       ByteRange Range) {
  if (!Verbose)
    return;
  std::fprintf(stderr, "%12.3f ms  %s %zu  %-8s %s +%llu %llu\n",
               static_cast<double>(now() - 1'000'000 * Second) / 1e6,
               isEngine() ? "thread" : "linker",
               running() ? running()->Number : 0, What, Path.c_str(),
               static_cast<unsigned long long>(Range.Offset),
               static_cast<unsigned long long>(Range.Length));
}

void SimulatedOS::begin(File &Of) {
  if (isEngine() && !std::exchange(Of.IsBegun, true) && OnBegin)
    OnBegin(Of);
}

intptr_t SimulatedOS::open(std::shared_ptr<File> Of) {
  ++NumOpen;
  if (FreeHandles.empty()) {
    Handles.push_back(std::move(Of));
    return static_cast<intptr_t>(Handles.size()) - 1;
  }
  intptr_t Handle = FreeHandles.back();
  FreeHandles.pop_back();
  Handles[static_cast<size_t>(Handle)] = std::move(Of);
  return Handle;
}

void SimulatedOS::close(intptr_t Handle) {
  --NumOpen;
  Handles[static_cast<size_t>(Handle)] = nullptr;
  FreeHandles.push_back(Handle);
}

const char *SimulatedOS::map(const std::shared_ptr<File> &Of) {
  uint64_t Length = (Of->Identity.Size / PageBytes + 1) * PageBytes;
  if (NextAddress + Length > AddressBytes)
    NextAddress = 0;
  const char *Data = addresses() + NextAddress;
  NextAddress += Length;
  Mappings[Data + Length] = Of;
  return Data;
}

void SimulatedOS::unmap(const char *Data) {
  auto It = Mappings.upper_bound(Data);
  if (It != Mappings.end())
    Mappings.erase(It);
}

std::shared_ptr<File> SimulatedOS::mappedAt(const char *Data,
                                            uint64_t &Offset) const {
  auto It = Mappings.upper_bound(Data);
  if (It == Mappings.end())
    return nullptr;
  uint64_t Length = (It->second->Identity.Size / PageBytes + 1) * PageBytes;
  Offset = static_cast<uint64_t>(Data - (It->first - Length));
  return It->second;
}

} // namespace headstart::simulation
