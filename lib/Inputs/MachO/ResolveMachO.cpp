//===- ResolveMachO.cpp - Resolves Mach-O inputs --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search rules of lld 22: MachO/Driver.cpp (findLibrary, findFramework),
// MachO/DriverUtils.cpp (rerootPath, resolveDylibPath) and MachO/InputFiles.cpp
// (findDylib). A directory counts as found, as in lld.
//
//===----------------------------------------------------------------------===//

#include "../DirectorySearch.h"
#include "Parse.h"
#include "headstart/Formats/MachO.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace headstart {

/// Returns the text stub of \p Path if it exists, or else \p Path.
static ResolvedInput dylibAt(StringRef Path) {
  SmallString<256> Stub = Path;
  path::replace_extension(Stub, ".tbd");
  ResolvedInput R = statInput(Stub);
  return R.exists() ? R : statInput(Path);
}

static ResolvedInput belowRoots(StringRef Path, const MachOSettings &Settings) {
  for (StringRef Root : Settings.SystemRoots)
    if (ResolvedInput R = statInput(joined(Root, Path)); R.exists())
      return R;
  return {};
}

static ResolvedInput inDirectories(const InputResolver &Resolver,
                                   const Twine &Name,
                                   ArrayRef<StringRef> Extensions) {
  SmallVector<std::string, 4> Names;
  for (StringRef Extension : Extensions)
    Names.push_back((Name + Extension).str());
  return Resolver.directories().find(Names).value_or(ResolvedInput());
}

/// Calls \p Inspector with \p Name, a path into a bundle, in each directory of
/// frameworks. Returns its first result that exists.
static ResolvedInput
inFrameworks(const InputResolver &Resolver, StringRef Name,
             function_ref<ResolvedInput(StringRef)> Inspector) {
  SnapshotName Bundle(Name);
  for (DirectorySearch::Directory *Directory :
       Resolver.directories().frameworks()) {
    if (!Resolver.directories().mayContain(*Directory, Bundle))
      continue;
    if (ResolvedInput R = Inspector(joined(Directory->path(), Name));
        R.exists())
      return R;
    Resolver.directories().noteMiss(*Directory);
  }
  return {};
}

static ResolvedInput findLibrary(const InputResolver &Resolver,
                                 StringRef Name) {
  if (Name.ends_with(".o"))
    return inDirectories(Resolver, Name, {""});
  if (!Resolver.command().MachO.SearchesDylibsFirst)
    return inDirectories(Resolver, "lib" + Name,
                         {".tbd", ".dylib", ".so", ".a"});
  ResolvedInput R =
      inDirectories(Resolver, "lib" + Name, {".tbd", ".dylib", ".so"});
  return R.exists() ? R : inDirectories(Resolver, "lib" + Name, {".a"});
}

static ResolvedInput findFramework(const InputResolver &Resolver,
                                   StringRef Name) {
  auto [Base, Suffix] = Name.split(',');
  SmallString<128> Bundle;
  path::append(Bundle, Base + ".framework", Base);
  return inFrameworks(Resolver, Bundle, [&, Suffix = Suffix](StringRef Path) {
    SmallString<256> Real;
    // The file with the suffix is next to the target of the symbolic link.
    if (!Suffix.empty() && !sys::fs::real_path(Path, Real))
      if (ResolvedInput R = statInput((Real + Suffix).str()); R.exists())
        return R;
    return dylibAt(Path);
  });
}

static ResolvedInput dylibByBaseName(const InputResolver &Resolver,
                                     StringRef InstallName) {
  StringRef Stem = path::stem(InstallName);
  SmallString<128> Framework;
  path::append(Framework, path::Style::posix, Stem + ".framework", Stem);
  if (!InstallName.ends_with(Framework))
    return inDirectories(Resolver, Stem, {".tbd", ".dylib", ".so"});
  return inFrameworks(Resolver, Framework, dylibAt);
}

static ResolvedInput dylibByPrefix(const InputResolver &Resolver,
                                   const NamedInput &Input) {
  StringRef Name = Input.Name;
  const std::string &Umbrella =
      Input.Umbrella.empty() ? Input.From : Input.Umbrella;
  auto BesideUmbrella = [&](StringRef Rest) {
    SmallString<256> Path;
    if (sys::fs::real_path(Umbrella, Path))
      Path.clear();
    path::remove_filename(Path);
    path::append(Path, Rest);
    return Path;
  };
  if (Resolver.command().MachO.MakesExecutable &&
      Name.consume_front("@executable_path/"))
    return dylibAt(joined(path::parent_path(Resolver.command().image()), Name));
  if (Name.consume_front("@loader_path/"))
    return dylibAt(BesideUmbrella(Name));
  StringRef Rest = Name;
  if (Rest.consume_front("@rpath/")) {
    std::shared_ptr<const std::vector<std::string>> RunPaths =
        Resolver.runPathsOf(Umbrella);
    for (StringRef RunPath : *RunPaths) {
      SmallString<256> Path;
      if (RunPath.consume_front("@loader_path/"))
        Path = BesideUmbrella(RunPath);
      else
        Path = RunPath;
      path::append(Path, Rest);
      if (ResolvedInput R = dylibAt(Path); R.exists())
        return R;
    }
  }
  return dylibAt(Name);
}

static ResolvedInput findDylib(const InputResolver &Resolver,
                               const NamedInput &Input) {
  if (ResolvedInput R = dylibByBaseName(Resolver, Input.Name); R.exists())
    return R;
  if (path::is_absolute(Input.Name, path::Style::posix))
    for (const std::string &Root : Resolver.command().MachO.SystemRoots)
      if (ResolvedInput R = dylibAt(Root + Input.Name); R.exists())
        return R;
  return dylibByPrefix(Resolver, Input);
}

/// Reads the run paths of the library at \p Path. Blocks on the store.
static std::vector<std::string> readRunPaths(const std::string &Path,
                                             StringRef Arch) {
  std::vector<std::string> Paths;
  os::OpenFile Opened;
  if (os::OpenFile::open(Path, Opened))
    return Paths;
  FileBytes Bytes(Opened);
  if (auto File = MachOInput::read(Bytes, Arch).File)
    for (StringRef RunPath : File->names().RunPaths)
      Paths.push_back(RunPath.str());
  return Paths;
}

std::shared_ptr<const std::vector<std::string>>
InputResolver::runPathsOf(const std::string &Library) const {
  {
    std::lock_guard Lock(Mutex);
    if (LastRunPaths && LastRunPathsOf == Library)
      return LastRunPaths;
  }
  auto Read = std::make_shared<const std::vector<std::string>>(
      readRunPaths(Library, Command.MachO.Arch));
  std::lock_guard Lock(Mutex);
  LastRunPathsOf = Library;
  LastRunPaths = Read;
  return Read;
}

ResolvedInput macho::Model::resolve(const NamedInput &Input,
                                    const InputResolver &Resolver) const {
  if (Input.Search == SearchRule::Verbatim)
    return statInput(Input.Name);
  ResolvedInput Found;
  if (Input.Search == SearchRule::Library)
    Found = findLibrary(Resolver, Input.Name);
  else if (Input.Search == SearchRule::Framework)
    Found = findFramework(Resolver, Input.Name);
  else if (Input.Reason == InputReason::ReExport)
    Found = findDylib(Resolver, Input);
  else if (Found = belowRoots(Input.Name, Resolver.command().MachO);
           !Found.exists())
    return statInput(Input.Name);
  return Found.exists() ? Found : ResolvedInput::missing(Input);
}

} // namespace headstart
