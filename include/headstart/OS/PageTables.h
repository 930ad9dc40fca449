//===- PageTables.h - The touched pages -------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reports which pages of a mapping are in this process's page tables: those
/// that it has touched, unless another process has filled them in.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_PAGETABLES_H
#define HEADSTART_OS_PAGETABLES_H

#include "headstart/OS/ByteRange.h"
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headstart::os {

/// Reads the page tables of this process. Not thread-safe.
class PageTables {
public:
  /// The methods that may be used. A test disables the better one.
  struct Capabilities {
    bool Scan = true;    ///< PAGEMAP_SCAN (Linux 6.7): by ranges
    bool Pagemap = true; ///< /proc/self/pagemap: eight bytes per page
  };

  PageTables() : PageTables(Capabilities()) {}
  explicit PageTables(const Capabilities &Allowed);
  // Closes the descriptor on Linux; does nothing elsewhere.
  ~PageTables(); // NOLINT(performance-trivially-destructible)
  PageTables(const PageTables &) = delete;
  PageTables &operator=(const PageTables &) = delete;

  /// Returns the pages of \p Memory that are in the page tables, as sorted and
  /// merged ranges that count from the start of \p Memory. They are rounded
  /// outwards to pages, but not past the end of \p Memory. Returns nothing if
  /// the system does not report them.
  ///
  /// The ranges may contain untouched pages. A fault on a resident page also
  /// maps its resident neighbours (64 KiB, aligned), and a whole block that is
  /// cached as one (up to 2 MiB of a file that was just written; single pages
  /// of a file that was fetched by hints). MADV_POPULATE_READ maps pages
  /// without a touch. On Windows the result is the working set, by
  /// QueryWorkingSetEx, and either capability enables it. \p Memory is not
  /// read, and may be unmapped by now; the result is then empty.
  std::optional<std::vector<ByteRange>> present(std::span<const char> Memory);

private:
  bool scan(uint64_t Begin, uint64_t End, std::vector<ByteRange> &Pages);
  bool readPagemap(uint64_t Begin, uint64_t End, std::vector<ByteRange> &Pages);

  Capabilities Allowed;
  int Descriptor = -1; ///< of /proc/self/pagemap, or -1
};

} // namespace headstart::os

#endif // HEADSTART_OS_PAGETABLES_H
