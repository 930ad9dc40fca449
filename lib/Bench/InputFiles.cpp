//===- InputFiles.cpp - The inputs of a link and their residency ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFiles.h"
#include "headstart/Inputs/InputList.h"
#include "headstart/OS/EvictionBlockers.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

InputFiles::InputFiles(const LinkCommand &Command) {
  for (const ListedInput &Input : listInputs(Command)) {
    if (Input.Found.Status.Kind != os::FileKind::Regular)
      continue;
    const std::string &Path = Input.Found.Path;
    SmallString<256> Real;
    // Two paths of one file count as one input.
    const bool HasReal = !sys::fs::real_path(Path, Real);
    if (HasReal && !ByPath.try_emplace(Real, Files.size()).second)
      continue;
    ByPath.try_emplace(Path, Files.size());
    Files.push_back({Path, Input.Found.Status.Identity.Size,
                     reasonName(Input.Named.Reason).str()});
  }
}

std::optional<size_t> InputFiles::indexOf(StringRef Path) const {
  const auto Found = ByPath.find(Path);
  if (Found == ByPath.end())
    return std::nullopt;
  return Found->second;
}

/// Whether \p Path is a library that programs load: "libc.so.6", "x.dylib".
static bool isSharedLibrary(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name.contains(".so.") || Name.ends_with(".so") ||
         Name.ends_with(".dylib") || Name.ends_with_insensitive(".dll");
}

ResidentPart InputFiles::residency(bool WithLibraries) const {
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
    if (!WithLibraries && Resident != 0 && isSharedLibrary(Input.Path)) {
      Part.InUse += Size;
      continue;
    }
    Part.Resident += Resident;
    if (!Now && Part.Unknown == 0)
      Part.FirstUnknown = Part.OfEach.size() - 1;
    (Now ? Part.Known : Part.Unknown) += Size;
  }
  return Part;
}

std::string InputFiles::whyUnknown(const ResidentPart &Part) const {
  if (!Cache.capabilities().Cachestat && !Cache.capabilities().Mincore)
    return "this system does not report what is cached";
  const std::string &Path = Files[Part.FirstUnknown].Path;
  os::OpenFile File;
  if (const std::error_code Error = os::OpenFile::open(Path, File))
    return "'" + Path + "': " + Error.message();
  return "'" + Path +
         "' belongs to another user, so the system does not report whether it "
         "is cached: only the inputs' owner and root can measure this link";
}

/// Returns the reason why the file \p Path stays cached.
static const char *keeperOf(const std::string &Path) {
  os::OpenFile File;
  if (!os::OpenFile::open(Path, File) &&
      os::backingOf(File) == os::FileBacking::Memory)
    return "is on a memory file system (tmpfs)";
  const os::FileUse Use = os::findUses(ArrayRef(Path)).front();
  return Use.IsLocked   ? "is locked in memory by a process"
         : Use.IsMapped ? "is mapped by a process"
                        : "stays for a reason that the system does not report";
}

std::string InputFiles::whyNotCold(const ResidentPart &Part) const {
  if (Part.Known == 0 && Part.InUse != 0)
    return "all inputs are shared libraries that other programs use";
  if (Part.Known == 0)
    return whyUnknown(Part);
  std::optional<size_t> Most;
  for (size_t I = 0; I != Files.size(); ++I)
    if (!isSharedLibrary(Files[I].Path) &&
        (!Most || Part.OfEach[I] > Part.OfEach[*Most]))
      Most = I;
  const std::string &Path = Files[Most.value_or(0)].Path;
  return formatv("{0:F0}% of the inputs stayed cached: '{1}' {2}",
                 100 * Part.share(), Path, keeperOf(Path));
}

void InputFiles::evict(function_ref<bool()> Stopped) const {
  for (const BenchInput &Input : Files) {
    if (Stopped())
      return;
    os::OpenFile File;
    if (!os::OpenFile::open(Input.Path, File))
      (void)Cache.evict(File); // the caller queries the effect
  }
}

void InputFiles::fetch(function_ref<bool()> Stopped) const {
  constexpr uint64_t Step = 8 << 20;
  for (const BenchInput &Input : Files) {
    os::OpenFile File;
    if (os::OpenFile::open(Input.Path, File))
      continue;
    for (uint64_t At = 0; At < File.size(); At += Step) {
      if (Stopped())
        return;
      (void)Cache.fetch(File, ByteRange{At, Step}.clippedTo(File.size()));
    }
  }
}

} // namespace headstart
