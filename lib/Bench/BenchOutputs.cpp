//===- BenchOutputs.cpp - The comparison of all links' outputs ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;

namespace headstart {

Error Bench::keepOutputs(size_t Variant) {
  Expected<OutputFiles> Files = Place.readOutputs();
  if (!Files)
    return Files.takeError();
  if (!llvm::is_contained(Written[Variant], *Files))
    Written[Variant].push_back(std::move(*Files));
  return Error::success();
}

Error Bench::linkForOutputs(size_t Variant) {
  if (Expected<os::ProgramUsage> Usage = linkHeld(Variant); !Usage)
    return Usage.takeError();
  return keepOutputs(Variant);
}

/// Returns the names of the files that differ between \p A and \p B.
static std::vector<std::string> differences(const OutputFiles &A,
                                            const OutputFiles &B) {
  std::set<std::string> Names;
  for (const auto *Files : {&A, &B})
    for (const auto &[Name, File] : *Files) {
      const auto InA = A.find(Name);
      const auto InB = B.find(Name);
      if (InA == A.end() || InB == B.end() || !(InA->second == InB->second))
        Names.insert(Name);
    }
  return {Names.begin(), Names.end()};
}

/// Compares the outputs of the variants \p Group up to the first difference.
Error Bench::compareOutputs(ArrayRef<size_t> Group) {
  const size_t First = Group.front();
  auto FindOther = [&]() -> std::optional<size_t> {
    for (const size_t Variant : Group)
      for (const OutputFiles &Files : Written[Variant])
        if (!(Files == Written[First].front()))
          return Variant;
    return std::nullopt;
  };
  const std::optional<size_t> Other = FindOther();
  // Check that the first variant writes the same bytes twice, before reporting
  // a difference between variants.
  if (Other && Written[First].size() == 1)
    if (Error E = linkForOutputs(First))
      return E;
  if (Written[First].size() > 1) {
    Report.SameOutputs.reset();
    Report.OutputNote =
        "The outputs cannot be compared: two links of '" +
        Variants[First].Name + "' wrote different bytes to " +
        join(differences(Written[First][0], Written[First][1]), ", ") + ".";
    return Error::success();
  }
  Report.SameOutputs = !Other;
  if (!Other)
    return Error::success();
  for (const OutputFiles &Files : Written[*Other])
    if (!(Files == Written[First].front()))
      Report.OutputNote =
          "'" + Variants[*Other].Name + "' and '" + Variants[First].Name +
          "' differ in " +
          join(differences(Written[First].front(), Files), ", ") + ".";
  return Error::success();
}

Error Bench::compareOutputs() {
  // A PDB contains the command line, and the image contains its checksum.
  const bool HasPDB = llvm::any_of(Report.Outputs, [](const auto &File) {
    return StringRef(File.first).ends_with_insensitive(".pdb");
  });
  std::vector<size_t> Same;
  std::vector<size_t> Own;
  for (size_t I = 0; I != Variants.size(); ++I)
    if (!Written[I].empty())
      (HasPDB && Variants[I].WritesOwnOutput ? Own : Same).push_back(I);
  if (Same.empty() && Own.empty()) {
    Report.OutputNote = "There are no outputs to compare.";
    return Error::success();
  }
  if (!Same.empty())
    if (Error E = compareOutputs(Same))
      return E;
  if (Own.empty() || (!Same.empty() && !Report.SameOutputs.value_or(false)))
    return Error::success();
  if (Error E = compareOutputs(Own))
    return E;
  if (Report.SameOutputs.value_or(false))
    Report.OutputNote = "('" + Variants[Own.front()].Name +
                        "' is compared with itself: a PDB contains the "
                        "command line.)";
  return Error::success();
}

void Bench::checkUsersOutputs() {
  for (const auto &[Path, Before] : UsersOutputs) {
    std::error_code Error;
    const os::FileStatus Now = os::statFile(Path, Error);
    if (Now.Kind != Before.Kind || !(Now.Identity == Before.Identity))
      note("'" + Path +
           "': another program changed this file during the comparison");
  }
}

} // namespace headstart
