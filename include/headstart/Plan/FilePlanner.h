//===- FilePlanner.h - Plans files by their layouts -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From what a file holds to its plan: asks of each what its plan depends on,
/// its section table and, of an object with COMDATs, its symbols.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_FILEPLANNER_H
#define HEADSTART_PLAN_FILEPLANNER_H

#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/Plan/ComdatTable.h"
#include "headstart/Plan/ExtractionTable.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/LinkProfile.h"
#include <cstdint>
#include <vector>

namespace headstart {

/// What \p Command says about what its link will read.
PlanOptions planOptionsOf(const LinkCommand &Command);

/// Plans the files of one link. Every function may be called from any thread.
class FilePlanner {
public:
  explicit FilePlanner(const PlanOptions &Options);

  /// The ranges of the file that \p Inspector is turned to, which is \p Named
  /// and comes as number \p Order: by its layout, without what the linker will
  /// drop; cut to \p Record, when there is one, of the same file; all of it
  /// where that is cheaper, or where every member of an archive is read (those
  /// of ld64.lld by the layout of each). \p Buffers are the caller's, to be
  /// used again. Blocks for the disk.
  std::vector<PlannedRange> plan(FileInspector &Inspector,
                                 const NamedInput &Named, uint32_t Order,
                                 SymbolBuffers &Buffers,
                                 const RecordedFile *Record = nullptr);

  /// Whether what belongs to the lazy input \p Member (of a PlannedRange) is
  /// read: known when all files are planned.
  bool isLinked(uint32_t Member) const { return Extracted.isLinked(Member); }

  /// Enters the symbols of a file that is linked in any case, or lazily, but
  /// needs no plan. Blocks for the disk.
  void enterSymbols(FileInspector &Inspector, const NamedInput &Named,
                    SymbolBuffers &Buffers);

  /// Whether the plan of one file depends on the others' being planned: then
  /// the headers of all (FileInspector::elf) are read before the symbols of
  /// any, as the linker does.
  bool planTogether() const {
    return LinkerModel::of(Options.Kind).PlansTogether;
  }

private:
  std::vector<LayoutPart> readCOFF(FileInspector &Inspector, uint32_t Order,
                                   SymbolBuffers &Buffers);
  std::vector<LayoutPart> readELF(FileInspector &Inspector,
                                  const NamedInput &Named, uint32_t Order,
                                  bool Recorded, SymbolBuffers &Buffers);
  void enterELFSymbols(ELFSymbols Symbols, bool Lazy, uint32_t Order,
                       std::vector<LayoutPart> &Parts);

  const PlanOptions Options;
  ComdatTable Comdats;
  ExtractionTable Extracted;
};

} // namespace headstart

#endif // HEADSTART_PLAN_FILEPLANNER_H
