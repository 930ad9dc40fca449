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
  const auto Does = [&](CapabilityKind Kind) {
    switch (Kind) {
    case CapabilityKind::Hint:
      return Found.Hint;
    case CapabilityKind::LargePages:
      return Cache.fetchInLargePages(Program, {0, 1}).Outcome ==
             HintOutcome::Accepted;
    case CapabilityKind::Cachestat:
      return Found.Cachestat;
    case CapabilityKind::Mincore:
      return Found.Mincore;
    case CapabilityKind::Evict:
      return Found.Evict;
    case CapabilityKind::Cold:
      return !Page.empty() && !Cache.adviseCold(Page);
    case CapabilityKind::Scan:
      return reportsTouched({.Scan = true, .Pagemap = false}, Page);
    case CapabilityKind::Pagemap:
      return reportsTouched({.Scan = false, .Pagemap = true}, Page);
    case CapabilityKind::Waits:
      return countWaits().has_value();
    case CapabilityKind::Threads:
      return canStartThreads();
    }
    return false;
  };
  std::vector<Capability> All;
  for (unsigned I = 0; I <= static_cast<unsigned>(CapabilityKind::Threads);
       ++I) {
    const auto Kind = static_cast<CapabilityKind>(I);
    Capability &One = All.emplace_back();
    One.Kind = Kind;
    One.Works = Does(Kind);
    for (const CallName &Name : Names)
      if (Name.Kind == Kind) {
        One.Call = Name.Call;
        One.Since = Name.Since;
        One.Needs = Name.Needs;
      }
  }
  return All;
}
