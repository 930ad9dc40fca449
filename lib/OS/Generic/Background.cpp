//===- Background.cpp - Work that makes way for others --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Background.h"

namespace headstart::os {

void enterBackground() {}

std::optional<std::chrono::microseconds> diskStall(const std::string &) {
  return std::nullopt;
}

} // namespace headstart::os
