//===- ProfileFuzzer.cpp - Any bytes as a profile -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include <cstdint>
#include <cstdlib>

using namespace headstart;

static constexpr fuzz::CostLimits Limits = {
    .Read = {0, 0},
    .Allocated = {64, 16 << 10},
    .Steps = {128, 20000},
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  fuzz::Cost Cost(Size, Limits);
  // Without a valid checksum, no input would get further.
  std::string Bytes = "headstart profile 7\n";
  Bytes.append(reinterpret_cast<const char *>(Data), Size);
  char Sum[8];
  llvm::support::endian::write64le(Sum, llvm::xxh3_64bits(Bytes));
  Bytes.append(Sum, sizeof(Sum));

  llvm::Expected<LinkProfile> Profile = parseProfile(Bytes);
  if (!Profile) {
    llvm::consumeError(Profile.takeError());
    return 0;
  }
  for (const RecordedFile &F : Profile->Files) {
    uint64_t Size = F.Version.Size;
    std::vector<PlannedRange> Plan =
        restrictPlan(planFile({}, Size, {}), F.Touched, Size, {});
    Plan.insert(Plan.end(), F.Plan.begin(), F.Plan.end());
    for (const PlannedRange &R : Plan)
      if (R.Range.Length > Size || R.Range.Offset > Size - R.Range.Length)
        abort();
  }
  // A parsed profile can be serialized and parsed again.
  if (!parseProfile(serializeProfile(*Profile)))
    abort();
  return 0;
}
