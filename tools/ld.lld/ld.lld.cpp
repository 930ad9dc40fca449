//===- ld.lld.cpp - The drop-in ld.lld ------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"

LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(mingw)

int main(int argc, char **argv) {
  auto Origin = headstart::TraceClock::now();
  llvm::InitLLVM X(argc, argv);
  llvm::sys::Process::UseANSIEscapeCodes(true);
  // With `-m i386pep` and its like, lld takes the second.
  const lld::DriverDef Drivers[] = {{lld::Gnu, &lld::elf::link},
                                    {lld::MinGW, &lld::mingw::link}};
  return headstart::runLinker(
      {"ld.lld", headstart::Flavour::ELF, Drivers},
      llvm::ArrayRef<const char *>(argv, static_cast<size_t>(argc)), Origin);
}
