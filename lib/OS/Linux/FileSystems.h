//===- FileSystems.h - What is known about file systems ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only list of Linux's file systems. A file system that it lacks has no
/// traits: nothing is assumed about it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_LINUX_FILESYSTEMS_H
#define HEADSTART_LIB_OS_LINUX_FILESYSTEMS_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/vfs.h>

namespace headstart::os::detail {

/// Bits of FileSystem::Traits.
enum FileSystemTrait : uint32_t {
  ReportsChanges = 1, ///< as in DirectoryTraits
  Multigrain = 2,     ///< reports every change, if the kernel can
  HasCase = 4,        ///< no directory ignores case
  CaseByFlag = 8,     ///< a directory with FS_CASEFOLD_FL ignores case
  InMemory = 16,
  Generated = 32, ///< by the kernel: its files have no pages
  OnNetwork = 64,
  InUserSpace = 128,
  Stacked = 256,     ///< its files' pages are in a file of a layer
  MayStack = 512,    ///< FUSE with passthrough: in a file of the server
  HasVolumes = 1024, ///< with device numbers that mountinfo does not list
};

struct FileSystem {
  std::string_view Name; ///< in mountinfo, without a subtype (`fuse.sshfs`)
  /// From linux/magic.h, which some distributions have only in part. If several
  /// have the same number, a query by number finds the first.
  uint32_t Number;
  uint32_t Traits;
};

inline constexpr FileSystem FileSystems[] = {
    {"ext4", 0xEF53, ReportsChanges | Multigrain | CaseByFlag}, // ext2, ext3
    {"tmpfs", 0x01021994, ReportsChanges | Multigrain | CaseByFlag | InMemory},
    {"f2fs", 0xF2F52010, ReportsChanges | CaseByFlag},
    {"btrfs", 0x9123683E, ReportsChanges | Multigrain | HasCase | HasVolumes},
    {"squashfs", 0x73717368, ReportsChanges | HasCase},
    {"erofs", 0xE0F5E1E2, ReportsChanges | HasCase},
    {"ramfs", 0x858458F6, ReportsChanges | HasCase | InMemory},
    // xfs has a mode that ignores case.
    {"xfs", 0x58465342, ReportsChanges | Multigrain},
    // overlayfs may be on top of any of these.
    {"overlay", 0x794C7630, ReportsChanges | Stacked},
    {"fuse", 0x65735546, InUserSpace | MayStack},
    {"virtiofs", 0x65735546, OnNetwork},
    {"nfs", 0x6969, OnNetwork},
    {"nfs4", 0x6969, OnNetwork},
    {"cifs", 0xFF534D42, OnNetwork},
    {"smb3", 0xFE534D42, OnNetwork},
    {"9p", 0x01021997, OnNetwork},
    {"ceph", 0x00C36400, OnNetwork},
    {"lustre", 0x0BD00BD0, OnNetwork},
    {"afs", 0x6B414653, OnNetwork},
    {"vboxsf", 0x786F4256, OnNetwork},
    {"devtmpfs", 0x01021994, InMemory},
    {"hugetlbfs", 0x958458F6, InMemory},
    {"proc", 0x00009FA0, Generated},
    {"sysfs", 0x62656572, Generated},
    {"configfs", 0x62656570, Generated},
    {"debugfs", 0x64626720, Generated},
    {"tracefs", 0x74726163, Generated},
    {"securityfs", 0x73636673, Generated},
    {"cgroup", 0x0027E0EB, Generated},
    {"cgroup2", 0x63677270, Generated},
    {"bpf", 0xCAFE4A11, Generated},
    {"pstore", 0x6165676C, Generated},
    {"binfmt_misc", 0x42494E4D, Generated},
    {"efivarfs", 0xDE5E81E4, Generated},
};

/// Returns the traits of the file system \p Name, as mountinfo has it.
inline uint32_t fileSystemTraits(std::string_view Name) {
  for (const FileSystem &Each : FileSystems)
    if (Each.Name == Name.substr(0, Name.find('.')))
      return Each.Traits;
  return 0;
}

/// Returns the traits of the file system of \p Descriptor; nullopt if the
/// system does not say which one that is.
inline std::optional<uint32_t> fileSystemTraits(int Descriptor) {
  struct statfs Status;
  if (::fstatfs(Descriptor, &Status) != 0)
    return std::nullopt;
  for (const FileSystem &Each : FileSystems)
    if (Each.Number == static_cast<uint32_t>(Status.f_type))
      return Each.Traits;
  return 0;
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_FILESYSTEMS_H
