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
#include <span>

using namespace headstart;
using namespace headstart::os;

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
      Mapping.bytes().first(std::min(Mapping.size(), Found.PageSize));
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
    const detail::CallName Name = detail::nameOf(Kind);
    All.push_back({Kind, Does(Kind), Name.Call, Name.Since, Name.Needs});
  }
  return All;
}
