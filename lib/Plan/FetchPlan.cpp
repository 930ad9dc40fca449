//===- FetchPlan.cpp - From layouts to ranges in the order of need --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

PlanOptions planOptionsOf(const LinkCommand &Command) {
  PlanOptions Options;
  Options.Kind = Command.Kind;
  Options.MergeGapBytes = Command.model().MergeGapBytes;
  Options.Arch = Command.MachO.Arch;
  Options.Wanted = Command.ELF.Wanted;
  static_cast<ReadKinds &>(Options) = Command;
  return Options;
}

static void extend(ByteRange &Last, uint64_t End) {
  Last.Length = std::max(Last.end(), End) - Last.Offset;
}

static bool isEarlier(const PlannedRange &A, const PlannedRange &B) {
  return std::pair(A.Stage, A.Range.Offset) <
         std::pair(B.Stage, B.Range.Offset);
}

/// Calls \p Take with each part of \p Range outside of \p Covered, which is
/// sorted and disjoint.
static void takeUncovered(ByteRange Range, ArrayRef<ByteRange> Covered,
                          function_ref<void(ByteRange)> Take) {
  uint64_t Begin = Range.Offset;
  const auto *It = llvm::partition_point(
      Covered, [&](const ByteRange &R) { return R.end() <= Begin; });
  for (; It != Covered.end() && It->Offset < Range.end(); ++It) {
    if (Begin < It->Offset)
      Take({Begin, It->Offset - Begin});
    Begin = std::max(Begin, It->end());
  }
  if (Begin < Range.end())
    Take({Begin, Range.end() - Begin});
}

std::vector<ByteRange> unite(std::vector<ByteRange> Ranges) {
  llvm::sort(Ranges, [](const ByteRange &A, const ByteRange &B) {
    return A.Offset < B.Offset;
  });
  std::vector<ByteRange> Union;
  for (const ByteRange &R : Ranges)
    addJoined(Union, R);
  return Union;
}

/// The pages of a file of \p FileSize bytes that \p Range touches.
static ByteRange pagesOf(ByteRange Range, uint64_t FileSize,
                         const PlanOptions &Options) {
  const uint64_t Begin = alignDown(Range.Offset, Options.PageBytes);
  return {Begin,
          std::min(alignTo(Range.end(), Options.PageBytes), FileSize) - Begin};
}

/// Rounds \p Wanted to pages. Within a stage, joins ranges with at most
/// \p GapBytes between them (0: those that overlap, or have one kind). Removes
/// from each stage what an earlier one has.
static std::vector<PlannedRange> byStages(ArrayRef<PlannedRange> Wanted,
                                          uint64_t FileSize, uint64_t GapBytes,
                                          const PlanOptions &Options) {
  std::vector<PlannedRange> Plan;
  for (unsigned S = 0; S != NumFirstStages; ++S) {
    std::vector<PlannedRange> Merged;
    for (const PlannedRange &R : Wanted) {
      if (R.Stage != static_cast<LinkStage>(S))
        continue;
      const ByteRange Pages = pagesOf(R.Range, FileSize, Options);
      if (!Merged.empty() && Merged.back().Member == R.Member &&
          Pages.Offset <= Merged.back().Range.end() + GapBytes &&
          (GapBytes != 0 || Pages.Offset < Merged.back().Range.end() ||
           R.Why == Merged.back().Why))
        extend(Merged.back().Range, Pages.end());
      else
        Merged.push_back({Pages, R.Stage, R.Why, R.Member});
    }
    const std::vector<ByteRange> Covered = rangesOf(Plan);
    for (const PlannedRange &R : Merged)
      takeUncovered(R.Range, Covered, [&](ByteRange Part) {
        Plan.push_back({Part, R.Stage, R.Why, R.Member});
      });
  }
  return Plan;
}

std::vector<PlannedRange> planFile(ArrayRef<LayoutPart> Parts,
                                   uint64_t FileSize,
                                   const PlanOptions &Options) {
  std::vector<PlannedRange> Wanted;
  if (FileSize == 0)
    return Wanted;
  if (Parts.empty() || FileSize <= Options.WholeFileBytes)
    return {{{0, FileSize}, LinkStage::Parse, PartKind::Whole}};
  Wanted.reserve(Parts.size());
  const LinkerModel &Model = LinkerModel::of(Options.Kind);
  for (const LayoutPart &Part : Parts)
    if (const auto Stage = Model.stageOf(Part.Kind, Options))
      Wanted.push_back({Part.Range, *Stage, Part.Kind, Part.Member});
  return byStages(Wanted, FileSize, Options.MergeGapBytes, Options);
}

std::vector<PlannedRange> roundToPages(ArrayRef<PlannedRange> Plan,
                                       uint64_t FileSize,
                                       const PlanOptions &Options) {
  if (llvm::all_of(Plan, [&](const PlannedRange &R) {
        return R.Range == pagesOf(R.Range, FileSize, Options);
      }))
    return Plan.vec();
  return byStages(Plan, FileSize, /*GapBytes=*/0, Options);
}

/// Whether it costs less to fetch \p Next together with \p Last before it.
static bool belongsTogether(const PlannedRange &Last, const PlannedRange &Next,
                            uint64_t GapBytes) {
  if (Last.Member != Next.Member ||
      Next.Range.Offset > Last.Range.end() + GapBytes)
    return false;
  // A range is fetched before its stage only if it is small.
  const PlannedRange &Later = Last.Stage < Next.Stage ? Next : Last;
  return Last.Stage == Next.Stage || Later.Range.Length <= GapBytes;
}

std::vector<PlannedRange> coalesceRanges(std::vector<PlannedRange> Plan,
                                         uint64_t GapBytes) {
  llvm::sort(Plan, [](const PlannedRange &A, const PlannedRange &B) {
    return A.Range.Offset < B.Range.Offset;
  });
  std::vector<PlannedRange> Result;
  for (PlannedRange &Next : Plan) {
    if (Result.empty() || !belongsTogether(Result.back(), Next, GapBytes)) {
      Result.push_back(Next);
      continue;
    }
    PlannedRange &Last = Result.back();
    if (Next.Stage < Last.Stage) {
      Last.Stage = Next.Stage;
      Last.Why = Next.Why;
    }
    extend(Last.Range, Next.Range.end());
  }
  llvm::sort(Result, isEarlier);
  return Result;
}

std::vector<ByteRange> rangesOf(ArrayRef<PlannedRange> Plan) {
  std::vector<ByteRange> Ranges;
  for (const PlannedRange &R : Plan)
    Ranges.push_back(R.Range);
  return unite(std::move(Ranges));
}

/// Returns the parts of \p Plan whose pages are in \p Touched, as in the plan.
static std::vector<PlannedRange> touchedParts(ArrayRef<PlannedRange> Plan,
                                              ArrayRef<ByteRange> Touched,
                                              const PlanOptions &Options) {
  std::vector<PlannedRange> Result;
  for (const PlannedRange &P : Plan) {
    const auto *T = llvm::partition_point(Touched, [&](const ByteRange &R) {
      return alignTo(R.end(), Options.PageBytes) <= P.Range.Offset;
    });
    for (; T != Touched.end() && T->Offset < P.Range.end(); ++T) {
      const ByteRange Pages = pagesOf(*T, P.Range.end(), Options);
      const uint64_t Begin = std::max(Pages.Offset, P.Range.Offset);
      Result.push_back({{Begin, Pages.end() - Begin}, P.Stage, P.Why});
    }
  }
  return Result;
}

std::vector<PlannedRange> cutPlan(ArrayRef<PlannedRange> Plan,
                                  ArrayRef<ByteRange> Touched,
                                  uint64_t FileSize,
                                  const PlanOptions &Options) {
  return byStages(touchedParts(Plan, Touched, Options), FileSize,
                  Options.MergeGapBytes, Options);
}

std::vector<PlannedRange> restrictPlan(ArrayRef<PlannedRange> Plan,
                                       ArrayRef<ByteRange> Touched,
                                       uint64_t FileSize,
                                       const PlanOptions &Options) {
  std::vector<PlannedRange> Result = touchedParts(Plan, Touched, Options);
  // Touched bytes that the layout did not foresee.
  const LinkStage Last = Plan.empty() ? LinkStage::Parse : Plan.back().Stage;
  const std::vector<ByteRange> Covered = rangesOf(Plan);
  for (const ByteRange &T : Touched)
    takeUncovered(pagesOf(T, FileSize, Options), Covered, [&](ByteRange Part) {
      Result.push_back({Part, Last, PartKind::Whole});
    });
  llvm::sort(Result, isEarlier);
  return byStages(Result, FileSize, Options.MergeGapBytes, Options);
}

uint64_t bytesOf(ArrayRef<ByteRange> Ranges) {
  uint64_t Bytes = 0;
  for (const ByteRange &R : Ranges)
    Bytes += R.Length;
  return Bytes;
}

std::vector<ByteRange> without(ArrayRef<ByteRange> Ranges,
                               ArrayRef<ByteRange> Others) {
  std::vector<ByteRange> Left;
  for (const ByteRange &R : Ranges)
    takeUncovered(R, Others, [&](ByteRange Part) { Left.push_back(Part); });
  return Left;
}

} // namespace headstart
