//===- Capabilities.cpp - Names of calls (portable) -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Capabilities.h"

using namespace headstart::os;

detail::CallName detail::nameOf(CapabilityKind Kind) { return {Kind, "", ""}; }
