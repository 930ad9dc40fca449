//===- PlayedOS.cpp - The OS layer on a played system ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lib/Engine and the layers below it ask of lib/OS, answered by World.
// What is not here is not asked for: the linker would take it from the real
// one, and complain that some names are there twice.
//
//===----------------------------------------------------------------------===//

#include "PlayedSystem.h"
#include "headstart/OS/FolderTraits.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace headstart;
using namespace headstart::os;
using played::World;

static std::shared_ptr<played::File> fileAt(const std::string &Path) {
  World &W = World::current();
  auto It = W.Files.find(Path);
  return It == W.Files.end() ? nullptr : It->second;
}

FileStatus os::lookAt(const std::string &Path, std::error_code &Error) {
  World &W = World::current();
  W.allocate();
  W.pause();
  Error.clear();
  std::shared_ptr<played::File> File = fileAt(Path);
  if (!File)
    return {};
  return {FileKind::Regular, File->Identity};
}

std::error_code OpenFile::open(const std::string &Path, OpenFile &Result) {
  return open(Path, {}, Result);
}

std::error_code OpenFile::open(const std::string &Path, const FileStatus &,
                               OpenFile &Result) {
  World &W = World::current();
  W.allocate();
  Result.close();
  W.pause();
  std::shared_ptr<played::File> File = fileAt(Path);
  if (!File)
    return std::make_error_code(std::errc::no_such_file_or_directory);
  if (W.NumOpen >= W.FreeDescriptors || W.goesWrong(W.Wrong.Open))
    return std::make_error_code(std::errc::too_many_files_open);
  W.tell("open", Path);
  ++W.NumOpen;
  ++File->Opens;
  W.begin(*File);
  Result.Handle = static_cast<intptr_t>(W.Open.size());
  Result.Identity = File->Identity;
  W.Open.push_back(std::move(File));
  return {};
}

void OpenFile::close() {
  if (!isOpen())
    return;
  World &W = World::current();
  W.Open[static_cast<size_t>(Handle)] = nullptr;
  --W.NumOpen;
  Handle = InvalidHandle;
  Identity = {};
}

static std::shared_ptr<played::File> fileOf(const OpenFile &File) {
  return World::current().Open[static_cast<size_t>(File.nativeHandle())];
}

size_t OpenFile::readAt(uint64_t Offset, std::span<char> Into,
                        std::error_code &Error) const {
  World &W = World::current();
  W.allocate();
  Error.clear();
  std::shared_ptr<played::File> File = fileOf(*this);
  W.begin(*File);
  ByteRange Range =
      ByteRange{Offset, Into.size()}.clippedTo(File->Identity.Size);
  if (W.goesWrong(W.Wrong.Read)) {
    Error = std::make_error_code(std::errc::io_error);
    return 0;
  }
  W.tell("read", File->Path, Range);
  W.load(*File, Range);
  W.pause();
  // What was fetched is in memory.
  if (W.isOwn() && File->FetchedAt.empty())
    File->LookedAt.push_back(Range);
  std::fill(Into.begin(), Into.end(), '\0');
  for (const auto &[At, Bytes] : File->Bytes) {
    uint64_t Begin = std::max(At, Range.Offset);
    uint64_t End = std::min(At + Bytes.size(), Range.end());
    if (Begin < End)
      std::memcpy(Into.data() + (Begin - Range.Offset),
                  Bytes.data() + (Begin - At), End - Begin);
  }
  return Range.Length;
}

void OpenFile::expectScatteredReads() const {}

std::error_code MappedFile::map(const OpenFile &File, MappedFile &Result) {
  World &W = World::current();
  W.allocate();
  W.pause();
  if (W.goesWrong(W.Wrong.Map))
    return std::make_error_code(std::errc::not_enough_memory);
  Result = MappedFile();
  Result.Data = W.map(fileOf(File));
  Result.Size = File.size();
  return {};
}

MappedFile::~MappedFile() {
  if (Data)
    World::current().unmap(Data);
}

PageCache::PageCache() { Abilities.PageSize = World::PageBytes; }

std::optional<Residency> PageCache::residency(const OpenFile &File,
                                              ByteRange Range) const {
  World &W = World::current();
  W.pause();
  if (!W.TellsResidency)
    return std::nullopt;
  std::shared_ptr<played::File> Of = fileOf(File);
  Range = Range.clippedTo(Of->Identity.Size);
  Residency Result;
  for (uint64_t P = Range.Offset / World::PageBytes;
       P * World::PageBytes < Range.end(); ++P) {
    ++Result.TotalPages;
    Result.ResidentPages += Of->IsResident[P];
  }
  return Result;
}

std::optional<bool> PageCache::seemsCached(const OpenFile &) const {
  return std::nullopt;
}

std::vector<HintResult> PageCache::hint(const OpenFile &,
                                        std::span<const ByteRange>) const {
  World::current().pause(); // only a hint: nothing comes of it
  return {};
}

HintResult PageCache::fetch(const OpenFile &File, ByteRange Range) const {
  World &W = World::current();
  W.allocate();
  std::shared_ptr<played::File> Of = fileOf(File);
  HintResult Result;
  Result.Range = Range;
  if (W.goesWrong(W.Wrong.Fetch)) {
    Result.Outcome = HintOutcome::Failed;
    Result.Error = std::make_error_code(std::errc::io_error);
    return Result;
  }
  W.tell("fetch", Of->Path, Range);
  if (W.OnFetch)
    W.OnFetch(*Of, Range);
  W.load(*Of, Range);
  W.pause();
  Result.Outcome = HintOutcome::Accepted;
  Result.AcceptedBytes = Range.clippedTo(Of->Identity.Size).Length;
  Result.Calls = 1;
  return Result;
}

PageCache PageCache::inLargeRequests() const { return *this; }

HintResult PageCache::fetchInLargePages(const MappedFile &,
                                        ByteRange Range) const {
  World::current().pause();
  HintResult Result;
  Result.Range = Range;
  return Result;
}

HintResult PageCache::willNeed(std::span<const char>) const { return {}; }

std::error_code PageCache::notNeededSoon(std::span<const char>) const {
  return {};
}

std::error_code PageCache::dontNeed(const MappedFile &, ByteRange) const {
  return {};
}

std::optional<Residency> PageCache::residency(std::span<const char>) const {
  return std::nullopt;
}

PageTables::PageTables(const Abilities &) {}
PageTables::~PageTables() = default;
std::optional<std::vector<ByteRange>>
PageTables::present(std::span<const char>) {
  return std::nullopt;
}

SystemMemory SystemMemory::read(const std::string &) {
  World &W = World::current();
  SystemMemory Memory;
  Memory.TotalBytes = W.MemoryBytes;
  Memory.AvailableBytes = W.MemoryBytes;
  return Memory;
}

uint64_t os::maxMappings(const std::string &) { return 65530; }
std::optional<uint64_t> os::peakMemory() { return std::nullopt; }
uint64_t os::maxOpenFiles() { return 1024; }
uint64_t os::freeDescriptors() {
  World &W = World::current();
  return W.FreeDescriptors - W.NumOpen;
}

std::optional<DiskUse> os::diskUse(DiskUser) { return std::nullopt; }
int64_t os::fileClockNs() { return INT64_MAX; }
bool os::tellsEveryChange(const OpenFile &) { return false; }

std::optional<uint64_t> os::countWaits() { return std::nullopt; }
std::optional<std::chrono::nanoseconds> os::processorWait() {
  return std::nullopt;
}
std::optional<std::chrono::nanoseconds> os::processorTime() {
  return std::nullopt;
}
unsigned os::usableProcessors() { return 2; }

std::chrono::steady_clock::time_point os::now() {
  return std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds(World::current().now()));
}

void Condition::wait(std::unique_lock<std::mutex> &Lock) {
  bool TimedOut = false;
  World::current().wait(this, Lock, INT64_MAX, TimedOut);
}

bool Condition::waitUntil(std::unique_lock<std::mutex> &Lock,
                          std::chrono::steady_clock::time_point Time) {
  bool TimedOut = false;
  World::current().wait(
      this, Lock, std::chrono::nanoseconds(Time.time_since_epoch()).count(),
      TimedOut);
  return !TimedOut;
}

void Condition::notifyOne() { World::current().wake(this, false); }
void Condition::notifyAll() { World::current().wake(this, true); }

struct Threads::Count {
  std::mutex Mutex;
  Condition None;
  size_t Running = 0;
};

std::error_code Threads::start(std::function<void()> Work) {
  World &W = World::current();
  if (W.goesWrong(W.Wrong.Thread))
    return std::make_error_code(std::errc::resource_unavailable_try_again);
  if (!Alive)
    Alive = std::make_shared<Count>();
  ++Alive->Running;
  W.start(
      [Mine = std::move(Work), Counted = Alive]() mutable {
        try {
          Mine();
        } catch (const std::bad_alloc &) { // NOLINT: the contract of start
        }
        Mine = nullptr;
        if (--Counted->Running == 0)
          Counted->None.notifyAll();
      },
      /*IsOwn=*/true);
  return {};
}

void Threads::join() {
  if (!Alive)
    return;
  std::unique_lock Lock(Alive->Mutex);
  while (Alive->Running != 0)
    Alive->None.wait(Lock);
}

bool Threads::join(std::chrono::milliseconds MaxWait) {
  if (!Alive)
    return !HasLetGo;
  std::shared_ptr<Count> Mine = Alive;
  const auto Until = os::now() + MaxWait;
  std::unique_lock Lock(Mine->Mutex);
  while (Mine->Running != 0)
    if (!Mine->None.waitUntil(Lock, Until)) {
      HasLetGo = true;
      Alive = nullptr;
      return false;
    }
  return !HasLetGo;
}

bool Threads::isOwn() { return World::current().isOwn(); }

bool os::detail::hasMemoryFor(void (*Work)(void *), void *Argument) {
  ++World::current().guards();
  bool HasMemory = true;
  try {
    Work(Argument);
  } catch (const std::bad_alloc &) {
    HasMemory = false;
  }
  --World::current().guards();
  return HasMemory;
}
