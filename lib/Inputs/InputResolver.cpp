//===- InputResolver.cpp - From names to paths ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Private.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

std::string joined(StringRef Directory, const Twine &A, const Twine &B,
                   const Twine &C) {
  SmallString<256> Path = Directory;
  sys::path::append(Path, A, B, C);
  return Path.str().str();
}

ResolvedInput statInput(StringRef Path) {
  ResolvedInput Result{Path.str(), {}};
  // An error (a loop of links, a directory without search permission) affects
  // lld as well, which then reports it.
  std::error_code Ignored;
  Result.Status = os::statFile(Result.Path, Ignored);
  return Result;
}

std::optional<std::string> readText(const std::string &Path,
                                    uint64_t MaxBytes) {
  os::OpenFile File;
  if (os::OpenFile::open(Path, File) || File.size() > MaxBytes)
    return std::nullopt;
  std::string Text(File.size(), '\0');
  std::error_code Ignored;
  Text.resize(File.readAt(0, Text, Ignored));
  return Text;
}

DirectorySearch &DirectorySearch::entered() {
  std::call_once(Entered, [this] {
    for (StringRef Directory : Command.SearchPaths)
      Libraries.push_back(&Cache.add(Directory));
    for (StringRef Directory : Command.MachO.FrameworkPaths)
      Frameworks.push_back(&Cache.add(Directory));
  });
  return *this;
}

std::optional<ResolvedInput>
DirectorySearch::findIn(ArrayRef<Directory *> Directories,
                        ArrayRef<std::string> Names, Probe At) {
  SmallVector<SnapshotName, 8> Keys;
  for (const std::string &Name : Names)
    Keys.emplace_back(Name);
  for (Directory *In : Directories)
    for (const auto &[Name, Key] : zip_equal(Names, Keys)) {
      if (Cache.isMissing(*In, Key))
        continue;
      if (ResolvedInput Found = At(joined(In->path(), Name)); Found.exists())
        return Found;
      Cache.noteMiss(*In);
    }
  return std::nullopt;
}

std::optional<ResolvedInput> DirectorySearch::find(ArrayRef<std::string> Names,
                                                   size_t Skip) {
  return findIn(ArrayRef(entered().Libraries).drop_front(Skip), Names,
                statInput);
}

std::optional<ResolvedInput>
DirectorySearch::findFramework(const std::string &Name, Probe At) {
  return findIn(entered().Frameworks, Name, At);
}

void DirectorySearch::add(StringRef Path) {
  // More than any linker script names. Each costs every later -l a probe.
  constexpr size_t MaxDirectories = 1000;
  std::lock_guard Lock(Mutex);
  if (Added.size() < MaxDirectories)
    Added.push_back(&Cache.add(Path));
}

std::optional<ResolvedInput>
DirectorySearch::findAdded(ArrayRef<std::string> Names) {
  std::vector<Directory *> Directories;
  {
    std::lock_guard Lock(Mutex);
    Directories = Added;
  }
  return findIn(Directories, Names, statInput);
}

bool InputResolver::isFirstScan(const os::FileIdentity &File) const {
  std::lock_guard Lock(Mutex);
  return Scanned.emplace(File.Device, File.Inode).second;
}

ResolvedInput InputResolver::resolve(const NamedInput &Input) const {
  return Command.model().resolve(Input, *this);
}

std::vector<FoundInput> InputResolver::scan(const NamedInput &Named,
                                            StringRef Path,
                                            FileInspector &Inspector) const {
  if (Inspector.bytes().size() == 0)
    return {};
  return Command.model().scan({*this, Named, Path, Inspector});
}

} // namespace headstart
