//===- IgnoreFile.h - Find and read the files that ignore -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to FileTree. Reads ignore files, and finds those outside the walked
/// directories: a repository's info/exclude and the user's own.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_IGNOREFILE_H
#define HEADSTART_LIB_FILETREE_IGNOREFILE_H

#include "IgnorePattern.h"
#include "headstart/FileTree/IgnoreRules.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>

namespace headstart::detail {

using PatternListPtr = std::shared_ptr<const PatternList>;

/// Reads the file \p Name in \p Directory. Returns null if it has no patterns,
/// does not exist, or cannot be read (a link cannot with `LinkRule::Refuse`).
/// In the last case it is reported as \p Shown. Blocks.
PatternListPtr readIgnoreFile(const os::DirectoryHandle &Directory,
                              const char *Name, os::LinkRule Links,
                              llvm::StringRef Shown, IgnoreProblem Report);

/// Like readIgnoreFile, for info/exclude of the repository whose `.git` is in
/// \p Directory, of the absolute path \p Path. `.git` is a directory, or a file
/// that names one (work trees, submodules); a file `commondir` in it may name
/// another directory.
PatternListPtr readRepositoryExcludes(const os::DirectoryHandle &Directory,
                                      llvm::StringRef Path,
                                      llvm::StringRef Shown,
                                      IgnoreProblem Report);

/// Like readIgnoreFile, for the user's excludes: the file that
/// core.excludesFile names in the user's git configuration, or git's default.
PatternListPtr readUserExcludes(IgnoreProblem Report);

/// Returns the last value of core.excludesFile in \p Config, the text of a file
/// in git's format; nothing if there is none. Skips malformed lines without a
/// message. Included files are not read.
std::optional<std::string> configuredExcludes(llvm::StringRef Config);

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_IGNOREFILE_H
