//===- IgnorePattern.h - One pattern of an ignore file ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to FileTree: patterns as gitignore(5) describes them and git 2.39
/// matches them (dir.c and wildmatch.c there: facts, checked against the
/// program by utils/check-ignore.py), compiled into steps.
///
/// Bytes, not characters: `?` stands for one byte of a name, as in git.
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

/// One line of an ignore file that is a pattern, less its trimmings.
struct IgnoreLine {
  llvm::StringRef Body;         ///< without "!", "!/" in front and '/' behind
  bool Negated = false;         ///< '!': shows again what was hidden
  bool DirectoriesOnly = false; ///< ended in '/'
  /// Has a '/', at the front or in the middle: the path from the file's
  /// directory is matched. Otherwise the name alone.
  bool IsPath = false;
};

/// Splits \p Line (without its newline) into \p Result, whose Body points into
/// \p Line; false for what is no pattern: empty lines and comments. Any bytes.
bool parseIgnoreLine(llvm::StringRef Line, IgnoreLine &Result);

/// What one step of a pattern matches.
enum class GlobOp : uint8_t {
  Byte,        ///< that byte
  NoSlash,     ///< `?`: a byte that is no '/'
  Class,       ///< `[...]`: a byte of that set
  Star,        ///< `*`: any bytes but '/'
  Deep,        ///< `**` at the end, or before an escaped '/': any bytes
  Directories, ///< `**` and '/': nothing, or any bytes up to and with a '/'
};

struct GlobStep {
  GlobOp Op = GlobOp::Byte;
  uint32_t Operand = 0; ///< the byte, or the number of the class

  bool isByte(char C) const {
    return Op == GlobOp::Byte && Operand == static_cast<unsigned char>(C);
  }
};

using ByteSet = std::bitset<256>;

/// Steps and classes of many patterns.
struct GlobTables {
  std::vector<GlobStep> Steps;
  std::vector<ByteSet> Classes;
};

/// A compiled pattern.
struct GlobRange {
  uint32_t Begin = 0; ///< in the tables' Steps
  uint32_t End = 0;
};

/// Compiles the Body of a line. False if it can never match (a set without end,
/// a class without meaning, a backslash at the end), and then adds nothing.
bool compileGlob(llvm::StringRef Body, bool IsPath, GlobTables &Tables,
                 GlobRange &Result);

/// Whether \p Steps match all of \p Text. Time: at most the product of the two
/// lengths, whatever the pattern, since only the last `*` and the last `**` are
/// ever tried again. No allocation, no recursion.
bool matchGlob(llvm::ArrayRef<GlobStep> Steps, llvm::ArrayRef<ByteSet> Classes,
               llvm::StringRef Text);

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_IGNOREPATTERN_H
