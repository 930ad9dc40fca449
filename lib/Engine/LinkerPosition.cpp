//===- LinkerPosition.cpp - Where the linker is in a stage ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkerPosition.h"
#include "headstart/Plan/FetchPlan.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// Whether at least half of the range is in the page tables. A fault near its
/// ends also maps pages of it.
bool LinkerPosition::isTouched(const Fetched &Each) {
  if (!Tables)
    Tables.emplace();
  const auto Present = Tables->present(Each.Of->part(Each.Range));
  if (!Present)
    IsReported.store(false);
  return !Present || bytesOf(*Present) >= Each.Range.Length / 2;
}

void LinkerPosition::add(std::shared_ptr<const FileContents> Of,
                         ByteRange Range, LinkStage Stage, bool ShowsPosition) {
  std::lock_guard Lock(Mutex);
  Fetched New{std::move(Of), Range, false};
  New.ShowsPosition = ShowsPosition && !isTouched(New);
  ByStage[static_cast<unsigned>(Stage)].push_back(std::move(New));
}

/// Returns how many of \p Ranges, from the first on, the linker has passed; all
/// if none of them can show it.
size_t LinkerPosition::countPassed(const Queue &Ranges) {
  size_t Passed = 0, Untouched = 0;
  bool IsShown = false;
  for (size_t I = 0; I != Ranges.size() && Untouched < Numbers.FollowAhead;
       ++I) {
    if (!Ranges[I].ShowsPosition)
      continue;
    IsShown = true;
    if (isTouched(Ranges[I])) {
      Passed = I + 1;
      Untouched = 0;
    } else {
      ++Untouched;
    }
  }
  return IsShown ? Passed : Ranges.size();
}

/// Returns how many of \p Ranges, from the first on, are known to be no longer
/// cached.
size_t LinkerPosition::countEvicted(const Queue &Ranges) const {
  auto IsCached = [&](const Fetched &Each) {
    const auto Found = Cache.residency(Each.Of->part(Each.Range));
    return !Found || Found->IsLowerBound || Found->complete();
  };
  size_t Evicted = 0;
  while (Evicted != std::min(Ranges.size(), Numbers.FollowAhead) &&
         !IsCached(Ranges[Evicted]))
    ++Evicted;
  return Evicted;
}

bool LinkerPosition::follow() {
  std::lock_guard Lock(Mutex);
  const LinkStage Stage = Owner.memory().stage();
  const auto At = static_cast<unsigned>(Stage);
  for (unsigned S = 0; S != At; ++S)
    ByStage[S].clear();
  Queue &Ranges = ByStage[At];
  if (Ranges.empty())
    return false;
  // In the stage before, page faults nearby may have mapped some of these.
  if (Stage > Checked) {
    Checked = Stage;
    for (Fetched &Each : Ranges)
      Each.ShowsPosition = Each.ShowsPosition && !isTouched(Each);
  }
  size_t Done = countPassed(Ranges);
  if (Done != 0)
    Decisions.note(Decision::LinkerFollowed);
  else
    Done = countEvicted(Ranges);
  if (Done == 0)
    return false;
  uint64_t Bytes = 0;
  for (; Done != 0; --Done) {
    Bytes += Ranges.front().Range.Length;
    Ranges.pop_front();
  }
  Owner.touched(Stage, Bytes);
  return true;
}

} // namespace headstart
