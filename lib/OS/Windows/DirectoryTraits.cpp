//===- DirectoryTraits.cpp - Guarantees of a file system (Windows) --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryTraits.h"
#include "Support.h"

namespace headstart::os {

using namespace detail;

// No source was found for when NTFS updates a directory's own times, nor for
// what a redirector holds back, so `ReportsChanges` stays false.
DirectoryTraits traitsOf(const DirectoryHandle &Directory) {
  DirectoryTraits Traits;
  if (!Directory.isOpen())
    return Traits;
  // FILE_CASE_SENSITIVE_INFORMATION (ntifs.h) has only the flags; the lowest is
  // FILE_CS_FLAG_CASE_SENSITIVE_DIR. Before Windows 10 1803 there are no such
  // directories.
  ULONG Flags = 0;
  constexpr auto CaseSensitiveInfo = static_cast<FILE_INFO_BY_HANDLE_CLASS>(23);
  constexpr ULONG CaseSensitiveDir = 1;
  if (::GetFileInformationByHandleEx(handleOf(Directory), CaseSensitiveInfo,
                                     &Flags, sizeof(Flags)) != 0)
    Traits.MayIgnoreCase = (Flags & CaseSensitiveDir) == 0;
  return Traits;
}

// Windows gives files the time of its clock's last tick (15.6 ms at most), Wine
// that of Linux's (10 ms at most), although the reported time has no ticks. A
// file may therefore get a time that is already past.
int64_t fileClockNs() {
  constexpr int64_t Tick = 20'000'000;
  FILETIME Now;
  ::GetSystemTimeAsFileTime(&Now);
  return nanosecondsOf(Now) - Tick;
}

} // namespace headstart::os
