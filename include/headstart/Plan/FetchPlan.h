//===- FetchPlan.h - Which bytes to fetch, in what order --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From layouts to ranges in the order of need. Pure: no I/O, no threads, no
/// clock, so that every decision can be tested on made-up files.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_FETCHPLAN_H
#define HEADSTART_PLAN_FETCHPLAN_H

#include "headstart/Formats/Parts.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/ByteRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <string>
#include <vector>

namespace headstart {

struct PlannedRange {
  ByteRange Range;
  LinkStage Stage = LinkStage::Parse;
  PartKind Why = PartKind::Whole;
  uint32_t Member = 0; ///< as in LayoutPart
};

struct PlanOptions : ReadKinds {
  /// Everything but unreferenced sections.
  PlanOptions() { ReadsCodeView = ReadsDWARF = true; }

  Flavour Kind = Flavour::COFF;
  /// Mach-O: the value of -arch ("arm64"), which chooses the slice of a
  /// universal file; empty: not known.
  std::string Arch;
  /// ELF: symbols that take members out of archives though no input refers to
  /// them.
  std::vector<std::string> Wanted;
  /// A file of at most this many bytes is fetched whole and at once: to find
  /// what is needed of it takes two reads, one after the other, in which a disk
  /// of 1.5 GB/s brings as much.
  uint64_t WholeFileBytes = 128 * 1024;
  /// Two ranges of one stage with at most this many bytes between them are
  /// fetched as one: what a request costs, whatever the system's pages are. See
  /// docs/internals/Experiments.md for others.
  uint64_t MergeGapBytes = 16 * 1024;
  /// Where ranges are rounded to, in bytes: the system's pages.
  uint64_t PageBytes = 4096;
};

/// \p Plan in fewer ranges, where one more request costs as much as \p
/// GapBytes: gaps of a stage are closed, and what is small comes with what lies
/// beside it and is needed earlier.
std::vector<PlannedRange> coalesceRanges(std::vector<PlannedRange> Plan,
                                         uint64_t GapBytes);

/// The ranges of one file of \p FileSize bytes, by stage and then by offset,
/// each rounded to pages, none twice in one stage. Without parts the whole
/// file is one range of the first stage. A page that two stages need is
/// fetched in the earlier one only.
std::vector<PlannedRange> planFile(llvm::ArrayRef<LayoutPart> Parts,
                                   uint64_t FileSize,
                                   const PlanOptions &Options);

/// \p Plan, which a link with other pages may have recorded, rounded to the
/// pages of \p Options by the same rules.
std::vector<PlannedRange> roundToPages(llvm::ArrayRef<PlannedRange> Plan,
                                       uint64_t FileSize,
                                       const PlanOptions &Options);

/// The union of \p Ranges, in order and disjoint.
std::vector<ByteRange> unite(std::vector<ByteRange> Ranges);

/// What \p Plan covers, in order and disjoint.
std::vector<ByteRange> rangesOf(llvm::ArrayRef<PlannedRange> Plan);

/// What of \p Plan is in \p Touched (in order, disjoint; perhaps of other pages
/// than those of \p Options); gaps that Options allows are closed.
std::vector<PlannedRange> cutPlan(llvm::ArrayRef<PlannedRange> Plan,
                                  llvm::ArrayRef<ByteRange> Touched,
                                  const PlanOptions &Options);

/// \p Plan cut to what the last link of the same file touched. Stages stay;
/// gaps that Options allows are closed; what was touched and is not in the plan
/// comes in the plan's last stage (for an archive, whose members no layout
/// knows, that is the first). \p Touched is in order, disjoint and within the
/// file.
std::vector<PlannedRange> restrictPlan(llvm::ArrayRef<PlannedRange> Plan,
                                       llvm::ArrayRef<ByteRange> Touched,
                                       uint64_t FileSize,
                                       const PlanOptions &Options);

/// How many bytes of \p Ranges lie in none of \p Touched (both in order and
/// disjoint): what was fetched for nothing.
uint64_t bytesOutside(llvm::ArrayRef<ByteRange> Ranges,
                      llvm::ArrayRef<ByteRange> Touched);

} // namespace headstart

#endif // HEADSTART_PLAN_FETCHPLAN_H
