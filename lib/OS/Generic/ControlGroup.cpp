//===- ControlGroup.cpp - A system without control groups -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ControlGroup.h"

namespace headstart::os {

std::string ControlGroup::create(const GroupLimits &Limits,
                                 const std::string & /*Root*/) {
  remove();
  return Limits.any() ? "this system has no control groups" : "";
}

void ControlGroup::remove() {
  Groups.clear();
  Entrances.clear();
  Undo.clear();
}

} // namespace headstart::os
