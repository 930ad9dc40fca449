//===- InputScannerFuzzer.cpp - Any bytes as an input of a link -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What InputScanner reads inside inputs: linker scripts, thin archives, ELF
// objects. It takes an open file, so each run writes one.
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputScanner.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <cstdlib>

using namespace headstart;

static const std::string &scratchFile() {
  static const std::string Path = [] {
    llvm::SmallString<128> Name;
    if (llvm::sys::fs::createTemporaryFile("headstart-fuzz", "", Name))
      abort();
    return Name.str().str();
  }();
  return Path;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const std::string &Path = scratchFile();
  {
    std::error_code Error;
    llvm::raw_fd_ostream OS(Path, Error);
    if (Error)
      abort();
    OS.write(reinterpret_cast<const char *>(Data), Size);
  }
  os::OpenFile File;
  if (os::OpenFile::open(Path, File))
    abort();

  LinkCommand Command;
  Command.Kind = Flavour::ELF;
  for (SearchRule Search : {SearchRule::AsGiven, SearchRule::Script}) {
    InputResolver Resolver(Command);
    NamedInput Named;
    Named.Name = Path;
    Named.Search = Search;
    for (const FoundInput &Found :
         InputScanner(Resolver).scan(Named, Path, File))
      if (Found.Input.From != Path)
        abort();
  }
  return 0;
}
