//===- FilePlanner.h - Plans files by their layouts -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Plans files from their section tables and, if the linker may drop parts of a
/// file, its symbols.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_FILEPLANNER_H
#define HEADSTART_PLAN_FILEPLANNER_H

#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/LinkProfile.h"
#include "headstart/Plan/SymbolTables.h"
#include <cstdint>
#include <vector>

namespace headstart {

/// Plans the files of one link. Any thread may call any function.
class FilePlanner {
public:
  /// \p EntersAll: whether `plan` also enters the symbols of files that are
  /// not lazy, which takes a twentieth of a link's processor time; else
  /// `enterSymbols` must, if there are lazy ones.
  explicit FilePlanner(const PlanOptions &Options, bool EntersAll = false);

  /// Plans the current file of \p Inspector, which is the input \p Named with
  /// the number \p Order. The plan follows the file's layout, without the parts
  /// that the linker will drop, and is restricted to \p Record, that of the
  /// same file, if given. It covers the whole file if that is cheaper, or if
  /// every member of an archive is read (for ld64.lld, the layout of each
  /// instead). The caller can reuse \p Buffers. Blocks for the disk.
  std::vector<PlannedRange> plan(FileInspector &Inspector,
                                 const NamedInput &Named, uint32_t Order,
                                 SymbolBuffers &Buffers,
                                 const RecordedFile *Record = nullptr);

  /// Whether the ranges of the lazy input \p Member (see PlannedRange) are
  /// read. The answer is final after all symbols have been entered.
  bool isLinked(uint32_t Member) const { return Extracted.isLinked(Member); }

  /// Enters the symbols of a file, lazy or not, that `plan` has not entered.
  /// Blocks for the disk.
  void enterSymbols(FileInspector &Inspector, const NamedInput &Named,
                    SymbolBuffers &Buffers);

  /// Whether the plan of a file depends on the plans of the others. Then the
  /// headers of all files (FileInspector::elf, readAheadELF) are read before
  /// the symbols of any, as the linker does.
  bool plansTogether() const {
    return LinkerModel::of(Options.Kind).PlansTogether;
  }

private:
  std::vector<LayoutPart> readCOFF(FileInspector &Inspector, uint32_t Order,
                                   SymbolBuffers &Buffers);
  std::vector<LayoutPart> readELF(FileInspector &Inspector,
                                  const NamedInput &Named, uint32_t Order,
                                  bool Recorded, bool Enters,
                                  SymbolBuffers &Buffers);

  const PlanOptions Options;
  const bool EntersAll;
  ComdatTable Comdats;
  ExtractionTable Extracted;
};

} // namespace headstart

#endif // HEADSTART_PLAN_FILEPLANNER_H
