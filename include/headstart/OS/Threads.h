//===- Threads.h - Threads that may fail to start ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Threads whose start is reported, not thrown: a machine out of threads costs
/// speed, never the link. The standard library only, no LLVM.
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
#include <system_error>
#include <thread>
#include <vector>

namespace headstart::os {

/// How often the calling thread has given up its processor to wait for
/// something (a disk, a lock); nothing where the system does not tell. Grows
/// from call to call; costs a system call.
std::optional<uint64_t> countWaits();

/// What was read from disks, as the system counts it.
struct DiskUse {
  uint64_t Bytes = 0; ///< 0 also of file systems that are not counted
  /// How often a thread had to stop for a page that was not in memory, of a
  /// file or of the program itself (major faults).
  uint64_t Stops = 0;

  DiskUse &operator+=(const DiskUse &Other) {
    Bytes += Other.Bytes;
    Stops += Other.Stops;
    return *this;
  }
  /// What was added since \p Before.
  DiskUse operator-(const DiskUse &Before) const {
    auto Less = [](uint64_t A, uint64_t B) { return A > B ? A - B : 0; };
    return {Less(Bytes, Before.Bytes), Less(Stops, Before.Stops)};
  }
};

/// Whose use of the disks.
enum class DiskUser : uint8_t {
  Thread,  ///< the calling one
  Process, ///< all threads, ended ones too
};

/// What \p User has read until now; nothing where the system does not tell.
/// Costs a system call. Any thread.
std::optional<DiskUse> diskUse(DiskUser User);

/// The processor time that the calling thread has taken; nothing where the
/// system does not tell. Costs a system call.
std::optional<std::chrono::nanoseconds> processorTime();

/// How long the calling thread could have run, but waited for a processor,
/// since it began; nothing where the system does not tell (Linux does, in
/// /proc/thread-self/schedstat). Costs some system calls.
std::optional<std::chrono::nanoseconds> processorWait();

/// How many processors this process may use, at least 1.
unsigned usableProcessors();

/// A clock that only goes forward; no two systems' are to be compared.
std::chrono::steady_clock::time_point now();

/// std::condition_variable, in a form that a simulated system can put in the
/// place of the real one (docs/internals/Design.md, "A simulated system"). May
/// wake for nothing.
class Condition {
public:
  /// Blocks; \p Lock is free meanwhile.
  void wait(std::unique_lock<std::mutex> &Lock);
  /// The same, until \p Time at the latest: false when that has come.
  bool waitUntil(std::unique_lock<std::mutex> &Lock,
                 std::chrono::steady_clock::time_point Time);
  void notifyOne();
  void notifyAll();

private:
  std::condition_variable Changed;
};

/// Some threads that belong together. One thread at a time may call its
/// functions.
class Threads {
public:
  Threads() = default;
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;
  /// Joins.
  ~Threads() { join(); }

  /// Starts one more thread that runs \p Work; signals stay with the threads
  /// that were there before, except those of its own faults. Work may throw
  /// std::bad_alloc, which ends this thread and nothing else. Returns why it
  /// could not be started (no more threads allowed, no memory for its stack).
  std::error_code start(std::function<void()> Work);

  /// Waits until every thread has ended. Blocks.
  void join();

  /// The same, for no longer than \p MaxWait. False when some have not
  /// ended by then, or by an earlier call's time (a system call of a file
  /// system that does not answer): they are detached, must own all that they
  /// use, and end when their call does.
  bool join(std::chrono::milliseconds MaxWait);

  size_t size() const { return Running.size(); }

  /// Whether the calling thread was started by an object of this class.
  static bool isOwn();

private:
  /// How many threads have not ended yet. Shared with the threads.
  struct Count;

  /// With the signals of the caller.
  std::error_code startAsIs(std::function<void()> Work);

  std::shared_ptr<Count> Alive;
  std::vector<std::thread> Running;
  bool HasDetached = false;
};

namespace detail {
bool hasMemoryFor(void (*Work)(void *), void *Argument);
/// Whether the calling thread is starting one of ours.
bool isStartingOwn();
/// Calls what onThreadShortage has set, and returns what it says.
bool endOwnThreads();
} // namespace detail

/// For layers that throw nothing themselves.
[[noreturn]] void throwBadAlloc();

/// Whether the calling thread catches that: it is one of ours,
/// or inside of hasMemoryFor.
bool survivesBadAlloc();

/// Does \p Work, and says whether there was memory for it: std::bad_alloc ends
/// it, and nothing else.
template <class Function> bool hasMemoryFor(Function Work) {
  return detail::hasMemoryFor(
      [](void *This) { (*static_cast<Function *>(This))(); }, &Work);
}

/// Sets what is called when another thread than ours cannot be started since
/// the system allows no more: \p EndThreads ends threads of ours, and says
/// whether there were any; then it is tried again. On Linux, in programs that
/// are linked with --wrap=pthread_create; elsewhere it is not called. Null:
/// nothing more is called. Any thread.
void onThreadShortage(std::shared_ptr<const std::function<bool()>> EndThreads);

/// Does \p Work where no signal comes, and waits for it: on a thread where
/// there are signals, elsewhere on this one (a thread of Windows that is waited
/// for while the process runs its exit handlers may wait for the lock that
/// these hold).
void runWithoutSignals(const std::function<void()> &Work);

} // namespace headstart::os

#endif // HEADSTART_OS_THREADS_H
