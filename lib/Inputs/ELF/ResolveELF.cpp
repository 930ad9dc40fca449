//===- ResolveELF.cpp - Where ld.lld finds an input -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search rules of lld 22: ELF/DriverUtils.cpp (findFile, searchLibrary,
// searchScript), ELF/ScriptParser.cpp (addFile), ELF/InputFiles.cpp
// (addDependentLibrary, readFile). A folder counts as found, as it does there.
// --chroot and --remap-inputs act on what is opened, not on what is searched
// for.
//
//===----------------------------------------------------------------------===//

#include "../InputLook.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

namespace {
using MaybeFound = std::optional<ResolvedInput>;

class Search {
public:
  Search(const LinkCommand &Command, ArrayRef<std::string> ScriptFolders)
      : Command(Command), ScriptFolders(ScriptFolders) {}

  MaybeFound findNamed(const NamedInput &Input) const;

private:
  static MaybeFound existing(const Twine &Path) {
    SmallString<256> Text;
    ResolvedInput R = lookAtInput(Path.toStringRef(Text));
    return R.exists() ? MaybeFound(std::move(R)) : std::nullopt;
  }
  MaybeFound inFolder(StringRef Folder, const Twine &Name) const;
  MaybeFound inFolders(function_ref<MaybeFound(StringRef)> Look) const;
  MaybeFound path(StringRef Name) const {
    return inFolders([&](StringRef Folder) { return inFolder(Folder, Name); });
  }
  MaybeFound libraryBase(StringRef Name, bool StaticOnly) const;
  MaybeFound scriptInput(StringRef Name, StringRef Script) const;
  bool isUnderSysRoot(StringRef Script) const;

  const LinkCommand &Command;
  ArrayRef<std::string> ScriptFolders;
};
} // namespace

MaybeFound Search::inFolder(StringRef Folder, const Twine &Name) const {
  SmallString<256> Path;
  if (Folder.consume_front("="))
    sys::path::append(Path, Command.ELF.SysRoot, Folder, Name);
  else
    sys::path::append(Path, Folder, Name);
  return existing(Path);
}

MaybeFound Search::inFolders(function_ref<MaybeFound(StringRef)> Look) const {
  for (ArrayRef<std::string> Folders :
       {ArrayRef(Command.SearchPaths), ScriptFolders})
    for (StringRef Folder : Folders)
      if (MaybeFound Found = Look(Folder))
        return Found;
  return std::nullopt;
}

MaybeFound Search::libraryBase(StringRef Name, bool StaticOnly) const {
  return inFolders([&](StringRef Folder) -> MaybeFound {
    if (!StaticOnly)
      if (MaybeFound Found = inFolder(Folder, "lib" + Name + ".so"))
        return Found;
    return inFolder(Folder, "lib" + Name + ".a");
  });
}

/// lld asks for each folder on the way up whether it is the root, so that a
/// link to it counts.
bool Search::isUnderSysRoot(StringRef Script) const {
  if (Command.ELF.SysRoot.empty())
    return false;
  os::FileIdentity Root = lookAtInput(Command.ELF.SysRoot).Status.Identity;
  for (; !Script.empty(); Script = sys::path::parent_path(Script)) {
    ResolvedInput R = lookAtInput(Script);
    if (R.exists() && R.Status.Identity.Device == Root.Device &&
        R.Status.Identity.Inode == Root.Inode)
      return true;
  }
  return false;
}

MaybeFound Search::scriptInput(StringRef Name, StringRef Script) const {
  const std::string &SysRoot = Command.ELF.SysRoot;
  if (Name.starts_with("/"))
    return isUnderSysRoot(Script) ? existing(SysRoot + Name)
                                  : lookAtInput(Name);
  if (Name.consume_front("="))
    return SysRoot.empty() ? lookAtInput(Name)
                           : lookAtInput((SysRoot + "/" + Name).str());
  if (StringRef Folder = sys::path::parent_path(Script); !Folder.empty()) {
    SmallString<256> Path = Folder;
    sys::path::append(Path, Name);
    if (MaybeFound Found = existing(Path))
      return Found;
  }
  if (MaybeFound Found = existing(Name))
    return Found;
  return path(Name);
}

MaybeFound Search::findNamed(const NamedInput &Input) const {
  StringRef Name = Input.Name;
  switch (Input.Search) {
  case SearchRule::Library:
    return Name.consume_front(":") ? path(Name)
                                   : libraryBase(Name, Input.StaticOnly);
  case SearchRule::Script:
    if (MaybeFound Found = existing(Name))
      return Found;
    return path(Name);
  case SearchRule::ScriptInput:
    return scriptInput(Name, Input.From);
  case SearchRule::Dependent:
    if (MaybeFound Found = libraryBase(Name, Input.StaticOnly))
      return Found;
    if (MaybeFound Found = path(Name))
      return Found;
    return existing(Name);
  default:
    return lookAtInput(Name);
  }
}

/// What lld opens in place of \p Path: lld 22 ELF/InputFiles.cpp, readFile.
static std::string openedPath(std::string Path, const ELFSettings &Settings) {
  if (!Settings.ChRoot.empty() && StringRef(Path).starts_with("/"))
    Path = Settings.ChRoot + Path;
  // A plain path comes before every pattern, and the last of two before the
  // first; of patterns, the first.
  for (const auto &[Pattern, File] : reverse(Settings.Remaps))
    if (Pattern == Path && Pattern.find_first_of("?*[") == std::string::npos)
      return File;
  for (const auto &[Pattern, File] : Settings.Remaps) {
    if (Pattern.find_first_of("?*[") == std::string::npos)
      continue;
    Expected<GlobPattern> Glob = GlobPattern::create(Pattern);
    if (!Glob)
      consumeError(Glob.takeError()); // lld's to report
    else if (Glob->match(Path))
      return File;
  }
  return Path;
}

ResolvedInput InputResolver::resolveELF(const NamedInput &Input) const {
  std::vector<std::string> Folders;
  if (Input.Search != SearchRule::AsGiven) {
    std::lock_guard Lock(Mutex);
    Folders = ScriptFolders;
  }
  MaybeFound Found = Search(Command, Folders).findNamed(Input);
  if (!Found)
    return {Input.Search == SearchRule::Library ? "-l" + Input.Name
                                                : Input.Name,
            {}};
  // Of archives' members only LLVM's archive reader knows.
  if ((Command.ELF.ChRoot.empty() && Command.ELF.Remaps.empty()) ||
      Input.Reason == InputReason::ArchiveMember)
    return *Found;
  std::string Path = openedPath(Found->Path, Command.ELF);
  return Path == Found->Path ? *Found : lookAtInput(Path);
}

void InputResolver::addFolder(StringRef Folder) const {
  // More than any linker script names, and each costs every -l a look.
  constexpr size_t MostFolders = 1000;
  std::lock_guard Lock(Mutex);
  if (ScriptFolders.size() < MostFolders)
    ScriptFolders.push_back(Folder.str());
}

bool InputResolver::isFirstLook(const os::FileIdentity &File) const {
  std::lock_guard Lock(Mutex);
  return LookedInto.emplace(File.Device, File.Inode).second;
}

} // namespace headstart
