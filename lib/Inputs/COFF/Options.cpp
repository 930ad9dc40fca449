//===- Options.cpp - The option table of lld-link -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Option/Option.h"
#include <algorithm>

using namespace llvm;
using namespace llvm::opt;

namespace headstart::coff {

#define HEADSTART_OPTIONS "headstart/Inputs/COFFOptions.inc"
#include "headstart/Inputs/OptionTable.inc"

const GenericOptionTable &optionTable() {
  static const OptionTable Table(/*IgnoreCase=*/true);
  return Table;
}

// No option's name begins with '?' or '-'. At most one of these prefixes
// therefore leaves a name that is in the table, and their order is irrelevant.
static constexpr StringLiteral KnownPrefixes[] = {"/??", "-??", "/?", "-?",
                                                  "--",  "/",   "-"};

namespace {
/// An index of the table by name. Every name is a flag's or ends in its only
/// ':' or '='. An argument can therefore match only as a whole, or up to its
/// first ':' or '='. The whole has precedence: OptTable tries long names first.
class NameIndex {
public:
  NameIndex();
  /// Returns the option whose name \p Text equals or begins with.
  MatchedArg match(StringRef Text) const;

private:
  struct Entry {
    unsigned ID = OPT_INVALID;
    unsigned Prefixes = 0; ///< a bit for each index in KnownPrefixes
  };
  const Entry *find(StringRef Name, unsigned PrefixBit) const;

  StringMap<Entry> Entries; ///< by lower-case name
  size_t MaxNameLength = 0;
};
} // namespace

NameIndex::NameIndex() {
  const GenericOptionTable &Table = optionTable();
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    unsigned Kind = Table.getOptionKind(ID);
    if (Kind != Option::FlagClass && Kind != Option::JoinedClass)
      continue;
    SmallVector<StringRef, 5> Prefixes;
    Table.appendOptionPrefixes(ID, Prefixes);
    StringRef Name = Table.getOptionName(ID);
    Entry &E = Entries[Name.lower()];
    E.ID = Table.getOption(ID).getUnaliasedOption().getID();
    for (StringRef Prefix : Prefixes)
      E.Prefixes |= 1U << (llvm::find(KnownPrefixes, Prefix) - KnownPrefixes);
    MaxNameLength = std::max(MaxNameLength, Name.size());
  }
}

const NameIndex::Entry *NameIndex::find(StringRef Name,
                                        unsigned PrefixBit) const {
  if (Name.size() > MaxNameLength)
    return nullptr;
  SmallString<64> Key;
  for (char C : Name)
    Key.push_back(toLower(C));
  auto It = Entries.find(Key);
  return It != Entries.end() && (It->second.Prefixes & PrefixBit) ? &It->second
                                                                  : nullptr;
}

MatchedArg NameIndex::match(StringRef Text) const {
  for (const auto &[Place, Prefix] : enumerate(KnownPrefixes)) {
    if (!Text.starts_with(Prefix))
      continue;
    StringRef Name = Text.drop_front(Prefix.size());
    size_t End = Name.find_first_of(":=/");
    // No name contains a '/'. Nearly every absolute path is rejected here.
    if (End != StringRef::npos && Name[End] == '/')
      continue;
    unsigned Bit = 1U << Place;
    if (const Entry *E = find(Name, Bit))
      return {E->ID, Text, StringRef()};
    if (End == StringRef::npos)
      continue;
    if (const Entry *E = find(Name.take_front(End + 1), Bit)) {
      size_t Length = Prefix.size() + End + 1;
      return {E->ID, Text.take_front(Length), Text.drop_front(Length)};
    }
  }
  return {};
}

MatchedArg matchArg(StringRef Arg) {
  // lld handles arguments as C strings.
  Arg = Arg.take_until([](char C) { return C == '\0'; });
  bool Slash = Arg.starts_with("/");
  if (!Slash && (!Arg.starts_with("-") || Arg == "-"))
    return {OPT_INPUT, StringRef(), Arg};
  static const NameIndex Index;
  if (MatchedArg Match = Index.match(Arg); Match.ID != OPT_INVALID)
    return Match;
  // `/home/x.obj` is not an unknown option: OptTable treats every argument that
  // begins with a slash and matches no option as an input.
  if (Slash)
    return {OPT_INPUT, StringRef(), Arg};
  return {OPT_UNKNOWN, Arg, StringRef()};
}

std::optional<PrefetchOption> prefetchOption(const MatchedArg &Match,
                                             StringRef Arg) {
  const GenericOptionTable &Table = optionTable();
  if (Table.getOptionGroupID(Match.ID) != OPT_grp_headstart)
    return std::nullopt;
  std::optional<StringRef> Value;
  if (Table.getOptionKind(Match.ID) == Option::JoinedClass)
    Value = Match.Value;
  return makePrefetchOption(Table.getOptionName(Match.ID), Value, Arg.str());
}

bool isLibMode(StringRef Arg) {
  return Arg.equals_insensitive("/lib") || Arg.equals_insensitive("-lib");
}

std::vector<PlacedOption> findPrefetchOptions(ArrayRef<const char *> Args) {
  std::vector<PlacedOption> Found;
  // The arguments after `/lib` belong to lib.exe, so they stay as they are.
  if (!Args.empty() && isLibMode(Args.front()))
    return Found;
  for (const auto &[Index, Arg] : enumerate(Args))
    if (auto Option = prefetchOption(matchArg(Arg), Arg))
      Found.push_back({Index, std::move(*Option)});
  return Found;
}

} // namespace headstart::coff
