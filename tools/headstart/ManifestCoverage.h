//===- ManifestCoverage.h - What a manifest speaks of -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A manifest has nothing of what its walk left out. Whoever compares with it
/// must not take that for new.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_MANIFESTCOVERAGE_H
#define HEADSTART_TOOLS_HEADSTART_MANIFESTCOVERAGE_H

#include "TreeOptions.h"
#include "headstart/FileTree/TreeChanges.h"
#include "llvm/Support/Error.h"

namespace headstart {

/// Whether the walk for a manifest, which \p Plan does again, has entered the
/// directory that \p Part is; yes of one that is gone. The error says which
/// directory it has left out, and why. Judges by the ignore files as they are
/// now. Blocks.
llvm::Error checkCovers(const ManifestPart &Part, const TreePlan &Plan);

/// Whether a walk of \p Wanted shows no more files than one of \p Recorded.
/// Says yes only where that is plain to see. The error names the option that
/// shows more.
llvm::Error checkIsNoWider(const TreeSelection &Wanted,
                           const TreeSelection &Recorded);

/// The same for a walk that begins at \p Part, where depth and globs count from
/// there. To be asked when `checkIsNoWider` has said yes.
llvm::Error checkIsNoWiderAt(const ManifestPart &Part,
                             const TreeSelection &Wanted);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_MANIFESTCOVERAGE_H
