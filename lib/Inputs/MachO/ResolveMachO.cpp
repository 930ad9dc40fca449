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
#include "../Private.h"
#include "Parse.h"
#include "headstart/Formats/MachO.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace headstart {

namespace {
/// The searches of one command line. Each returns the input that it found, or
/// one that does not exist.
class Finder {
public:
  Finder(const InputResolver &Resolver, DirectorySearch &Directories)
      : Resolver(Resolver), Command(Resolver.command()),
        Directories(Directories) {}

  ResolvedInput library(StringRef Name) const;
  ResolvedInput framework(StringRef Name) const;
  ResolvedInput belowRoots(StringRef Path) const;
  ResolvedInput dylib(const NamedInput &Input) const;

private:
  ResolvedInput inDirectories(const Twine &Name,
                              ArrayRef<StringRef> Extensions) const;
  ResolvedInput
  inFrameworks(StringRef Name,
               function_ref<ResolvedInput(StringRef)> Inspector) const;
  /// Returns the text stub of \p Path if it exists, or else \p Path.
  ResolvedInput dylibAt(StringRef Path) const;
  ResolvedInput dylibByBaseName(StringRef InstallName) const;
  ResolvedInput dylibByPrefix(const NamedInput &Input) const;

  const InputResolver &Resolver;
  const LinkCommand &Command;
  DirectorySearch &Directories;
};
} // namespace

ResolvedInput Finder::inDirectories(const Twine &Name,
                                    ArrayRef<StringRef> Extensions) const {
  SmallVector<std::string, 4> Names;
  for (StringRef Extension : Extensions)
    Names.push_back((Name + Extension).str());
  return Directories.find(Names).value_or(ResolvedInput());
}

/// Calls \p Inspector with \p Name, a path into a bundle, in each directory of
/// frameworks. Returns its first result that exists.
ResolvedInput
Finder::inFrameworks(StringRef Name,
                     function_ref<ResolvedInput(StringRef)> Inspector) const {
  SnapshotName Bundle(Name);
  for (DirectorySearch::Directory *Directory : Directories.frameworks()) {
    if (!Directories.mayContain(*Directory, Bundle))
      continue;
    SmallString<256> Path = Directory->path();
    path::append(Path, Name);
    if (ResolvedInput R = Inspector(Path); R.exists())
      return R;
    Directories.noteMiss(*Directory);
  }
  return {};
}

ResolvedInput Finder::library(StringRef Name) const {
  if (Name.ends_with(".o"))
    return inDirectories(Name, {""});
  if (!Command.MachO.SearchesDylibsFirst)
    return inDirectories("lib" + Name, {".tbd", ".dylib", ".so", ".a"});
  ResolvedInput R = inDirectories("lib" + Name, {".tbd", ".dylib", ".so"});
  return R.exists() ? R : inDirectories("lib" + Name, {".a"});
}

ResolvedInput Finder::framework(StringRef Name) const {
  auto [Base, Suffix] = Name.split(',');
  SmallString<128> Bundle;
  path::append(Bundle, Base + ".framework", Base);
  return inFrameworks(Bundle, [&, Suffix = Suffix](StringRef Path) {
    SmallString<256> Real;
    // The file with the suffix is next to the target of the symbolic link.
    if (!Suffix.empty() && !sys::fs::real_path(Path, Real))
      if (ResolvedInput R = statInput((Real + Suffix).str()); R.exists())
        return R;
    return dylibAt(Path);
  });
}

ResolvedInput Finder::belowRoots(StringRef Path) const {
  for (StringRef Root : Command.MachO.SystemRoots) {
    SmallString<256> Below = Root;
    path::append(Below, Path);
    if (ResolvedInput R = statInput(Below); R.exists())
      return R;
  }
  return {};
}

ResolvedInput Finder::dylibAt(StringRef Path) const {
  SmallString<256> Stub = Path;
  path::replace_extension(Stub, ".tbd");
  ResolvedInput R = statInput(Stub);
  return R.exists() ? R : statInput(Path);
}

ResolvedInput Finder::dylibByBaseName(StringRef InstallName) const {
  StringRef Stem = path::stem(InstallName);
  SmallString<128> Framework;
  path::append(Framework, path::Style::posix, Stem + ".framework", Stem);
  if (!InstallName.ends_with(Framework))
    return inDirectories(Stem, {".tbd", ".dylib", ".so"});
  return inFrameworks(Framework, [&](StringRef Path) { return dylibAt(Path); });
}

ResolvedInput Finder::dylibByPrefix(const NamedInput &Input) const {
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
  if (Command.MachO.MakesExecutable &&
      Name.consume_front("@executable_path/")) {
    SmallString<256> Path;
    Path = path::parent_path(Command.image());
    path::append(Path, Name);
    return dylibAt(Path);
  }
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

ResolvedInput Finder::dylib(const NamedInput &Input) const {
  if (ResolvedInput R = dylibByBaseName(Input.Name); R.exists())
    return R;
  if (path::is_absolute(Input.Name, path::Style::posix))
    for (const std::string &Root : Command.MachO.SystemRoots)
      if (ResolvedInput R = dylibAt(Root + Input.Name); R.exists())
        return R;
  return dylibByPrefix(Input);
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
    for (StringRef RunPath : File->runPaths())
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

ResolvedInput macho::resolve(const NamedInput &Input,
                             const InputResolver &Resolver) {
  Finder Find(Resolver, Resolver.directories());
  ResolvedInput Found;
  if (Input.Search == SearchRule::Library)
    Found = Find.library(Input.Name);
  else if (Input.Search == SearchRule::Framework)
    Found = Find.framework(Input.Name);
  else if (Input.Reason == InputReason::ReExport)
    Found = Find.dylib(Input);
  else if (Found = Find.belowRoots(Input.Name); !Found.exists())
    return statInput(Input.Name);
  return Found.exists() ? Found : ResolvedInput{Input.Name, {}};
}

} // namespace headstart
