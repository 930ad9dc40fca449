//===- PageTables.cpp - The touched pages (portable) ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageTables.h"

namespace headstart::os {

PageTables::PageTables(const Capabilities &Allowed) : Allowed(Allowed) {}

PageTables::~PageTables() = default;

std::optional<std::vector<ByteRange>>
PageTables::present(std::span<const char>) {
  return std::nullopt;
}

} // namespace headstart::os
