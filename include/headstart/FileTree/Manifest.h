//===- Manifest.h - The record of a tree ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A manifest lists the entries of a tree at one moment: name, type, size,
/// modification time and inode of each. It also stores the options of the walk,
/// so that a later walk with the same options can find what has changed.
/// docs/internals/Manifests.md describes the format.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_MANIFEST_H
#define HEADSTART_FILETREE_MANIFEST_H

#include "headstart/FileTree/TreeListing.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The options of a walk that decide which entries it shows.
struct TreeSelection {
  bool Hidden = false;         ///< also entries that begin with a dot
  bool NoIgnore = false;       ///< also entries that ignore files hide
  bool FollowLinks = false;    ///< walk links to directories
  bool SameFileSystem = false; ///< stay on the roots' file systems
  /// 1: the roots' own entries.
  std::optional<unsigned> MaxDepth;
  std::string Types; ///< any of the letters f, d, l; "": all types
  std::vector<std::string> Globs;

  friend bool operator==(const TreeSelection &,
                         const TreeSelection &) = default;
};

struct ManifestRoot {
  std::string Given;    ///< "": the current directory, because none was given
  std::string Absolute; ///< with all links resolved

  friend bool operator==(const ManifestRoot &, const ManifestRoot &) = default;
};

/// The fields of one entry that change only if the entry does.
struct ManifestEntry {
  llvm::StringRef Name;
  uint64_t Inode = 0;
  uint64_t Size = 0;
  int64_t ModifiedNs = 0;
  os::EntryType Type = os::EntryType::Unknown;
};

struct ManifestDirectory : TreePlace {
  llvm::ArrayRef<ManifestEntry> Entries; ///< sorted by name, without duplicates
};

/// The first bytes of a manifest of any version (`mayReplaceRecord`).
inline constexpr llvm::StringRef ManifestStart = "headstart manifest ";

/// Returns the bytes of a manifest of \p Directories, which
/// `TreeListing::directories` returned and whose entries have their status.
/// \p Recorded is in seconds since the epoch. \p Unknown lists, in any order,
/// the directories that could not be read to the end and the entries that could
/// not be stat'ed.
std::string serializeManifest(const TreeSelection &Selection,
                              llvm::ArrayRef<ManifestRoot> Roots,
                              int64_t Recorded,
                              llvm::ArrayRef<ListedDirectory> Directories,
                              llvm::ArrayRef<TreePlace> Unknown = {});

/// A manifest that was read. Immutable; any thread.
class Manifest {
public:
  /// Reads what serializeManifest wrote, and keeps \p Bytes, into which names
  /// and paths point. For any other input the error says what is wrong and at
  /// which byte. The memory is bounded by a multiple of the size of \p Bytes.
  static llvm::Expected<Manifest>
  parse(std::unique_ptr<llvm::MemoryBuffer> Bytes);
  /// Reads the file at \p Path, of at most 4 GiB. The error names the path.
  /// Blocks.
  static llvm::Expected<Manifest> load(const std::string &Path);

  const TreeSelection &selection() const { return Selection; }
  llvm::ArrayRef<ManifestRoot> roots() const { return Roots; }
  int64_t recorded() const { return Recorded; }
  /// The directories, sorted by root and path.
  llvm::ArrayRef<ManifestDirectory> directories() const { return Directories; }
  /// The places that could not be read, sorted, none of them inside another.
  llvm::ArrayRef<TreePlace> unknown() const { return Unknown; }

  /// Whether \p Path of a root is a place that could not be read, or lies in
  /// one. A missing record of it then does not mean that it did not exist.
  bool isUnknown(size_t Root, llvm::StringRef Path) const;

  /// The directory \p Path of a root; null if it had no entries or did not
  /// exist.
  const ManifestDirectory *find(size_t Root, llvm::StringRef Path) const;
  /// The entry \p Name of a directory, or null.
  static const ManifestEntry *find(const ManifestDirectory &Directory,
                                   llvm::StringRef Name);

private:
  Manifest() = default;
  llvm::Error read(llvm::StringRef Content);

  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  TreeSelection Selection;
  std::vector<ManifestRoot> Roots;
  int64_t Recorded = 0;
  std::vector<TreePlace> Unknown;
  std::vector<ManifestEntry> Entries;
  std::vector<ManifestDirectory> Directories;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_MANIFEST_H
