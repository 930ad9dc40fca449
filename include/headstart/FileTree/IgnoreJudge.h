//===- IgnoreJudge.h - Who says what a walk leaves out ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a walk asks of ignore rules: so that it can be built, and tested, where
/// there are none (they need libLLVM).
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_IGNOREJUDGE_H
#define HEADSTART_FILETREE_IGNOREJUDGE_H

#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <vector>

namespace headstart {

/// What a directory's listing says about the files that matter here.
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
};

/// The rules in force in one directory: its own and those of the directories
/// above. Immutable; shared by threads; keeps what is above it alive.
class IgnoreScope;
using IgnoreScopePtr = std::shared_ptr<const IgnoreScope>;

/// Answers for the entries of a walk. Const and thread-safe; see IgnoreRules,
/// which is one, for what each call promises.
class IgnoreJudge {
public:
  virtual ~IgnoreJudge();

  /// The scope above the root \p Root of a walk. Never null.
  virtual IgnoreScopePtr above(llvm::StringRef Root,
                               std::vector<std::string> *Problems) const = 0;

  /// The scope of a directory, given that of its parent.
  virtual IgnoreScopePtr enter(const IgnoreScopePtr &Parent,
                               llvm::StringRef DirectoryPath,
                               const os::DirectoryHandle &Directory,
                               IgnorePresence Present,
                               std::vector<std::string> &Problems) const = 0;

  /// Whether the entry \p Name of the directory \p DirectoryPath is left out.
  virtual bool isIgnored(const IgnoreScope &Scope,
                         llvm::StringRef DirectoryPath, llvm::StringRef Name,
                         bool IsDirectory) const = 0;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_IGNOREJUDGE_H
