//===- ProfileStore.h - Where profiles are kept -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Profiles on disk: one file for each output, in a directory of the user's
/// cache.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_PROFILESTORE_H
#define HEADSTART_LINK_PROFILESTORE_H

#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace headstart {

/// The directory of `--prefetch-profile=auto`: `headstart` in the user's cache
/// directory (XDG_CACHE_HOME, ~/.cache); empty where the user has none.
std::string profileDirectory();

/// Whether \p Setting (the value of `--prefetch-profile`) means a directory
/// with a record for each output: "auto", and what ends in a slash.
bool isProfileDirectory(llvm::StringRef Setting);

/// The name by which a record knows \p Output: absolute in the user's cache, as
/// it is in a file that may go to other machines.
std::string recordedOutput(llvm::StringRef Setting, llvm::StringRef Output);

/// The file that holds the profile of \p Output under \p Setting; empty for
/// "none", and where "auto" has no directory.
std::string profilePath(llvm::StringRef Setting, llvm::StringRef Tool,
                        llvm::StringRef Output);

/// Reads the profile at \p Path: null, and no error, when there is none. Only
/// regular files of at most MaxProfileBytes are read. The error names the path.
llvm::Expected<std::shared_ptr<const LinkProfile>>
loadProfile(const std::string &Path);

/// Whether \p Path may become a profile: nothing is there, or an empty file, or
/// a profile of any version in any state. A user's own file, named
/// by mistake, is not written over.
bool mayReplaceProfile(const std::string &Path);

/// A profile of this moment, with no files yet.
LinkProfile newProfile(llvm::StringRef Tool, llvm::StringRef Output,
                       llvm::StringRef Settings);

/// Replaces the profile at \p Path as one step: a link that is killed leaves
/// the old one. Directories are made as needed.
llvm::Error saveProfile(const std::string &Path, const LinkProfile &Profile);

/// The same, unless \p Path is a user's own file; with \p Prune, a profile
/// that is one more makes `pruneProfiles` look for others to remove. What went
/// wrong; empty: nothing.
std::string storeProfile(const std::string &Path, const LinkProfile &Profile,
                         bool Prune);

/// The paths of the profiles in \p Directory, in their order; none where it
/// cannot be listed.
std::vector<std::string> storedProfiles(const std::string &Directory);

/// Whether the profiles of `--prefetch-profile=auto` can be kept in
/// \p Directory: it can be written to, or can be made as `saveProfile` makes
/// it.
bool canKeepProfiles(const std::string &Directory);

/// Notes that a link uses the profile at \p Path, for `pruneProfiles`: sets the
/// file's times to now, at most once a day. Does nothing where the file cannot
/// be written to. Blocks for the file; any thread.
void renewProfile(const std::string &Path);

/// Removes the profiles that no link has used for 30 days, and the oldest
/// beyond 1,000. Returns whether the directory is there. A profile was last
/// used when it was last written, renewed or read; many systems do not note the
/// latter.
bool pruneProfiles(const std::string &Directory);

} // namespace headstart

#endif // HEADSTART_LINK_PROFILESTORE_H
