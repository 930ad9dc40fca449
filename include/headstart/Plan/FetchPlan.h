//===- FetchPlan.h - Which bytes to fetch, in what order --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts layouts to ranges in the order in which the linker needs them,
/// without I/O, threads or a clock.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_FETCHPLAN_H
#define HEADSTART_PLAN_FETCHPLAN_H

#include "headstart/Formats/Parts.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/ByteRange.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace headstart {

struct PlannedRange {
  ByteRange Range;
  LinkStage Stage = LinkStage::Parse;
  PartKind Why = PartKind::Whole;
  uint32_t Member = 0; ///< as in LayoutPart
  /// The length of the range of which this is a part; 0: it is none.
  uint64_t Uncut = 0;

  uint64_t uncut() const { return Uncut != 0 ? Uncut : Range.Length; }
};

struct PlanOptions : ReadKinds {
  /// The default includes everything except unreferenced sections.
  PlanOptions() { ReadsCodeView = ReadsDWARF = true; }

  Flavour Kind = Flavour::COFF;
  /// Mach-O: the value of -arch ("arm64"), which selects the slice of a
  /// universal file; empty if unknown.
  std::string Arch;
  /// ELF: symbols that extract members of archives without a reference from any
  /// input.
  std::vector<std::string> Wanted;
  /// A file of at most this many bytes is fetched whole in the first stage. A
  /// disk reads as much during an inspection.
  uint64_t WholeFileBytes = 128 * 1024;
  /// Two ranges of one stage with at most this many bytes between them are
  /// fetched as one (docs/internals/Experiments.md).
  uint64_t MergeGapBytes = 16 * 1024;
  /// The size of the system's pages, to which ranges are rounded.
  uint64_t PageBytes = 4096;
};

/// Returns the options of \p Command that decide what its link will read.
PlanOptions planOptionsOf(const LinkCommand &Command);

/// Returns \p Plan in fewer ranges, if one more request costs as much as
/// \p GapBytes. Closes gaps within a stage, and combines a small range with an
/// adjacent one that is needed earlier.
std::vector<PlannedRange> coalesceRanges(std::vector<PlannedRange> Plan,
                                         uint64_t GapBytes);

/// Returns the ranges of a file of \p FileSize bytes, sorted by stage and then
/// by offset, rounded to pages, and disjoint within a stage. A file without
/// parts is one range of the first stage. A page that two stages need is only
/// in the earlier one.
std::vector<PlannedRange> planFile(llvm::ArrayRef<LayoutPart> Parts,
                                   uint64_t FileSize,
                                   const PlanOptions &Options);

/// Rounds \p Plan, which a link with another page size may have recorded, to
/// the pages of \p Options by the rules of planFile.
std::vector<PlannedRange> roundToPages(llvm::ArrayRef<PlannedRange> Plan,
                                       uint64_t FileSize,
                                       const PlanOptions &Options);

/// Returns the union of \p Ranges, sorted and disjoint.
std::vector<ByteRange> unite(std::vector<ByteRange> Ranges);

uint64_t bytesOf(llvm::ArrayRef<ByteRange> Ranges);

/// Returns \p Ranges without \p Others; all are sorted and disjoint.
std::vector<ByteRange> without(llvm::ArrayRef<ByteRange> Ranges,
                               llvm::ArrayRef<ByteRange> Others);

/// Returns the bytes that \p Plan covers, as sorted and disjoint ranges.
std::vector<ByteRange> rangesOf(llvm::ArrayRef<PlannedRange> Plan);

/// Returns the part of \p Plan that is in \p Touched (sorted, disjoint; perhaps
/// of another page size than \p Options). Closes gaps as Options allow. A page
/// that two stages need is only in the earlier one.
std::vector<PlannedRange> cutPlan(llvm::ArrayRef<PlannedRange> Plan,
                                  llvm::ArrayRef<ByteRange> Touched,
                                  uint64_t FileSize,
                                  const PlanOptions &Options);

/// Like cutPlan, for the ranges that the last link of the same file touched.
/// Touched bytes that are not in the plan get the plan's last stage (for an
/// archive, whose members have no layout, that is the first stage).
std::vector<PlannedRange> restrictPlan(llvm::ArrayRef<PlannedRange> Plan,
                                       llvm::ArrayRef<ByteRange> Touched,
                                       uint64_t FileSize,
                                       const PlanOptions &Options);

} // namespace headstart

#endif // HEADSTART_PLAN_FETCHPLAN_H
