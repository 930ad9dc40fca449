//===- ProfileStore.h - The files of profiles -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Profiles on disk: one file for each output, in a directory of the user's
/// cache, and one for each linker's own pages.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_PROFILESTORE_H
#define HEADSTART_LINK_PROFILESTORE_H

#include "headstart/OS/Program.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// The beginning of each version of a profile.
inline constexpr llvm::StringLiteral ProfileStart = "headstart profile ";

/// The directory of `--prefetch-profile=auto`: `headstart` in the user's cache
/// directory (XDG_CACHE_HOME, ~/.cache); empty if the user has none.
std::string profileDirectory();

/// Whether \p Setting (the value of `--prefetch-profile`) means a directory
/// with a profile for each output: "auto", or a path that ends in a slash.
bool isProfileDirectory(llvm::StringRef Setting);

/// Returns \p Path as an absolute path without dots.
std::string absolutePath(llvm::StringRef Path);

/// Whether \p Path is below \p Directory, by their texts.
bool isBelow(llvm::StringRef Path, llvm::StringRef Directory);

/// The path in \p Directory whose name is \p Prefix and a hash of \p Key.
std::string hashedPath(llvm::StringRef Directory, llvm::StringRef Prefix,
                       llvm::StringRef Key);

/// Whether a profile can describe \p Output: unlike /dev/null, it is not the
/// output of many links.
bool mayHaveProfile(const std::string &Output);

/// The name of \p Output in its profile: absolute in the user's cache, but
/// unchanged in a file that may go to other machines.
std::string recordedOutput(llvm::StringRef Setting, llvm::StringRef Output);

/// The file that holds the profile of \p Output under \p Setting; empty for
/// "none", and if "auto" has no directory.
std::string profilePath(llvm::StringRef Setting, llvm::StringRef Tool,
                        llvm::StringRef Output);

/// The existing profiles in the user's cache of links by Headstart's linkers
/// that wrote \p Output.
std::vector<std::string> profilesOf(llvm::StringRef Output);

/// Reads the profile at \p Path; null, and no error, if there is none. Reads
/// only regular files of at most MaxProfileBytes. The error names the path.
llvm::Expected<std::shared_ptr<const LinkProfile>>
loadProfile(const std::string &Path);

/// Like loadProfile, but null for every error, too.
std::shared_ptr<const LinkProfile> loadValidProfile(const std::string &Path);

/// Whether a profile may be written to \p Path: it does not exist, is empty, or
/// is a profile of any version in any state. A user's own file, named by
/// mistake, is not overwritten.
bool mayReplaceProfile(const std::string &Path);

/// Returns the directory of the link of \p Profile, which does not store it:
/// the current one, the output's, or one above that, if it has an unchanged
/// file of the link under the relative path in the profile. Returns nothing if
/// none has. Blocks.
std::optional<std::string> directoryOf(const LinkProfile &Profile);

/// Returns a profile with the current time, and without files.
LinkProfile newProfile(llvm::StringRef Tool, llvm::StringRef Output,
                       llvm::StringRef Settings);

/// Replaces the profile at \p Path in one step: a link that is killed leaves
/// the old one. Fails if \p Path is a user's own file. Creates at most two
/// missing directories. With \p Prune, also calls `pruneProfiles` if \p Path is
/// new.
llvm::Error saveProfile(const std::string &Path, const LinkProfile &Profile,
                        bool Prune = false);

/// The sorted paths of the entries of \p Directory whose names begin with
/// \p Start; none if it cannot be listed.
std::vector<std::string> pathsIn(const std::string &Directory,
                                 llvm::StringRef Start);

/// The sorted paths of the profiles in \p Directory; none if it cannot be
/// listed.
std::vector<std::string> storedProfiles(const std::string &Directory);

/// Whether the profiles of `--prefetch-profile=auto` can be stored in
/// \p Directory: it is writable, or `saveProfile` can create it.
bool canKeepProfiles(const std::string &Directory);

/// Marks the profile at \p Path as used, for `pruneProfiles`: sets the file's
/// times to now, at most once a day. Does nothing if the file is not writable.
/// Blocks for the file; any thread.
void renewProfile(const std::string &Path);

/// Removes the profiles that no link has used for 30 days, and the oldest
/// beyond 10,000. A profile was last used when it was last written, renewed or
/// read; many systems do not record when a file was read.
void pruneProfiles(const std::string &Directory);

/// The program itself as an input. The kernel also reads the linker's own code
/// from the disk, 128 KiB around each page fault. Headstart records the pages
/// of the program that a link touched, once for each build of the program and
/// kind of link, and requests them at the start of the next link.
class ProgramPages {
public:
  /// \p Program is the path of the program's file, \p Parts the parts of it
  /// that are mapped, and that must stay so. \p Record is the file for its
  /// pages; empty: none. \p Tool is the description in that file. Does nothing
  /// yet.
  ProgramPages(std::string Tool, std::string Program, std::string Record,
               std::vector<os::ProgramPart> Parts = os::programParts())
      : Tool(std::move(Tool)), Program(std::move(Program)),
        Record(std::move(Record)), Parts(std::move(Parts)) {}
  /// Leaves a thread that has not ended.
  ~ProgramPages() { (void)Thread.join(std::chrono::milliseconds(0)); }

  /// The pages of the running program that it uses as \p Linker ("ld.lld"),
  /// with the record in the user's cache directory.
  static std::shared_ptr<ProgramPages> ofThisProcess(llvm::StringRef Linker);

  /// Requests the recorded pages on a thread of its own, unless the program has
  /// changed since. Hints the parts themselves, because the pages of a program
  /// on Windows are not those of its file as data. Does not block.
  void request();

  /// Records the pages of the program that the process has touched until now,
  /// unless a valid list is stored. Waits for `request`. Blocks for a small
  /// file.
  llvm::Error keep();

private:
  const std::string Tool, Program, Record;
  const std::vector<os::ProgramPart> Parts;
  /// Whether a valid list is stored. Shared with the thread, which writes it;
  /// others read it after the join.
  const std::shared_ptr<bool> HasList = std::make_shared<bool>(false);
  os::Threads Thread;
};

} // namespace headstart

#endif // HEADSTART_LINK_PROFILESTORE_H
