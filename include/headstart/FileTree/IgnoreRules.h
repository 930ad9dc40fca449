//===- IgnoreRules.h - .gitignore and its kin -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides which entries of a tree its ignore files hide. The listing of a
/// directory shows whether it has such a file, without probes.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_IGNORERULES_H
#define HEADSTART_FILETREE_IGNORERULES_H

#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace headstart {

/// Which of the entries that matter to ignore rules a directory has.
struct IgnorePresence {
  bool GitIgnore = false; ///< an entry `.gitignore`
  bool DotIgnore = false; ///< an entry `.ignore`
  bool Git = false;       ///< an entry `.git`, directory or file

  /// Notes \p Name if it is one of them.
  void note(llvm::StringRef Name) {
    if (!Name.starts_with("."))
      return;
    GitIgnore |= Name == ".gitignore";
    DotIgnore |= Name == ".ignore";
    Git |= Name == ".git";
  }
  bool any() const { return GitIgnore || DotIgnore || Git; }

  /// Stats each of the entries in \p Directory, for a caller that does not list
  /// the directory. Blocks.
  static IgnorePresence in(const os::DirectoryHandle &Directory);
};

/// The rules in force in one directory: its own and those of the directories
/// above. Immutable; shared by threads; keeps the scopes above it alive.
class IgnoreScope;
using IgnoreScopePtr = std::shared_ptr<const IgnoreScope>;

/// Receives the path of an ignore file that is not used, and the reason. Null:
/// nothing is reported.
using IgnoreProblem =
    llvm::function_ref<void(llvm::StringRef Path, llvm::StringRef What)>;

/// The ignore rules that a walk uses. IgnoreRules, which needs libLLVM, has the
/// rules; with this interface, the walk can be built and tested without
/// libLLVM. Const and thread-safe.
class IgnoreJudge {
public:
  virtual ~IgnoreJudge();

  /// Returns the scope above the root of a walk: the rules of the directories
  /// that contain \p Root (an existing directory, absolute or not; links are
  /// resolved first). If these rules hide the root itself, the user asked for
  /// it nevertheless; then they are discarded, including the user's excludes.
  /// Never null; the scope of a missing root has no rules. Skips directories
  /// that cannot be opened. Reports absolute paths. Blocks.
  virtual IgnoreScopePtr above(llvm::StringRef Root,
                               IgnoreProblem Report = nullptr) const = 0;

  /// Returns the scope of a directory, given the scope of its parent (`above`
  /// for the root itself), its path from the root of the walk ("" for the root,
  /// then "a/b"), the directory, and what its listing shows. Returns \p Parent
  /// itself, without an allocation, if the directory adds no rules. Reports
  /// ignore files that cannot be read or are too large, by their paths from the
  /// root. Blocks.
  virtual IgnoreScopePtr enter(const IgnoreScopePtr &Parent,
                               llvm::StringRef DirectoryPath,
                               const os::DirectoryHandle &Directory,
                               IgnorePresence Present,
                               IgnoreProblem Report = nullptr) const = 0;

  /// Whether \p Scope, that of the directory \p DirectoryPath (from the root of
  /// the walk), hides the directory's entry \p Name. A hidden directory hides
  /// everything in it, so the caller must not enter it. \p IsDirectory is false
  /// for a link, whatever its target is. Allocates nothing unless the entry's
  /// absolute path has more than 4096 bytes.
  virtual bool isIgnored(const IgnoreScope &Scope,
                         llvm::StringRef DirectoryPath, llvm::StringRef Name,
                         bool IsDirectory) const = 0;
};

namespace detail {
class PatternList;
} // namespace detail

/// Reads ignore files and decides about entries. Const and thread-safe. Git's
/// files count only in a git repository, as for git itself and ripgrep.
///
/// Patterns have exactly the meaning that git 2.39 gives them: `?` matches one
/// byte, not one character, and matching is case-sensitive (core.ignoreCase is
/// not read). Within a file the last pattern that matches decides. Among these
/// files, the first that has a matching pattern decides:
///   - `.ignore` of the entry's directory, then of the directories above it;
///   - `.gitignore` of the directory, then of those above it in its repository
///     (only a file, as for git: a symbolic link is not followed);
///   - info/exclude of the repository, also of a work tree or a submodule;
///   - the file that core.excludesFile names in `~/.gitconfig` or, if that does
///     not set it, in `$XDG_CONFIG_HOME/git/config`; by default
///     `$XDG_CONFIG_HOME/git/ignore`. Configuration files that these include, a
///     system's or a repository's own configuration, relative paths and
///     `~name/` are not followed.
///
/// A directory with an entry `.git` is the root of a repository, whatever
/// `.git` contains (git reads it; ripgrep and fd do not). Git's ignore files
/// above the root do not apply in it. No rule hides `.git` itself: skip hidden
/// entries, or prune it.
class IgnoreRules final : public IgnoreJudge {
public:
  /// Reads the user's global excludes. Blocks.
  explicit IgnoreRules(IgnoreProblem Report = nullptr);
  ~IgnoreRules() override;

  IgnoreScopePtr above(llvm::StringRef Root,
                       IgnoreProblem Report = nullptr) const override;
  IgnoreScopePtr enter(const IgnoreScopePtr &Parent,
                       llvm::StringRef DirectoryPath,
                       const os::DirectoryHandle &Directory,
                       IgnorePresence Present,
                       IgnoreProblem Report = nullptr) const override;
  bool isIgnored(const IgnoreScope &Scope, llvm::StringRef DirectoryPath,
                 llvm::StringRef Name, bool IsDirectory) const override;

private:
  std::shared_ptr<const detail::PatternList> User;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_IGNORERULES_H
