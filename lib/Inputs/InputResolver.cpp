//===- InputResolver.cpp - From names to paths ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search rules of lld 22 (COFF/Driver.cpp: findFile, findLib,
// findLibMinGW). A folder counts as found, as it does there: lld asks only
// whether the path exists, and fails when it opens it. Not followed:
// /vfsoverlay:, which can rename what is found.
//
//===----------------------------------------------------------------------===//

#include "FolderSearch.h"
#include "InputLook.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

ResolvedInput lookAtInput(StringRef Path) {
  ResolvedInput Result{Path.str(), {}};
  // Whatever keeps us from seeing the file (a loop of links, a folder that may
  // not be searched) keeps lld from it as well; lld is the one to say so.
  std::error_code Ignored;
  Result.Status = os::lookAt(Result.Path, Ignored);
  return Result;
}

InputResolver::InputResolver(const LinkCommand &Command)
    : Command(Command), Folders(std::make_unique<FolderSearch>(Command)) {}

InputResolver::~InputResolver() = default;

SnapshotFigures InputResolver::searchFigures() const {
  return Folders->figures();
}

bool InputResolver::isFirstLook(const os::FileIdentity &File) const {
  std::lock_guard Lock(Mutex);
  return LookedInto.emplace(File.Device, File.Inode).second;
}

/// lld adds an extension where there is no '.' at all, be it in a folder's
/// name.
static bool hasExtension(StringRef Name) { return Name.contains('.'); }

static std::string libraryName(StringRef Name) {
  return hasExtension(Name) ? Name.str() : (Name + ".lib").str();
}

ResolvedInput InputResolver::findFile(StringRef Name) const {
  if (sys::path::is_absolute(Name))
    return lookAtInput(Name);
  SmallVector<std::string, 2> Names = {Name.str()};
  if (!hasExtension(Name))
    Names.push_back((Name + ".obj").str());
  if (std::optional<ResolvedInput> Found = Folders->find(Names))
    return std::move(*Found);
  return {Name.str(), {}};
}

ResolvedInput InputResolver::findLibrary(StringRef Name) const {
  std::string Library = libraryName(Name);
  ResolvedInput R = findFile(Library);
  // lld compares the path with the name to see whether the search failed, so
  // that in MinGW mode it passes over `foo.lib` in the current folder and asks
  // for `libfoo.a` (seen in lld-link 22.1.8).
  if (!Command.MinGW || R.Path != Library || StringRef(Library).contains('/') ||
      StringRef(Library).contains('\\'))
    return R;
  SmallString<128> Archive = StringRef(Library);
  sys::path::replace_extension(Archive, ".a");
  return findFile(("lib" + Archive).str());
}

ResolvedInput InputResolver::resolveCOFF(const NamedInput &Input) const {
  if (Input.Reason == InputReason::Library)
    return resolveMinGWLibrary(Input);
  if (Input.Search == SearchRule::Object)
    return findFile(Input.Name);
  if (Input.Search == SearchRule::Library)
    return findLibrary(Input.Name);
  return lookAtInput(Input.Name);
}

ResolvedInput InputResolver::resolve(const NamedInput &Input) const {
  // With --chroot and --remap-inputs, no path is what it seems.
  if (Input.Search == SearchRule::AsGiven && Command.Kind != Flavour::ELF)
    return lookAtInput(Input.Name);
  if (Input.Search == SearchRule::Library ||
      Input.Search == SearchRule::Framework)
    Folders->begin();
  switch (Command.Kind) {
  case Flavour::COFF:
    return resolveCOFF(Input);
  case Flavour::ELF:
    return resolveELF(Input);
  case Flavour::MachO:
    return resolveMachO(Input);
  }
  llvm_unreachable("unknown flavour");
}

// lld compares lower-case paths, each the result of a search: `/nodefaultlib:`
// works on what its name finds, so that on a file system with upper and lower
// case `/nodefaultlib:FOO` need not exclude `/defaultlib:foo`. But when lld
// infers the machine it searches again for what it has, which is in lower case
// by now (addWinSysRootLibSearchPaths; seen in lld-link 22.1.8).
bool InputResolver::isExcluded(StringRef Name) const {
  if (Command.ExcludesAllLibraries)
    return true;
  if (Command.ExcludedLibraries.empty())
    return false;
  auto PathOf = [this](StringRef Library) {
    return StringRef(findLibrary(Library).Path).lower();
  };
  std::string Library = libraryName(Name);
  std::string Path;
  for (const std::string &Excluded : Command.ExcludedLibraries) {
    std::string Other = libraryName(Excluded);
    if (Other == Library)
      return true;
    // What is found ends in the name that was searched for, but in MinGW mode,
    // where `foo.lib` can find `libfoo.a`.
    if (!Command.MinGW && !sys::path::filename(Other).equals_insensitive(
                              sys::path::filename(Library)))
      continue;
    if (Path.empty())
      Path = PathOf(Library);
    std::string OtherPath = PathOf(Other);
    if (!Command.NamesMachine)
      OtherPath = PathOf(OtherPath);
    if (OtherPath == Path)
      return true;
  }
  return false;
}

} // namespace headstart
