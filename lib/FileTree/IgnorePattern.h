//===- IgnorePattern.h - One pattern of an ignore file ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to FileTree. Compiles patterns, which gitignore(5) describes, into
/// steps. They match as in git 2.39 (facts from its dir.c and wildmatch.c,
/// which utils/check-ignore.py checks against the program). A pattern of a file
/// is only tried if its first and its last byte fit.
///
/// Patterns match bytes, not characters: as in git, `?` matches one byte.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_IGNOREPATTERN_H
#define HEADSTART_LIB_FILETREE_IGNOREPATTERN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart::detail {

/// A line of an ignore file that is a pattern.
struct IgnoreLine {
  llvm::StringRef Body; ///< without '!' and '/' in front, and '/' at the end
  bool Negated = false; ///< began with '!': shows entries that were hidden
  bool DirectoriesOnly = false; ///< ended in '/'
  /// The pattern had a '/' in front or in the middle, so that it matches the
  /// path from the file's directory. Otherwise it matches only the name.
  bool IsPath = false;
};

/// Splits \p Line (without its newline) into \p Result, whose Body points into
/// \p Line. False for empty lines and comments. Accepts any bytes.
bool parseIgnoreLine(llvm::StringRef Line, IgnoreLine &Result);

/// What one step of a pattern matches.
enum class GlobOp : uint8_t {
  Byte,        ///< that byte
  NoSlash,     ///< `?`: any byte except '/'
  Class,       ///< `[...]`: a byte of that set
  Star,        ///< `*`: any bytes except '/'
  Deep,        ///< `**` at the end, or before an escaped '/': any bytes
  Directories, ///< `**` and '/': nothing, or any bytes that end in '/'
};

struct GlobStep {
  GlobOp Op = GlobOp::Byte;
  uint32_t Operand = 0; ///< the byte, or the index of the class

  bool isByte(char C) const {
    return Op == GlobOp::Byte && Operand == static_cast<unsigned char>(C);
  }
};

using ByteSet = std::bitset<256>;

/// The steps and classes of many patterns.
struct GlobTables {
  std::vector<GlobStep> Steps;
  std::vector<ByteSet> Classes;
};

/// Compiles the Body of a line, and adds its steps to \p Tables. False if it
/// can never match (a set without an end, an unknown class, a backslash at the
/// end); then the added steps are meaningless.
bool compileGlob(llvm::StringRef Body, bool IsPath, GlobTables &Tables);

/// Whether \p Steps match all of \p Text. The time is at most the product of
/// the two lengths for any pattern, since only the last `*` and the last `**`
/// are retried. Does not allocate or recurse.
bool matchGlob(llvm::ArrayRef<GlobStep> Steps, llvm::ArrayRef<ByteSet> Classes,
               llvm::StringRef Text);

/// An entry to match against several ignore files.
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
              llvm::StringRef Name, bool IsDirectory)
      : Name(Name), IsDirectory(IsDirectory), Above(Above),
        Directory(Directory) {}

  /// The path from \p Offset on.
  llvm::StringRef pathFrom(size_t Offset);

  const llvm::StringRef Name;
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
  struct Pattern {
    uint32_t GlobBegin = 0; // In the steps of Globs.
    uint32_t GlobEnd = 0;
    int16_t First = -1; // The first byte of the name, or -1 for any.
    int16_t Last = -1;  // The last byte of the name, or -1 for any.
    bool IsPath = false;
    bool Negated = false;
    bool DirectoriesOnly = false;
  };

  PatternList() = default;
  void add(const IgnoreLine &Line);

  std::vector<Pattern> Patterns; // In the order of the file.
  GlobTables Globs;
};

/// Returns the last value of core.excludesFile in \p Config, the text of a file
/// in git's format; nothing if there is none. Skips malformed lines without a
/// message. Included files are not read.
std::optional<std::string> configuredExcludes(llvm::StringRef Config);

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_IGNOREPATTERN_H
