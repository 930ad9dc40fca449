//===- SimulatedOS.h - A simulated operating system -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A simulation of the OS layer: files, devices with latencies and bandwidths,
/// a page cache, memory, a clock, threads, and faults. It is linked instead of
/// lib/OS, so that the engine and the layers below it run on it unchanged.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_SIMULATEDOS_H
#define HEADSTART_UNITTESTS_SIMULATION_SIMULATEDOS_H

#include "Fibers.h"
#include "ProcessorCosts.h"
#include "SeededRandom.h"
#include "SimulatedFiles.h"
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace headstart::simulation {

/// The faults, as chances: one in so many calls fails; 0: none fails.
struct Faults {
  uint64_t Open = 0, Read = 0, Map = 0, Fetch = 0, Thread = 0, Memory = 0,
           Stall = 0;
};

/// The simulated operating system of one run.
class SimulatedOS : public Fibers {
public:
  explicit SimulatedOS(uint64_t Seed);
  ~SimulatedOS();

  /// Returns the current one.
  static SimulatedOS &current() { return *Current; }
  static bool exists() { return Current != nullptr; }

  std::vector<Device> Devices;
  Faults Wrong;
  uint64_t CacheBytes = UINT64_MAX;     ///< the most bytes in the page cache
  uint64_t AvailableBytes = UINT64_MAX; ///< as the system reports it
  double PressurePercent = 0;
  uint64_t FreeDescriptors = 400;
  /// One in so many system calls of the engine's threads waits for a processor,
  /// for up to MaxProcessorWait.
  uint64_t WaitsForProcessor = 0;
  Nanoseconds QueryTime = 0; ///< how long a residency query takes
  /// Whether the times are those of a real system (worlds). A thread's wait
  /// then delays others, large requests are split, the page cache evicts the
  /// pages that were used least recently, and names stay known for a while.
  bool IsTimed = false;
  ProcessorCosts Costs;
  bool ReportsWaits = true; ///< the number and time of a thread's waits
  Nanoseconds MaxProcessorWait = 0;
  bool MissesLargePages = false; ///< some have not arrived

  /// Writes a new file that is one hour old on the device \p DeviceNumber.
  File &write(const std::string &Path, uint64_t Size, FileBytes Bytes,
              size_t DeviceNumber);
  /// Replaces the file at \p Path by another.
  void replace(const std::string &Path);
  /// Rewrites the same file in place with the same number of bytes.
  void rewrite(File &Of);
  std::shared_ptr<File> find(const std::string &Path) const;
  /// Returns the time that a file written now on \p DeviceNumber gets.
  int64_t fileTime(size_t DeviceNumber);
  /// Returns the time of the clock from which file times are taken.
  int64_t coarseTime() const { return now() - now() % CoarseTick; }

  /// Caches \p Range of \p Of from the beginning.
  void cache(File &Of, ByteRange Range) {
    addCached(Of, Of.Cached.add(Range));
    if (IsTimed)
      noteUse(Of, Range);
  }
  void cacheWord(File &Of, size_t Word, uint64_t Pages);

  Device &deviceOf(const File &Of) { return Devices[Of.DeviceNumber]; }
  /// Returns the number of files in the directory \p Path.
  uint64_t entriesOf(const std::string &Path) const;
  size_t deviceOfPath(const std::string &Path) const;

  /// \name For the OS layer
  /// @{
  /// Waits until \p Range of \p Of has arrived from its device.
  void load(File &Of, ByteRange Range);
  /// Reports a small request to the judges.
  void noteRequest();
  /// Queries the residency of \p Of.
  void query(const File &Of);
  /// The linker uses \p Range of a mapping of \p Of. Waits for the missing
  /// pages, with which the pages that Linux reads around them arrive.
  void touch(File &Of, ByteRange Range);
  /// Makes the cached pages of \p Range the first to be evicted.
  void deactivate(File &Of, ByteRange Range);
  /// Evicts the least recently used pages until the cache is within its limit.
  void evictOldest();
  /// Charges processor time to the calling thread.
  void charge(double Cost) { compute(nanoseconds(Cost)); }
  /// Makes the names of all files in \p Directory known for a while.
  void noteListing(const std::string &Directory);
  /// Requests \p Range without waiting.
  void hint(File &Of, ByteRange Range);
  /// Begins a system call that may take long. The caller must not hold a mutex;
  /// another thread may run.
  void beginSlow(const char *Call);
  /// Calls beginSlow, and requests a name from the device \p DeviceNumber.
  void requestName(const char *Call, size_t DeviceNumber);
  /// Requests the name of the file at \p Path, and if \p Opens also opens it. A
  /// known name needs no request.
  void requestFile(const char *Call, const std::string &Path, bool Opens);
  /// Throws std::bad_alloc if a fault is drawn and a caller would catch it.
  void allocate();
  bool failsOnceIn(uint64_t OnceIn) {
    return OnceIn != 0 && Random.onceIn(OnceIn);
  }
  const char *map(const std::shared_ptr<File> &Of);
  void unmap(const char *Data);
  std::shared_ptr<File> mappedAt(const char *Data, uint64_t &Offset) const;
  intptr_t open(std::shared_ptr<File> Of);
  void close(intptr_t Handle);
  const std::shared_ptr<File> &opened(intptr_t Handle) const {
    return Handles[static_cast<size_t>(Handle)];
  }
  /// A thread of the engine begins with \p Of.
  void begin(File &Of);
  uint64_t NumOpen = 0;
  /// @}

  /// \name For the judges
  /// @{
  uint64_t CachedFound = 0; ///< queries that reported a fully cached file
  std::function<void(File &, ByteRange)> OnFetch; ///< the engine fetches
  /// The engine makes a small request, which may read the file.
  std::function<void()> OnSmallRequest;
  std::function<void(File &)>
      OnBegin; ///< a thread begins with a file that none has begun
  /// @}

  /// Whether each event is printed on standard error.
  bool Verbose = false;
  void tell(const char *What, const std::string &Path, ByteRange Range = {});

private:
  Nanoseconds request(Device &From, uint64_t Bytes);
  Nanoseconds requestPieces(Device &From, uint64_t Bytes, uint64_t Runs);
  Nanoseconds fetchMissing(File &Of, ByteRange Range);
  Nanoseconds arrivalOf(File &Of, ByteRange Range);
  void loadTimed(File &Of, ByteRange Range);
  void noteUse(File &Of, ByteRange Range);
  void waitUntil(File &Of, Nanoseconds Arrival);
  void requestAhead(File &Of, uint64_t Page);
  void waitForProcessor();
  void hang(const Device &On);
  void addCached(File &Of, uint64_t Pages);
  void evict();

  static constexpr Nanoseconds CoarseTick = 4'000'000;
  static SimulatedOS *Current;

  std::unordered_map<std::string, std::shared_ptr<File>> Files;
  std::unordered_map<std::string, uint64_t> Directories; ///< entries of each
  std::vector<File *> CachedFiles; ///< the files with cached pages
  uint64_t CachedPages = 0;
  struct Use {
    File *Of;
    size_t Word;
    uint64_t Number;
  };
  std::deque<Use> Uses; ///< least recent first; only if memory is limited
  uint64_t NumUses = 0;
  std::unordered_map<std::string, Nanoseconds> ListedUntil; ///< by directory
  uint64_t NextInode = 1;
  int64_t LastFileTime = 0;
  std::vector<std::shared_ptr<File>> Handles, Replaced;
  std::vector<intptr_t> FreeHandles;
  std::map<const char *, std::shared_ptr<File>> Mappings; ///< by end
  uint64_t NextAddress = 0;
  SimulatedOS *Before;
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_SIMULATEDOS_H
