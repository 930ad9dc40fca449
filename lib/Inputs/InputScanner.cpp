//===- InputScanner.cpp - What inputs name --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputScanner.h"
#include "ScanInside.h"
#include "headstart/Inputs/LinkerModel.h"

using namespace llvm;

namespace headstart {

std::vector<FoundInput> InputScanner::scan(const NamedInput &Named,
                                           StringRef Path,
                                           FileLook &Look) const {
  if (Look.bytes().size() == 0)
    return {};
  return Resolver.command().model().scan({Resolver, Named, Path, Look});
}

} // namespace headstart
