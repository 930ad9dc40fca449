//===- lld.cpp - The drop-in linkers, told apart by their names -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerMain.h"
#include "llvm/Support/InitLLVM.h"
// Stock's option -mllvm -load=.
#include "llvm/Support/PluginLoader.h"
#include "llvm/Support/Process.h"

int main(int argc, char **argv) {
  auto Origin = headstart::TraceClock::now();
  llvm::InitLLVM X(argc, argv);
  llvm::sys::Process::UseANSIEscapeCodes(true);
  return headstart::runLinker(
      llvm::ArrayRef<const char *>(argv, static_cast<size_t>(argc)), Origin);
}
