//===- TreeFilter.h - Which entries of a walk count -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the user asked of a walk in globs and types. Beside the ignore rules,
/// which come from the tree itself.
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
#include <string>
#include <vector>

namespace headstart {

/// One glob of a user. LLVM's `*` also matches '/', so a glob with parts is a
/// list of LLVM's patterns, one for each part.
///
/// - Without '/' it is matched against the name of an entry, in any directory.
/// - With one, against the path from the root of the walk, part by part; a part
///   `**` stands for any number of directories, none included. One at the front
///   counts for nothing but that, nor does a `./` there.
/// - With one at the end it matches directories only.
/// - A `!` at the front excludes what matches.
class Glob {
public:
  /// The error says what is wrong with \p Text.
  static llvm::Expected<Glob> create(llvm::StringRef Text);

  /// Whether the entry \p Name of the directory \p DirectoryPath ("" for the
  /// root, "a/b") matches. Any thread.
  bool matches(llvm::StringRef DirectoryPath, llvm::StringRef Name,
               bool IsDirectory) const;

  bool excludes() const { return Excludes; }

private:
  Glob() = default;

  /// LLVM's pattern points into its text.
  std::shared_ptr<const std::string> Text;
  std::vector<llvm::GlobPattern> Parts; ///< one, or of a path
  std::vector<bool> AnyDirectories;     ///< for each part: it is `**`
  bool Excludes = false;
  bool IsPath = false;
  bool DirectoriesOnly = false;
};

/// Globs in their order, and types. Copies share nothing that changes; const
/// functions may be called from any thread.
class TreeFilter {
public:
  /// What is to be done with an entry.
  struct Verdict {
    bool Show = true;
    bool Enter = true; ///< for directories
  };

  llvm::Error addGlob(llvm::StringRef Text);
  /// Shows \p Type; once called, only what was named.
  void addType(os::EntryType Type) { Types |= 1U << unsigned(Type); }

  /// Of the globs that match an entry the last one decides. Where none does, it
  /// is shown unless there is a glob that does not exclude. A directory is not
  /// entered when a glob excludes it; that it is not shown does not matter.
  Verdict judge(llvm::StringRef DirectoryPath, llvm::StringRef Name,
                os::EntryType Type) const;

  /// Whether `judge` says yes to everything.
  bool isTrivial() const { return Globs.empty() && Types == 0; }
  bool hasTypes() const { return Types != 0; }

private:
  std::vector<Glob> Globs;
  bool HasIncluding = false;
  unsigned Types = 0; ///< a bit for each EntryType; 0: all
};

/// A visitor that is shown only what a filter lets through.
class FilteringVisitor : public TreeVisitor {
public:
  /// \p Filter must outlive it. The filter judges by paths from a directory
  /// above the root of the walk, if \p Prefix says how that leads to the root.
  explicit FilteringVisitor(const TreeFilter &Filter,
                            llvm::StringRef Prefix = "")
      : Filter(Filter), Prefix(Prefix) {}

  void visit(const WalkDirectory &Directory,
             llvm::ArrayRef<os::DirectoryEntry> Entries, Prune &Pruned) final;

private:
  /// As `visit`; never without entries.
  virtual void show(const WalkDirectory &Directory,
                    llvm::ArrayRef<os::DirectoryEntry> Entries) = 0;

  const TreeFilter &Filter;
  std::string Prefix; ///< "" or "a/b"
};

/// "a/b" from "a" and "b"; either may be "".
llvm::StringRef joinTreePath(llvm::StringRef Directory, llvm::StringRef Below,
                             llvm::SmallVectorImpl<char> &Storage);

} // namespace headstart

#endif // HEADSTART_FILETREE_TREEFILTER_H
