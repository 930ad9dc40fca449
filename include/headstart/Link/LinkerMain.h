//===- LinkerMain.h - main() of the drop-in linker --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The drop-in linker: lld's own dispatcher and drivers, each with a session.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKERMAIN_H
#define HEADSTART_LINK_LINKERMAIN_H

#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/ArrayRef.h"

namespace headstart {

/// Runs the linker as stock lld's main does. \p Args is the command line, whose
/// first element, the program's name, selects lld's driver. \p Origin is the
/// start of main. Returns the exit status, or does not return: lld leaves
/// through `Process::Exit` if it need not clean up. Only one call at a time.
int runLinker(llvm::ArrayRef<const char *> Args, TraceClock::time_point Origin);

} // namespace headstart

#endif // HEADSTART_LINK_LINKERMAIN_H
