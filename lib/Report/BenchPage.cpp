//===- BenchPage.cpp - The HTML page of headstart bench -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/BenchPage.h"
#include "BenchPageParts.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace headstart {

bool hasBenchPage() { return !pageBeforeReport().empty(); }

void writeBenchPage(StringRef ReportJSON, raw_ostream &OS) {
  for (StringLiteral Piece : pageBeforeReport())
    OS << Piece;
  const std::string Fixed = json::fixUTF8(ReportJSON);
  ReportJSON = Fixed;
  // "</script" would end the HTML element, and "<!--" would move its end. JSON
  // has '<' only in strings, so escaping it does not change the report.
  while (!ReportJSON.empty()) {
    auto [Plain, Rest] = ReportJSON.split('<');
    OS << Plain;
    if (Plain.size() != ReportJSON.size())
      OS << "\\u003c";
    ReportJSON = Rest;
  }
  for (StringLiteral Piece : pageBehindReport())
    OS << Piece;
}

} // namespace headstart
