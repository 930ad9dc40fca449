//===- ManifestCoverage.h - The trees in a manifest -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A manifest does not contain what its walk skipped. A comparison must not
/// take those entries for new ones.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_MANIFESTCOVERAGE_H
#define HEADSTART_TOOLS_HEADSTART_MANIFESTCOVERAGE_H

#include "TreeOptions.h"
#include "headstart/FileTree/TreeChanges.h"
#include "llvm/Support/Error.h"

namespace headstart {

/// Checks that the manifest's walk, which \p Plan repeats, entered the
/// directory of \p Part; a directory that was removed passes. The error names
/// the directory that the walk skipped, and the reason. Uses the present ignore
/// files. Blocks.
llvm::Error checkCovers(const ManifestPart &Part, const TreePlan &Plan);

/// Checks that a walk of \p Wanted shows no more files than one of \p Recorded.
/// Succeeds only if this is obvious. The error names the wider option.
llvm::Error checkIsNoWider(const TreeSelection &Wanted,
                           const TreeSelection &Recorded);

/// Checks that a walk shows no more files if it begins at \p Part, from which
/// its depth and globs count. Requires that `checkIsNoWider` has succeeded.
llvm::Error checkIsNoWiderAt(const ManifestPart &Part,
                             const TreeSelection &Wanted);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_MANIFESTCOVERAGE_H
