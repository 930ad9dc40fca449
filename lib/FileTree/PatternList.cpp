//===- PatternList.cpp - The patterns of one file -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PatternList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace headstart::detail {

llvm::StringRef IgnoreQuery::pathFrom(size_t Offset) {
  if (Path.empty())
    Path.append({Above, "/", Directory, Directory.empty() ? "" : "/", Name});
  return Path.str().drop_front(Offset);
}

std::unique_ptr<const PatternList> PatternList::parse(llvm::StringRef Text,
                                                      std::string &Problem) {
  Text.consume_front("\xef\xbb\xbf");
  std::unique_ptr<PatternList> List(new PatternList);
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
  List->Globs.Steps.shrink_to_fit();
  List->Globs.Classes.shrink_to_fit();
  return List;
}

/// The byte that \p Step matches, or -1 for any.
static int16_t byteOf(const GlobStep &Step) {
  return Step.Op == GlobOp::Byte ? static_cast<int16_t>(Step.Operand) : -1;
}

/// Whether \p Byte of a pattern, which may be any, matches \p Of.
static bool mayBe(int16_t Byte, char Of) {
  return Byte < 0 || Byte == static_cast<unsigned char>(Of);
}

void PatternList::add(const IgnoreLine &Line) {
  const size_t OldSteps = Globs.Steps.size();
  const size_t OldClasses = Globs.Classes.size();
  const bool CanMatch = compileGlob(Line.Body, Line.IsPath, Globs);
  llvm::ArrayRef<GlobStep> Steps =
      llvm::ArrayRef(Globs.Steps).drop_front(OldSteps);
  // The matched paths do not begin with a slash.
  if (!CanMatch || Steps.empty() || Steps.front().isByte('/')) {
    Globs.Steps.resize(OldSteps);
    Globs.Classes.resize(OldClasses);
    return;
  }
  Pattern P;
  P.GlobBegin = static_cast<uint32_t>(OldSteps);
  P.GlobEnd = static_cast<uint32_t>(Globs.Steps.size());
  if (!Line.IsPath)
    P.First = byteOf(Steps.front());
  P.Last = byteOf(Steps.back());
  P.IsPath = Line.IsPath;
  P.Negated = Line.Negated;
  P.DirectoriesOnly = Line.DirectoriesOnly;
  Patterns.push_back(P);
}

IgnoreVerdict PatternList::match(IgnoreQuery &Query, size_t Offset) const {
  const llvm::StringRef Name = Query.Name;
  for (const Pattern &P : llvm::reverse(Patterns)) {
    if (!mayBe(P.Last, Name.back()) || !mayBe(P.First, Name.front()) ||
        (P.DirectoriesOnly && !Query.IsDirectory))
      continue;
    if (matchGlob(llvm::ArrayRef(Globs.Steps)
                      .slice(P.GlobBegin, P.GlobEnd - P.GlobBegin),
                  Globs.Classes, P.IsPath ? Query.pathFrom(Offset) : Name))
      return P.Negated ? IgnoreVerdict::Include : IgnoreVerdict::Ignore;
  }
  return IgnoreVerdict::None;
}

} // namespace headstart::detail
