//===- PatternList.cpp - The patterns of one ignore file ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PatternList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/xxhash.h"
#include <cassert>

namespace headstart::detail {

static llvm::CachedHashStringRef hashed(llvm::StringRef Text) {
  return {Text, static_cast<uint32_t>(llvm::xxh3_64bits(Text))};
}

static llvm::StringRef extensionOf(llvm::StringRef Name) {
  size_t Dot = Name.rfind('.');
  return Dot == llvm::StringRef::npos ? llvm::StringRef() : Name.substr(Dot);
}

IgnoreQuery::IgnoreQuery(llvm::StringRef Above, llvm::StringRef Directory,
                         llvm::StringRef Name, bool IsDirectory)
    : Name(hashed(Name)), Extension(hashed(extensionOf(Name))),
      IsDirectory(IsDirectory), Above(Above), Directory(Directory) {}

bool IgnoreQuery::directoryIs(size_t Offset, llvm::StringRef Text) const {
  // Most ignore files are inside the walked tree.
  if (Offset > Above.size()) {
    size_t Skipped = Offset - Above.size() - 1;
    return Text == (Skipped < Directory.size() ? Directory.substr(Skipped)
                                               : llvm::StringRef());
  }
  if (!Text.consume_front(Above.substr(Offset)))
    return false;
  return Directory.empty() ? Text.empty()
                           : Text.consume_front("/") && Text == Directory;
}

char IgnoreQuery::firstByte(size_t Offset) const {
  if (Offset < Above.size())
    return Above[Offset];
  size_t Skipped = Offset - std::min(Offset, Above.size() + 1);
  return Skipped < Directory.size() ? Directory[Skipped] : Name.val().front();
}

llvm::StringRef IgnoreQuery::pathFrom(size_t Offset) {
  if (Path.empty()) {
    Path.append(
        {Above, "/", Directory, Directory.empty() ? "" : "/", Name.val()});
  }
  return Path.str().drop_front(Offset);
}

std::unique_ptr<const PatternList> PatternList::parse(llvm::StringRef Text,
                                                      std::string &Problem) {
  Text.consume_front("\xef\xbb\xbf");
  std::unique_ptr<PatternList> List(new PatternList);
  List->Text.reserve(Text.size());
  for (llvm::StringRef Line : llvm::split(Text, '\n')) {
    IgnoreLine Parsed;
    if (!parseIgnoreLine(Line, Parsed))
      continue;
    List->add(Parsed);
    if (List->Patterns.size() > MaxPatterns) {
      Problem =
          "the file has more than " + std::to_string(MaxPatterns) + " patterns";
      return nullptr;
    }
  }
  if (List->Patterns.empty())
    return nullptr;
  // A list lives while the walk is below its directory, so free unused memory.
  List->Patterns.shrink_to_fit();
  List->Others.shrink_to_fit();
  List->Globs.Steps.shrink_to_fit();
  List->Globs.Classes.shrink_to_fit();
  return List;
}

static bool areBytes(llvm::ArrayRef<GlobStep> Steps) {
  return llvm::all_of(Steps,
                      [](const GlobStep &S) { return S.Op == GlobOp::Byte; });
}

/// The byte that \p Step matches, or -1 for any.
static int16_t byteOf(const GlobStep &Step) {
  return Step.Op == GlobOp::Byte ? static_cast<int16_t>(Step.Operand) : -1;
}

/// Whether \p Byte of a pattern, which may be any, matches \p Of.
static bool mayBe(int16_t Byte, char Of) {
  return Byte < 0 || Byte == static_cast<unsigned char>(Of);
}

llvm::StringRef PatternList::keep(llvm::ArrayRef<GlobStep> Bytes) {
  // A pattern's directory and name are parts of its line, so Text has room.
  assert(Text.capacity() - Text.size() >= Bytes.size());
  size_t Begin = Text.size();
  for (const GlobStep &Step : Bytes)
    Text.push_back(static_cast<char>(Step.Operand));
  return llvm::StringRef(Text).substr(Begin);
}

/// The index of the first step for an entry's name, after the last slash.
/// Nothing if a step before it may also match a part of the name.
static std::optional<size_t> nameBegin(llvm::ArrayRef<GlobStep> Steps) {
  size_t Begin = 0;
  for (size_t I = 0; I < Steps.size(); ++I) {
    if (Steps[I].Op == GlobOp::Deep && I + 1 == Steps.size())
      return std::nullopt;
    // `**/` after another byte may match nothing: `a**/b` matches "ab".
    bool OfOwn = I == 0 || Steps[I - 1].isByte('/');
    if (Steps[I].isByte('/') || (Steps[I].Op == GlobOp::Directories && OfOwn))
      Begin = I + 1;
    else if (Steps[I].Op == GlobOp::Directories)
      return std::nullopt;
  }
  return Begin;
}

PatternList::NameRule PatternList::nameRule(llvm::ArrayRef<GlobStep> Name) {
  if (areBytes(Name))
    return NameRule::None;
  if (Name.front().Op == GlobOp::Star && areBytes(Name.drop_front()))
    return NameRule::Suffix;
  if (Name.back().Op == GlobOp::Star && areBytes(Name.drop_back()))
    return NameRule::Prefix;
  return NameRule::Pattern;
}

void PatternList::add(const IgnoreLine &Line) {
  Pattern P;
  P.Negated = Line.Negated;
  P.DirectoriesOnly = Line.DirectoriesOnly;
  const size_t OldSteps = Globs.Steps.size();
  const size_t OldClasses = Globs.Classes.size();
  auto DropSteps = [&] {
    Globs.Steps.resize(OldSteps);
    Globs.Classes.resize(OldClasses);
  };
  const bool CanMatch = compileGlob(Line.Body, Line.IsPath, Globs);
  llvm::ArrayRef<GlobStep> Steps =
      llvm::ArrayRef(Globs.Steps).drop_front(OldSteps);
  // The matched paths do not begin with a slash.
  if (!CanMatch || Steps.empty() || Steps.front().isByte('/'))
    return DropSteps();

  P.GlobBegin = static_cast<uint32_t>(OldSteps);
  P.GlobEnd = static_cast<uint32_t>(Globs.Steps.size());
  const std::optional<size_t> Split = nameBegin(Steps);
  llvm::ArrayRef<GlobStep> Directory = Steps.take_front(Split.value_or(0));
  llvm::ArrayRef<GlobStep> Name = Steps.drop_front(Directory.size());
  bool IsAnywhere =
      Directory.size() == 1 && Directory[0].Op == GlobOp::Directories;
  if (!Split || (Line.IsPath && !IsAnywhere))
    P.OfDirectory = Split && areBytes(Directory) ? DirectoryRule::Exact
                                                 : DirectoryRule::Pattern;
  if (P.OfDirectory == DirectoryRule::Exact && !Directory.empty())
    P.DirectoryText = keep(Directory.drop_back());
  // A pattern for the whole path also matches the name.
  if (P.OfDirectory != DirectoryRule::Pattern) {
    P.OfName = nameRule(Name);
    P.GlobBegin += static_cast<uint32_t>(Directory.size());
  }

  // The bytes with which the name has to end.
  size_t Bytes = 0;
  while (Bytes < Name.size() && Name.drop_back(Bytes).back().Op == GlobOp::Byte)
    ++Bytes;
  llvm::ArrayRef<GlobStep> Ending = Name.take_back(Bytes);
  P.NameText = keep(P.OfName == NameRule::Prefix ? Name.drop_back() : Ending);

  const auto Index = static_cast<uint32_t>(Patterns.size());
  llvm::StringRef Key;
  if (Split && P.OfName != NameRule::Prefix)
    Key = extensionOf(P.NameText);
  if (Split && Ending.size() == Name.size())
    addKeyed(ByName, P.NameText, Index, P);
  else if (!Key.empty())
    addKeyed(ByExtension, Key, Index, P);
  else
    Others.push_back({Index, Split ? byteOf(Name.front()) : int16_t(-1),
                      byteOf(Name.back())});
  Patterns.push_back(P);

  // `matches` uses the steps only for these rules.
  if (P.OfDirectory != DirectoryRule::Pattern && P.OfName != NameRule::Pattern)
    DropSteps();
}

void PatternList::addKeyed(KeyTable &Table, llvm::StringRef Key, uint32_t Index,
                           Pattern &P) {
  auto [Slot, IsNew] = Table.try_emplace(hashed(Key), Index);
  if (IsNew)
    return;
  P.NextOfKey = Slot->second;
  Slot->second = Index;
}

bool PatternList::matches(const Pattern &P, IgnoreQuery &Query,
                          size_t Offset) const {
  if (P.DirectoriesOnly && !Query.IsDirectory)
    return false;
  auto Steps = [&] {
    return llvm::ArrayRef(Globs.Steps)
        .slice(P.GlobBegin, P.GlobEnd - P.GlobBegin);
  };
  switch (P.OfDirectory) {
  case DirectoryRule::Any:
    break;
  case DirectoryRule::Exact:
    if (!Query.directoryIs(Offset, P.DirectoryText))
      return false;
    break;
  case DirectoryRule::Pattern:
    // Joining the path takes longer than most comparisons.
    if (!mayBe(byteOf(Steps().front()), Query.firstByte(Offset)))
      return false;
    return matchGlob(Steps(), Globs.Classes, Query.pathFrom(Offset));
  }
  llvm::StringRef Name = Query.Name.val();
  switch (P.OfName) {
  case NameRule::None:
    return true;
  case NameRule::Prefix:
    return Name.starts_with(P.NameText);
  case NameRule::Suffix:
    return Name.ends_with(P.NameText);
  case NameRule::Pattern:
    return matchGlob(Steps(), Globs.Classes, Name);
  }
  llvm_unreachable("all rules are above");
}

int64_t PatternList::lastOfKey(const KeyTable &Table,
                               llvm::CachedHashStringRef Key, int64_t Best,
                               IgnoreQuery &Query, size_t Offset) const {
  auto Slot = Table.find(Key);
  if (Slot == Table.end())
    return Best;
  for (uint32_t I = Slot->second; I != NoPattern && I > Best;
       I = Patterns[I].NextOfKey)
    if (matches(Patterns[I], Query, Offset))
      return I;
  return Best;
}

IgnoreVerdict PatternList::match(IgnoreQuery &Query, size_t Offset) const {
  int64_t Best = -1;
  if (!ByName.empty())
    Best = lastOfKey(ByName, Query.Name, Best, Query, Offset);
  if (!ByExtension.empty() && Query.Extension.size() != 0)
    Best = lastOfKey(ByExtension, Query.Extension, Best, Query, Offset);
  const llvm::StringRef Name = Query.Name.val();
  for (const Unkeyed &U : llvm::reverse(Others)) {
    if (U.Index < Best)
      break;
    if (!mayBe(U.Last, Name.back()) || !mayBe(U.First, Name.front()))
      continue;
    if (matches(Patterns[U.Index], Query, Offset)) {
      Best = U.Index;
      break;
    }
  }
  if (Best < 0)
    return IgnoreVerdict::None;
  return Patterns[Best].Negated ? IgnoreVerdict::Include
                                : IgnoreVerdict::Ignore;
}

} // namespace headstart::detail
