//===- InputLook.h - One look at one path -----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: what every flavour's search comes down to.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_INPUTLOOK_H
#define HEADSTART_LIB_INPUTS_INPUTLOOK_H

#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/StringRef.h"

namespace headstart {

/// What lies at \p Path. What cannot be seen is missing. Blocks for the disk.
ResolvedInput lookAtInput(llvm::StringRef Path);

} // namespace headstart

#endif // HEADSTART_LIB_INPUTS_INPUTLOOK_H
