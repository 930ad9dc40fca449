//===- MachOLayout.cpp - The layout of a Mach-O file ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/MachOLayout.h"
#include "LayoutParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SwapByteOrder.h"
#include "llvm/TextAPI/Architecture.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

using namespace llvm;

namespace headstart {

namespace {

/// The bytes of a CU's header and of its first DIE: 60 with clang 22 for DWARF
/// 4 and 5.
constexpr uint64_t UnitHeaderBytes = 32;
constexpr uint64_t UnitDieBytes = 128;
/// clang writes the strings of the unit's DIE first: producer, name, SDK,
/// folder.
constexpr uint64_t UnitStringBytes = 512;
constexpr uint64_t UnitStringOffsetBytes = 64;

/// No universal file has more slices; a Java class, which begins with the same
/// bytes, has a version there that may look like a count.
constexpr uint32_t MaxSlices = 42;

struct Wide {
  using Header = MachO::mach_header_64;
  using Segment = MachO::segment_command_64;
  using Section = MachO::section_64;
  static constexpr uint32_t SegmentCommand = MachO::LC_SEGMENT_64;
  static constexpr uint64_t SymbolBytes = sizeof(MachO::nlist_64);
};

struct Narrow {
  using Header = MachO::mach_header;
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

/// What a file's load commands say, as parts.
template <class Width> class CommandReader {
  using FileHeader = Width::Header;
  using Segment = Width::Segment;
  using Section = Width::Section;
  using Relocation = MachO::any_relocation_info;

public:
  CommandReader(ArrayRef<char> Head, uint64_t FileSize, bool Swapped,
                LayoutReading &Reading)
      : Head(Head), FileSize(FileSize), Swapped(Swapped), Reading(Reading) {}

  void read() {
    uint64_t HeadersEnd = sizeof(FileHeader);
    if (HeadersEnd > FileSize)
      return;
    if (Head.size() >= HeadersEnd) {
      Header = get<FileHeader>(0);
      HeadersEnd += Header.sizeofcmds;
      if (HeadersEnd > FileSize || !isInput())
        return;
    }
    if (Head.size() < HeadersEnd) {
      Reading.Result = LayoutReading::NeedMore;
      Reading.BytesNeeded = HeadersEnd;
      return;
    }
    add(0, HeadersEnd, PartKind::Headers);
    if (!readCommands(HeadersEnd)) {
      Reading.Layout = {};
      return;
    }
    settleParts(Reading.Layout.Parts);
    Reading.Result = LayoutReading::Read;
  }

private:
  bool isObject() const { return Header.filetype == MachO::MH_OBJECT; }

  bool isInput() const {
    return isObject() || Header.filetype == MachO::MH_DYLIB ||
           Header.filetype == MachO::MH_DYLIB_STUB ||
           Header.filetype == MachO::MH_BUNDLE ||
           Header.filetype == MachO::MH_EXECUTE;
  }

  /// What lies at \p Offset, in the machine's own order; the caller has seen
  /// that it lies within Head.
  template <typename T> T get(uint64_t Offset) const {
    T Value;
    std::memcpy(&Value, Head.data() + Offset, sizeof(T));
    if (Swapped)
      MachO::swapStruct(Value);
    return Value;
  }

  /// The same for a command of \p Size bytes, where it is long enough.
  template <typename T>
  std::optional<T> getCommand(uint64_t Offset, uint64_t Size) const {
    if (Size < sizeof(T))
      return std::nullopt;
    return get<T>(Offset);
  }

  /// False when the commands are not what commands can be.
  bool readCommands(uint64_t End) {
    uint64_t Offset = sizeof(FileHeader);
    for (uint32_t I = 0; I != Header.ncmds; ++I) {
      if (End - Offset < sizeof(MachO::load_command))
        return false;
      auto Command = get<MachO::load_command>(Offset);
      if (Command.cmdsize < sizeof(Command) || Command.cmdsize > End - Offset)
        return false;
      if (!(isObject() ? readObjectCommand(Command, Offset)
                       : readLibraryCommand(Command, Offset)))
        return false;
      Offset += Command.cmdsize;
    }
    return true;
  }

  bool readObjectCommand(MachO::load_command Command, uint64_t Offset) {
    switch (Command.cmd) {
    case Width::SegmentCommand:
      return readSections(Offset, Command.cmdsize);
    case MachO::LC_SYMTAB: {
      auto Table = getCommand<MachO::symtab_command>(Offset, Command.cmdsize);
      if (!Table)
        return false;
      add(Table->symoff, Table->nsyms * Width::SymbolBytes, PartKind::Symbols);
      add(Table->stroff, Table->strsize, PartKind::Symbols);
      return true;
    }
    // Both are read when the output is written.
    case MachO::LC_DATA_IN_CODE:
    case MachO::LC_LINKER_OPTIMIZATION_HINT:
      return addLinkEdit(Offset, Command.cmdsize, PartKind::Contents);
    default:
      return true;
    }
  }

  /// Of a library ld64.lld reads the exports alone, not the symbol table.
  bool readLibraryCommand(MachO::load_command Command, uint64_t Offset) {
    switch (Command.cmd) {
    case MachO::LC_DYLD_INFO_ONLY: {
      auto Info = getCommand<MachO::dyld_info_command>(Offset, Command.cmdsize);
      if (!Info)
        return false;
      add(Info->export_off, Info->export_size, PartKind::Symbols);
      return true;
    }
    case MachO::LC_DYLD_EXPORTS_TRIE:
      return addLinkEdit(Offset, Command.cmdsize, PartKind::Symbols);
    default:
      return true;
    }
  }

  bool addLinkEdit(uint64_t Offset, uint64_t Size, PartKind Kind) {
    auto Data = getCommand<MachO::linkedit_data_command>(Offset, Size);
    if (!Data)
      return false;
    add(Data->dataoff, Data->datasize, Kind);
    return true;
  }

  bool readSections(uint64_t Offset, uint64_t Size) {
    auto Command = getCommand<Segment>(Offset, Size);
    if (!Command ||
        Command->nsects > (Size - sizeof(Segment)) / sizeof(Section))
      return false;
    Offset += sizeof(Segment);
    for (uint32_t I = 0; I != Command->nsects; ++I)
      addSection(get<Section>(Offset + I * sizeof(Section)));
    return true;
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
    // Bitcode, which is not linked; the call graph is.
    if (SegmentName == "__LLVM" && Name != "__cg_profile")
      return;
    add(S.offset, S.size,
        isParsed(S, SegmentName, Name) ? PartKind::ParsedContents
                                       : PartKind::Contents);
    add(S.reloff, S.nreloc * uint64_t(sizeof(Relocation)),
        PartKind::Relocations);
  }

  /// Whether lld looks into the section as it loads the file: to split it (eh
  /// frames, strings), to tie entries to functions (compact unwind), or for the
  /// addends of relocations, which stand in the section; arm64's code has them
  /// in relocations of their own (lld 22 MachO/InputFiles.cpp,
  /// Arch/ARM64Common.cpp). Literals it looks into as soon as it has loaded the
  /// last file, those of all files at once.
  bool isParsed(const Section &S, StringRef SegmentName, StringRef Name) const {
    if ((SegmentName == "__LD" && Name == "__compact_unwind") ||
        (SegmentName == "__TEXT" && Name == "__eh_frame") ||
        SegmentName == "__LLVM")
      return true;
    switch (S.flags & MachO::SECTION_TYPE) {
    case MachO::S_CSTRING_LITERALS:
    case MachO::S_4BYTE_LITERALS:
    case MachO::S_8BYTE_LITERALS:
    case MachO::S_16BYTE_LITERALS:
      return true;
    default:
      break;
    }
    bool IsCode = S.flags & (MachO::S_ATTR_PURE_INSTRUCTIONS |
                             MachO::S_ATTR_SOME_INSTRUCTIONS);
    return S.nreloc && !(IsCode && isArm64(Header.cputype));
  }

  /// Debug information stays in the object; the output names the object, and
  /// the source, for whose name lld reads the DIE of the unit.
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

  /// Adds a part, when it is one: nothing past the end, nothing empty.
  void add(uint64_t Offset, uint64_t Length, PartKind Kind) {
    ByteRange Range = ByteRange{Offset, Length}.clippedTo(FileSize);
    if (!Range.empty())
      Reading.Layout.Parts.push_back({Range, Kind, 0});
  }

  const ArrayRef<char> Head;
  const uint64_t FileSize;
  const bool Swapped;
  LayoutReading &Reading;
  FileHeader Header = {};
};

} // namespace

LayoutReading readMachOLayout(ArrayRef<char> Head, uint64_t FileSize) {
  LayoutReading Reading;
  uint32_t Magic = 0;
  if (FileSize < sizeof(Magic))
    return Reading;
  if (Head.size() < sizeof(Magic)) {
    Reading.Result = LayoutReading::NeedMore;
    Reading.BytesNeeded = sizeof(Magic);
    return Reading;
  }
  std::memcpy(&Magic, Head.data(), sizeof(Magic));
  bool Swapped = Magic == MachO::MH_CIGAM || Magic == MachO::MH_CIGAM_64;
  if (Magic == MachO::MH_MAGIC_64 || Magic == MachO::MH_CIGAM_64)
    CommandReader<Wide>(Head, FileSize, Swapped, Reading).read();
  else if (Magic == MachO::MH_MAGIC || Magic == MachO::MH_CIGAM)
    CommandReader<Narrow>(Head, FileSize, Swapped, Reading).read();
  return Reading;
}

/// Whether no two of \p Slices share a byte, and all lie behind the headers and
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

SliceReading findMachOSlice(ArrayRef<char> Head, uint64_t FileSize,
                            StringRef Arch) {
  SliceReading Reading;
  uint64_t Needed = sizeof(MachO::fat_header);
  if (FileSize < Needed)
    return Reading;
  uint32_t Count = 0;
  if (Head.size() >= Needed) {
    if (support::endian::read32be(Head.data()) != MachO::FAT_MAGIC)
      return Reading;
    Count = support::endian::read32be(Head.data() + sizeof(uint32_t));
    Needed += uint64_t(Count) * sizeof(MachO::fat_arch);
    if (Count == 0 || Count > MaxSlices || Needed > FileSize)
      return Reading;
  }
  if (Head.size() < Needed) {
    Reading.Result = SliceReading::NeedMore;
    Reading.BytesNeeded = Needed;
    return Reading;
  }

  auto Wanted =
      MachO::getCPUTypeFromArchitecture(MachO::getArchitectureFromName(Arch));
  SmallVector<ByteRange, 4> Slices;
  std::optional<ByteRange> Found;
  for (uint32_t I = 0; I != Count; ++I) {
    MachO::fat_arch Slice;
    std::memcpy(&Slice,
                Head.data() + sizeof(MachO::fat_header) + I * sizeof(Slice),
                sizeof(Slice));
    if (sys::IsLittleEndianHost)
      MachO::swapStruct(Slice);
    Slices.push_back({Slice.offset, Slice.size});
    uint32_t Subtype =
        Slice.cpusubtype & ~static_cast<uint32_t>(MachO::CPU_SUBTYPE_MASK);
    bool Fits =
        Arch.empty() ? Count == 1 : std::pair(Slice.cputype, Subtype) == Wanted;
    if (Fits && !Found)
      Found = Slices.back();
  }
  if (!areSane(Slices, Needed, FileSize) || (Arch.empty() && !Found))
    return Reading;
  Reading.Result = Found ? SliceReading::Found : SliceReading::Missing;
  if (Found)
    Reading.Slice = *Found;
  return Reading;
}

} // namespace headstart
