//===- WorkingSet.h - The working set ---------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_WINDOWS_WORKINGSET_H
#define HEADSTART_LIB_OS_WINDOWS_WORKINGSET_H

#include "Support.h"
#include "headstart/OS/PageCache.h"

#ifndef PSAPI_VERSION
#define PSAPI_VERSION 2 // in kernel32
#endif
#include <psapi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace headstart::os::detail {

/// Where a page is, by QueryWorkingSetEx.
enum class PagePlace : unsigned char {
  WorkingSet, ///< of this process: it has been touched
  Memory,     ///< on a list of resident pages that no process holds
  Elsewhere,  ///< or unknown
};

/// Windows 10 reports where a page outside the working set is, in bits that
/// psapi.h calls reserved: `Invalid.Location` in bits 22 and 23 of
/// MEMORY_WORKING_SET_EX_BLOCK (phnt's ntmmapi.h; Microsoft's own ESE reads it,
/// github.com/microsoft/Extensible-Storage-Engine), 1 for "resident".
/// PageCache::probe tries whether the system fills it in.
inline PagePlace placeOf(const PSAPI_WORKING_SET_EX_INFORMATION &Page) {
  constexpr unsigned LocationShift = 22;
  constexpr ULONG_PTR LocationMask = 3;
  constexpr ULONG_PTR Resident = 1;
  const ULONG_PTR Flags = Page.VirtualAttributes.Flags;
  if ((Flags & 1) != 0)
    return PagePlace::WorkingSet;
  return (Flags >> LocationShift & LocationMask) == Resident
             ? PagePlace::Memory
             : PagePlace::Elsewhere;
}

/// Calls \p Found(Address, Place) for each page from \p Begin, which is
/// page-aligned, up to \p End, in order. Returns false if the query fails.
template <typename Function>
bool forEachPage(uintptr_t Begin, uintptr_t End, Function Found) {
  const size_t PageSize = PageCache::pageSize();
  std::array<PSAPI_WORKING_SET_EX_INFORMATION, 1024> Pages; // 16 KiB
  while (Begin < End) {
    const size_t Count =
        std::min<size_t>((End - Begin + PageSize - 1) / PageSize, Pages.size());
    for (size_t I = 0; I != Count; ++I) {
      Pages[I] = {};
      Pages[I].VirtualAddress =
          reinterpret_cast<void *>(Begin + I * PageSize); // NOLINT
    }
    if (::QueryWorkingSetEx(::GetCurrentProcess(), Pages.data(),
                            static_cast<DWORD>(Count * sizeof(Pages[0]))) == 0)
      return false;
    for (size_t I = 0; I != Count; ++I)
      Found(Begin + I * PageSize, placeOf(Pages[I]));
    Begin += Count * PageSize;
  }
  return true;
}

/// Whether the system is now short of memory (LowMemoryResourceNotification),
/// or nothing if it does not report it.
std::optional<bool> memoryIsLow();

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_WINDOWS_WORKINGSET_H
