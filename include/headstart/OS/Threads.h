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

#include <cstdint>
#include <functional>
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

/// How many processors this process may use, at least 1.
unsigned usableProcessors();

/// A set of threads that are joined together. Not to be used by two threads at
/// once.
class Threads {
public:
  Threads() = default;
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;
  /// Joins.
  ~Threads() { join(); }

  /// Starts one more thread that runs \p Work, which must not throw; signals
  /// stay with the threads that were there before, but for those of its own
  /// faults. Returns why it could not
  /// be started (no more threads allowed, no memory for its stack).
  std::error_code start(std::function<void()> Work);

  /// Waits until every thread has ended. Blocks.
  void join();

  size_t size() const { return Running.size(); }

private:
  std::vector<std::thread> Running;
};

} // namespace headstart::os

#endif // HEADSTART_OS_THREADS_H
