//===- TextFuzzer.cpp - Any text as a pseudo file -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input up to the first zero is /proc/self/cgroup, then
// /proc/self/mountinfo, and after the second zero every other cgroup file.
//
//===----------------------------------------------------------------------===//

#include "../../lib/OS/Linux/Cgroup.h"
#include "MemoryFile.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

using namespace headstart;

static constexpr fuzz::CostLimits Limits = {
    .Read = {600, 4096},
    .Allocated = {1024, 4 << 20},
    .Steps = {1024, 200000},
};

static int fileAt(llvm::StringRef Path) {
  if (Path == "/fuzz/proc/self/cgroup")
    return 0;
  if (Path == "/fuzz/proc/self/mountinfo")
    return 1;
  return Path.starts_with("/fuzz/") ? 2 : -1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  llvm::StringRef Behind;
  std::tie(fuzz::Files[0], Behind) = Text.split('\0');
  std::tie(fuzz::Files[1], fuzz::Files[2]) = Behind.split('\0');
  fuzz::FileAt = fileAt;
  fuzz::Cost Cost(Size, Limits);
  (void)os::detail::readCgroupMemory("/fuzz");
  return 0;
}
