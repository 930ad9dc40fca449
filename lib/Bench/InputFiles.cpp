//===- InputFiles.cpp - The inputs of a link, in and out of memory --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFiles.h"
#include "headstart/Inputs/InputScanner.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

InputFiles::InputFiles(const LinkCommand &Command) {
  for (const ListedInput &Input : listInputs(Command)) {
    if (Input.Found.Status.Kind != os::FileKind::Regular)
      continue;
    const std::string &Path = Input.Found.Path;
    SmallString<256> Real;
    // Two names of one file are one input.
    const bool HasReal = !sys::fs::real_path(Path, Real);
    if (HasReal && !ByPath.try_emplace(Real, Files.size()).second)
      continue;
    ByPath.try_emplace(Path, Files.size());
    const uint64_t Size = Input.Found.Status.Identity.Size;
    Files.push_back({Path, Size, reasonName(Input.Named.Reason).str()});
    Bytes += Size;
  }
}

std::optional<size_t> InputFiles::indexOf(StringRef Path) const {
  const auto Found = ByPath.find(Path);
  if (Found == ByPath.end())
    return std::nullopt;
  return Found->second;
}

ResidentPart InputFiles::residency() const {
  ResidentPart Part;
  for (const BenchInput &Input : Files) {
    os::OpenFile File;
    std::optional<os::Residency> Now;
    if (!os::OpenFile::open(Input.Path, File))
      Now = Cache.residency(File, {0, File.size()});
    const uint64_t Size = File.isOpen() ? File.size() : Input.Bytes;
    const uint64_t Resident =
        Now ? std::min(Now->ResidentPages * Cache.pageSize(), Size) : 0;
    Part.OfEach.push_back(Resident);
    Part.Resident += Resident;
    (Now ? Part.Known : Part.Unknown) += Size;
  }
  return Part;
}

void InputFiles::evict() const {
  for (const BenchInput &Input : Files) {
    os::OpenFile File;
    if (!os::OpenFile::open(Input.Path, File))
      (void)Cache.evict(File); // what it has done is asked for afterwards
  }
}

void InputFiles::fetch() const {
  for (const BenchInput &Input : Files) {
    os::OpenFile File;
    if (!os::OpenFile::open(Input.Path, File))
      (void)Cache.fetch(&File, nullptr, {0, File.size()});
  }
}

} // namespace headstart
