//===- ld64.lld.cpp - The drop-in ld64.lld --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"

LLD_HAS_DRIVER(macho)

int main(int argc, char **argv) {
  auto Origin = headstart::TraceClock::now();
  llvm::InitLLVM X(argc, argv);
  llvm::sys::Process::UseANSIEscapeCodes(true);
  const lld::DriverDef Drivers[] = {{lld::Darwin, &lld::macho::link}};
  return headstart::runLinker(
      {"ld64.lld", headstart::Flavour::MachO, Drivers},
      llvm::ArrayRef<const char *>(argv, static_cast<size_t>(argc)), Origin);
}
