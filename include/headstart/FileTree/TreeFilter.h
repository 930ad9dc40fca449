//===- TreeFilter.h - Which entries of a walk count -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The globs and types with which the user selects entries of a walk. They work
/// alongside the ignore rules, which come from the tree itself.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_TREEFILTER_H
#define HEADSTART_FILETREE_TREEFILTER_H

#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// One glob from the user. LLVM's `*` also matches '/', so a glob with several
/// parts is a list of LLVM's patterns, one for each part.
///
/// - A glob without '/' matches the names of entries, in any directory.
/// - A glob with '/' matches the path from the root of the walk, part by part.
///   A part `**` stands for any number of directories, including none. A '/' or
///   './' at the front has no other effect.
/// - A '/' at the end only restricts the glob to directories.
/// - A '!' at the front excludes what the rest matches.
class Glob {
public:
  /// Parses \p Text. The error says what is wrong with it.
  static llvm::Expected<Glob> create(llvm::StringRef Text);

  /// Whether the entry \p Name of the directory \p DirectoryPath ("" for the
  /// root, "a/b") matches. Any thread.
  bool matches(llvm::StringRef DirectoryPath, llvm::StringRef Name,
               bool IsDirectory) const;

  bool excludes() const { return Excludes; }

private:
  Glob() = default;

  /// LLVM's patterns point into this text.
  std::shared_ptr<const std::string> Text;
  /// One part, unless IsPath; nullopt is `**`.
  std::vector<std::optional<llvm::GlobPattern>> Parts;
  bool Excludes = false;
  bool IsPath = false;
  bool DirectoriesOnly = false;
};

/// An ordered list of globs, and a set of types. Copies share only immutable
/// data; any thread may call the const functions.
class TreeFilter {
public:
  /// What a walk does with an entry.
  struct Verdict {
    bool Show = true;
    bool Enter = true; ///< for directories
  };

  llvm::Error addGlob(llvm::StringRef Text);
  /// Shows entries of \p Type. Without any call, all types are shown.
  void addType(os::EntryType Type) { Types |= 1U << unsigned(Type); }

  /// The last glob that matches an entry decides. If no glob matches, the entry
  /// is shown unless the list has a glob without '!'. A directory is entered
  /// unless a glob excludes it, even if it is not shown.
  Verdict judge(llvm::StringRef DirectoryPath, llvm::StringRef Name,
                os::EntryType Type) const;

  /// Whether the filter shows and enters every entry.
  bool isTrivial() const { return Globs.empty() && Types == 0; }

private:
  std::vector<Glob> Globs;
  bool HasIncluding = false;
  unsigned Types = 0; ///< a bit for each EntryType; 0: all
};

/// A visitor that gets only the entries that a filter shows.
class FilteringVisitor : public TreeVisitor {
public:
  /// \p Filter must outlive this object. \p Prefix is the path to the root of
  /// the walk from the directory where the filter's globs start.
  explicit FilteringVisitor(const TreeFilter &Filter,
                            llvm::StringRef Prefix = "")
      : Filter(Filter), Prefix(Prefix) {}

  void visit(const WalkDirectory &Directory,
             llvm::ArrayRef<os::DirectoryEntry> Entries, Prune &Pruned) final;

private:
  /// Gets the entries that the filter shows, at least one.
  virtual void show(const WalkDirectory &Directory,
                    llvm::ArrayRef<os::DirectoryEntry> Entries) = 0;

  const TreeFilter &Filter;
  std::string Prefix; ///< "" or "a/b"
};

/// Returns "a/b" for "a" and "b"; either may be "".
llvm::StringRef joinTreePath(llvm::StringRef Directory, llvm::StringRef Below,
                             llvm::SmallVectorImpl<char> &Storage);

} // namespace headstart

#endif // HEADSTART_FILETREE_TREEFILTER_H
