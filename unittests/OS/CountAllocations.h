//===- CountAllocations.h - Counts allocations of a test program *- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replaces the operators of the whole program: include it in one source only.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_COUNTALLOCATIONS_H
#define HEADSTART_UNITTESTS_OS_COUNTALLOCATIONS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace headstart::os::test {

/// The number of allocations by all threads so far.
inline std::atomic<uint64_t> Allocations = 0;

// The sanitizers bring their own operators.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool CountsAllocations = false;
#else
inline constexpr bool CountsAllocations = true;

inline void *countedAllocation(size_t Bytes) {
  Allocations.fetch_add(1, std::memory_order_relaxed);
  // A constructor in a test must not get a null pointer.
  if (void *Block = std::malloc(Bytes != 0 ? Bytes : 1))
    return Block;
  std::abort();
}
#endif

} // namespace headstart::os::test

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// NOLINTBEGIN(misc-definitions-in-headers)
void *operator new(size_t Bytes) {
  return headstart::os::test::countedAllocation(Bytes);
}
void *operator new[](size_t Bytes) {
  return headstart::os::test::countedAllocation(Bytes);
}
void operator delete(void *Block) noexcept { std::free(Block); }
void operator delete[](void *Block) noexcept { std::free(Block); }
void operator delete(void *Block, size_t) noexcept { std::free(Block); }
void operator delete[](void *Block, size_t) noexcept { std::free(Block); }
// NOLINTEND(misc-definitions-in-headers)
#endif

#endif // HEADSTART_UNITTESTS_OS_COUNTALLOCATIONS_H
