//===- CommandLineFuzzer.cpp - Any words as a command line ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryFile.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

using namespace headstart;

static constexpr fuzz::CostLimits Limits = {
    .Read = {4, 0},
    .Allocated = {2048, 64 << 10},
    .Steps = {2048, 60000},
};

static void parse(llvm::ArrayRef<std::string> Text,
                  llvm::ArrayRef<CommandLineArg> CommandArgs,
                  const CommandLineContext &Context) {
  for (Flavour F : {Flavour::COFF, Flavour::ELF, Flavour::MachO}) {
    LinkerModel::of(F).parse(CommandArgs, Context);
    (void)expandCommandLine(F, {"@/fuzz/0"}, Context);
    llvm::SmallVector<const char *, 16> Args = {"linker"};
    for (const std::string &T : Text)
      Args.push_back(T.c_str());
    LinkerModel::of(F).takePrefetchOptions(Args);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::SmallVector<llvm::StringRef, 16> Lines;
  llvm::StringRef(reinterpret_cast<const char *>(Data), Size)
      .split(Lines, '\n');
  std::vector<std::string> Text;
  std::vector<CommandLineArg> CommandArgs;
  for (llvm::StringRef Line : Lines) {
    // Arguments that read the file system would make runs differ.
    if (Line.contains_insensitive("sysroot") ||
        Line.contains_insensitive("dir") || Line.contains("remap-inputs"))
      continue;
    Text.push_back(Line.str());
    CommandArgs.push_back({Line.str(), "", ""});
  }
  CommandLineContext Context;
  Context.GetEnv = [](llvm::StringRef) -> std::optional<std::string> {
    return std::nullopt;
  };
  static const bool Warm = (parse({}, {}, Context), true); // the option tables
  (void)Warm;
  fuzz::Files[0] = {reinterpret_cast<const char *>(Data), Size};
  fuzz::Cost Cost(Size, Limits);
  parse(Text, CommandArgs, Context);
  return 0;
}
