//===- SimulatedOS.h - A simulated operating system -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The OS layer once more, as a simulation: files, devices with latencies and
/// bandwidths, a page cache, memory, a clock, threads, and faults. It is linked
/// in the place of lib/OS, so that the engine and all below it run on it
/// without a change.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_SIMULATEDOS_H
#define HEADSTART_UNITTESTS_SIMULATION_SIMULATEDOS_H

#include "Fibers.h"
#include "PageSet.h"
#include "ProcessorCosts.h"
#include "SeededRandom.h"
#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headstart::simulation {

struct SimulatedInput;

/// What a file system does with requests for large pages, and with hints.
enum class LargePages : uint8_t { Work, Unsupported, Ignored };

/// A disk, a share on the network, or a mount.
struct Device {
  Nanoseconds Latency = 100'000; ///< of each request
  double NanosecondsPerByte = 1;
  /// For each request, during which no other begins: a disk that counts them.
  Nanoseconds PerRequest = 0;
  unsigned Channels = 8;       ///< requests at once
  Nanoseconds NameLatency = 0; ///< to open a file, or to stat a path
  /// What file times are rounded down to; 1: each change has its own time.
  Nanoseconds FileTick = 1; ///< what file times are rounded down to
  LargePages Large = LargePages::Unsupported;
  /// Whether a read that does not wait tells what is cached (RWF_NOWAIT).
  bool ReportsCached = false;
  bool TakesHints = false;     ///< else a hint does nothing
  Nanoseconds HangsAt = Never; ///< from then on it does not answer
  /// The most bytes of one request; 0: a call is one request of any size.
  uint64_t RequestBytes = 0;
  /// A limit (a control group, a volume of a cloud): bytes and requests have
  /// prices, and what was not used for up to LimitBurst may be used at once.
  double LimitPerByte = 0; ///< nanoseconds
  Nanoseconds LimitPerRequest = 0, LimitBurst = 0;
  double Jitter = 0; ///< a request takes up to so many latencies longer
  /// What a fault on a page that is not cached reads around it.
  uint64_t Readahead = 128 << 10;

  // What it has done:
  uint64_t Requests = 0, Bytes = 0;

  // What is under way:
  std::vector<Nanoseconds> ChannelFree;
  Nanoseconds BandwidthFree = 0;
  Nanoseconds LimitFree = 0;    ///< when all that was requested is paid for
  Nanoseconds LongestQueue = 0; ///< that a request has met
  unsigned EngineRequests = 0;  ///< for which threads of the engine wait
};

/// Which bytes a file has; all others are zero. By offset, in order.
using FileBytes = std::vector<std::pair<uint64_t, std::string>>;

struct File {
  std::string Path;
  os::FileIdentity Identity;
  FileBytes Bytes;
  /// Where a byte of the file tells how often it was written; 0: nowhere.
  uint64_t VersionAt = 0;
  unsigned Version = 0;
  PageSet Cached;
  bool ReportsResidency = true; ///< else it is another user's
  bool WasCached = false;       ///< all of it, at the beginning
  bool WasCold = false;         ///< none of it was
  size_t DeviceNumber = 0;
  size_t CachedPlace = SIZE_MAX; ///< in SimulatedOS::CachedFiles
  /// Hinted pages that are still on their way, and when they come.
  std::vector<std::pair<ByteRange, Nanoseconds>> Coming;
  // The mapping's readahead, in pages: the last window, and the page whose use
  // requests the next.
  uint64_t AheadBegin = 0, AheadEnd = 0, AheadMark = UINT64_MAX;
  std::vector<uint64_t> UsedAt;   ///< by 64 pages: the number of the last use
  Nanoseconds NameKnownUntil = 0; ///< without a request
  const SimulatedInput *Input = nullptr; ///< null: replaced

  // What was done to it, for the judges:
  unsigned Opens = 0;
  std::vector<ByteRange> Inspected;       ///< read in small, before all else
  std::map<uint64_t, unsigned> FetchedAt; ///< times, by the offset of the step
  uint64_t Ahead = 0;        ///< bytes that came before the linker asked for it
  bool IsFetched = false;    ///< something of it, by the engine
  bool IsBegun = false;      ///< a thread of the engine has come to it
  bool ArrivesWhole = false; ///< what was fetched is not by its layout
  Fiber *QueriesResidency = nullptr; ///< of a part of it
};

/// What goes wrong, as chances: once in so many calls; 0: never.
struct Faults {
  uint64_t Open = 0, Read = 0, Map = 0, Fetch = 0, Thread = 0, Memory = 0,
           Stall = 0;
};

/// One run.
class SimulatedOS : public Fibers {
public:
  explicit SimulatedOS(uint64_t Seed);
  ~SimulatedOS();

  /// The one that runs.
  static SimulatedOS &current() { return *Current; }
  static bool exists() { return Current != nullptr; }

  std::vector<Device> Devices;
  Faults Wrong;
  uint64_t CacheBytes = UINT64_MAX;     ///< the page cache holds no more
  uint64_t AvailableBytes = UINT64_MAX; ///< what the system says is available
  double PressurePercent = 0;
  uint64_t FreeDescriptors = 400;
  /// Once in so many system calls a thread of the engine waits for a processor
  /// for up to MaxProcessorWait.
  uint64_t WaitsForProcessor = 0;
  Nanoseconds QueryTime = 0; ///< to ask what is cached of a file
  /// Whether the times are those of a real system (worlds): what one thread
  /// waits for others wait for too, large requests are split, the page cache
  /// evicts what was used longest ago, and names are known for a while.
  bool IsTimed = false;
  ProcessorCosts Costs;
  bool ReportsWaits = true; ///< how often, and how long, a thread has waited
  Nanoseconds MaxProcessorWait = 0;

  /// Writes a new file, an hour old, on the device \p DeviceNumber.
  File &write(const std::string &Path, uint64_t Size, FileBytes Bytes,
              size_t DeviceNumber);
  /// Puts another file at the same path.
  void replace(const std::string &Path);
  /// Writes the same file once more, in place, with as many bytes.
  void rewrite(File &Of);
  std::shared_ptr<File> find(const std::string &Path) const;
  /// The time that a file on \p DeviceNumber gets that is written now.
  int64_t fileTime(size_t DeviceNumber);
  /// By the clock that file times are taken from.
  int64_t coarseTime() const { return now() - now() % CoarseTick; }

  /// Range \p Range of \p Of is cached from the beginning.
  void cache(File &Of, ByteRange Range) {
    addCached(Of, Of.Cached.add(Range));
    if (IsTimed)
      noteUse(Of, Range);
  }
  void cacheWord(File &Of, size_t Word, uint64_t Pages);

  Device &deviceOf(const File &Of) { return Devices[Of.DeviceNumber]; }
  /// How many files are in the directory \p Path.
  uint64_t entriesOf(const std::string &Path) const;
  size_t deviceOfPath(const std::string &Path) const;

  /// \name For the OS layer
  /// @{
  /// Waits until \p Range of \p Of has come from its device.
  void load(File &Of, ByteRange Range);
  /// A small request for \p Of begins, to read it if \p IsRead: for the judges.
  void noteRequest(const File &Of, bool IsRead);
  /// Asks what is cached of \p Of.
  void query(const File &Of);
  /// The linker uses \p Range of a mapping of \p Of: waits for what is not
  /// cached, which comes with what Linux reads around it.
  void touch(File &Of, ByteRange Range);
  /// What of \p Range is cached is to be evicted first.
  void deactivate(File &Of, ByteRange Range);
  /// Evicts what was used longest ago, until the cache holds no more than it
  /// may.
  void evictOldest();
  /// The calling thread computes.
  void charge(double Cost) { compute(nanoseconds(Cost)); }
  /// The names of all files in \p Directory are known for a while.
  void noteListing(const std::string &Directory);
  /// Asks for \p Range, and does not wait.
  void hint(File &Of, ByteRange Range);
  /// A system call begins that may take its time: no mutex may be held, and
  /// another thread may go on.
  void beginSlow(const char *Call);
  /// The same, for a call that asks \p DeviceNumber for a name.
  void requestName(const char *Call, size_t DeviceNumber);
  /// The same for the name of the file at \p Path, and if \p Opens for its
  /// contents. No request is needed for a name that is known.
  void requestFile(const char *Call, const std::string &Path, bool Opens);
  /// Throws std::bad_alloc, where that is drawn and a caller would catch it.
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
  /// The calling thread comes to \p Of.
  void begin(File &Of);
  uint64_t NumOpen = 0;
  /// @}

  /// \name For the judges
  /// @{
  uint64_t CachedFound = 0; ///< queries whose answer was: all is cached
  std::function<void(File &, ByteRange)> OnFetch; ///< the engine fetches
  /// The engine makes a small request, to read the file or not.
  std::function<void(const File &, bool)> OnSmallRequest;
  std::function<void(File &)> OnBegin; ///< a thread comes to a file first
  /// @}

  /// Whether the run is told, event by event, on standard error.
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
  std::vector<File *> CachedFiles; ///< of which pages are cached
  uint64_t CachedPages = 0;
  struct Use {
    File *Of;
    size_t Word;
    uint64_t Number;
  };
  std::deque<Use> Uses; ///< the oldest first; only if memory is limited
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
