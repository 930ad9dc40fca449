//===- ComdatTable.cpp - Which copy of a COMDAT is linked -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ComdatTable.h"
#include "LayoutParts.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace llvm;

namespace headstart {

namespace {

/// Walks a symbol table of either form (18 or 20 bytes a symbol).
template <typename Symbol> class SymbolWalk {
public:
  SymbolWalk(const ObjectLayout &Layout, ArrayRef<char> Bytes)
      : Layout(Layout), Bytes(Bytes),
        Names(Bytes.drop_front(std::min<uint64_t>(
            Bytes.size(), uint64_t(Layout.NumSymbols) * sizeof(Symbol)))),
        Rules(Layout.Comdats.size()), Seen(Layout.Comdats.size()) {}

  std::vector<SectionRule> run() {
    uint64_t Count =
        std::min<uint64_t>(Layout.NumSymbols, Bytes.size() / sizeof(Symbol));
    for (uint64_t I = 0; I < Count;) {
      const Symbol &S = symbol(I);
      // Absolute, undefined and debug symbols have numbers below 1.
      int64_t Number = static_cast<int32_t>(S.SectionNumber);
      if constexpr (sizeof(S.SectionNumber) == 2)
        Number = static_cast<int16_t>(S.SectionNumber);
      if (Number > 0 && static_cast<uint64_t>(Number) <= Rules.size() &&
          Layout.Comdats[static_cast<unsigned>(Number) - 1])
        visit(S, I, static_cast<uint32_t>(Number) - 1, Count);
      I += 1 + uint64_t(S.NumberOfAuxSymbols);
    }
    return std::move(Rules);
  }

private:
  /// Of a COMDAT section the first symbol defines it, the next leads it.
  enum Progress : uint8_t { Nothing, Defined, Led };

  const Symbol &symbol(uint64_t I) const {
    static_assert(alignof(Symbol) == 1, "the file promises no alignment");
    return *reinterpret_cast<const Symbol *>(Bytes.data() + I * sizeof(Symbol));
  }

  void visit(const Symbol &S, uint64_t I, uint32_t Section, uint64_t Count) {
    if (Seen[Section] == Defined) {
      Seen[Section] = Led;
      if (S.StorageClass == COFF::IMAGE_SYM_CLASS_EXTERNAL)
        Rules[Section] = {SectionRule::Leader, 0, hashOfName(S)};
      return;
    }
    bool Defines = S.StorageClass == COFF::IMAGE_SYM_CLASS_STATIC &&
                   S.NumberOfAuxSymbols != 0 && S.Value == 0 && I + 1 < Count;
    if (Seen[Section] != Nothing || !Defines)
      return;
    const auto &Definition =
        *reinterpret_cast<const object::coff_aux_section_definition *>(
            &symbol(I + 1));
    if (Definition.Selection != COFF::IMAGE_COMDAT_SELECT_ASSOCIATIVE) {
      Seen[Section] = Defined;
      return;
    }
    Seen[Section] = Led;
    auto Parent = static_cast<uint32_t>(
        Definition.getNumber(sizeof(Symbol) == sizeof(object::coff_symbol32)));
    if (Parent != 0 && Parent <= Rules.size())
      Rules[Section] = {SectionRule::Follower, Parent, 0};
  }

  /// Short names stand in the symbol, long ones in the string table behind the
  /// symbols. One that is not there is nobody's: it hashes with its offset.
  uint64_t hashOfName(const Symbol &S) {
    if (S.Name.Offset.Zeroes != 0)
      return xxh3_64bits(
          StringRef(S.Name.ShortName, strnlen(S.Name.ShortName, 8)));
    if (std::optional<StringRef> Name = Names.at(S.Name.Offset.Offset))
      return xxh3_64bits(*Name);
    return xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t *>(&S), sizeof(S.Name)));
  }

  const ObjectLayout &Layout;
  ArrayRef<char> Bytes;
  NameTable Names;
  std::vector<SectionRule> Rules;
  std::vector<uint8_t> Seen;
};

} // namespace

std::vector<SectionRule> readCOFFComdats(const ObjectLayout &Layout,
                                         ArrayRef<char> Symbols) {
  if (Layout.BigObject)
    return SymbolWalk<object::coff_symbol32>(Layout, Symbols).run();
  return SymbolWalk<object::coff_symbol16>(Layout, Symbols).run();
}

bool ComdatTable::isFirst(uint64_t Name, uint32_t Order) {
  Shard &Mine = Shards[Name % NumShards];
  // DenseMap keeps the two highest keys for itself.
  Name &= ~(uint64_t(1) << 63);
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
  // A follower may follow a follower; one step a round, and no rounds without
  // end for a ring (which is kept).
  for (unsigned Round = 0; Round != 4; ++Round)
    for (size_t I = 0; I != Rules.size(); ++I)
      if (Rules[I].Kind == SectionRule::Follower &&
          Dropped[Rules[I].Parent - 1])
        Dropped.set(I);
  return Dropped;
}

void dropSections(ObjectLayout &Layout, const BitVector &Dropped) {
  for (LayoutPart &Part : Layout.Parts)
    if (Part.Section != 0 && Part.Section <= Dropped.size() &&
        Dropped[Part.Section - 1])
      Part.Kind = PartKind::NeverRead;
}

} // namespace headstart
