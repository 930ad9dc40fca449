//===- BenchPage.h - A report of headstart bench as a page ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The report of `headstart bench` as one HTML file that loads nothing: the
/// report, as it is, and a script that draws it. docs/Benchmarking.md says how
/// the page is read; it is made of lib/Report/Page, and drawn by D3.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_BENCHPAGE_H
#define HEADSTART_REPORT_BENCHPAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace headstart {

/// Whether this build has the page: it is left out when D3 is not found.
bool hasBenchPage();

/// Writes the page of a report, which is a JSON object in UTF-8; bytes that are
/// not are replaced. No text of it ends its element, whatever it is. What is no
/// report makes a page that says so. Any thread; errors are the stream's. Only
/// where hasBenchPage().
void writeBenchPage(llvm::StringRef ReportJSON, llvm::raw_ostream &OS);

} // namespace headstart

#endif // HEADSTART_REPORT_BENCHPAGE_H
