//===- PatternList.h - The patterns of one ignore file ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to FileTree. The patterns of one file, indexed so that most are
/// never tried: a hash table finds those that end in a literal name, and
/// another one those that end in a literal extension. The others are tried one
/// by one if the first and the last byte fit.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_PATTERNLIST_H
#define HEADSTART_LIB_FILETREE_PATTERNLIST_H

#include "IgnorePattern.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headstart::detail {

/// An entry to match against several ignore files, with what is computed at
/// most once for all of them.
///
/// Its path has three pieces: the absolute path of a walk's root, the path of
/// the directory from there, and the name. An ignore file matches the path from
/// an offset on, which is after the '/' of the file's own directory.
class IgnoreQuery {
public:
  /// Paths up to this length are joined without an allocation.
  static constexpr size_t PathBytes = 4096;

  /// \p Above and \p Directory do not end in '/'. The strings must outlive this
  /// object. \p Above is "" for the root of the file system, and if the path is
  /// unknown.
  IgnoreQuery(llvm::StringRef Above, llvm::StringRef Directory,
              llvm::StringRef Name, bool IsDirectory);

  /// Whether the entry's directory, from \p Offset on, is \p Text ("a/b", or ""
  /// for the ignore file's own directory).
  bool directoryIs(size_t Offset, llvm::StringRef Text) const;
  /// The first byte of the path from \p Offset on.
  char firstByte(size_t Offset) const;
  /// The path from \p Offset on.
  llvm::StringRef pathFrom(size_t Offset);

  const llvm::CachedHashStringRef Name;
  /// The name from its last '.' on; empty if it has none.
  const llvm::CachedHashStringRef Extension;
  const bool IsDirectory;

private:
  llvm::StringRef Above;
  llvm::StringRef Directory;
  llvm::SmallString<PathBytes> Path; // Empty until `pathFrom` needs it.
};

enum class IgnoreVerdict : uint8_t { None, Ignore, Include };

/// The patterns of an ignore file. Immutable after `parse`; any thread.
class PatternList {
public:
  /// A file with more bytes or patterns was not written by a person, and is not
  /// read. A list takes about 100 bytes for a simple pattern; the worst file,
  /// which contains only sets, takes 60 MiB.
  static constexpr size_t MaxFileBytes = size_t(4) << 20;
  static constexpr size_t MaxPatterns = 100000;

  /// Parses \p Text, the contents of an ignore file. Returns null if it has no
  /// patterns or, with a \p Problem, too many. Keeps no pointer to \p Text.
  static std::unique_ptr<const PatternList> parse(llvm::StringRef Text,
                                                  std::string &Problem);

  PatternList(const PatternList &) = delete;
  PatternList &operator=(const PatternList &) = delete;

  /// Returns the verdict of the last pattern that matches. The directory of the
  /// ignore file ends at \p Offset, at most where the entry's name begins.
  IgnoreVerdict match(IgnoreQuery &Query, size_t Offset) const;

private:
  static constexpr uint32_t NoPattern = UINT32_MAX;

  /// The condition on an entry's directory.
  enum class DirectoryRule : uint8_t {
    Any,
    Exact,   ///< is DirectoryText, from the file's directory on
    Pattern, ///< the whole path matches Glob
  };
  /// The condition on an entry's name.
  enum class NameRule : uint8_t {
    None,   ///< a hash table or DirectoryRule::Pattern has checked the name
    Prefix, ///< begins with NameText
    Suffix, ///< ends with NameText
    Pattern ///< matches Glob
  };

  struct Pattern {
    llvm::StringRef DirectoryText; // Points into Text, like NameText.
    llvm::StringRef NameText;
    uint32_t GlobBegin = 0; // In the steps of Globs.
    uint32_t GlobEnd = 0;
    uint32_t NextOfKey = NoPattern; // The previous pattern with the same key.
    DirectoryRule OfDirectory = DirectoryRule::Any;
    NameRule OfName = NameRule::None;
    bool Negated = false;
    bool DirectoriesOnly = false;
  };

  /// A pattern that is in no hash table.
  struct Unkeyed {
    uint32_t Index;
    int16_t First; // The first byte of the name, or -1 for any.
    int16_t Last;  // The last byte of the name, or -1 for any.
  };

  using KeyTable = llvm::DenseMap<llvm::CachedHashStringRef, uint32_t>;

  PatternList() = default;
  static NameRule nameRule(llvm::ArrayRef<GlobStep> Name);
  void add(const IgnoreLine &Line);
  static void addKeyed(KeyTable &Table, llvm::StringRef Key, uint32_t Index,
                       Pattern &P);
  llvm::StringRef keep(llvm::ArrayRef<GlobStep> Bytes);
  bool matches(const Pattern &P, IgnoreQuery &Query, size_t Offset) const;
  /// The last pattern for \p Key after \p Best that matches, or \p Best.
  int64_t lastOfKey(const KeyTable &Table, llvm::CachedHashStringRef Key,
                    int64_t Best, IgnoreQuery &Query, size_t Offset) const;

  std::vector<Pattern> Patterns; // In the order of the file.
  KeyTable ByName;               // The last pattern with each key.
  KeyTable ByExtension;
  std::vector<Unkeyed> Others; // In the order of the file.
  GlobTables Globs;
  std::string Text; // Never reallocated, because patterns point into it.
};

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_PATTERNLIST_H
