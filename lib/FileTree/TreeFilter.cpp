//===- TreeFilter.cpp - Which entries of a walk count ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeFilter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>

using namespace llvm;

namespace headstart {

/// The most patterns that braces may stand for: {a,b}{c,d} stands for four.
static constexpr size_t MaxBracePatterns = 1024;

/// No path of a system has more parts than this (Linux: 4096 bytes).
static constexpr size_t MaxParts = 2048;

Expected<Glob> Glob::create(StringRef Given) {
  auto Bad = [&](const Twine &What) {
    return createStringError("'" + Given + "': " + What);
  };
  Glob G;
  StringRef Rest = Given;
  G.Excludes = Rest.consume_front("!");
  // Paths from the root have no part ".", so the glob would match nothing.
  while (Rest.consume_front("./"))
    G.IsPath = true;
  if (Rest.size() > 1)
    G.DirectoriesOnly = Rest.consume_back("/");
  G.IsPath |= Rest.contains('/');
  Rest.consume_front("/");
  if (Rest.empty())
    return Bad("expected a glob such as *.o");
  G.Text = std::make_shared<const std::string>(Rest);
  SmallVector<StringRef, 8> Parts;
  StringRef(*G.Text).split(Parts, '/');
  if (Parts.size() > MaxParts)
    return Bad("the glob has too many parts");
  for (StringRef Part : Parts) {
    if (Part.empty())
      return Bad("a part of the glob is empty");
    if (G.IsPath && Part == "**") {
      G.Parts.push_back(std::nullopt);
      continue;
    }
    Expected<GlobPattern> Pattern = GlobPattern::create(Part, MaxBracePatterns);
    if (!Pattern) {
      std::string Problem = toString(Pattern.takeError());
      StringRef Behind(
          Part.end(),
          static_cast<size_t>(G.Text->data() + G.Text->size() - Part.end()));
      if (Part.contains('{') && Behind.contains('}'))
        return Bad(
            "braces cannot contain a slash: give one glob for each path");
      return Bad(Problem);
    }
    G.Parts.push_back(std::move(*Pattern));
  }
  // A last `**` matches everything below a directory, but not the directory.
  if (!G.Parts.back())
    G.Parts.push_back(cantFail(GlobPattern::create("*")));
  return G;
}

bool Glob::matches(StringRef DirectoryPath, StringRef Name,
                   bool IsDirectory) const {
  if (DirectoriesOnly && !IsDirectory)
    return false;
  if (!IsPath)
    return Parts.front()->match(Name);
  SmallVector<StringRef, 32> Path;
  if (!DirectoryPath.empty())
    DirectoryPath.split(Path, '/');
  Path.push_back(Name);
  // Only the last `**` is retried: it can match whatever an earlier one could.
  size_t Part = 0;
  size_t At = 0;
  size_t RetryPart = SIZE_MAX;
  size_t RetryAt = 0;
  while (At != Path.size()) {
    if (Part != Parts.size() && !Parts[Part]) {
      RetryPart = ++Part;
      RetryAt = At;
    } else if (Part != Parts.size() && Parts[Part]->match(Path[At])) {
      ++Part;
      ++At;
    } else if (RetryPart != SIZE_MAX) {
      Part = RetryPart;
      At = ++RetryAt;
    } else {
      return false;
    }
  }
  return Part == Parts.size();
}

Error TreeFilter::addGlob(StringRef Text) {
  Expected<Glob> G = Glob::create(Text);
  if (!G)
    return G.takeError();
  HasIncluding |= !G->excludes();
  Globs.push_back(std::move(*G));
  return Error::success();
}

TreeFilter::Verdict TreeFilter::judge(StringRef DirectoryPath, StringRef Name,
                                      os::EntryType Type) const {
  Verdict Result;
  Result.Show = !HasIncluding;
  bool IsDirectory = Type == os::EntryType::Directory;
  for (const Glob &G : reverse(Globs))
    if (G.matches(DirectoryPath, Name, IsDirectory)) {
      Result.Show = !G.excludes();
      Result.Enter = !G.excludes();
      break;
    }
  if (Types != 0 && (Types >> static_cast<unsigned>(Type) & 1) == 0)
    Result.Show = false;
  return Result;
}

StringRef joinTreePath(StringRef Directory, StringRef Below,
                       SmallVectorImpl<char> &Storage) {
  if (Directory.empty() || Below.empty())
    return Directory.empty() ? Below : Directory;
  Storage.clear();
  return (Directory + "/" + Below).toStringRef(Storage);
}

void FilteringVisitor::visit(const WalkDirectory &Directory,
                             ArrayRef<os::DirectoryEntry> Entries,
                             Prune &Pruned) {
  if (Filter.isTrivial()) {
    show(Directory, Entries);
    return;
  }
  SmallString<256> Storage;
  StringRef Path = joinTreePath(Prefix, Directory.pathFromRoot(), Storage);
  SmallVector<os::DirectoryEntry, MaxEntries> Shown;
  for (size_t I = 0; I != Entries.size(); ++I) {
    TreeFilter::Verdict Verdict =
        Filter.judge(Path, StringRef(Entries[I].Name), Entries[I].Type);
    if (Verdict.Show)
      Shown.push_back(Entries[I]);
    if (!Verdict.Enter)
      Pruned.set(I);
  }
  if (!Shown.empty())
    show(Directory, Shown);
}

} // namespace headstart
