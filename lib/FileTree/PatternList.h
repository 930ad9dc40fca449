//===- PatternList.h - The patterns of one ignore file ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to FileTree: all patterns of one file, sorted by what has to be true
/// of an entry's name, so that most are never looked at: those that end in a
/// plain name and those that end in a plain extension are found by hash, the
/// rest are tried one by one after a look at the first and the last byte.
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
#include <optional>
#include <string>
#include <vector>

namespace headstart::detail {

/// An entry that is asked for, and what is worked out about it at most once for
/// all the files that are asked.
///
/// Its path is taken apart: the absolute path of a walk's root, the directory's
/// path from there, the name. Files are anchored by an offset into that path,
/// behind the '/' of their own directory.
class IgnoreQuery {
public:
  /// Paths up to this length are put together without an allocation.
  static constexpr size_t PathBytes = 4096;

  /// \p Above and \p Directory without '/' at their ends; what they point to
  /// must outlive this. \p Above is "" for the root of the file system, and
  /// where nothing is known.
  IgnoreQuery(llvm::StringRef Above, llvm::StringRef Directory,
              llvm::StringRef Name, bool IsDirectory);

  bool isDirectory() const { return IsDirectory; }
  llvm::CachedHashStringRef name() const { return Name; }
  /// From the last '.' of the name on; empty without one.
  llvm::CachedHashStringRef extension() const { return Extension; }

  /// Where the name begins in the path.
  size_t nameOffset() const {
    return Above.size() + 1 + (Directory.empty() ? 0 : Directory.size() + 1);
  }
  /// Whether the entry's directory, from \p Offset on, is \p Text ("a/b", or ""
  /// for the directory that the offset stands for).
  bool directoryIs(size_t Offset, llvm::StringRef Text) const;
  /// The first byte from \p Offset on.
  char firstByte(size_t Offset) const;
  /// The path from \p Offset on.
  llvm::StringRef pathFrom(size_t Offset);

private:
  llvm::StringRef Above;
  llvm::StringRef Directory;
  llvm::CachedHashStringRef Name;
  llvm::CachedHashStringRef Extension;
  bool IsDirectory;
  llvm::SmallString<PathBytes> Path; // empty until asked for
};

enum class IgnoreVerdict : uint8_t { None, Ignore, Include };

/// Immutable once made; any thread.
class PatternList {
public:
  /// A file with more bytes or patterns is not for people, and not read. A list
  /// takes about 100 bytes for a plain pattern; the worst of files, nothing but
  /// sets, takes 60 MiB.
  static constexpr size_t MaxFileBytes = size_t(4) << 20;
  static constexpr size_t MaxPatterns = 100000;

  /// The patterns in \p Text, the contents of an ignore file; null if there are
  /// none. Too many give null and a \p Problem. Keeps nothing of \p Text.
  static std::unique_ptr<const PatternList> parse(llvm::StringRef Text,
                                                  std::string &Problem);

  PatternList(const PatternList &) = delete;
  PatternList &operator=(const PatternList &) = delete;

  /// What the last pattern says that matches, for a file whose directory ends
  /// at \p Offset, which is at most the entry's nameOffset().
  IgnoreVerdict match(IgnoreQuery &Query, size_t Offset) const;

  /// How many patterns can match something.
  size_t size() const { return Patterns.size(); }

private:
  static constexpr uint32_t NoPattern = UINT32_MAX;

  /// What is asked of the directory that an entry is in.
  enum class DirectoryRule : uint8_t {
    Any,
    Exact,   ///< is DirectoryText, from the file's directory on
    Pattern, ///< the whole path matches Glob
  };
  /// What is asked of the name.
  enum class NameRule : uint8_t {
    Any,
    Exact,  ///< found by hash: nothing more
    Prefix, ///< begins with NameText
    Suffix, ///< ends with NameText
    Pattern ///< matches Glob
  };

  struct Pattern {
    llvm::StringRef DirectoryText; // of Text, as is NameText
    llvm::StringRef NameText;
    GlobRange Glob;
    uint32_t NextOfKey = NoPattern; // the next earlier one of the same key
    DirectoryRule OfDirectory = DirectoryRule::Any;
    NameRule OfName = NameRule::Any;
    bool Negated = false;
    bool DirectoriesOnly = false;
  };

  /// One that no hash finds.
  struct Unkeyed {
    uint32_t Index;
    int16_t First; // byte of the name, or of the path; or -1
    int16_t Last;
    bool OfPath; // First
  };

  using KeyTable = llvm::DenseMap<llvm::CachedHashStringRef, uint32_t>;

  PatternList() = default;
  static DirectoryRule directoryRule(llvm::ArrayRef<GlobStep> Directory);
  static NameRule nameRule(llvm::ArrayRef<GlobStep> Name);
  void add(const IgnoreLine &Line);
  void addUnkeyed(const Pattern &P, uint32_t Index,
                  llvm::ArrayRef<GlobStep> Steps,
                  llvm::ArrayRef<GlobStep> Name);
  static void addKeyed(KeyTable &Table, llvm::StringRef Key, uint32_t Index,
                       Pattern &P);
  llvm::StringRef keep(llvm::ArrayRef<GlobStep> Bytes);
  bool matches(const Pattern &P, IgnoreQuery &Query, size_t Offset) const;
  /// The last pattern for \p Key behind \p Best that matches, or \p Best.
  int64_t lastOfKey(const KeyTable &Table, llvm::CachedHashStringRef Key,
                    int64_t Best, IgnoreQuery &Query, size_t Offset) const;

  std::vector<Pattern> Patterns; // in the order of the file
  KeyTable ByName;               // the last pattern of each
  KeyTable ByExtension;
  std::vector<Unkeyed> Others; // in the order of the file
  GlobTables Globs;
  std::string Text; // never grows: others point into it
};

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_PATTERNLIST_H
