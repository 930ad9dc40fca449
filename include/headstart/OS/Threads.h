//===- Threads.h - Threads that may fail to start ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Threads that report a failed start instead of throwing: a lack of threads
/// slows a link down, but never breaks it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_THREADS_H
#define HEADSTART_OS_THREADS_H

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace headstart::os {

/// Returns how often the calling thread has given up its processor to wait for
/// something (a disk, a lock), or nothing if the system does not report it.
/// Grows from call to call. Costs a system call.
std::optional<uint64_t> countWaits();

/// The reads from disks, as the system counts them.
struct DiskUse {
  uint64_t Bytes = 0; ///< 0 also for file systems without a count
  /// How often a thread had to wait for a page that was not resident, of a file
  /// or of the program itself (major faults).
  uint64_t Stops = 0;

  /// Returns what was added since \p Before.
  DiskUse operator-(const DiskUse &Before) const {
    auto Less = [](uint64_t A, uint64_t B) { return A > B ? A - B : 0; };
    return {Less(Bytes, Before.Bytes), Less(Stops, Before.Stops)};
  }
};

/// Whose disk use to query.
enum class DiskUser : uint8_t {
  Thread,  ///< the calling thread
  Process, ///< all threads, including ended ones
};

/// Returns what \p User has read so far, or nothing if the system does not
/// report it. Costs a system call. Thread-safe.
std::optional<DiskUse> diskUse(DiskUser User);

/// Returns the processor time of the calling thread, or nothing if the system
/// does not report it. Windows counts in ticks of up to 15.6 ms, which are
/// right only on average. Costs a system call.
std::optional<std::chrono::nanoseconds> processorTime();

/// Returns how long the calling thread has waited for a processor since it
/// began, though it could have run, or nothing if the system does not report it
/// (Linux does, in /proc/thread-self/schedstat). Costs a system call; a thread
/// keeps a descriptor open from its first call to its end.
std::optional<std::chrono::nanoseconds> processorWait();

/// Makes the calling thread, and on Linux those that it starts, take less
/// processor time than others from now on, and read only from an idle disk.
/// Network file systems do not know this priority, and Linux's schedulers
/// "none" and "kyber" ignore it.
void enterBackground();

/// Returns how long at least one thread of the machine, including this
/// process's, has waited for a disk; grows from call to call. Returns nothing
/// if the system does not report it. Linux does, in /proc/pressure/io or in a
/// container's control group; without those, /proc/diskstats has the time of
/// all reads, which overlap. \p Root stands for `/`. Blocks for a small file.
std::optional<std::chrono::microseconds>
diskStall(const std::string &Root = "/");

/// Returns how many processors this process may use, at least 1.
unsigned usableProcessors();

/// Returns the time of a clock that never goes backwards. The times of two
/// systems must not be compared.
std::chrono::steady_clock::time_point now();

/// A std::condition_variable that a simulated system can replace
/// (docs/internals/Design.md, "A simulated system"). Waits may end spuriously.
class Condition {
public:
  /// Blocks, with \p Lock unlocked meanwhile.
  void wait(std::unique_lock<std::mutex> &Lock);
  /// Like `wait`, until \p Time at the latest. Returns false if it has come.
  bool waitUntil(std::unique_lock<std::mutex> &Lock,
                 std::chrono::steady_clock::time_point Time);
  void notifyOne();
  void notifyAll();

private:
  std::condition_variable Changed;
};

/// A group of threads. Only one thread at a time may call its functions.
class Threads {
public:
  Threads() = default;
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;
  ~Threads() { join(); }

  /// Starts one more thread that runs \p Work. Signals stay with the threads
  /// that existed before, except those of the new thread's own faults. If \p
  /// Work throws std::bad_alloc, only this thread ends. Returns why the thread
  /// could not be started (no more threads allowed, no memory for its stack).
  std::error_code start(std::function<void()> Work);

  /// Blocks until every thread has ended, and has destroyed its thread-local
  /// objects.
  void join();

  /// Like `join`, for no longer than \p MaxWait. Returns false if some threads
  /// have not ended by then, or had not by an earlier call's time (in a system
  /// call of a file system that does not answer). These are left running;
  /// they must own everything that they use, and end when their call does.
  bool join(std::chrono::milliseconds MaxWait);

  size_t size() const { return Running.size(); }

  /// Whether the calling thread was started by an object of this class.
  static bool isOwn();

private:
  /// The number of threads that have not ended yet. Shared with the threads.
  struct Count;

  void leave();
  /// Starts a thread with the signal mask of the caller.
  std::error_code startAsIs(std::function<void()> Work);

  std::shared_ptr<Count> Alive;
  std::vector<std::thread> Running;
  bool HasLeft = false;
};

namespace detail {
bool hasMemoryFor(void (*Work)(void *), void *Argument);
/// Whether the calling thread is inside `Threads::start`.
bool isStartingOwn();
/// Calls the function that onThreadShortage has set, and returns its result.
bool endOwnThreads();
} // namespace detail

/// Throws std::bad_alloc, for the layers above, in which nothing throws.
[[noreturn]] void throwBadAlloc();

/// Whether std::bad_alloc is caught on the calling thread, because `Threads`
/// started it or it is inside hasMemoryFor.
bool survivesBadAlloc();

/// Runs \p Work, and returns whether there was memory for it: std::bad_alloc
/// ends \p Work, and nothing else.
template <class Function> bool hasMemoryFor(Function Work) {
  return detail::hasMemoryFor(
      [](void *This) { (*static_cast<Function *>(This))(); }, &Work);
}

/// Sets the function that is called if a thread outside of `Threads` cannot be
/// started because the system allows no more. \p EndThreads ends threads of
/// `Threads` and returns whether there were any; then the start is retried. It
/// is called only on Linux, in programs that are linked with
/// --wrap=pthread_create. Null unsets it. Thread-safe.
void onThreadShortage(std::shared_ptr<const std::function<bool()>> EndThreads);

/// Runs \p Work where no signal arrives, and waits for it: on a thread of its
/// own if the system has signals, else on the calling thread. (A Windows thread
/// that the process waits for in its exit handlers may itself wait for the lock
/// that these hold.)
void runWithoutSignals(const std::function<void()> &Work);

} // namespace headstart::os

#endif // HEADSTART_OS_THREADS_H
