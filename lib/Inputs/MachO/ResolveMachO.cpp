//===- ResolveMachO.cpp - Where ld64.lld finds an input -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../InputLook.h"
#include "headstart/Inputs/LinkCommand.h"

using namespace llvm;

namespace headstart {

ResolvedInput InputResolver::resolveMachO(const NamedInput &Input) const {
  return lookAtInput(Input.Name);
}

} // namespace headstart
