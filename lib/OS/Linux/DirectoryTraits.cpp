//===- DirectoryTraits.cpp - Guarantees of a file system (Linux) ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryTraits.h"
#include "../Posix/Support.h"
#include "FileSystems.h"
#include "PseudoFile.h"
#include <ctime>
#include <linux/fs.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/utsname.h>

namespace headstart::os {

/// Whether the kernel has multigrain timestamps (since 6.13, Documentation/
/// filesystems/multigrain-ts.rst): file systems that support them never reuse a
/// change time that was queried. Measured on 6.18, on ext4 and on tmpfs: 2,000
/// files, each created after a stat of their directory, all changed its ctime.
/// Without, only the first within some milliseconds does.
static bool hasMultigrainTimes() {
  static const bool Has = [] {
    utsname Names;
    if (::uname(&Names) != 0)
      return false;
    std::string_view Rest = Names.release; // "6.13.1-amd64"
    const auto Major = detail::parseNumber(detail::takeField(Rest, '.'));
    const auto Minor = detail::parseNumber(
        Rest.substr(0, Rest.find_first_not_of("0123456789")));
    return Major && Minor && (*Major > 6 || (*Major == 6 && *Minor >= 13));
  }();
  return Has;
}

static DirectoryTraits traitsOfFileSystem(int FD) {
  const uint32_t Known = detail::fileSystemTraits(FD).value_or(0);
  DirectoryTraits Traits;
  // If the file system does not support the flag, no directory has it.
  int Flags = 0;
  if (Known & detail::CaseByFlag)
    Traits.MayIgnoreCase =
        ::ioctl(FD, FS_IOC_GETFLAGS, &Flags) == 0 && (Flags & FS_CASEFOLD_FL);
  else
    Traits.MayIgnoreCase = !(Known & detail::HasCase);
  Traits.ReportsChanges = Known & detail::ReportsChanges;
  Traits.ReportsEveryChange =
      (Known & detail::Multigrain) && hasMultigrainTimes();
  return Traits;
}

DirectoryTraits traitsOf(const DirectoryHandle &Directory) {
  return traitsOfFileSystem(detail::descriptor(Directory));
}

bool reportsEveryChange(const OpenFile &File) {
  return traitsOfFileSystem(detail::descriptor(File)).ReportsEveryChange;
}

FileBacking backingOf(const OpenFile &File) {
  const uint32_t Known =
      detail::fileSystemTraits(detail::descriptor(File)).value_or(0);
  return Known & detail::InMemory    ? FileBacking::Memory
         : Known & detail::Generated ? FileBacking::None
                                     : FileBacking::Disk;
}

int64_t fileClockNs() {
  timespec Now;
  if (::clock_gettime(CLOCK_REALTIME_COARSE, &Now) != 0)
    return 0;
  return Now.tv_sec * INT64_C(1000000000) + Now.tv_nsec;
}

} // namespace headstart::os
