//===- LinkCommand.cpp - What a command line says it will read ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/LinkCommand.h"
#include "COFF/Options.h"
#include "ELF/Options.h"
#include "MachO/Options.h"
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
  case InputReason::Library:
    return "library";
  case InputReason::Framework:
    return "framework";
  case InputReason::FileList:
    return "file list";
  case InputReason::LinkerScript:
    return "linker script";
  case InputReason::ArchiveMember:
    return "archive member";
  case InputReason::DefaultInside:
    return "default library";
  case InputReason::TypeServer:
    return "type server";
  case InputReason::LinkerOption:
    return "linker option";
  case InputReason::ReExport:
    return "re-export";
  case InputReason::Dependent:
    return "dependent library";
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
    return macho::takePrefetchOptions(Args);
  case Flavour::ELF:
    return elf::takePrefetchOptions(Args);
  }
  llvm_unreachable("unknown flavour");
}

// lld 22 Support/TimeProfiler.cpp.
std::string timeTraceFile(StringRef Named, StringRef Image) {
  if (!Named.empty())
    return Named.str();
  return ((Image == "-" ? "out" : Image) + ".time-trace").str();
}

LinkCommand parseCommandLine(Flavour F, ArrayRef<CommandLineWord> Words,
                             const CommandLineContext &Context) {
  switch (F) {
  case Flavour::COFF:
    return parseCOFFCommandLine(Words, Context);
  case Flavour::MachO:
    return parseMachOCommandLine(Words, Context);
  case Flavour::ELF:
    return parseELFCommandLine(Words, Context);
  }
  llvm_unreachable("unknown flavour");
}

} // namespace headstart
