//===- LargePages.cpp - Files that come in pages of one size --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageCache.h"

using namespace headstart::os;

PageCache PageCache::inLargeRequests() const { return *this; }

// Touching a page of a file that has shrunk is a fault (SIGBUS, on Windows an
// exception). Only Linux has a call that touches pages without that risk.
HintResult PageCache::fetchInLargePages(const OpenFile &,
                                        ByteRange Range) const {
  HintResult Result;
  Result.Range = Range;
  return Result;
}
