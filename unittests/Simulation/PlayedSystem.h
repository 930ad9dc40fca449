//===- PlayedSystem.h - An operating system that is played ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The OS layer once more, as a simulation: files, a disk with a latency and a
/// bandwidth, a page cache, memory, a clock, threads, and faults. It is linked
/// in the place of lib/OS, so that the engine and all below it run on it
/// without a change.
///
/// All threads are fibers of one thread. One runs until it comes to a point
/// where a real one could be held up (a system call, a wait); which one goes on
/// is drawn from the seed. So a seed is one run, the same each time.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_PLAYEDSYSTEM_H
#define HEADSTART_UNITTESTS_SIMULATION_PLAYEDSYSTEM_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <ucontext.h>
#include <vector>

namespace headstart::played {

using Nanoseconds = int64_t;

/// Draws numbers (splitmix64).
class Dice {
public:
  explicit Dice(uint64_t Seed) : State(Seed) {}
  uint64_t next();
  /// From 0 to \p Limit - 1.
  uint64_t below(uint64_t Limit) { return next() % Limit; }
  uint64_t between(uint64_t Least, uint64_t Most) {
    return Least + below(Most - Least + 1);
  }
  /// True once in \p Times.
  bool onceIn(uint64_t Times) { return below(Times) == 0; }

private:
  uint64_t State;
};

struct File {
  std::string Path;
  os::FileIdentity Identity;
  std::map<uint64_t, std::string> Bytes; ///< by offset; all else is zero
  std::vector<bool> IsResident;          ///< by page
  bool WasResident = false;              ///< all of it, at the beginning
  // What was done to it, for the judge:
  unsigned Opens = 0;
  std::vector<ByteRange> LookedAt;        ///< read in small
  std::map<uint64_t, unsigned> FetchedAt; ///< times, by the offset of the step
  bool IsBegun = false; ///< one of the engine's threads has come to it
};

struct Disk {
  Nanoseconds Latency = 100'000;
  double NanosecondsPerByte = 1;
  unsigned Channels = 8; ///< requests at once
};

/// What goes wrong, as chances: once in so many calls; 0: never.
struct Faults {
  uint64_t Open = 0, Read = 0, Map = 0, Fetch = 0, Thread = 0, Memory = 0,
           Stall = 0;
};

/// One run.
class World {
public:
  explicit World(uint64_t Seed);
  ~World();
  World(const World &) = delete;
  World &operator=(const World &) = delete;

  /// The one that runs.
  static World &current();

  static constexpr uint64_t PageBytes = 4096;

  Dice Chance;
  Disk Store;
  Faults Wrong;
  uint64_t MemoryBytes = UINT64_MAX; ///< for the page cache
  uint64_t FreeDescriptors = 400;
  bool TellsResidency = true;
  std::map<std::string, std::shared_ptr<File>> Files;

  File &write(const std::string &Path, uint64_t Size,
              std::map<uint64_t, std::string> Bytes);
  /// Another file at the same path.
  void replace(const std::string &Path);

  /// Starts \p Work on a thread of its own. \p IsOwn: the engine's.
  void start(std::function<void()> Work, bool IsOwn);
  /// Runs until all threads have ended. What is wrong otherwise; empty:
  /// nothing.
  std::string run();

  Nanoseconds now() const { return Time; }
  void sleep(Nanoseconds For);
  /// Lets another thread go on, perhaps.
  void pause();
  /// Waits until \p Range of \p Of has come from the disk.
  void load(File &Of, ByteRange Range);
  /// Whether the calling thread is the engine's.
  bool isOwn() const;
  /// The number of the calling thread.
  size_t thread() const;

  /// \name For the OS layer
  /// @{
  void wait(const void *On, std::unique_lock<std::mutex> &Lock,
            Nanoseconds Until, bool &TimedOut);
  void wake(const void *On, bool All);
  /// Throws std::bad_alloc, where that is drawn and somebody would catch it.
  void allocate();
  unsigned &guards(); ///< of the calling thread
  bool goesWrong(uint64_t OnceIn) {
    return OnceIn != 0 && Chance.onceIn(OnceIn);
  }
  const char *map(const std::shared_ptr<File> &Of);
  void unmap(const char *Data);
  std::shared_ptr<File> mappedAt(const char *Data, uint64_t &Offset) const;
  std::vector<std::shared_ptr<File>> Open; ///< by descriptor
  uint64_t NumOpen = 0;
  /// @}

  /// Called when the engine fetches: for the judge.
  std::function<void(File &, ByteRange)> OnFetch;
  /// Called when a thread of the engine comes to a file for the first time.
  std::function<void(File &)> OnBegin;
  /// Whether the run is told, event by event, on standard error.
  bool IsTold = false;
  /// Tells of an event.
  void tell(const char *What, const std::string &Path, ByteRange Range = {});
  /// The calling thread comes to \p Of.
  void begin(File &Of);

  void fail(const std::string &Why) {
    if (Failure.empty())
      Failure = Why;
  }
  bool isFailed() const { return !Failure.empty(); }

private:
  struct Fiber;
  void yield();
  Fiber *choose();
  void evict();

  static constexpr Nanoseconds Never = INT64_MAX;

  std::vector<std::unique_ptr<Fiber>> Fibers;
  Fiber *Running = nullptr;
  ucontext_t Main{};
  Nanoseconds Time = 1'000'000'000;
  std::vector<Nanoseconds> ChannelFree;
  Nanoseconds BandwidthFree = 0;
  uint64_t ResidentPages = 0;
  uint64_t NextInode = 1;
  std::map<const char *, std::shared_ptr<File>> Mappings; ///< by end
  uint64_t NextAddress = 0;
  std::string Failure;
  World *Before;
};

} // namespace headstart::played

#endif // HEADSTART_UNITTESTS_SIMULATION_PLAYEDSYSTEM_H
