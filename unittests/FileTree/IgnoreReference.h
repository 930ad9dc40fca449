//===- IgnoreReference.h - The slow way to match ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For tests: the verdict of a pattern file on a path. Follows all positions
/// that a pattern can have reached at once, and tries every pattern in turn.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_UNITTESTS_FILETREE_IGNOREREFERENCE_H // NOLINT
#define HEADSTART_UNITTESTS_FILETREE_IGNOREREFERENCE_H

#include "../../lib/FileTree/IgnorePattern.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include <string>
#include <utility>
#include <vector>

namespace headstart::test {

inline bool matchesSlowly(llvm::ArrayRef<detail::GlobStep> Steps,
                          llvm::ArrayRef<detail::ByteSet> Classes,
                          llvm::StringRef Text) {
  using detail::GlobOp;
  // For each position, whether the steps so far match the bytes before it.
  std::vector<bool> Reached(Text.size() + 1);
  Reached[0] = true;
  for (const detail::GlobStep &Step : Steps) {
    std::vector<bool> Next(Text.size() + 1);
    bool Before = false;
    for (size_t I = 0; I <= Text.size(); ++I) {
      char C = I < Text.size() ? Text[I] : '\0';
      bool IsByte = I < Text.size();
      switch (Step.Op) {
      case GlobOp::Byte:
        if (IsByte && Reached[I] && Step.isByte(C))
          Next[I + 1] = true;
        break;
      case GlobOp::NoSlash:
        if (IsByte && Reached[I] && C != '/')
          Next[I + 1] = true;
        break;
      case GlobOp::Class:
        if (IsByte && Reached[I] &&
            Classes[Step.Operand][static_cast<unsigned char>(C)])
          Next[I + 1] = true;
        break;
      case GlobOp::Star:
        Before = Before || Reached[I];
        Next[I] = Before;
        if (C == '/')
          Before = false;
        break;
      case GlobOp::Deep:
        Before = Before || Reached[I];
        Next[I] = Before;
        break;
      case GlobOp::Directories:
        Next[I] = Reached[I] || (Before && Text[I - 1] == '/');
        Before = Before || Reached[I];
        break;
      }
    }
    Reached = std::move(Next);
  }
  return Reached.back();
}

/// The verdict of the file \p Text in the root on the entry.
inline detail::IgnoreVerdict slowVerdict(llvm::StringRef Text,
                                         llvm::StringRef Directory,
                                         llvm::StringRef Name,
                                         bool IsDirectory) {
  using namespace detail;
  IgnoreVerdict Verdict = IgnoreVerdict::None;
  Text.consume_front("\xef\xbb\xbf");
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  Text.split(Lines, '\n');
  const std::string Path =
      (Directory + (Directory.empty() ? "" : "/") + Name).str();
  for (llvm::StringRef Line : Lines) {
    IgnoreLine Parsed;
    GlobTables Tables;
    if (parseIgnoreLine(Line, Parsed) &&
        (IsDirectory || !Parsed.DirectoriesOnly) &&
        compileGlob(Parsed.Body, Parsed.IsPath, Tables) &&
        matchesSlowly(Tables.Steps, Tables.Classes,
                      Parsed.IsPath ? llvm::StringRef(Path) : Name))
      Verdict = Parsed.Negated ? IgnoreVerdict::Include : IgnoreVerdict::Ignore;
  }
  return Verdict;
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FILETREE_IGNOREREFERENCE_H
