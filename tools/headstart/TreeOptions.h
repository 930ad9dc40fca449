//===- TreeOptions.h - What the commands on trees have in common --*- C++
//-*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options checked and given their values, operands told apart, and the forms
/// in which entries are written.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_TREEOPTIONS_H
#define HEADSTART_TOOLS_HEADSTART_TREEOPTIONS_H

#include "Command.h"
#include "LineOutput.h"
#include "headstart/FileTree/IgnoreRules.h"
#include "headstart/FileTree/Manifest.h"
#include "headstart/FileTree/TreeFilter.h"
#include "headstart/FileTree/TreeWalker.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headstart {

/// How to walk.
struct TreePlan {
  TreeSelection Selection;
  TreeFilter Filter;
  std::shared_ptr<const IgnoreRules> Ignore; ///< null: nothing is ignored
  unsigned Jobs = 0;                         ///< 0: the walker decides

  /// Refers to the plan. \p Above is how many directories lie between the place
  /// from which the depth counts and the root of the walk.
  WalkOptions walkOptions(bool WithStatus, unsigned Above = 0) const;
  /// Whether a directory that far down has nothing in it that counts.
  bool isTooDeep(unsigned Above) const {
    return Selection.MaxDepth && *Selection.MaxDepth <= Above;
  }
};

/// Checks what was written. The error names the option.
llvm::Expected<TreePlan> planTree(const TreeArguments &Arguments);
/// The same walk again.
llvm::Expected<TreePlan> planTree(const TreeSelection &Selection,
                                  const TreeArguments &Arguments);

/// A number that was written after \p Option.
llvm::Expected<unsigned> parseCount(llvm::StringRef Option,
                                    llvm::StringRef Text, unsigned Most);

/// A directory to walk.
struct TreeRoot {
  std::string Given;  ///< for the walker
  std::string Prefix; ///< what stands before the path from it: "", "/", "a/"

  /// \p Path as an operand; "" is the current directory, which nobody named.
  explicit TreeRoot(llvm::StringRef Path);
};

/// What stood on the command line.
struct TreeOperands {
  std::vector<TreeRoot> Directories;
  std::vector<std::string> Files; ///< anything that is no directory
};

/// Whether links that lead nowhere are something, or not there.
enum class DeadLinks : uint8_t { AreMissing, AreFiles };

/// Tells them apart, through links. What is not there is told to \p Problems.
/// Without any, the current directory. Blocks.
TreeOperands classifyOperands(const std::vector<std::string> &Operands,
                              ProblemPrinter &Problems,
                              DeadLinks Dead = DeadLinks::AreMissing);

/// The names of types: "file", "folder", "link", ...
llvm::StringRef typeName(os::EntryType Type);

/// Appends "2026-11-21T20:20:07.123456789Z".
void appendTime(int64_t Nanoseconds, llvm::SmallVectorImpl<char> &Out);

/// Writes the attribute "path" of an open object, and "path_base64" where it
/// is not UTF-8.
void writePath(llvm::StringRef Path, llvm::json::OStream &J);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_TREEOPTIONS_H
