//===- ProcessActivity.cpp - A system that does not report it -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ProcessActivity.h"

std::string headstart::os::processSpace() { return {}; }

std::optional<headstart::os::ProcessActivity>
headstart::os::activityOf(uint64_t) {
  return std::nullopt;
}

std::optional<headstart::os::Ancestor>
headstart::os::findAncestor(std::span<const std::string_view>) {
  return std::nullopt;
}

void headstart::os::waitForEnd(const Ancestor &) {}
