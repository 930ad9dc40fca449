//===- Options.cpp - The option table of ld.lld ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

using namespace llvm;

namespace headstart::elf {

std::vector<PrefetchOption>
takePrefetchOptions(SmallVectorImpl<const char *> &Args) {
  return {};
}

} // namespace headstart::elf
