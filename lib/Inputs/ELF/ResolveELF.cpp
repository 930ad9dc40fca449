//===- ResolveELF.cpp - Resolves ELF inputs -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search rules of lld 22: ELF/DriverUtils.cpp (findFile, searchLibrary,
// searchScript), ELF/ScriptParser.cpp (addFile), ELF/InputFiles.cpp
// (addDependentLibrary, readFile). A directory counts as found, as in lld.
// --chroot and --remap-inputs change the paths that lld opens, not those that
// it searches.
//
//===----------------------------------------------------------------------===//

#include "../DirectorySearch.h"
#include "Parse.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart::elf {

using MaybeFound = std::optional<ResolvedInput>;

static MaybeFound existing(const Twine &Path) {
  SmallString<256> Text;
  ResolvedInput R = statInput(Path.toStringRef(Text));
  return R.exists() ? MaybeFound(std::move(R)) : std::nullopt;
}

static MaybeFound inDirectories(const InputResolver &Resolver,
                                ArrayRef<std::string> Names) {
  if (MaybeFound Found = Resolver.directories().find(Names))
    return Found;
  return Resolver.directories().findAdded(Names);
}

static MaybeFound libraryBase(const InputResolver &Resolver, StringRef Name,
                              bool StaticOnly) {
  std::string Names[] = {("lib" + Name + ".so").str(),
                         ("lib" + Name + ".a").str()};
  return inDirectories(Resolver,
                       ArrayRef(Names).drop_front(StaticOnly ? 1 : 0));
}

/// lld compares each parent directory with the root by identity, so a link to
/// the root counts.
static bool isUnderSysRoot(StringRef Script, StringRef SysRoot) {
  if (SysRoot.empty())
    return false;
  os::FileIdentity Root = statInput(SysRoot).Status.Identity;
  for (; !Script.empty(); Script = sys::path::parent_path(Script)) {
    ResolvedInput R = statInput(Script);
    if (R.exists() && R.Status.Identity.Device == Root.Device &&
        R.Status.Identity.Inode == Root.Inode)
      return true;
  }
  return false;
}

static MaybeFound scriptInput(const InputResolver &Resolver, StringRef Name,
                              StringRef Script) {
  const std::string &SysRoot = Resolver.command().ELF.SysRoot;
  if (Name.starts_with("/"))
    return isUnderSysRoot(Script, SysRoot) ? existing(SysRoot + Name)
                                           : statInput(Name);
  if (Name.consume_front("="))
    return SysRoot.empty() ? statInput(Name)
                           : statInput((SysRoot + "/" + Name).str());
  if (StringRef Directory = sys::path::parent_path(Script); !Directory.empty())
    if (MaybeFound Found = existing(joined(Directory, Name)))
      return Found;
  if (MaybeFound Found = existing(Name))
    return Found;
  return inDirectories(Resolver, Name.str());
}

static MaybeFound findNamed(const InputResolver &Resolver,
                            const NamedInput &Input) {
  StringRef Name = Input.Name;
  switch (Input.Search) {
  case SearchRule::Library:
    return Name.consume_front(":")
               ? inDirectories(Resolver, Name.str())
               : libraryBase(Resolver, Name, Input.StaticOnly);
  case SearchRule::Script:
    if (MaybeFound Found = existing(Name))
      return Found;
    return inDirectories(Resolver, Name.str());
  case SearchRule::ScriptInput:
    return scriptInput(Resolver, Name, Input.From);
  case SearchRule::Dependent:
    if (MaybeFound Found = libraryBase(Resolver, Name, Input.StaticOnly))
      return Found;
    if (MaybeFound Found = inDirectories(Resolver, Name.str()))
      return Found;
    return existing(Name);
  default:
    return statInput(Name);
  }
}

/// The path that lld opens for \p Path (lld 22 ELF/InputFiles.cpp, readFile).
static std::string openedPath(std::string Path, const ELFSettings &Settings) {
  if (!Settings.ChRoot.empty() && StringRef(Path).starts_with("/"))
    Path = Settings.ChRoot + Path;
  // The last entry with this path has precedence over all patterns; otherwise
  // the first pattern that matches counts.
  for (const auto &[Pattern, File] : reverse(Settings.Remaps))
    if (Pattern == Path && Pattern.find_first_of("?*[") == std::string::npos)
      return File;
  for (const auto &[Pattern, File] : Settings.Remaps) {
    if (Pattern.find_first_of("?*[") == std::string::npos)
      continue;
    Expected<GlobPattern> Glob = GlobPattern::create(Pattern);
    if (!Glob)
      consumeError(Glob.takeError()); // lld reports it
    else if (Glob->match(Path))
      return File;
  }
  return Path;
}

ResolvedInput Model::resolve(const NamedInput &Input,
                             const InputResolver &Resolver) const {
  const LinkCommand &Command = Resolver.command();
  MaybeFound Found = findNamed(Resolver, Input);
  if (!Found)
    return ResolvedInput::missing(Input);
  // LLVM's archive reader opens members, without --chroot and --remap-inputs.
  if ((Command.ELF.ChRoot.empty() && Command.ELF.Remaps.empty()) ||
      Input.Reason == InputReason::ArchiveMember)
    return std::move(*Found);
  std::string Path = openedPath(Found->Path, Command.ELF);
  return Path == Found->Path ? std::move(*Found) : statInput(Path);
}

} // namespace headstart::elf
