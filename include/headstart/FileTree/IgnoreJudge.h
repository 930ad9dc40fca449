//===- IgnoreJudge.h - Who says what a walk leaves out ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface of ignore rules that a walk uses. The rules themselves need
/// libLLVM; with this interface, the walk can be built and tested without it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_IGNOREJUDGE_H
#define HEADSTART_FILETREE_IGNOREJUDGE_H

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

/// Decides which entries a walk skips. Const and thread-safe. IgnoreRules
/// implements it and documents what each call promises.
class IgnoreJudge {
public:
  virtual ~IgnoreJudge();

  /// The scope above the root \p Root of a walk. Never null.
  virtual IgnoreScopePtr above(llvm::StringRef Root,
                               IgnoreProblem Report) const = 0;

  /// The scope of a directory, given that of its parent.
  virtual IgnoreScopePtr enter(const IgnoreScopePtr &Parent,
                               llvm::StringRef DirectoryPath,
                               const os::DirectoryHandle &Directory,
                               IgnorePresence Present,
                               IgnoreProblem Report) const = 0;

  /// Whether a walk skips the entry \p Name of the directory \p DirectoryPath.
  virtual bool isIgnored(const IgnoreScope &Scope,
                         llvm::StringRef DirectoryPath, llvm::StringRef Name,
                         bool IsDirectory) const = 0;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_IGNOREJUDGE_H
