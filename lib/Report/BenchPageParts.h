//===- BenchPageParts.h - The page of headstart bench, as bytes -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The output of utils/embed-page.py for lib/Report/Page: the page before and
/// after the report, in pieces, since compilers limit a literal's length. Empty
/// if the build found no D3.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_REPORT_BENCHPAGEPARTS_H
#define HEADSTART_LIB_REPORT_BENCHPAGEPARTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace headstart {

llvm::ArrayRef<llvm::StringLiteral> pageBeforeReport();
llvm::ArrayRef<llvm::StringLiteral> pageBehindReport();

} // namespace headstart

#endif // HEADSTART_LIB_REPORT_BENCHPAGEPARTS_H
