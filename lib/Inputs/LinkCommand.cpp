//===- LinkCommand.cpp - What a command line says it will read ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/LinkCommand.h"
#include "COFF/Options.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace headstart {

StringRef reasonName(InputReason R) {
  switch (R) {
  case InputReason::CommandLine:
    return "command line";
  case InputReason::ResponseFile:
    return "response file";
  case InputReason::Environment:
    return "environment";
  case InputReason::DefaultLibrary:
    return "default library";
  case InputReason::WholeArchive:
    return "whole archive";
  case InputReason::ModuleDefinition:
    return "module definition";
  case InputReason::OptionFile:
    return "option file";
  case InputReason::Recorded:
    return "profile";
  }
  llvm_unreachable("unknown reason");
}

std::vector<PrefetchOption>
takePrefetchOptions(Flavour F, SmallVectorImpl<const char *> &Args) {
  switch (F) {
  case Flavour::COFF:
    return coff::takePrefetchOptions(Args);
  case Flavour::MachO:
  case Flavour::ELF:
    // Their options take separate values, so only their own parsers can tell
    // an option of ours from a value that looks like one.
    return {};
  }
  llvm_unreachable("unknown flavour");
}

} // namespace headstart
