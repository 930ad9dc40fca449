//===- InputScanner.cpp - What inputs name --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputScanner.h"
#include "ScanInside.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace headstart {

std::vector<FoundInput> InputScanner::scan(const NamedInput &Named,
                                           StringRef Path,
                                           FileLook &Look) const {
  if (Look.bytes().size() == 0)
    return {};
  ScanRequest Request{Resolver, Named, Path, Look};
  switch (Resolver.command().Kind) {
  case Flavour::COFF:
    return coff::scan(Request);
  case Flavour::ELF:
    return elf::scan(Request);
  case Flavour::MachO:
    return macho::scan(Request);
  }
  llvm_unreachable("unknown flavour");
}

} // namespace headstart
