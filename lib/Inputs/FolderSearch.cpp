//===- FolderSearch.cpp - Look for names in folders, in order -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FolderSearch.h"
#include "Private.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

StringRef FolderSearch::pathOf(StringRef Folder,
                               SmallVectorImpl<char> &Buffer) const {
  if (Command.Kind != Flavour::ELF || !Folder.consume_front("="))
    return Folder;
  Buffer.clear();
  sys::path::append(Buffer, Command.ELF.SysRoot, Folder);
  return {Buffer.data(), Buffer.size()};
}

FolderSearch &FolderSearch::entered() {
  std::call_once(Entered, [this] {
    SmallString<256> Buffer;
    for (StringRef Folder : Command.SearchPaths)
      Libraries.push_back(&Cache.add(pathOf(Folder, Buffer)));
    for (StringRef Folder : Command.MachO.FrameworkPaths)
      Frameworks.push_back(&Cache.add(Folder));
  });
  return *this;
}

bool FolderSearch::isForFew() {
  // Not objects, which are found in the first folder, by and large.
  std::call_once(Counted, [this] {
    Named = count_if(Command.Inputs, [](const NamedInput &Input) {
      return Input.Search == SearchRule::Library ||
             Input.Search == SearchRule::Framework;
    });
    Cache.expect(NamesForEach * static_cast<int64_t>(Named));
  });
  return Named < FewLibraries &&
         Begun.load(std::memory_order_relaxed) < FewLibraries;
}

static std::optional<ResolvedInput> lookIn(StringRef Folder, StringRef Name) {
  SmallString<256> Path = Folder;
  sys::path::append(Path, Name);
  ResolvedInput R = lookAtInput(Path);
  return R.exists() ? std::optional(std::move(R)) : std::nullopt;
}

std::optional<ResolvedInput> FolderSearch::findIn(ArrayRef<Folder *> Folders,
                                                  ArrayRef<std::string> Names) {
  SmallVector<SnapshotName, 8> Keys;
  for (const std::string &Name : Names)
    Keys.emplace_back(Name);
  for (Folder *In : Folders)
    for (const auto &[Name, Key] : zip_equal(Names, Keys)) {
      if (!mayHave(*In, Key))
        continue;
      if (std::optional<ResolvedInput> Found = lookIn(In->path(), Name))
        return Found;
      noteMiss(*In);
    }
  return std::nullopt;
}

std::optional<ResolvedInput> FolderSearch::find(ArrayRef<std::string> Names,
                                                size_t Skip) {
  if (!isForFew())
    return findIn(ArrayRef(entered().Libraries).drop_front(Skip), Names);
  SmallString<256> Buffer;
  for (StringRef Folder : ArrayRef(Command.SearchPaths).drop_front(Skip)) {
    StringRef Path = pathOf(Folder, Buffer);
    for (StringRef Name : Names)
      if (std::optional<ResolvedInput> Found = lookIn(Path, Name))
        return Found;
  }
  return std::nullopt;
}

void FolderSearch::add(StringRef Path) {
  // More than any linker script names, and each costs every -l a look.
  constexpr size_t MaxFolders = 1000;
  SmallString<256> Buffer;
  std::lock_guard Lock(Mutex);
  if (Added.size() < MaxFolders)
    Added.push_back(&Cache.add(pathOf(Path, Buffer)));
}

std::optional<ResolvedInput>
FolderSearch::findAdded(ArrayRef<std::string> Names) {
  std::vector<Folder *> Folders;
  {
    std::lock_guard Lock(Mutex);
    Folders = Added;
  }
  return findIn(Folders, Names);
}

} // namespace headstart
