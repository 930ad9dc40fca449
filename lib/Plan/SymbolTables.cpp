//===- SymbolTables.cpp - Sections and members that are linked ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/SymbolTables.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

bool ComdatTable::isFirst(uint64_t Name, uint32_t Order) {
  auto It = First.find(Name);
  if (It == First.end()) {
    if (First.size() < MaxNames)
      First.try_emplace(Name, Order);
    return true;
  }
  It->second = std::min(It->second, Order);
  return It->second == Order;
}

BitVector ComdatTable::enter(ArrayRef<SectionRule> Rules, uint32_t Order) {
  BitVector Dropped(Rules.size());
  std::unique_lock Lock(Mutex);
  for (size_t I = 0; I != Rules.size(); ++I)
    if (Rules[I].Kind == SectionRule::Leader && !isFirst(Rules[I].Name, Order))
      Dropped.set(I);
  Lock.unlock();
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

/// Returns the entry of \p Hash, which is created if missing; null if the table
/// is full.
ExtractionTable::Name *ExtractionTable::find(uint64_t Hash) {
  auto It = Names.find(Hash);
  if (It != Names.end())
    return &It->second;
  if (Names.size() >= MaxNames) {
    Overflowed = true;
    return nullptr;
  }
  return &Names.try_emplace(Hash).first->second;
}

void ExtractionTable::take(uint32_t Number) {
  Lazy &L = Lazies[Number - 1];
  if (!std::exchange(L.IsTaken, true))
    Taken.push_back(Number);
}

/// Links an input with \p Uses. Takes lazy inputs that define what it lacks.
void ExtractionTable::link(ArrayRef<SymbolUse> Uses) {
  for (const SymbolUse &Use : Uses) {
    Name *N = find(Use.Name);
    if (!N || N->IsDefined)
      continue;
    if (Use.Defines)
      N->IsDefined = true;
    else if (N->Provider)
      take(N->Provider);
    else
      N->IsWanted = true;
  }
}

/// Links the taken inputs, and those that they take, until none is left.
void ExtractionTable::settle() {
  while (!Taken.empty()) {
    uint32_t Number = Taken.back();
    Taken.pop_back();
    std::vector<SymbolUse> Uses = std::move(Lazies[Number - 1].Uses);
    link(Uses);
  }
}

void ExtractionTable::addLinked(ArrayRef<SymbolUse> Uses) {
  std::lock_guard<std::mutex> Lock(Mutex);
  link(Uses);
  settle();
}

uint32_t ExtractionTable::addLazy(std::vector<SymbolUse> Uses) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto Number = static_cast<uint32_t>(Lazies.size() + 1);
  Lazies.emplace_back();
  for (const SymbolUse &Use : Uses) {
    if (!Use.Defines)
      continue;
    Name *N = find(Use.Name);
    if (!N || N->IsDefined)
      continue;
    if (N->IsWanted)
      take(Number);
    else if (!N->Provider)
      N->Provider = Number;
  }
  Lazies.back().Uses = std::move(Uses);
  settle();
  return Number;
}

bool ExtractionTable::isLinked(uint32_t Number) const {
  if (Number == 0)
    return true;
  std::lock_guard<std::mutex> Lock(Mutex);
  return Overflowed || Lazies[Number - 1].IsTaken;
}

} // namespace headstart
