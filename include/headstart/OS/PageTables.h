//===- PageTables.h - What this process has touched -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which pages of a mapping are in this process's page tables: what it has
/// touched, unless another process has filled them in. The standard library
/// only, no LLVM.
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

/// Reads the page tables of this process. Not to be used by two threads at
/// once.
class PageTables {
public:
  /// How to ask; a test switches the better way off.
  struct Capabilities {
    bool Scan = true;    ///< PAGEMAP_SCAN (Linux 6.7): by ranges
    bool Pagemap = true; ///< /proc/self/pagemap: eight bytes a page
  };

  PageTables() : PageTables(Capabilities()) {}
  explicit PageTables(const Capabilities &Allowed);
  // Closes the descriptor; where there is none, it is nothing.
  ~PageTables(); // NOLINT(performance-trivially-destructible)
  PageTables(const PageTables &) = delete;
  PageTables &operator=(const PageTables &) = delete;

  /// The pages under \p Memory that are in the page tables, as ranges counted
  /// from the start of \p Memory, in order, merged, rounded outwards to pages
  /// but not past its end. Nothing where the system does not tell.
  ///
  /// More than was touched: a fault on a resident page maps its resident
  /// neighbours with it (64 KiB, aligned), and all of a block that is cached as
  /// one (up to 2 MiB of a file that was just written; single pages of one that
  /// was fetched by hints); and MADV_POPULATE_READ maps without a touch. On
  /// Windows it is the working set, by QueryWorkingSetEx, and either ability
  /// will do.
  /// \p Memory is not read, and need not be mapped any more: then the answer
  /// is that nothing of it is.
  std::optional<std::vector<ByteRange>> present(std::span<const char> Memory);

private:
  bool scan(uint64_t Begin, uint64_t End, std::vector<ByteRange> &Pages);
  bool readPagemap(uint64_t Begin, uint64_t End, std::vector<ByteRange> &Pages);

  Capabilities Allowed;
  int Descriptor = -1; ///< of /proc/self/pagemap, or -1
};

} // namespace headstart::os

#endif // HEADSTART_OS_PAGETABLES_H
