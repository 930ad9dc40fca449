//===- ParseMachO.cpp - The command line of ld64.lld ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "headstart/Inputs/LinkCommand.h"

using namespace llvm;

headstart::LinkCommand
headstart::parseMachOCommandLine(ArrayRef<CommandLineWord> Words,
                                 const CommandLineContext &Context) {
  LinkCommand Command;
  Command.Kind = Flavour::MachO;
  return Command;
}
