//===- Manifest.h - The record of a tree ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What was in a tree at one moment: name, type, size, modification time and
/// inode of each entry, and the options of the walk that saw them, so that the
/// same walk can tell later what has changed. docs/internals/Manifests.md has
/// the format.
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
#include <utility>
#include <vector>

namespace headstart {

/// What a walk was asked for, as far as it decides what it shows.
struct TreeSelection {
  bool Hidden = false;         ///< also what begins with a dot
  bool NoIgnore = false;       ///< also what ignore files hide
  bool FollowLinks = false;    ///< walk links to directories
  bool SameFileSystem = false; ///< stay on the roots' file systems
  /// 1: the roots' own entries.
  std::optional<unsigned> MaxDepth;
  std::string Types; ///< letters of f, d, l; "": all
  std::vector<std::string> Globs;

  friend bool operator==(const TreeSelection &,
                         const TreeSelection &) = default;
};

struct ManifestRoot {
  std::string Given;    ///< "" for the current directory, not asked for by name
  std::string Absolute; ///< without links

  friend bool operator==(const ManifestRoot &, const ManifestRoot &) = default;
};

/// One entry, without what changes by itself.
struct ManifestEntry {
  llvm::StringRef Name;
  uint64_t Inode = 0;
  uint64_t Size = 0;
  int64_t ModifiedNs = 0;
  os::EntryType Type = os::EntryType::Unknown;
};

struct ManifestDirectory {
  size_t Root = 0;
  llvm::StringRef Path; ///< from the root: "" for the root itself
  llvm::ArrayRef<ManifestEntry> Entries; ///< by name, each once
};

/// A place in the trees.
struct ManifestPath {
  size_t Root = 0;
  llvm::StringRef Path; ///< from the root: "" for the root itself

  friend bool operator==(const ManifestPath &, const ManifestPath &) = default;
};

/// No manifest is larger, in bytes; what is, is not read.
inline constexpr uint64_t MaxManifestBytes = uint64_t(1) << 32;

/// The bytes of the manifest of \p Directories, which
/// `TreeListing::directories` gave and whose entries have their status.
/// \p Recorded is in seconds since the epoch. \p Unknown are, in any order,
/// directories that could not be read to the end and entries that could not be
/// stat'ed.
std::string serializeManifest(const TreeSelection &Selection,
                              llvm::ArrayRef<ManifestRoot> Roots,
                              int64_t Recorded,
                              llvm::ArrayRef<ListedDirectory> Directories,
                              llvm::ArrayRef<ManifestPath> Unknown = {});

/// A manifest that was read. Immutable; any thread.
class Manifest {
public:
  /// Reads what serializeManifest wrote, and keeps \p Bytes, into which names
  /// and paths point. Anything else is an error that says what is wrong and at
  /// which byte; memory is bounded by a multiple of the size of \p Bytes.
  static llvm::Expected<Manifest>
  parse(std::unique_ptr<llvm::MemoryBuffer> Bytes);
  /// Reads the file at \p Path. The error names the path. Blocks.
  static llvm::Expected<Manifest> load(const std::string &Path);

  const TreeSelection &selection() const { return Selection; }
  llvm::ArrayRef<ManifestRoot> roots() const { return Roots; }
  int64_t recorded() const { return Recorded; }
  /// In the order of their paths.
  llvm::ArrayRef<ManifestDirectory> directories() const { return Directories; }
  /// Of all directories, in their order.
  llvm::ArrayRef<ManifestEntry> entries() const { return Entries; }
  /// What could not be read, in order, none of them in another.
  llvm::ArrayRef<ManifestPath> unknown() const { return Unknown; }

  /// Whether \p Path of a root is one of those, or lies in one: that there is
  /// no record of it says nothing.
  bool isUnknown(size_t Root, llvm::StringRef Path) const;

  /// The directory \p Path of a root, or null: it had no entries, or was not
  /// there.
  const ManifestDirectory *find(size_t Root, llvm::StringRef Path) const;
  /// The entry \p Name of a directory, or null.
  static const ManifestEntry *find(const ManifestDirectory &Directory,
                                   llvm::StringRef Name);
  /// The place of \p Entry in `entries`.
  size_t indexOf(const ManifestEntry &Entry) const {
    return static_cast<size_t>(&Entry - Entries.data());
  }

private:
  Manifest() = default;
  llvm::Error read(llvm::StringRef Content);

  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  TreeSelection Selection;
  std::vector<ManifestRoot> Roots;
  int64_t Recorded = 0;
  std::vector<ManifestPath> Unknown;
  std::vector<ManifestEntry> Entries;
  std::vector<ManifestDirectory> Directories;
  /// The hashes of the directories' paths, sorted, each with its place in
  /// Directories: no hash table, which a made-up manifest could make slow.
  std::vector<std::pair<uint64_t, uint32_t>> ByHash;
};

/// Whether \p Path may become a manifest: nothing is there, or an empty file,
/// or a manifest of any version in any state. Blocks.
bool mayReplaceManifest(const std::string &Path);

/// Whether \p Path is a file that begins as manifests of any version do.
/// Blocks.
bool isManifest(const std::string &Path);

} // namespace headstart

#endif // HEADSTART_FILETREE_MANIFEST_H
