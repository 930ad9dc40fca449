//===- ResolveMinGW.cpp - Resolves MinGW libraries ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in lld 22 MinGW/Driver.cpp, searchLibrary, checked against ld.lld 22.1.8
// (-m i386pep -###). Import libraries have precedence over static libraries,
// and those over DLLs. lld searches only the directories of -L.
//
//===----------------------------------------------------------------------===//

#include "../DirectorySearch.h"
#include "Parse.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace headstart {

ResolvedInput elf::resolveMinGWLibrary(const NamedInput &Input,
                                       const InputResolver &Resolver) {
  const LinkCommand &Command = Resolver.command();
  StringRef Name = Input.Name;
  SmallVector<std::string, 7> Files;
  if (Name.consume_front(":")) {
    Files.push_back(Name.str());
  } else {
    bool Shared = !Input.StaticOnly;
    if (Shared) {
      Files.push_back(("lib" + Name + ".dll.a").str());
      Files.push_back((Name + ".dll.a").str());
    }
    Files.push_back(("lib" + Name + ".a").str());
    Files.push_back((Name + ".lib").str());
    if (Shared) {
      Files.push_back((Command.DLLPrefix + Name + ".dll").str());
      Files.push_back((Name + ".dll").str());
    }
  }
  // The first search path is lld-link's current directory, not one of -L.
  if (Command.SearchPaths.empty())
    return {"-l" + Input.Name, {}};
  if (std::optional<ResolvedInput> Found =
          Resolver.directories().find(Files, /*Skip=*/1))
    return std::move(*Found);
  return {"-l" + Input.Name, {}};
}

} // namespace headstart
