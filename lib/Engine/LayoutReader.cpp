//===- LayoutReader.cpp - Reads the layout of an open file ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/LayoutReader.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// Enough of a file's head for 1,600 sections: most objects need one read.
static constexpr uint64_t HeadBytes = 64 * 1024;

/// Past this a section table is not read to plan a file: 1.6 million sections.
static constexpr uint64_t MaxHeadBytes = 64 * 1024 * 1024;

std::optional<ObjectLayout> readLayoutOf(const os::OpenFile &File) {
  // Of an archive only the index is wanted, of an object the headers: what
  // lies behind them comes in an order of its own.
  File.expectScatteredReads();
  SmallVector<char, 0> Head;
  uint64_t Wanted = std::min(HeadBytes, File.size());
  for (;;) {
    size_t Have = Head.size();
    Head.resize_for_overwrite(Wanted);
    std::error_code Error;
    if (File.readAt(Have, {Head.data() + Have, Wanted - Have}, Error) !=
        Wanted - Have)
      return std::nullopt;
    LayoutReading Reading = readLayout(Head, File.size());
    if (Reading.Result == LayoutReading::Read)
      return std::move(Reading.Layout);
    if (Reading.Result == LayoutReading::Unknown ||
        Reading.BytesNeeded <= Wanted || Reading.BytesNeeded > MaxHeadBytes)
      return std::nullopt;
    Wanted = Reading.BytesNeeded;
  }
}

std::vector<PlannedRange> planOpenFile(const os::OpenFile &File, bool Whole,
                                       const PlanOptions &Options) {
  std::optional<ObjectLayout> Layout;
  if (File.size() > Options.WholeFileBytes && !Whole)
    Layout = readLayoutOf(File);
  return planFile(Layout ? &*Layout : nullptr, File.size(), Options);
}

} // namespace headstart
