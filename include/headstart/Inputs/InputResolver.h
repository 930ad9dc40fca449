//===- InputResolver.h - From names to paths --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the files that a linker will open for the names on its command line
/// and inside its inputs.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_INPUTRESOLVER_H
#define HEADSTART_INPUTS_INPUTRESOLVER_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// Joins \p Directory and the components as lld does.
std::string joined(llvm::StringRef Directory, const llvm::Twine &A,
                   const llvm::Twine &B = "", const llvm::Twine &C = "");

/// An input that another input names.
struct FoundInput {
  NamedInput Input; ///< From is the path of the file that names it
  /// Whether the linker reads it right after the file that names it (members of
  /// thin archives, linker scripts); otherwise it reads it after all inputs of
  /// the command line, or of the same turn (NamedInput::Turn).
  bool Next = false;
};

/// The path and the status of an input.
struct ResolvedInput {
  /// The result for \p Input if no search path has it. Its path is the name as
  /// ld.lld and ld64.lld report it.
  static ResolvedInput missing(const NamedInput &Input) {
    return {Input.Search == SearchRule::Library ? "-l" + Input.Name
                                                : Input.Name,
            {}};
  }

  std::string Path; ///< spelled as the linker will spell it
  os::FileStatus Status;

  bool exists() const { return Status.Kind != os::FileKind::Missing; }
};

class FileInspector;
class DirectorySearch;

/// Turns names into paths by the linker's search rules, and scans inputs for
/// their dependencies: default libraries in .drectve, members of thin archives,
/// type servers, linker scripts, re-exported libraries. Resolving opens only
/// files that decide a search. Const and thread-safe, so threads share one.
/// After enough misses in a directory it lists that directory once, and then
/// considers names that are not listed as missing.
class InputResolver {
public:
  /// \p Command must outlive the resolver and must not change.
  explicit InputResolver(const LinkCommand &Command);
  ~InputResolver();

  /// The path at which the linker will find \p Input. A missing file is a
  /// status, not an error: Path is then the name as the linker reports it.
  ResolvedInput resolve(const NamedInput &Input) const;

  /// The dependencies, in the order of the file, of the file that \p Inspector
  /// has open; it was found at \p Path for \p Named. Reads the headers of
  /// objects and their sections that name inputs, but whole scripts and text
  /// stubs. Other kinds of files and malformed files have no dependencies.
  /// Leaves out inputs that the linker would not read (an excluded default
  /// library). Blocks while it reads.
  std::vector<FoundInput> scan(const NamedInput &Named, llvm::StringRef Path,
                               FileInspector &Inspector) const;

  /// Whether \p File has not been scanned yet. An input that names itself by
  /// ever new paths (`INPUT(./self)`) is scanned once.
  bool isFirstScan(const os::FileIdentity &File) const;

  /// Mach-O: the run paths of the library at \p Library. Stores the last result
  /// so that a library with many names below @rpath is read once. Blocks while
  /// it reads.
  std::shared_ptr<const std::vector<std::string>>
  runPathsOf(const std::string &Library) const;

  const LinkCommand &command() const { return Command; }

  /// The searches in the search paths; private to lib/Inputs.
  DirectorySearch &directories() const { return *Directories; }

private:
  const LinkCommand &Command;
  std::unique_ptr<DirectorySearch> Directories; ///< thread-safe
  mutable std::mutex Mutex;                     ///< protects the members below
  mutable std::set<std::pair<uint64_t, uint64_t>> Scanned;
  mutable std::string LastRunPathsOf;
  mutable std::shared_ptr<const std::vector<std::string>> LastRunPaths;
};

} // namespace headstart

#endif // HEADSTART_INPUTS_INPUTRESOLVER_H
