//===- EvictionBlockers.cpp - Why pages stay cached (Linux) ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/EvictionBlockers.h"

#include "FileSystems.h"
#include "PseudoFile.h"

#include <algorithm>
#include <cstddef>
#include <dirent.h>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::detail;

FileBacking os::backingOf(const OpenFile &File) {
  const uint32_t Traits =
      fileSystemTraits(static_cast<int>(File.nativeHandle())).value_or(0);
  return Traits & InMemory    ? FileBacking::Memory
         : Traits & Generated ? FileBacking::None
                              : FileBacking::Disk;
}

using FileKey = std::pair<uint64_t, uint64_t>; ///< device and inode
/// The numbers of the queried files. The caller may name a file twice.
using FileNumbers = std::multimap<FileKey, size_t>;

static FileKey keyOf(const MappingLine &Line) {
  return {Line.Device, Line.Inode};
}

/// Maps the files, the first of which is number \p First, and reads their keys
/// from this process's maps.
static void addNumbers(std::span<const std::string> Paths, size_t First,
                       FileNumbers &Numbers) {
  std::vector<MappedFile> Mapped(Paths.size());
  std::map<uint64_t, size_t> ByAddress;
  for (size_t I = 0; I != Paths.size(); ++I) {
    OpenFile File;
    if (!OpenFile::open(Paths[I], File) && File.size() != 0 &&
        !MappedFile::map(File, Mapped[I]))
      ByAddress.emplace(reinterpret_cast<uintptr_t>(Mapped[I].data()),
                        First + I);
  }
  std::string Text;
  for (std::ifstream Maps("/proc/self/maps"); std::getline(Maps, Text);)
    if (const auto Line = parseMapping(Text))
      if (const auto At = ByAddress.find(Line->Begin); At != ByAddress.end())
        Numbers.emplace(keyOf(*Line), At->second);
}

/// Sets \p Flag for the files with \p Key. Returns whether there is one.
static bool mark(const FileNumbers &Numbers, FileKey Key, bool FileUse::*Flag,
                 std::vector<FileUse> &Uses) {
  const auto [Begin, End] = Numbers.equal_range(Key);
  std::for_each(Begin, End,
                [&](const auto &Each) { Uses[Each.second].*Flag = true; });
  return Begin != End;
}

/// Records which files the process with the directory \p Process has mapped and
/// locked. Only smaps shows locks; it costs a scan of the page tables.
static void findUsesOf(const std::string &Process, const FileNumbers &Numbers,
                       std::vector<FileUse> &Uses) {
  bool Any = false;
  std::string Text;
  for (std::ifstream Maps(Process + "/maps"); std::getline(Maps, Text);)
    if (const auto Line = parseMapping(Text))
      Any |= mark(Numbers, keyOf(*Line), &FileUse::IsMapped, Uses);
  if (!Any)
    return;
  FileKey Key;
  for (std::ifstream Maps(Process + "/smaps"); std::getline(Maps, Text);) {
    if (const auto Line = parseMapping(Text))
      Key = keyOf(*Line);
    std::string_view Flags = Text;
    if (takeField(Flags, ' ') != "VmFlags:")
      continue;
    while (!Flags.empty())
      if (takeField(Flags, ' ') == "lo")
        mark(Numbers, Key, &FileUse::IsLocked, Uses);
  }
}

std::vector<FileUse> os::findUses(std::span<const std::string> Paths) {
  std::vector<FileUse> Uses(Paths.size());
  FileNumbers Numbers;
  // A process may have few more than 65,000 mappings, so map in batches.
  constexpr size_t Max = 1000;
  for (size_t I = 0; I < Paths.size(); I += Max)
    addNumbers(Paths.subspan(I, std::min(Max, Paths.size() - I)), I, Numbers);
  DIR *const Processes = Paths.empty() ? nullptr : ::opendir("/proc");
  if (!Processes)
    return Uses;
  while (const dirent *Entry = ::readdir(Processes))
    if (Entry->d_name[0] >= '1' && Entry->d_name[0] <= '9')
      findUsesOf(std::string("/proc/") + Entry->d_name, Numbers, Uses);
  ::closedir(Processes);
  return Uses;
}
