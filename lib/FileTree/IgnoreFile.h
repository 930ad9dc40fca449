//===- IgnoreFile.h - Find and read the files that ignore -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to FileTree: reads ignore files, and finds those that lie elsewhere:
/// a repository's info/exclude and the user's own.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_IGNOREFILE_H
#define HEADSTART_LIB_FILETREE_IGNOREFILE_H

#include "PatternList.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart::detail {

using PatternListPtr = std::shared_ptr<const PatternList>;

/// Reads the file \p Name of \p Directory. Null if it has no patterns, does not
/// exist, or cannot be read: then \p Problems gets a message that begins with
/// \p Shown. With `LinkRule::Refuse` a link is such a problem. Blocks.
PatternListPtr readIgnoreFile(const os::DirectoryHandle &Directory,
                              const char *Name, os::LinkRule Links,
                              llvm::StringRef Shown,
                              std::vector<std::string> &Problems);

/// Reads info/exclude of the repository whose `.git` is in \p Directory: a
/// directory, or a file that names one (work trees, submodules), whose
/// `commondir` may name another. As for readIgnoreFile.
PatternListPtr readRepositoryExcludes(const os::DirectoryHandle &Directory,
                                      llvm::StringRef Shown,
                                      std::vector<std::string> &Problems);

/// Reads the user's excludes: what core.excludesFile in the user's
/// configuration of git says, or git's default. As for readIgnoreFile.
PatternListPtr readUserExcludes(std::vector<std::string> &Problems);

/// The last value of core.excludesFile in \p Config, the text of a file in
/// git's format; nothing if there is none. Ends quietly where it cannot go on.
/// Files that are included are not followed.
std::optional<std::string> configuredExcludes(llvm::StringRef Config);

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_IGNOREFILE_H
