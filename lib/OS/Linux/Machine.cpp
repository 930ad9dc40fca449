//===- Machine.cpp - Hardware and system ----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Machine.h"

#include "Cgroup.h"
#include "FileSystems.h"
#include "PseudoFile.h"

#include <array>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

namespace headstart::os {

using namespace detail;

Machine readMachine(const std::string &Root) {
  Machine M;
  utsname Names = {};
  if (::uname(&Names) == 0)
    M.System = std::string(static_cast<const char *>(Names.sysname)) + " " +
               static_cast<const char *>(Names.release);
  const auto Processors = readPseudoFile(prefixOf(Root) + "/proc/cpuinfo");
  std::string_view Lines = Processors ? std::string_view(*Processors) : "";
  while (!Lines.empty() && M.Processor.empty()) {
    std::string_view Value = takeField(Lines, '\n');
    const std::string_view Key = trim(takeField(Value, ':'));
    if (Key == "model name" || Key == "Model")
      M.Processor = trim(Value);
  }
  // On ARM, cpuinfo has only numbers.
  if (M.Processor.empty())
    M.Processor = static_cast<const char *>(Names.machine);
  M.ProcessorQuota = readProcessorQuota(prefixOf(Root));
  // An empty directory may be in their place.
  for (const auto &[Place, Inside] :
       {std::pair("/proc", "/self"), {"/sys", "/fs"}})
    if (::access((prefixOf(Root) + Place + Inside).c_str(), F_OK) != 0)
      M.Unmounted.emplace_back(Place);
  return M;
}

static std::string numberOf(dev_t Device) {
  return std::to_string(major(Device)) + ":" + std::to_string(minor(Device));
}

/// Reads the readahead of \p D from \p File.
static void readReadahead(const std::string &File, Disk &D) {
  constexpr uint64_t Kilobyte = 1024;
  const auto Kilobytes = readNumber(File);
  if (!Kilobytes)
    return;
  D.ReadaheadBytes = Kilobyte * *Kilobytes;
  D.ReadaheadFile = File;
}

/// Returns the kind of a file system without a device, by its mountinfo name.
static StorageKind kindOf(std::string_view Name) {
  const uint32_t Traits = fileSystemTraits(Name);
  return Traits & InMemory      ? StorageKind::Memory
         : Traits & OnNetwork   ? StorageKind::Network
         : Traits & InUserSpace ? StorageKind::UserSpace
                                : StorageKind::Unknown;
}

/// Fills in what /sys reports of the block device \p Number. The parent of a
/// partition's directory is that of its disk.
static void readDevice(const std::string &Prefix, const std::string &Number,
                       Disk &D) {
  std::array<char, PATH_MAX> Resolved;
  if (::realpath((Prefix + "/sys/dev/block/" + Number).c_str(),
                 Resolved.data()) == nullptr)
    return;
  std::string Directory = Resolved.data();
  if (::access((Directory + "/partition").c_str(), F_OK) == 0)
    Directory.resize(Directory.rfind('/'));
  if (!readPseudoFile(Directory + "/dev"))
    return;
  D.Name = Directory.substr(Directory.rfind('/') + 1);
  readReadahead(Directory + "/queue/read_ahead_kb", D);
}

/// Whether \p Line is the mount of a file on the device \p Number, in the mount
/// \p Id. On Btrfs, each subvolume's files have a device number of their own.
static bool isMountOf(const MountLine &Line, const std::string &Number,
                      const std::string &Id) {
  return Line.Device == Number ||
         ((fileSystemTraits(Line.FileSystem) & HasVolumes) && Line.Id == Id);
}

Disk readDisk(const std::string &Path, const std::string &Root) {
  Disk D;
  struct statx S = {};
  if (::statx(AT_FDCWD, Path.c_str(), 0, STATX_MNT_ID, &S) != 0)
    return D;
  const std::string Prefix = prefixOf(Root);
  std::string Number = numberOf(makedev(S.stx_dev_major, S.stx_dev_minor));
  const std::string Id = std::to_string(S.stx_mnt_id);
  const auto Mounts = readPseudoFile(Prefix + "/proc/self/mountinfo");
  std::string_view Lines = Mounts ? std::string_view(*Mounts) : "";
  while (!Lines.empty()) {
    const MountLine Mount = parseMount(takeField(Lines, '\n'));
    if (!isMountOf(Mount, Number, Id))
      continue;
    D.FileSystem = Mount.FileSystem;
    struct stat Source = {};
    if (Mount.Source.starts_with('/') &&
        ::stat(unescape(Mount.Source).c_str(), &Source) == 0 &&
        S_ISBLK(Source.st_mode))
      Number = numberOf(Source.st_rdev);
    break;
  }
  readDevice(Prefix, Number, D);
  D.Kind = D.Name.empty() ? kindOf(D.FileSystem) : StorageKind::Disk;
  if (!D.ReadaheadBytes)
    readReadahead(Prefix + "/sys/class/bdi/" + Number + "/read_ahead_kb", D);
  return D;
}

} // namespace headstart::os
