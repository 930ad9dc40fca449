//===- DirectoryTraits.cpp - Guarantees of a file system (macOS) ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryTraits.h"
#include <cstring>
#include <ctime>
#include <sys/mount.h>
#include <sys/param.h>

namespace headstart::os {

DirectoryTraits traitsOf(const DirectoryHandle &Directory) {
  const int FD = static_cast<int>(Directory.nativeHandle());
  DirectoryTraits Traits;
  struct statfs FS;
  if (::fstatfs(FD, &FS) != 0)
    return Traits;
  const bool IsApfs = std::strcmp(FS.f_fstypename, "apfs") == 0;
  const bool IsHfs = std::strcmp(FS.f_fstypename, "hfs") == 0;
  if ((FS.f_flags & MNT_LOCAL) == 0 || (!IsApfs && !IsHfs))
    return Traits;
  // POSIX: adding, removing or renaming an entry changes the directory's times.
  // APFS stores nanoseconds (Apple File System Reference, j_inode_val_t), HFS+
  // seconds (TN1150). It is not known whether a time that was already queried
  // can be given again.
  //
  // MayIgnoreCase stays true even if fpathconf(_PC_CASE_SENSITIVE) reports that
  // case matters: both find names in another normalization form (Apple File
  // System Reference, "normalization-insensitive hash"; TN1150, "Unicode
  // subtleties").
  Traits.ReportsChanges = true;
  return Traits;
}

int64_t fileClockNs() {
  timespec Now;
  if (::clock_gettime(CLOCK_REALTIME, &Now) != 0)
    return 0;
  // HFS+ cuts times to whole seconds.
  return Now.tv_sec * INT64_C(1000000000);
}

} // namespace headstart::os
