//===- LinkerMain.h - main() of the drop-in linkers -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the drop-in linkers' main functions have in common.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKERMAIN_H
#define HEADSTART_LINK_LINKERMAIN_H

#include "headstart/Inputs/CommandLine.h"
#include "headstart/Report/TraceLog.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ArrayRef.h"

namespace headstart {

/// What a drop-in linker is made of.
struct LinkerProgram {
  const char *Tool; ///< the name in reports: "lld-link"
  Flavour Kind;
  llvm::ArrayRef<lld::DriverDef> Drivers;
};

/// Runs the linker as stock lld's main does, with a session around it. \p Args
/// is the command line, program's name first; \p Origin the start of main.
/// Returns the exit status, or does not return: lld leaves through
/// `Process::Exit` when it need not clean up.
int runLinker(const LinkerProgram &Program, llvm::ArrayRef<const char *> Args,
              TraceClock::time_point Origin);

} // namespace headstart

#endif // HEADSTART_LINK_LINKERMAIN_H
