//===- DirectorySearch.cpp - Searches directories in order ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectorySearch.h"
#include "Private.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace headstart {

DirectorySearch &DirectorySearch::entered() {
  std::call_once(Entered, [this] {
    for (StringRef Directory : Command.SearchPaths)
      Libraries.push_back(&Cache.add(Directory));
    for (StringRef Directory : Command.MachO.FrameworkPaths)
      Frameworks.push_back(&Cache.add(Directory));
  });
  return *this;
}

static std::optional<ResolvedInput> statIn(StringRef Directory,
                                           StringRef Name) {
  ResolvedInput R = statInput(joined(Directory, Name));
  return R.exists() ? std::optional(std::move(R)) : std::nullopt;
}

std::optional<ResolvedInput>
DirectorySearch::findIn(ArrayRef<Directory *> Directories,
                        ArrayRef<std::string> Names) {
  SmallVector<SnapshotName, 8> Keys;
  for (const std::string &Name : Names)
    Keys.emplace_back(Name);
  for (Directory *In : Directories)
    for (const auto &[Name, Key] : zip_equal(Names, Keys)) {
      if (!mayContain(*In, Key))
        continue;
      if (std::optional<ResolvedInput> Found = statIn(In->path(), Name))
        return Found;
      noteMiss(*In);
    }
  return std::nullopt;
}

std::optional<ResolvedInput> DirectorySearch::find(ArrayRef<std::string> Names,
                                                   size_t Skip) {
  return findIn(ArrayRef(entered().Libraries).drop_front(Skip), Names);
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
  return findIn(Directories, Names);
}

} // namespace headstart
