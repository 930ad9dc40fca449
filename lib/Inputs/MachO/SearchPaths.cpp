//===- SearchPaths.cpp - ld64.lld's search paths --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of lld 22 MachO/Driver.cpp (getSystemLibraryRoots, getSearchPaths):
// an absolute -L or -F is searched below every -syslibroot in which it is a
// directory, and as given only if it is below none. A path that is not a
// directory is ignored; lld warns about it.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;

namespace headstart::macho {

static bool isDirectory(StringRef Path) {
  return statInput(Path).Status.Kind == os::FileKind::Directory;
}

static std::vector<std::string> systemRoots(const InputArgList &Args) {
  std::vector<std::string> Roots;
  for (const Arg *A : Args.filtered(OPT_syslibroot))
    Roots.emplace_back(A->getValue());
  // If the last root is "/", lld uses no roots.
  if (!Roots.empty() && Roots.back() == "/")
    Roots.clear();
  if (Roots.empty())
    Roots.emplace_back();
  return Roots;
}

static std::vector<std::string> searchPaths(const InputArgList &Args,
                                            OptionID ID,
                                            ArrayRef<std::string> Roots,
                                            ArrayRef<StringRef> SystemPaths) {
  std::vector<std::string> Paths;
  auto AddBelow = [&](StringRef Root, StringRef Path) {
    std::string Directory = joined(Root, Path);
    if (!isDirectory(Directory))
      return false;
    Paths.push_back(std::move(Directory));
    return true;
  };
  for (const Arg *A : Args.filtered(ID)) {
    StringRef Path = A->getValue();
    bool Found = false;
    if (sys::path::is_absolute(Path, sys::path::Style::posix))
      for (StringRef Root : Roots)
        Found |= AddBelow(Root, Path);
    if (!Found && isDirectory(Path))
      Paths.push_back(Path.str());
  }
  if (Args.hasArgNoClaim(OPT_Z))
    return Paths;
  for (StringRef Path : SystemPaths)
    for (StringRef Root : Roots)
      AddBelow(Root, Path);
  return Paths;
}

void addSearchPaths(const InputArgList &Args, LinkCommand &Command) {
  std::vector<std::string> &Roots = Command.MachO.SystemRoots;
  Roots = systemRoots(Args);
  Command.SearchPaths =
      searchPaths(Args, OPT_L, Roots, {"/usr/lib", "/usr/local/lib"});
  Command.MachO.FrameworkPaths =
      searchPaths(Args, OPT_F, Roots,
                  {"/Library/Frameworks", "/System/Library/Frameworks"});
  const Arg *Order =
      Args.getLastArgNoClaim(OPT_search_paths_first, OPT_search_dylibs_first);
  Command.MachO.SearchesDylibsFirst =
      Order && Order->getOption().matches(OPT_search_dylibs_first);
}

} // namespace headstart::macho
