//===- ComdatTable.cpp - Which copy of a COMDAT is linked -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ComdatTable.h"

using namespace llvm;

namespace headstart {

bool ComdatTable::isFirst(uint64_t Name, uint32_t Order) {
  Shard &Mine = Shards[Name % NumShards];
  std::lock_guard<std::mutex> Lock(Mine.Mutex);
  auto It = Mine.First.find(Name);
  if (It == Mine.First.end()) {
    if (Mine.First.size() < MaxNamesPerShard)
      Mine.First.try_emplace(Name, Order);
    return true;
  }
  It->second = std::min(It->second, Order);
  return It->second == Order;
}

BitVector ComdatTable::enter(ArrayRef<SectionRule> Rules, uint32_t Order) {
  BitVector Dropped(Rules.size());
  for (size_t I = 0; I != Rules.size(); ++I)
    if (Rules[I].Kind == SectionRule::Leader && !isFirst(Rules[I].Name, Order))
      Dropped.set(I);
  // A follower may follow another follower, so each round drops one step more.
  // The rounds are limited, because followers may form a ring, which is kept.
  for (unsigned Round = 0; Round != 4; ++Round)
    for (size_t I = 0; I != Rules.size(); ++I)
      if (Rules[I].Kind == SectionRule::Follower &&
          Dropped[Rules[I].Parent - 1])
        Dropped.set(I);
  return Dropped;
}

void dropSections(MutableArrayRef<LayoutPart> Parts, const BitVector &Dropped) {
  for (LayoutPart &Part : Parts)
    if (Part.Section != 0 && Part.Section <= Dropped.size() &&
        Dropped[Part.Section - 1])
      Part.Kind = PartKind::NeverRead;
}

} // namespace headstart
