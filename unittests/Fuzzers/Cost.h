//===- Cost.h - Limits of one execution -------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts what a parser reads, allocates and does, and aborts if a count
/// exceeds a multiple of the input's size. One source of a program includes it.
/// Counts, unlike times, are always the same for the same input.
///
/// A step is an edge of the program's control flow, 16 bytes that the C library
/// or LLVM's hash processes for it, or a hundredth of a system call.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FUZZERS_COST_H
#define HEADSTART_UNITTESTS_FUZZERS_COST_H

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sanitizer/allocator_interface.h>

#define HEADSTART_UNCOUNTED __attribute__((no_sanitize("all", "coverage")))

namespace headstart::fuzz {

/// The limit of a count: a number for each byte of the input, and a constant.
struct CostLimit {
  uint64_t PerByte;
  uint64_t Plus;
};

struct CostLimits {
  CostLimit Read, Allocated, Steps;
};

/// The counts since a Cost was made, on one thread.
struct Counts {
  bool On = false;
  uint64_t Read = 0;      ///< bytes
  uint64_t Allocated = 0; ///< bytes, also those that were freed
  uint64_t Steps = 0;
};
inline Counts Counted;

constexpr uint64_t StepsOfCall = 100;
inline void countBytes(size_t Bytes) { Counted.Steps += 1 + Bytes / 16; }

HEADSTART_UNCOUNTED inline void countMalloc(const volatile void *,
                                            size_t Bytes) {
  if (Counted.On)
    Counted.Allocated += Bytes;
}
HEADSTART_UNCOUNTED inline void countFree(const volatile void *) {}

/// Counts from its construction to its destruction, for \p Bytes of input.
class Cost {
public:
  Cost(size_t Bytes, const CostLimits &Limits) : Bytes(Bytes), Limits(Limits) {
    static const bool Installed =
        __sanitizer_install_malloc_and_free_hooks(countMalloc, countFree) &&
        std::atexit(report) == 0;
    if (!Installed)
      abort();
    Counted = Counts();
    Counted.On = true;
  }
  ~Cost() {
    Counted.On = false;
    check("bytes read", Counted.Read, Limits.Read, Highest.Read);
    check("bytes allocated", Counted.Allocated, Limits.Allocated,
          Highest.Allocated);
    check("steps", Counted.Steps, Limits.Steps, Highest.Steps);
  }
  Cost(const Cost &) = delete;
  Cost &operator=(const Cost &) = delete;

private:
  void check(const char *What, uint64_t Count, CostLimit Limit,
             uint64_t &HighestPercent) const {
    const uint64_t Most = Bytes * Limit.PerByte + Limit.Plus;
    HighestPercent =
        std::max(HighestPercent, Count * 100 / std::max<uint64_t>(Most, 1));
    if (Count <= Most)
      return;
    std::fprintf(stderr,
                 "cost: %llu %s for an input of %zu bytes; at most %llu\n",
                 static_cast<unsigned long long>(Count), What, Bytes,
                 static_cast<unsigned long long>(Most));
    abort();
  }
  static void report() {
    std::fprintf(stderr,
                 "cost: at most %llu%% of the bytes that may be read, %llu%% "
                 "of those allocated, %llu%% of the steps\n",
                 static_cast<unsigned long long>(Highest.Read),
                 static_cast<unsigned long long>(Highest.Allocated),
                 static_cast<unsigned long long>(Highest.Steps));
  }

  const size_t Bytes;
  const CostLimits &Limits;
  static inline Counts Highest; ///< percent of the limit
};

} // namespace headstart::fuzz

// The functions that --wrap replaces (CMakeLists.txt).
extern "C" {
HEADSTART_UNCOUNTED void __wrap___sanitizer_cov_trace_pc_guard(uint32_t *) {
  ++headstart::fuzz::Counted.Steps;
}
// libFuzzer's own report that they are not supported, and end the program.
HEADSTART_UNCOUNTED void
__wrap___sanitizer_cov_trace_pc_guard_init(uint32_t *, uint32_t *) {}
size_t __real_strnlen(const char *, size_t);
size_t __wrap_strnlen(const char *Text, size_t Most) {
  size_t Length = __real_strnlen(Text, Most);
  headstart::fuzz::countBytes(Length);
  return Length;
}
void *__real_memchr(const void *, int, size_t);
void *__wrap_memchr(const void *Bytes, int Byte, size_t Most) {
  void *Found = __real_memchr(Bytes, Byte, Most);
  headstart::fuzz::countBytes(Found ? static_cast<const char *>(Found) -
                                          static_cast<const char *>(Bytes)
                                    : Most);
  return Found;
}
uint64_t __real__ZN4llvm11xxh3_64bitsENS_8ArrayRefIhEE(llvm::ArrayRef<uint8_t>);
uint64_t
__wrap__ZN4llvm11xxh3_64bitsENS_8ArrayRefIhEE(llvm::ArrayRef<uint8_t> Bytes) {
  headstart::fuzz::countBytes(Bytes.size());
  return __real__ZN4llvm11xxh3_64bitsENS_8ArrayRefIhEE(Bytes);
}
}

#endif // HEADSTART_UNITTESTS_FUZZERS_COST_H
