//===- IgnoreRules.h - .gitignore and its kin -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which entries of a tree its ignore files hide: `.gitignore` of every
/// directory from the repository's root down, `.git/info/exclude`, the user's
/// global excludes, and `.ignore`, which goes before them. Whether a directory
/// has such a file is taken from its listing: no probing.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_IGNORERULES_H
#define HEADSTART_FILETREE_IGNORERULES_H

#include "headstart/FileTree/IgnoreJudge.h"
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace headstart {

namespace detail {
class PatternList;
} // namespace detail

/// Which files count.
struct IgnoreSettings {
  bool GitIgnore = true;  ///< .gitignore
  bool DotIgnore = true;  ///< .ignore
  bool GitExclude = true; ///< .git/info/exclude
  bool GitGlobal = true;  ///< core.excludesFile, or git's default for it
  bool Parents = true;    ///< the files of directories above the root of a walk
  /// Whether git's files count inside a git repository only (as for git itself
  /// and ripgrep), or everywhere.
  bool NeedsRepository = true;
};

/// Reads ignore files and answers for entries. Const and thread-safe.
///
/// Patterns mean what they mean to git 2.39, to the byte: `?` is one byte, not
/// one character, and letters differ by case (core.ignoreCase is not followed).
/// In each of these the last pattern that matches decides; the first file with
/// such a pattern has the last word:
///   - `.ignore` of the entry's directory, then of the directories above it;
///   - `.gitignore` of the directory, then of those above it in its repository
///     (a file only, as for git: not through a link);
///   - info/exclude of the repository, also of a work tree or a submodule;
///   - what core.excludesFile says in `~/.gitconfig` or, before that, in
///     `$XDG_CONFIG_HOME/git/config`, by default `$XDG_CONFIG_HOME/git/ignore`.
///     Files that these include, a system's or a repository's own
///     configuration, relative paths and `~name/` are not followed.
///
/// A directory with an entry `.git` is the root of a repository, whatever
/// `.git` holds (git reads it; ripgrep and fd do not). Files of git's above it
/// do not count in it. `.git` itself is not hidden by any rule: leave out
/// hidden entries, or prune it.
class IgnoreRules final : public IgnoreJudge {
public:
  /// Reads the user's global excludes; messages go to \p Problems if given.
  /// Blocks.
  explicit IgnoreRules(const IgnoreSettings &Settings = {},
                       std::vector<std::string> *Problems = nullptr);
  ~IgnoreRules() override;

  /// The scope above the root of a walk: the rules of the directories that
  /// contain \p Root (an existing directory, absolute or not; links are
  /// resolved first). A root that is itself ignored was asked for all the same,
  /// and then nothing above it counts, the user's excludes included. Never
  /// null; works without rules for a root that does not exist. Directories
  /// above that may not be listed are skipped. Messages go to \p Problems if
  /// given. Blocks.
  IgnoreScopePtr
  above(llvm::StringRef Root,
        std::vector<std::string> *Problems = nullptr) const override;

  /// The scope of a directory, given that of its parent (`above` for the root
  /// itself), its path from the root of the walk ("" for the root, then
  /// "a/b"), the directory, and what its listing says. Gives back \p Parent
  /// itself where the directory brings nothing new, without an allocation.
  /// Ignore files that cannot be read, or are too large, are added to
  /// \p Problems as messages with the path. Blocks.
  IgnoreScopePtr enter(const IgnoreScopePtr &Parent,
                       llvm::StringRef DirectoryPath,
                       const os::DirectoryHandle &Directory,
                       IgnorePresence Present,
                       std::vector<std::string> &Problems) const override;

  /// What \p Directory has of the files that matter, asked for one by one: for
  /// `enter`, by a caller that does not list it. Blocks.
  IgnorePresence presenceIn(const os::DirectoryHandle &Directory) const;

  /// Whether the entry \p Name of the directory \p DirectoryPath (from the root
  /// of the walk), in whose scope it is, is hidden. A directory that is hidden
  /// hides all that is in it: do not enter it. \p IsDirectory is false for a
  /// link, whatever it leads to. Allocates nothing unless the entry's absolute
  /// path has more than 4096 bytes.
  bool isIgnored(const IgnoreScope &Scope, llvm::StringRef DirectoryPath,
                 llvm::StringRef Name, bool IsDirectory) const override;

private:
  IgnoreSettings Settings;
  std::shared_ptr<const detail::PatternList> User;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_IGNORERULES_H
