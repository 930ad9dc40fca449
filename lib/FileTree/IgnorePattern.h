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
/// which utils/check-ignore.py checks against the program).
///
/// Patterns match bytes, not characters: as in git, `?` matches one byte.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_IGNOREPATTERN_H
#define HEADSTART_LIB_FILETREE_IGNOREPATTERN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <bitset>
#include <cstdint>
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

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_IGNOREPATTERN_H
