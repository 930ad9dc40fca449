//===- ScanELF.cpp - What ELF inputs name ---------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ScanInside.h"

using namespace llvm;

namespace headstart::elf {

std::vector<FoundInput> scan(const ScanRequest &Request) { return {}; }

} // namespace headstart::elf
