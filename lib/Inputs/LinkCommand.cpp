//===- LinkCommand.cpp - A parsed linker command line ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "COFF/Parse.h"
#include "ELF/Parse.h"
#include "MachO/Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

bool isObjectByName(const NamedInput &Input) {
  StringRef Extension = sys::path::extension(Input.Name);
  return Extension.equals_insensitive(".obj") ||
         Extension.equals_insensitive(".o");
}

StringRef reasonName(InputReason R) {
  // In the order of the enumerators.
  static constexpr std::array<StringLiteral, NumInputReasons> Names = {
      "command line",    "response file",     "environment",
      "default library", "whole archive",     "module definition",
      "option file",     "library",           "framework",
      "file list",       "linker script",     "archive member",
      "default library", "type server",       "linker option",
      "re-export",       "dependent library", "profile"};
  return Names.at(static_cast<size_t>(R));
}

bool isOnCommandLine(InputReason Reason) {
  return Reason < InputReason::LinkerScript;
}

// As in LLVM 22 Support/TimeProfiler.cpp.
std::string timeTraceFile(StringRef Named, StringRef Image) {
  if (!Named.empty())
    return Named.str();
  return ((Image == "-" ? "out" : Image) + ".time-trace").str();
}

const LinkerModel &LinkCommand::model() const { return LinkerModel::of(Kind); }

bool LinkCommand::writes(StringRef Path) const {
  return is_contained(Outputs, Path);
}

void LinkCommand::dropWrittenFiles() {
  llvm::erase_if(Inputs, [this](const NamedInput &Input) {
    return (Input.Reason == InputReason::OptionFile ||
            Input.Reason == InputReason::ModuleDefinition) &&
           writes(Input.Name);
  });
}

PrefetchOption makePrefetchOption(const opt::Arg &A) {
  StringRef Name = A.getOption().getName();
  PrefetchOption Result;
  Result.Spelling = A.getSpelling().str();
  if (A.getNumValues()) {
    Result.Value = A.getValue();
    Result.HasValue = true;
    Result.Spelling += Result.Value;
  } else if (Name.consume_front("no-") || Name.consume_back(":no")) {
    Result.Value = "no";
    Result.HasValue = true;
  }
  Result.Name = Name.rtrim(":=").str();
  return Result;
}

std::vector<PrefetchOption>
LinkerModel::takePrefetchOptions(SmallVectorImpl<const char *> &Args) const {
  std::vector<PrefetchOption> Taken;
  if (Args.empty())
    return Taken;
  for (PlacedOption &Placed :
       findPrefetchOptions(ArrayRef(Args).drop_front())) {
    Taken.push_back(std::move(Placed.Option));
    Args[Placed.Index + 1] = nullptr;
  }
  llvm::erase(Args, nullptr);
  return Taken;
}

const LinkerModel &LinkerModel::of(Flavour Kind) {
  switch (Kind) {
  case Flavour::COFF: {
    static const coff::Model Model;
    return Model;
  }
  case Flavour::MachO: {
    static const macho::Model Model;
    return Model;
  }
  case Flavour::ELF: {
    static const elf::Model Model;
    return Model;
  }
  }
  llvm_unreachable("unknown flavour");
}

const LinkerModel *LinkerModel::named(StringRef Name) {
  for (Flavour Kind : {Flavour::COFF, Flavour::MachO, Flavour::ELF})
    if (of(Kind).Name == Name)
      return &of(Kind);
  return nullptr;
}

} // namespace headstart
