//===- CommandLineFuzzer.cpp - Any words as a command line ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

using namespace headstart;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::SmallVector<llvm::StringRef, 16> Lines;
  llvm::StringRef(reinterpret_cast<const char *>(Data), Size)
      .split(Lines, '\n');
  std::vector<std::string> Text;
  std::vector<CommandLineWord> Words;
  for (llvm::StringRef Line : Lines) {
    // Words that look into the file system would make runs differ.
    if (Line.contains_insensitive("sysroot") ||
        Line.contains_insensitive("dir") || Line.contains("remap-inputs"))
      continue;
    Text.push_back(Line.str());
    Words.push_back({Line.str(), "", ""});
  }
  CommandLineContext Context;
  Context.GetEnv = [](llvm::StringRef) -> std::optional<std::string> {
    return std::nullopt;
  };
  for (Flavour F : {Flavour::COFF, Flavour::ELF})
    parseCommandLine(F, Words, Context);
  for (Flavour F : {Flavour::COFF, Flavour::ELF}) {
    llvm::SmallVector<const char *, 16> Args = {"linker"};
    for (const std::string &T : Text)
      Args.push_back(T.c_str());
    takePrefetchOptions(F, Args);
  }
  return 0;
}
