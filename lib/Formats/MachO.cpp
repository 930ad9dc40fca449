//===- MachO.cpp - Mach-O files -------------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/MachO.h"
#include "headstart/Formats/Archive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Support/Endian.h"
#include "llvm/TextAPI/Architecture.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace llvm;

namespace headstart {

/// The bytes of a CU's header and of its first DIE: 60 with clang 22 for DWARF
/// 4 and 5.
static constexpr uint64_t UnitHeaderBytes = 32;
static constexpr uint64_t UnitDieBytes = 128;
/// clang writes the strings of the unit's DIE first: producer, name, SDK,
/// directory.
static constexpr uint64_t UnitStringBytes = 512;
static constexpr uint64_t UnitStringOffsetBytes = 64;

std::optional<std::pair<uint32_t, uint32_t>> cpuOf(StringRef Arch) {
  MachO::Architecture Known = MachO::getArchitectureFromName(Arch);
  if (Known == MachO::AK_unknown)
    return std::nullopt;
  return MachO::getCPUTypeFromArchitecture(Known);
}

/// Returns the T with which \p Command begins; nullopt if it is too short.
template <typename T> static std::optional<T> as(StringRef Command) {
  if (Command.size() < sizeof(T))
    return std::nullopt;
  T Value;
  llvm::copy(Command.take_front(sizeof(T)), reinterpret_cast<char *>(&Value));
  return Value;
}

std::optional<MachOFile> MachOFile::read(ByteSource &File) {
  // Enough for 30 sections: each further page of an archive's member would be
  // one of contents, which the linker may not need.
  constexpr uint64_t HeadBytes = 2500;
  (void)File.head(HeadBytes);
  auto Header = File.get<MachO::mach_header>(0);
  if (!Header ||
      (Header->magic != MachO::MH_MAGIC && Header->magic != MachO::MH_MAGIC_64))
    return std::nullopt;
  if (!is_contained({MachO::MH_OBJECT, MachO::MH_DYLIB, MachO::MH_DYLIB_STUB,
                     MachO::MH_BUNDLE, MachO::MH_EXECUTE},
                    Header->filetype))
    return std::nullopt;
  MachOFile Result;
  Result.Is64 = Header->magic == MachO::MH_MAGIC_64;
  Result.HeaderBytes =
      Result.Is64 ? sizeof(MachO::mach_header_64) : sizeof(MachO::mach_header);
  Result.FileType = Header->filetype;
  Result.CPUType = Header->cputype;
  Result.Flags = Header->flags;
  Result.FileSize = File.size();
  std::optional<StringRef> Bytes =
      File.read({Result.HeaderBytes, Header->sizeofcmds});
  if (!Bytes)
    return std::nullopt;
  Result.Commands.assign(Bytes->begin(), Bytes->end());
  // Keeps only the commands that the header counts, and only complete ones.
  StringRef Rest(Result.Commands.data(), Result.Commands.size());
  for (uint32_t I = 0; I != Header->ncmds; ++I) {
    auto Command = as<MachO::load_command>(Rest);
    if (!Command || Command->cmdsize < sizeof(*Command) ||
        Command->cmdsize > Rest.size())
      return std::nullopt;
    Rest = Rest.drop_front(Command->cmdsize);
  }
  Result.Commands.truncate(Result.Commands.size() - Rest.size());
  return Result;
}

void MachOFile::forEachCommand(
    function_ref<void(uint32_t, StringRef)> Visit) const {
  StringRef Rest(Commands.data(), Commands.size());
  while (auto Command = as<MachO::load_command>(Rest)) {
    Visit(Command->cmd, Rest.take_front(Command->cmdsize));
    Rest = Rest.drop_front(Command->cmdsize);
  }
}

namespace {

struct Wide {
  using Segment = MachO::segment_command_64;
  using Section = MachO::section_64;
  static constexpr uint32_t SegmentCommand = MachO::LC_SEGMENT_64;
  static constexpr uint64_t SymbolBytes = sizeof(MachO::nlist_64);
};

struct Narrow {
  using Segment = MachO::segment_command;
  using Section = MachO::section;
  static constexpr uint32_t SegmentCommand = MachO::LC_SEGMENT;
  static constexpr uint64_t SymbolBytes = sizeof(MachO::nlist);
};

StringRef nameIn(const char (&Column)[16]) {
  return {Column, strnlen(Column, sizeof(Column))};
}

bool isArm64(uint32_t CPU) {
  return CPU == MachO::CPU_TYPE_ARM64 || CPU == MachO::CPU_TYPE_ARM64_32;
}

/// Converts a file's load commands to parts.
template <class Width> class PartReader {
  using Segment = Width::Segment;
  using Section = Width::Section;
  using Relocation = MachO::any_relocation_info;

public:
  PartReader(uint32_t CPUType, uint64_t FileSize,
             std::vector<LayoutPart> &Parts)
      : CPUType(CPUType), FileSize(FileSize), Parts(Parts) {}

  void readObjectCommand(uint32_t Kind, StringRef Bytes) {
    switch (Kind) {
    case Width::SegmentCommand:
      return readSections(Bytes);
    case MachO::LC_SYMTAB:
      if (auto Table = as<MachO::symtab_command>(Bytes)) {
        add(Table->symoff, Table->nsyms * Width::SymbolBytes,
            PartKind::Symbols);
        add(Table->stroff, Table->strsize, PartKind::Symbols);
      }
      return;
    // ld64.lld reads both when it writes the output.
    case MachO::LC_DATA_IN_CODE:
    case MachO::LC_LINKER_OPTIMIZATION_HINT:
      return addLinkEdit(Bytes, PartKind::Contents);
    default:
      return;
    }
  }

  /// ld64.lld reads only the exports of a library, not its symbol table.
  void readLibraryCommand(uint32_t Kind, StringRef Bytes) {
    if (Kind == MachO::LC_DYLD_EXPORTS_TRIE)
      addLinkEdit(Bytes, PartKind::Symbols);
    else if (Kind == MachO::LC_DYLD_INFO_ONLY)
      if (auto Info = as<MachO::dyld_info_command>(Bytes))
        add(Info->export_off, Info->export_size, PartKind::Symbols);
  }

private:
  void addLinkEdit(StringRef Bytes, PartKind Kind) {
    if (auto Data = as<MachO::linkedit_data_command>(Bytes))
      add(Data->dataoff, Data->datasize, Kind);
  }

  void readSections(StringRef Bytes) {
    auto Command = as<Segment>(Bytes);
    if (!Command)
      return;
    Bytes = Bytes.drop_front(sizeof(Segment));
    for (uint32_t I = 0; I != Command->nsects; ++I) {
      auto One = as<Section>(Bytes);
      if (!One)
        return;
      addSection(*One);
      Bytes = Bytes.drop_front(sizeof(Section));
    }
  }

  void addSection(const Section &S) {
    if (MachO::isVirtualSection(S.flags & MachO::SECTION_TYPE))
      return;
    StringRef SegmentName = nameIn(S.segname);
    StringRef Name = nameIn(S.sectname);
    if (SegmentName == "__DWARF") {
      addDebugSection(S, Name);
      return;
    }
    // Bitcode is not linked; the call graph is.
    if (SegmentName == "__LLVM" && Name != "__cg_profile")
      return;
    add(S.offset, S.size,
        isParsed(S, SegmentName, Name) ? PartKind::ParsedContents
                                       : PartKind::Contents);
    add(S.reloff, S.nreloc * uint64_t(sizeof(Relocation)),
        PartKind::Relocations);
  }

  /// Whether lld reads the section when it loads the file: to split it (eh
  /// frames, strings), to tie entries to functions (compact unwind), or for the
  /// addends of relocations, which are in the section; arm64's code has them in
  /// relocations of their own (lld 22 MachO/InputFiles.cpp,
  /// Arch/ARM64Common.cpp). lld reads the literals of all files at once, as
  /// soon as it has loaded the last file.
  bool isParsed(const Section &S, StringRef SegmentName, StringRef Name) const {
    if ((SegmentName == "__LD" && Name == "__compact_unwind") ||
        (SegmentName == "__TEXT" && Name == "__eh_frame") ||
        SegmentName == "__LLVM")
      return true;
    if (is_contained({MachO::S_CSTRING_LITERALS, MachO::S_4BYTE_LITERALS,
                      MachO::S_8BYTE_LITERALS, MachO::S_16BYTE_LITERALS},
                     S.flags & MachO::SECTION_TYPE))
      return true;
    bool IsCode = S.flags & (MachO::S_ATTR_PURE_INSTRUCTIONS |
                             MachO::S_ATTR_SOME_INSTRUCTIONS);
    return S.nreloc && !(IsCode && isArm64(CPUType));
  }

  /// Debug information stays in the object. The output names the object and the
  /// source, for whose name lld reads the DIE of the unit.
  void addDebugSection(const Section &S, StringRef Name) {
    uint64_t Offset = S.offset;
    uint64_t Size = S.size;
    if (Name == "__debug_info") {
      uint64_t Early = std::min(Size, UnitHeaderBytes);
      add(Offset, Early, PartKind::CompilerInfo);
      add(Offset + Early, std::min(Size - Early, UnitDieBytes),
          PartKind::DWARF);
    } else if (Name == "__debug_abbrev") {
      add(Offset, Size, PartKind::DWARF);
    } else if (Name == "__debug_str") {
      add(Offset, std::min(Size, UnitStringBytes), PartKind::DWARF);
    } else if (Name == "__debug_str_offs") {
      add(Offset, std::min(Size, UnitStringOffsetBytes), PartKind::DWARF);
    }
  }

  void add(uint64_t Offset, uint64_t Length, PartKind Kind) {
    addPart(Parts, {Offset, Length}, FileSize, Kind);
  }

  const uint32_t CPUType;
  const uint64_t FileSize;
  std::vector<LayoutPart> &Parts;
};

} // namespace

std::vector<LayoutPart> MachOFile::parts() const {
  std::vector<LayoutPart> Parts;
  addPart(Parts, {0, HeaderBytes + Commands.size()}, FileSize,
          PartKind::Headers);
  auto ReadCommands = [&](auto Reader) {
    forEachCommand([&](uint32_t Kind, StringRef Bytes) {
      if (FileType == MachO::MH_OBJECT)
        Reader.readObjectCommand(Kind, Bytes);
      else
        Reader.readLibraryCommand(Kind, Bytes);
    });
  };
  if (Is64)
    ReadCommands(PartReader<Wide>(CPUType, FileSize, Parts));
  else
    ReadCommands(PartReader<Narrow>(CPUType, FileSize, Parts));
  settleParts(Parts);
  return Parts;
}

/// Returns the string of a command, whose offset in the command is at \p Field;
/// empty if it does not lie inside.
static StringRef stringOf(StringRef Command, size_t Field) {
  auto Offset = as<support::ulittle32_t>(
      Command.drop_front(std::min(Field, Command.size())));
  if (!Offset || *Offset >= Command.size())
    return {};
  return Command.drop_front(*Offset).split('\0').first;
}

MachOFile::Names MachOFile::names() const {
  constexpr size_t MaxRunPaths = 64;
  Names Found;
  auto AddOptions = [&](StringRef Bytes) {
    auto Command = as<MachO::linker_option_command>(Bytes);
    if (!Command)
      return;
    SmallVector<StringRef, 2> &Words = Found.LinkerOptions.emplace_back();
    StringRef Strings = Bytes.drop_front(sizeof(*Command));
    for (uint32_t I = 0; I != Command->count && !Strings.empty(); ++I) {
      auto [Word, Rest] = Strings.split('\0');
      Words.push_back(Word);
      Strings = Rest;
    }
  };
  forEachCommand([&](uint32_t Kind, StringRef Bytes) {
    constexpr size_t NameField = offsetof(MachO::dylib_command, dylib);
    if (Kind == MachO::LC_LINKER_OPTION)
      AddOptions(Bytes);
    else if (Kind == MachO::LC_REEXPORT_DYLIB || Kind == MachO::LC_LOAD_DYLIB)
      Found.Libraries.push_back(
          {stringOf(Bytes, NameField), Kind == MachO::LC_REEXPORT_DYLIB});
    else if (Kind == MachO::LC_ID_DYLIB)
      Found.InstallName = stringOf(Bytes, NameField);
    else if (Kind == MachO::LC_SUB_CLIENT)
      Found.HasClients = true;
    else if (Kind == MachO::LC_RPATH && Found.RunPaths.size() != MaxRunPaths)
      Found.RunPaths.push_back(
          stringOf(Bytes, offsetof(MachO::rpath_command, path)));
  });
  return Found;
}

/// Whether no two of \p Slices share a byte, and all lie after the headers and
/// within the file.
static bool areSane(SmallVector<ByteRange, 4> Slices, uint64_t HeadersEnd,
                    uint64_t FileSize) {
  llvm::sort(Slices, [](const ByteRange &A, const ByteRange &B) {
    return A.Offset < B.Offset;
  });
  uint64_t End = HeadersEnd;
  for (const ByteRange &Slice : Slices) {
    if (Slice.Offset < End || Slice.end() > FileSize)
      return false;
    End = Slice.end();
  }
  return true;
}

std::optional<ByteRange> findMachOSlice(ByteSource &File, StringRef Arch) {
  // No universal file has more slices. A Java class begins with the same bytes,
  // and has a version there that may look like a count.
  constexpr uint32_t MaxSlices = 42;
  auto Head = File.get<MachO::fat_header>(0);
  if (!Head)
    return std::nullopt;
  MachO::swapStruct(*Head);
  const uint32_t Count = Head->nfat_arch;
  if (Head->magic != MachO::FAT_MAGIC || Count == 0 || Count > MaxSlices)
    return std::nullopt;
  std::optional<StringRef> Table =
      File.read({sizeof(MachO::fat_header), Count * sizeof(MachO::fat_arch)});
  if (!Table)
    return std::nullopt;
  auto Wanted = cpuOf(Arch);
  SmallVector<ByteRange, 4> Slices;
  ByteRange Found;
  for (uint32_t I = 0; I != Count; ++I) {
    auto Slice =
        *as<MachO::fat_arch>(Table->drop_front(I * sizeof(MachO::fat_arch)));
    MachO::swapStruct(Slice);
    Slices.push_back({Slice.offset, Slice.size});
    std::pair<uint32_t, uint32_t> CPU(
        Slice.cputype,
        Slice.cpusubtype & ~static_cast<uint32_t>(MachO::CPU_SUBTYPE_MASK));
    bool Fits = Arch.empty() ? Count == 1 : Wanted && CPU == *Wanted;
    if (Fits && Found.empty())
      Found = Slices.back();
  }
  if (!areSane(Slices, sizeof(MachO::fat_header) + Table->size(),
               File.size()) ||
      (Arch.empty() && Found.empty()))
    return std::nullopt;
  return Found;
}

static std::vector<LayoutPart> readArchive(ByteSource &Input, bool AllMembers) {
  // To bound memory, members past this many parts (some 100,000 members) are
  // fetched as they are.
  constexpr size_t MaxParts = 2 * 1024 * 1024;
  bool IsThin = ArchiveReader::isThin(Input);
  ArchiveReader Archive(Input);
  std::vector<LayoutPart> Parts = Archive.readIndex();
  while (AllMembers && !IsThin) {
    std::optional<ArchiveMember> Member = Archive.next();
    if (!Member)
      break;
    if (Parts.size() > MaxParts) {
      Parts.push_back(
          {{Member->Header.Offset, Input.size() - Member->Header.Offset},
           PartKind::Whole});
      break;
    }
    ByteRange Contents = Member->Contents;
    Parts.push_back({Member->Header, PartKind::Headers});
    PartBytes Bytes(Input, Contents);
    if (std::optional<MachOFile> File = MachOFile::read(Bytes))
      addParts(Parts, File->parts(), Contents.Offset);
    else if (!Contents.empty())
      Parts.push_back({Contents, PartKind::Whole});
  }
  return Parts;
}

MachOInput MachOInput::read(ByteSource &Input, StringRef Arch) {
  MachOInput Result;
  std::optional<ByteRange> Slice = findMachOSlice(Input, Arch);
  Result.IsUniversal = Slice.has_value();
  Result.Within = Slice.value_or(ByteRange{0, Input.size()});
  PartBytes Contents(Input, Result.Within);
  Result.Kind = kindOf(Contents);
  if (Result.Kind != file_magic::archive)
    Result.File = MachOFile::read(Contents);
  return Result;
}

std::vector<LayoutPart> MachOInput::readParts(ByteSource &Input,
                                              bool AllMembers) const {
  constexpr uint64_t HeadBytes = 4096;
  std::vector<LayoutPart> Inside;
  if (File) {
    Inside = File->parts();
  } else if (Kind == file_magic::archive) {
    PartBytes Contents(Input, Within);
    Inside = readArchive(Contents, AllMembers);
  }
  if (!IsUniversal)
    return Inside;
  // Slices begin at pages of their own, so the linker reads nothing else of the
  // head. If there is no slice, it reads only the head.
  std::vector<LayoutPart> Parts;
  addPart(Parts, {0, HeadBytes}, Within.empty() ? Input.size() : Within.Offset,
          PartKind::Headers);
  addParts(Parts, Inside, Within.Offset);
  // The linker reads only the slice of a universal file, whatever its kind.
  if (!File && Kind != file_magic::archive && !Within.empty())
    Parts.push_back({Within, PartKind::Whole});
  return Parts;
}

} // namespace headstart
