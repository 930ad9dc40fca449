//===- MachOFile.cpp - The headers of a Mach-O file -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachOFile.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Support/Endian.h"
#include "llvm/TextAPI/Architecture.h"
#include <algorithm>

using namespace llvm;

namespace headstart::macho {

/// Far more than any file has: a universal file's slices, and the bytes of its
/// load commands.
static constexpr uint32_t MostSlices = 1024;
static constexpr uint32_t LargestCommands = 4 << 20;
/// Far more than any library has; each costs each name below @rpath two looks.
static constexpr size_t MostRunPaths = 64;

uint32_t wordAt(StringRef Bytes, size_t Offset) {
  if (Offset > Bytes.size() || Bytes.size() - Offset < sizeof(uint32_t))
    return 0;
  return support::endian::read32le(Bytes.data() + Offset);
}

StringRef stringOf(StringRef Command, size_t Field) {
  uint32_t Offset = wordAt(Command, Field);
  if (Offset >= Command.size())
    return StringRef();
  return Command.drop_front(Offset).split('\0').first;
}

std::optional<std::pair<uint32_t, uint32_t>> cpuOf(StringRef Arch) {
  MachO::Architecture Known = MachO::getArchitectureFromName(Arch);
  if (Known == MachO::AK_unknown)
    return std::nullopt;
  return MachO::getCPUTypeFromArchitecture(Known);
}

std::string Slice::read(uint64_t Offset, size_t Length) const {
  if (Offset >= Size)
    return std::string();
  std::string Bytes(std::min<uint64_t>(Length, Size - Offset), '\0');
  std::error_code Error;
  size_t Read = File->readAt(Begin + Offset, Bytes, Error);
  Bytes.resize(Error ? 0 : Read);
  return Bytes;
}

// lld 22 MachO/InputFiles.cpp (readFile): the first slice of just this
// processor counts. It does not know FAT_MAGIC_64 and refuses such a file.
std::optional<Slice> Slice::of(const os::OpenFile &File, StringRef Arch) {
  Slice Whole(File, 0, File.size());
  auto BigWord = [](StringRef Bytes, size_t Index) {
    return support::endian::read32be(Bytes.data() + Index * sizeof(uint32_t));
  };
  std::string Header = Whole.read(0, sizeof(MachO::fat_header));
  if (Header.size() < sizeof(MachO::fat_header) ||
      BigWord(Header, 0) != MachO::FAT_MAGIC)
    return Whole;
  auto CPU = cpuOf(Arch);
  if (!CPU)
    return std::nullopt;
  uint32_t Count = std::min(BigWord(Header, 1), MostSlices);
  std::string Table =
      Whole.read(sizeof(MachO::fat_header), Count * sizeof(MachO::fat_arch));
  StringRef Rest = Table;
  for (; Rest.size() >= sizeof(MachO::fat_arch);
       Rest = Rest.drop_front(sizeof(MachO::fat_arch))) {
    if (BigWord(Rest, 0) != CPU->first ||
        (BigWord(Rest, 1) & ~MachO::CPU_SUBTYPE_MASK) != CPU->second)
      continue;
    uint64_t Begin = BigWord(Rest, 2);
    uint64_t Size = BigWord(Rest, 3);
    if (Begin + Size > File.size())
      return std::nullopt;
    return Slice(File, Begin, Size);
  }
  return std::nullopt;
}

std::optional<LoadCommands> LoadCommands::read(const Slice &From) {
  std::string Header = From.read(0, sizeof(MachO::mach_header_64));
  if (Header.size() < sizeof(MachO::mach_header))
    return std::nullopt;
  uint32_t Magic = wordAt(Header, 0);
  if (Magic != MachO::MH_MAGIC && Magic != MachO::MH_MAGIC_64)
    return std::nullopt;
  LoadCommands Result;
  Result.CPUType = wordAt(Header, offsetof(MachO::mach_header, cputype));
  Result.FileType = wordAt(Header, offsetof(MachO::mach_header, filetype));
  Result.Count = wordAt(Header, offsetof(MachO::mach_header, ncmds));
  Result.Flags = wordAt(Header, offsetof(MachO::mach_header, flags));
  uint32_t Size = wordAt(Header, offsetof(MachO::mach_header, sizeofcmds));
  if (Size > LargestCommands)
    return std::nullopt;
  Result.Bytes =
      From.read(Magic == MachO::MH_MAGIC_64 ? sizeof(MachO::mach_header_64)
                                            : sizeof(MachO::mach_header),
                Size);
  return Result;
}

void LoadCommands::forEach(
    function_ref<void(uint32_t Kind, StringRef Bytes)> Each) const {
  StringRef Rest = Bytes;
  for (uint32_t I = 0; I < Count; ++I) {
    uint32_t Size = wordAt(Rest, sizeof(uint32_t));
    if (Size < sizeof(MachO::load_command) || Size > Rest.size())
      return;
    Each(wordAt(Rest, 0), Rest.take_front(Size));
    Rest = Rest.drop_front(Size);
  }
}

std::vector<std::string> readRunPaths(const std::string &Path,
                                      const LinkCommand &Command) {
  std::vector<std::string> Paths;
  os::OpenFile File;
  if (os::OpenFile::open(Path, File))
    return Paths;
  std::optional<Slice> Part = Slice::of(File, Command.MachO.Arch);
  std::optional<LoadCommands> Commands;
  if (Part)
    Commands = LoadCommands::read(*Part);
  if (Commands)
    Commands->forEach([&](uint32_t Kind, StringRef Bytes) {
      if (Kind == MachO::LC_RPATH && Paths.size() != MostRunPaths)
        Paths.push_back(
            stringOf(Bytes, offsetof(MachO::rpath_command, path)).str());
    });
  return Paths;
}

} // namespace headstart::macho
