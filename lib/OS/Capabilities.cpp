//===- Capabilities.cpp - Which calls of the system work ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Capabilities.h"

#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/Threads.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

using namespace headstart;
using namespace headstart::os;

namespace {
/// The name of a call on this platform, and the first system that has it.
struct CallName {
  CapabilityKind Kind;
  const char *Call;
  const char *Since = "";
  const char *Needs = "";
};

/// The calls of this platform; none for one whose calls have no names here.
const std::initializer_list<CallName> Names = {
#if defined(__linux__)
    {CapabilityKind::Hint, "posix_fadvise(POSIX_FADV_WILLNEED)"},
    {CapabilityKind::LargePages, "madvise(MADV_POPULATE_READ)", "Linux 5.14"},
    {CapabilityKind::Cachestat, "cachestat", "Linux 6.5"},
    {CapabilityKind::Mincore, "mincore"},
    {CapabilityKind::Evict, "posix_fadvise(POSIX_FADV_DONTNEED)"},
    {CapabilityKind::Cold, "madvise(MADV_PAGEOUT)", "Linux 5.4"},
    {CapabilityKind::Scan, "ioctl(PAGEMAP_SCAN)", "Linux 6.7", "/proc"},
    {CapabilityKind::Pagemap, "/proc/self/pagemap", "", "/proc"},
    {CapabilityKind::Waits, "getrusage(RUSAGE_THREAD)"},
    {CapabilityKind::Threads, "pthread_create"},
#elif defined(_WIN32)
    {CapabilityKind::Hint, "PrefetchVirtualMemory", "Windows 8"},
    {CapabilityKind::Mincore, "QueryWorkingSetEx", "Windows 10"},
    {CapabilityKind::Evict, "ReOpenFile(FILE_FLAG_NO_BUFFERING)"},
    {CapabilityKind::Cold, "VirtualUnlock"},
    {CapabilityKind::Pagemap, "QueryWorkingSetEx"},
    {CapabilityKind::Threads, "CreateThread"},
#endif
};
} // namespace

static bool canStartThreads() {
  Threads Some;
  return !Some.start([] {});
}

static bool reportsTouched(const PageTables::Capabilities &Method,
                           std::span<const char> Memory) {
  return !Memory.empty() && PageTables(Method).present(Memory).has_value();
}

std::vector<Capability> os::probeCapabilities() {
  const PageCache Cache;
  const PageCacheCapabilities &Found = Cache.capabilities();
  OpenFile Program;
  MappedFile Mapping;
  if (!OpenFile::open(programPath(), Program))
    (void)MappedFile::map(Program, Mapping);
  const std::span<const char> Page =
      Mapping.bytes().first(std::min(Mapping.size(), Cache.pageSize()));
  // By CapabilityKind.
  const std::array Works = {
      Found.Hint,
      Cache.fetchInLargePages(Program, {0, 1}).Outcome == HintOutcome::Accepted,
      Found.Cachestat,
      Found.Mincore,
      Found.Evict,
      !Page.empty() && !Cache.adviseCold(Page),
      reportsTouched({.Scan = true, .Pagemap = false}, Page),
      reportsTouched({.Scan = false, .Pagemap = true}, Page),
      countWaits().has_value(),
      canStartThreads()};
  std::vector<Capability> All;
  for (size_t I = 0; I != Works.size(); ++I) {
    Capability &One = All.emplace_back();
    One.Kind = static_cast<CapabilityKind>(I);
    One.Works = Works[I];
    for (const CallName &Name : Names)
      if (Name.Kind == One.Kind) {
        One.Call = Name.Call;
        One.Since = Name.Since;
        One.Needs = Name.Needs;
      }
  }
  return All;
}
