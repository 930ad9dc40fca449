//===- InputScannerFuzzer.cpp - Any bytes as an input that names others ---===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that InputScanner reads, for each linker: scripts, text stubs, thin
// archives, objects, bitcode. Also resolves Mach-O's run paths, since an input
// determines their number.
//
//===----------------------------------------------------------------------===//

#include "MemoryFile.h"
#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/InputResolver.h"
#include <cstdint>
#include <cstdlib>

using namespace headstart;

static constexpr fuzz::CostLimits Limits = {
    .Read = {8, 4096},
    .Allocated = {1024, 64 << 10},
    .Steps = {2048, 20000},
};

static LinkCommand commandOf(Flavour Kind) {
  LinkCommand Command;
  Command.Kind = Kind;
  Command.ReadsCodeView = true;
  Command.MachO.Arch = "x86_64";
  Command.MachO.SystemRoots = {""};
  return Command;
}

static void scan(const LinkCommand &Command, const os::OpenFile &File,
                 SearchRule Search, bool Whole) {
  InputResolver Resolver(Command);
  NamedInput Named;
  Named.Name = "/fuzz/0";
  Named.Search = Search;
  Named.Whole = Whole;
  FileInspector Inspector(File);
  for (const FoundInput &Found : Resolver.scan(Named, Named.Name, Inspector)) {
    if (Found.Input.From != Named.Name)
      abort();
    if (Command.Kind == Flavour::MachO)
      (void)Resolver.resolve(Found.Input);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const LinkCommand COFF = commandOf(Flavour::COFF);
  static const LinkCommand ELF = commandOf(Flavour::ELF);
  static const LinkCommand MachO = commandOf(Flavour::MachO);
  fuzz::Files[0] = {reinterpret_cast<const char *>(Data), Size};
  fuzz::Cost Cost(Size, Limits);
  os::OpenFile File;
  if (os::OpenFile::open("/fuzz/0", File))
    abort();
  scan(COFF, File, SearchRule::Verbatim, /*Whole=*/true);
  scan(ELF, File, SearchRule::Verbatim, /*Whole=*/false);
  scan(ELF, File, SearchRule::Script, /*Whole=*/false);
  scan(MachO, File, SearchRule::Verbatim, /*Whole=*/false);
  return 0;
}
