//===- EvictionBlockers.cpp - Why pages stay cached (portable) ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/EvictionBlockers.h"

namespace headstart::os {

FileBacking backingOf(const OpenFile &) { return FileBacking::Disk; }

std::vector<FileUse> findUses(std::span<const std::string> Paths) {
  return std::vector<FileUse>(Paths.size());
}

} // namespace headstart::os
