//===- LayoutReader.h - Reads the layout of an open file --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_LAYOUTREADER_H
#define HEADSTART_ENGINE_LAYOUTREADER_H

#include "headstart/OS/MappedFile.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/ObjectLayout.h"
#include <optional>
#include <vector>

namespace headstart {

/// The layout of \p File, from its first bytes: mostly one read of 64 KiB, at
/// most 64 MiB for a section table or an archive's index of that size. Nothing
/// for a file without a layout, or one that cannot be read. Blocks for the
/// disk. Any thread.
std::optional<ObjectLayout> readLayoutOf(const os::OpenFile &File);

/// The ranges of \p File by its layout, or all of it where that is cheaper, or
/// where every member of an archive is read (\p Whole). As for readLayoutOf.
std::vector<PlannedRange> planOpenFile(const os::OpenFile &File, bool Whole,
                                       const PlanOptions &Options);

} // namespace headstart

#endif // HEADSTART_ENGINE_LAYOUTREADER_H
