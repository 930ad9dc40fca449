//===- TreeOptions.h - Options for trees ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks the options of the commands on trees, classifies their operands, and
/// writes entries.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_TREEOPTIONS_H
#define HEADSTART_TOOLS_HEADSTART_TREEOPTIONS_H

#include "Command.h"
#include "LineOutput.h"
#include "headstart/FileTree/IgnoreRules.h"
#include "headstart/FileTree/TreeChanges.h"
#include "headstart/FileTree/TreeFilter.h"
#include "headstart/FileTree/TreeWalker.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <string>
#include <vector>

namespace headstart {

/// The plan of a walk.
struct TreePlan {
  TreeSelection Selection;
  TreeFilter Filter;
  std::shared_ptr<const IgnoreRules> Ignore; ///< null: nothing is ignored
  unsigned Jobs = 0;                         ///< 0: the walker decides

  /// The result refers to the plan. \p Above is the number of directories
  /// between the one from which the depth counts and the root of the walk.
  WalkOptions walkOptions(bool WithStatus, unsigned Above = 0) const;
  /// Whether the maximum depth excludes every entry of a directory at \p Above.
  bool isTooDeep(unsigned Above) const {
    return Selection.MaxDepth && *Selection.MaxDepth <= Above;
  }
};

/// Checks the arguments. The error names the option.
llvm::Expected<TreePlan> planTree(const CommandArguments &Arguments);
/// Plans a walk of \p Selection, which an earlier walk used, with the --jobs of
/// \p Arguments.
llvm::Expected<TreePlan> planTree(const TreeSelection &Selection,
                                  const CommandArguments &Arguments);

/// A directory to walk.
struct TreeRoot {
  std::string Given;  ///< for the walker
  std::string Prefix; ///< printed before paths from it: "", "/", "a/"

  /// The root of the operand \p Path; "" is the current directory by default.
  explicit TreeRoot(llvm::StringRef Path);
};

/// The operands on the command line.
struct TreeOperands {
  std::vector<TreeRoot> Directories;
  std::vector<std::string> Files; ///< all that are not directories
};

/// Classifies \p Operands, following links; links that lead nowhere are missing
/// or files. Reports to \p Problems those that cannot be found. Without
/// operands, returns the current directory. Blocks.
TreeOperands classifyOperands(const std::vector<std::string> &Operands,
                              ProblemPrinter &Problems,
                              bool DeadLinksAreFiles = false);

/// Returns the part of \p M for the directory \p Path. Fails if the manifest's
/// walk, which \p Plan repeats, did not enter it: a comparison must not take
/// what the walk skipped for new entries. A directory that was removed passes.
/// The error names a path and the reason. Uses the present ignore files.
/// Blocks.
llvm::Expected<ManifestPart>
coveredPart(const Manifest &M, const std::string &Path, const TreePlan &Plan);

/// Writes the attribute \p Key of an open object, and "path_base64", for
/// example, if \p Path is not UTF-8.
void writePath(llvm::StringRef Path, llvm::json::OStream &J,
               llvm::StringRef Key = "path");

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_TREEOPTIONS_H
