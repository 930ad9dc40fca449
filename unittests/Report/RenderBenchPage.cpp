//===- RenderBenchPage.cpp - Reports to pages, for the test of pages ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// render-bench-page REPORT.json PAGE.html: exits with status 77 if this build
// has no page.
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/BenchReport.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

int main(int argc, char **argv) {
  if (argc != 3) {
    errs() << "usage: render-bench-page REPORT.json PAGE.html\n";
    return 2;
  }
  if (!headstart::hasBenchPage())
    return 77;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Report =
      MemoryBuffer::getFile(argv[1]);
  if (!Report) {
    errs() << argv[1] << ": " << Report.getError().message() << "\n";
    return 1;
  }
  std::error_code EC;
  raw_fd_ostream Page(argv[2], EC);
  if (EC) {
    errs() << argv[2] << ": " << EC.message() << "\n";
    return 1;
  }
  headstart::writeBenchPage((*Report)->getBuffer(), Page);
  return 0;
}
