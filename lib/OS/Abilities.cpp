//===- Abilities.cpp - Which calls of the system work ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Abilities.h"

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

static bool tellsTouched(const PageTables::Abilities &Way,
                         std::span<const char> Memory) {
  return !Memory.empty() && PageTables(Way).present(Memory).has_value();
}

std::vector<Ability> os::tryAbilities() {
  const PageCache Cache;
  const PageCacheAbilities &Found = Cache.abilities();
  OpenFile Program;
  MappedFile Mapping;
  if (!OpenFile::open(programPath(), Program))
    (void)MappedFile::map(Program, Mapping);
  const std::span<const char> Page =
      Mapping.bytes().first(std::min(Mapping.size(), Found.PageSize));
  const auto Does = [&](AbilityKind Kind) {
    switch (Kind) {
    case AbilityKind::Hint:
      return Found.Hint;
    case AbilityKind::LargePages:
      return Cache.fetchInLargePages(Program, {0, 1}).Outcome ==
             HintOutcome::Accepted;
    case AbilityKind::Cachestat:
      return Found.Cachestat;
    case AbilityKind::Mincore:
      return Found.Mincore;
    case AbilityKind::Evict:
      return Found.Evict;
    case AbilityKind::Cold:
      return !Page.empty() && !Cache.notNeededSoon(Page);
    case AbilityKind::Scan:
      return tellsTouched({.Scan = true, .Pagemap = false}, Page);
    case AbilityKind::Pagemap:
      return tellsTouched({.Scan = false, .Pagemap = true}, Page);
    case AbilityKind::Waits:
      return countWaits().has_value();
    case AbilityKind::Threads:
      return canStartThreads();
    }
    return false;
  };
  std::vector<Ability> All;
  for (unsigned I = 0; I <= static_cast<unsigned>(AbilityKind::Threads); ++I) {
    const auto Kind = static_cast<AbilityKind>(I);
    const detail::CallName Name = detail::nameOf(Kind);
    All.push_back({Kind, Does(Kind), Name.Call, Name.Since, Name.Needs});
  }
  return All;
}
