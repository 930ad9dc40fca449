//===- BenchPage.h - The HTML page of headstart bench -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the report of `headstart bench` as one HTML file that loads nothing:
/// the unchanged report, and a script that draws it with D3. The page's source
/// is lib/Report/Page; docs/Benchmarking.md explains how to read the page.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_BENCHPAGE_H
#define HEADSTART_REPORT_BENCHPAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace headstart {

/// Whether this build contains the page. A build that finds no D3 omits it.
bool hasBenchPage();

/// Writes the page of \p ReportJSON, a JSON object in UTF-8, and replaces other
/// bytes. No text in it can end its HTML element. If it is not a report, the
/// page says so. Requires hasBenchPage(). Any thread; \p OS stores errors.
void writeBenchPage(llvm::StringRef ReportJSON, llvm::raw_ostream &OS);

} // namespace headstart

#endif // HEADSTART_REPORT_BENCHPAGE_H
