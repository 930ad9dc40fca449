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

namespace {

using FileKey = std::pair<uint64_t, uint64_t>; ///< device and inode

FileKey keyOf(const MappingLine &Line) { return {Line.Device, Line.Inode}; }

/// The queried files, by their keys. The caller may name a file twice.
class FileTable {
public:
  explicit FileTable(std::span<const std::string> Paths) : Uses(Paths.size()) {
    // A process may have few more than 65,000 mappings, so map in batches.
    constexpr size_t Max = 1000;
    for (size_t I = 0; I < Paths.size(); I += Max)
      addKeys(Paths.subspan(I, std::min(Max, Paths.size() - I)), I);
  }

  /// Calls \p Change for each use of the file \p Key. Returns whether there is
  /// one.
  template <class Function> bool forEach(FileKey Key, Function Change) {
    const auto [Begin, End] = Keys.equal_range(Key);
    std::for_each(Begin, End,
                  [&](const auto &Each) { Change(Uses[Each.second]); });
    return Begin != End;
  }
  std::vector<FileUse> take() { return std::move(Uses); }

private:
  void addKeys(std::span<const std::string> Paths, size_t First);

  std::multimap<FileKey, size_t> Keys;
  std::vector<FileUse> Uses;
};

} // namespace

/// Maps the files, the first of which is number \p First, and reads their keys
/// from this process's maps.
void FileTable::addKeys(std::span<const std::string> Paths, size_t First) {
  std::vector<MappedFile> Mapped(Paths.size());
  std::map<uint64_t, size_t> Numbers; // by address
  for (size_t I = 0; I != Paths.size(); ++I) {
    OpenFile File;
    if (!OpenFile::open(Paths[I], File) && File.size() != 0 &&
        !MappedFile::map(File, Mapped[I]))
      Numbers.emplace(reinterpret_cast<uintptr_t>(Mapped[I].data()), First + I);
  }
  std::string Text;
  for (std::ifstream Maps("/proc/self/maps"); std::getline(Maps, Text);)
    if (const auto Line = parseMapping(Text))
      if (const auto At = Numbers.find(Line->Begin); At != Numbers.end())
        Keys.emplace(keyOf(*Line), At->second);
}

/// Records which files the process with the directory \p Process has mapped and
/// locked. Only smaps shows locks; it costs a scan of the page tables.
static void findUsesOf(const std::string &Process, FileTable &Files) {
  bool Any = false;
  std::string Text;
  for (std::ifstream Maps(Process + "/maps"); std::getline(Maps, Text);)
    if (const auto Line = parseMapping(Text))
      Any |= Files.forEach(keyOf(*Line),
                           [](FileUse &Use) { Use.IsMapped = true; });
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
        Files.forEach(Key, [](FileUse &Use) { Use.IsLocked = true; });
  }
}

std::vector<FileUse> os::findUses(std::span<const std::string> Paths) {
  FileTable Table(Paths);
  DIR *const Processes = Paths.empty() ? nullptr : ::opendir("/proc");
  if (!Processes)
    return Table.take();
  while (const dirent *Entry = ::readdir(Processes))
    if (Entry->d_name[0] >= '1' && Entry->d_name[0] <= '9')
      findUsesOf(std::string("/proc/") + Entry->d_name, Table);
  ::closedir(Processes);
  return Table.take();
}
