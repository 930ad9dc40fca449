//===- Reports.h - What a link leaves behind for people ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reports that the user has asked for: the figures and the trace.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_REPORTS_H
#define HEADSTART_LINK_REPORTS_H

#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/StringRef.h"

namespace headstart {

/// Writes \p Stats and \p Trace (may be null) to where \p Settings say, if they
/// do. Straight into what a path names, be it a pipe or /dev/stderr. What
/// cannot be written costs a warning on standard error that begins with
/// \p Tool. Blocks.
void writeReports(const PrefetchSettings &Settings, const LinkStats &Stats,
                  const TraceLog *Trace, llvm::StringRef Tool);

} // namespace headstart

#endif // HEADSTART_LINK_REPORTS_H
