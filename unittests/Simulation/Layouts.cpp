//===- Layouts.cpp - Recorded layouts of real links ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "ObjectWriters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace headstart::simulation {

uint64_t RecordedObject::bytesOf(char Kind) const {
  uint64_t Sum = 0;
  for (const RecordedPart &Part : Parts)
    Sum += Part.Kind == Kind ? Part.Bytes : 0;
  return Sum;
}

uint64_t RecordedInput::linkedMembers() const {
  return IsArchive
             ? static_cast<uint64_t>(llvm::count_if(
                   Objects, [](const RecordedObject &O) { return O.IsLinked; }))
             : 0;
}

double Layout::meanBytes() const {
  uint64_t Sum = 0;
  for (const RecordedInput &Input : Inputs)
    Sum += Input.Bytes;
  return static_cast<double>(Sum) /
         static_cast<double>(std::max<size_t>(Inputs.size(), 1));
}

/// Reads the parts from \p Words: "c123", "c-45".
static bool readParts(ArrayRef<StringRef> Words, RecordedObject &Object) {
  for (StringRef Word : Words) {
    RecordedPart &Part = Object.Parts.emplace_back();
    Part.Kind = Word.front();
    Word = Word.drop_front();
    Part.IsDropped = Word.consume_front("-");
    if (Word.getAsInteger(10, Part.Bytes))
      return false;
  }
  return true;
}

static bool readLine(StringRef Line, Layout &Into) {
  SmallVector<StringRef, 20> Words;
  Line.split(Words, ' ', -1, /*KeepEmpty=*/false);
  if (Words.size() == 2 && Words[0] == "flavour") {
    Into.Kind = StringSwitch<Flavour>(Words[1])
                    .Case("elf", Flavour::ELF)
                    .Case("macho", Flavour::MachO)
                    .Default(Flavour::COFF);
    return true;
  }
  if (Words.size() < 3)
    return false;
  ArrayRef<StringRef> Parts = ArrayRef(Words).drop_front(2);
  if (Words[0] == "a" || Words[0] == "o") {
    RecordedInput &Input = Into.Inputs.emplace_back();
    Input.IsArchive = Words[0] == "a";
    if (Words[1].getAsInteger(10, Input.Bytes))
      return false;
    if (Input.IsArchive) {
      Input.Bytes = 0; // not all members are kept
      return !Parts[0].drop_front().getAsInteger(10, Input.IndexBytes);
    }
    return readParts(Parts, Input.Objects.emplace_back());
  }
  uint64_t Bytes = 0;
  if (Into.Inputs.empty() || Words[1].getAsInteger(10, Bytes))
    return false;
  RecordedInput &Archive = Into.Inputs.back();
  Archive.Bytes += Bytes;
  RecordedObject &Member = Archive.Objects.emplace_back();
  Member.IsLinked = Words[0] == "m+";
  return readParts(Parts, Member);
}

std::optional<Layout> Layout::read(const std::string &Path,
                                   std::string &Error) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getFile(Path);
  if (!Text) {
    Error = Path + ": " + Text.getError().message();
    return std::nullopt;
  }
  Layout Result;
  Result.Name = sys::path::stem(Path).str();
  StringRef Rest = (*Text)->getBuffer();
  for (uint64_t Number = 1; !Rest.empty(); ++Number) {
    auto [Line, Next] = Rest.split('\n');
    Rest = Next;
    if (Line.empty() || Line.starts_with("#") || readLine(Line, Result))
      continue;
    Error = Path + ":" + utostr(Number) + ": not a line of a layout";
    return std::nullopt;
  }
  // The index covers all members of an archive, but only some are recorded.
  for (RecordedInput &Input : Result.Inputs)
    Input.IndexBytes = std::min(Input.IndexBytes, Input.Bytes / 16);
  return Result;
}

static uint64_t scaled(uint64_t Bytes, double Scale, uint64_t Least = 1) {
  return std::max(Least,
                  static_cast<uint64_t>(static_cast<double>(Bytes) * Scale));
}

// The first input has this COMDAT; the others have copies of it.
static constexpr const char *Shared = "shared";

namespace {
/// One ELF object of recorded parts.
class ELFObjectWriter {
public:
  ELFObjectWriter(const RecordedObject &From, double Scale, uint64_t Begin,
                  WrittenInput &Into)
      : From(From), Scale(Scale), Begin(Begin), Into(Into),
        Writer(Begin, {sizeof(Elf64_Ehdr), 0}) {}

  /// The object defines symbol \p Defined unless it is 0, and refers to the
  /// symbols up to \p Wanted.
  uint64_t write(uint64_t Defined, uint64_t Wanted);

private:
  void add(const RecordedPart &Part);
  void addSymbols(uint64_t Bytes);
  void addStrings(uint64_t Bytes);
  void makeSymbols(uint64_t Defined, uint64_t Wanted);
  void addGroup(uint64_t Bytes);
  void finishSymbols();
  void need(PartKind Kind) { Into.Needed.push_back({Writer.range(), Kind}); }

  const RecordedObject &From;
  double Scale;
  uint64_t Begin;
  WrittenInput &Into;
  ELFWriter Writer;
  std::vector<uint32_t> Dropped;
  uint32_t Symbols = 0, Strings = 0, Group = 0;
  ByteRange SymbolRange, StringRange, GroupRange;
  std::string Table, Names;
};
} // namespace

void ELFObjectWriter::addSymbols(uint64_t Bytes) {
  Writer.addSection(SHT_SYMTAB, 0, std::max<uint64_t>(Bytes, Table.size()));
  Symbols = Writer.number();
  SymbolRange = Writer.range();
  need(PartKind::Symbols);
}

void ELFObjectWriter::addStrings(uint64_t Bytes) {
  Writer.addSection(SHT_STRTAB, 0, std::max<uint64_t>(Bytes, Names.size()));
  Strings = Writer.number();
  StringRange = Writer.range();
  need(PartKind::Symbols);
}

void ELFObjectWriter::addGroup(uint64_t Bytes) {
  const auto Copies = static_cast<uint64_t>(llvm::count_if(
      From.Parts, [](const RecordedPart &P) { return P.IsDropped; }));
  Writer.addSection(SHT_GROUP, 0, std::max(alignTo(Bytes, 4), 4 + 4 * Copies));
  Group = Writer.number();
  GroupRange = Writer.range();
  need(PartKind::Symbols);
}

void ELFObjectWriter::add(const RecordedPart &Part) {
  const uint64_t Bytes = scaled(Part.Bytes, Scale);
  const uint64_t InGroup = Part.IsDropped ? SHF_GROUP : 0;
  std::optional<PartKind> Kind;
  switch (Part.Kind) {
  case 'h':
    return;
  case 'y':
    return Symbols == 0 ? addSymbols(Bytes) : void();
  case 't':
    return Strings == 0 ? addStrings(Bytes) : void();
  case 'g':
    return Group == 0 ? addGroup(Bytes) : void();
  case 'n':
    Writer.addSection(SHT_STRTAB, 0, Bytes);
    Kind = PartKind::Symbols;
    break;
  case 'r':
    // The relocations of the first section, which is loaded.
    Writer.addSection(SHT_RELA, InGroup, Bytes).sh_info = 1;
    Kind = PartKind::Relocations;
    break;
  case 'e':
    Writer.addSection(SHT_RELA, 0, Bytes).sh_info = 0;
    Kind = PartKind::DebugRelocs;
    break;
  case 'd':
    Writer.addSection(SHT_PROGBITS, 0, Bytes);
    Kind = PartKind::DWARF;
    break;
  case 's':
    Writer.addSection(SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, Bytes);
    Kind = PartKind::DebugStrings;
    break;
  case 'x':
    Writer.addSection(SHT_PROGBITS, SHF_EXCLUDE, Bytes);
    return;
  default:
    Writer.addSection(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR | InGroup, Bytes);
    Kind = PartKind::Contents;
  }
  if (Part.IsDropped)
    Dropped.push_back(Writer.number());
  else
    need(*Kind);
}

void ELFObjectWriter::makeSymbols(uint64_t Defined, uint64_t Wanted) {
  Names.assign(1, '\0');
  Table = bytesOf(Elf64_Sym{});
  auto Add = [&](const std::string &Name, unsigned char Binding,
                 uint16_t Section) {
    Elf64_Sym Symbol = {};
    Symbol.st_name = static_cast<uint32_t>(Names.size());
    Symbol.st_info = ELF64_ST_INFO(Binding, STT_FUNC);
    Symbol.st_shndx = Section;
    Table += bytesOf(Symbol);
    Names += Name + '\0';
  };
  Add(Shared, STB_LOCAL, 1);
  if (Defined != 0)
    Add("m" + utostr(Defined), STB_GLOBAL, 1);
  for (uint64_t I = 1; I <= Wanted; ++I)
    Add("m" + utostr(I), STB_GLOBAL, SHN_UNDEF);
}

void ELFObjectWriter::finishSymbols() {
  Writer.setContents(SymbolRange, std::move(Table));
  Writer.setContents(StringRange, std::move(Names));
  Elf64_Shdr &Header = Writer.header(Symbols);
  Header.sh_entsize = sizeof(Elf64_Sym);
  Header.sh_link = Strings;
  Header.sh_info = 2; // the first global symbol
  if (Group == 0)
    return;
  Writer.header(Group).sh_link = Symbols;
  Writer.header(Group).sh_info = 1;
  std::string Words = bytesOf(uint32_t(GRP_COMDAT));
  for (uint32_t Number : Dropped)
    Words += bytesOf(Number);
  Writer.setContents(GroupRange, std::move(Words));
}

uint64_t ELFObjectWriter::write(uint64_t Defined, uint64_t Wanted) {
  Into.Needed.push_back({{Begin, sizeof(Elf64_Ehdr)}, PartKind::Headers});
  makeSymbols(Defined, Wanted);
  // Section 1, to which the relocations refer.
  Writer.addSection(SHT_PROGBITS, SHF_ALLOC, 16);
  need(PartKind::Contents);
  for (const RecordedPart &Part : From.Parts)
    add(Part);
  if (Symbols == 0)
    addSymbols(0);
  if (Strings == 0)
    addStrings(0);
  if (Group == 0 && !Dropped.empty())
    addGroup(0);
  finishSymbols();
  const uint64_t Headers = From.bytesOf('h');
  const ByteRange Table = Writer.end(
      Headers > sizeof(Elf64_Ehdr) ? Headers - sizeof(Elf64_Ehdr) : 0);
  Into.Needed.push_back({Table, PartKind::Headers});
  llvm::append_range(Into.Contents, std::move(Writer.Contents));
  return Table.end() - Begin;
}

void InputWriter::writeELF(const RecordedObject &From, double Scale,
                           bool IsMember, WrittenInput &Into) {
  const size_t Before = Into.Needed.size();
  const uint64_t Defined = IsMember && From.IsLinked ? ++NumDefined : 0;
  ELFObjectWriter Writer(From, Scale, Into.Bytes, Into);
  Into.Bytes += Writer.write(Defined, NumWanted);
  // The linker reads only headers and symbols of a member that is not linked.
  if (!From.IsLinked)
    Into.Needed.erase(
        std::remove_if(Into.Needed.begin() + static_cast<ptrdiff_t>(Before),
                       Into.Needed.end(),
                       [](const NeededPart &Part) {
                         return Part.Kind != PartKind::Headers &&
                                Part.Kind != PartKind::Symbols;
                       }),
        Into.Needed.end());
}

/// Adds \p Part with \p Bytes bytes to \p Writer, and returns its kind.
static PartKind addCOFFPart(COFFWriter &Writer, const RecordedPart &Part,
                            uint64_t Bytes) {
  switch (Part.Kind) {
  case 'r':
    Writer.addRelocations(".text", Bytes);
    return PartKind::Relocations;
  case 'e':
    Writer.addRelocations(".debug$H", Bytes);
    return PartKind::DebugRelocs;
  case 'n':
    Writer.addSection(".drectve", Bytes, std::string(Bytes, ' '));
    return PartKind::Symbols;
  case 'F':
  case 'D':
    Writer.addSection(".debug$S", Bytes);
    return Part.Kind == 'F' ? PartKind::CompilerInfo : PartKind::DebugSymbols;
  case 'T':
    Writer.addSection(".debug$T", Bytes);
    return PartKind::Types;
  case 'H':
    Writer.addSection(".debug$H", Bytes);
    return PartKind::TypeHashes;
  case 'x':
  case 'd':
    Writer.addSection(".llvm_ad", Bytes).Characteristics =
        COFF::IMAGE_SCN_LNK_REMOVE;
    return PartKind::NeverRead;
  default:
    // Most sections are COMDATs, which makes their symbols worth reading.
    Writer.addSection(".text", Bytes).Characteristics =
        COFF::IMAGE_SCN_LNK_COMDAT;
    return PartKind::Contents;
  }
}

void InputWriter::writeCOFF(const RecordedObject &From, double Scale,
                            WrittenInput &Into) {
  constexpr uint64_t FirstRecordBytes = 1024; // see COFF.cpp
  const uint64_t Headers =
      std::max(From.bytesOf('h'), uint64_t(20 + 40 * 8 * From.Parts.size()));
  COFFWriter Writer({Headers, 0});
  Into.Needed.push_back({{0, Headers}, PartKind::Headers});
  bool HasTypes = false;
  for (const RecordedPart &Part : From.Parts) {
    if (Part.Kind == 'h' || Part.Kind == 'y')
      continue;
    const PartKind Kind = addCOFFPart(Writer, Part, scaled(Part.Bytes, Scale));
    ByteRange Range = Writer.range();
    if (Part.IsDropped) {
      Writer.leadBy(Shared);
      continue;
    }
    if (Kind == PartKind::Types && !std::exchange(HasTypes, true)) {
      const uint64_t Early = std::min(Range.Length, FirstRecordBytes);
      Into.Needed.push_back({{Range.Offset, Early}, PartKind::CompilerInfo});
      Range = {Range.Offset + Early, Range.Length - Early};
    }
    if (Kind != PartKind::NeverRead)
      Into.Needed.push_back({Range, Kind});
  }
  const ByteRange Symbols =
      Writer.end(Headers, scaled(From.bytesOf('y'), Scale));
  Into.Needed.push_back({Symbols, PartKind::Symbols});
  Into.Bytes = Symbols.end();
  Into.Contents = std::move(Writer.Contents);
}

/// Returns how much ld64.lld reads of a debug section; see MachO.cpp.
static uint64_t bytesReadOfDWARF(char Kind, uint64_t Bytes) {
  switch (Kind) {
  case 'I':
    return std::min<uint64_t>(Bytes, 160);
  case 'S':
    return std::min<uint64_t>(Bytes, 512);
  case 'O':
    return std::min<uint64_t>(Bytes, 64);
  default:
    return Bytes;
  }
}

void InputWriter::writeMachO(const RecordedObject &From, double Scale,
                             WrittenInput &Into) {
  const uint64_t Headers =
      std::max(From.bytesOf('h'), uint64_t(256 + 80 * From.Parts.size()));
  MachOWriter Writer({alignTo(Headers, 8), 0});
  Into.Needed.push_back({{0, Headers}, PartKind::Headers});
  for (const RecordedPart &Part : From.Parts) {
    const uint64_t Bytes = scaled(Part.Bytes, Scale);
    ByteRange Range;
    PartKind Kind = PartKind::DWARF;
    switch (Part.Kind) {
    case 'h':
      continue;
    case 'y':
      Range = Writer.addSymbols(Bytes);
      Kind = PartKind::Symbols;
      break;
    case 't':
      Range = Writer.addStrings(Bytes);
      Kind = PartKind::Symbols;
      break;
    case 'n':
      Range = Writer.addRelocations(Bytes);
      Kind = PartKind::Relocations;
      break;
    case 'p':
      Range = Writer.addSection("__TEXT", "__cstring",
                                MachO::S_CSTRING_LITERALS, Bytes);
      Kind = PartKind::ParsedContents;
      break;
    case 'I':
    case 'A':
    case 'S':
    case 'O':
      Range = Writer.addSection("__DWARF",
                                Part.Kind == 'I'   ? "__debug_info"
                                : Part.Kind == 'A' ? "__debug_abbrev"
                                : Part.Kind == 'S' ? "__debug_str"
                                                   : "__debug_str_offs",
                                0, Bytes);
      Range.Length = bytesReadOfDWARF(Part.Kind, Bytes);
      break;
    case 'x':
      Writer.addSection("__DWARF", "__debug_line", 0, Bytes);
      continue;
    default:
      Range = Writer.addSection("__TEXT", "__text",
                                MachO::S_ATTR_PURE_INSTRUCTIONS, Bytes);
      Kind = PartKind::Contents;
    }
    Into.Needed.push_back({Range, Kind});
  }
  Writer.end(Headers);
  Into.Bytes = Writer.bytes();
  Into.Contents = std::move(Writer.Contents);
}

void InputWriter::writeArchive(const RecordedInput &From, double Scale,
                               WrittenInput &Into) {
  constexpr uint64_t HeaderBytes = 60;
  Into.Members = static_cast<unsigned>(From.Objects.size());
  const uint64_t Index = alignTo(std::max<uint64_t>(From.IndexBytes, 4), 2);
  std::string Head = "!<arch>\n" + memberHeader("/", Index);
  Into.Bytes = Head.size() + Index;
  Into.Needed.push_back({{0, Head.size()}, PartKind::Headers});
  Into.Contents.emplace_back(0, std::move(Head));
  for (const RecordedObject &Object : From.Objects) {
    const uint64_t At = Into.Bytes;
    Into.Bytes += HeaderBytes;
    Into.Needed.push_back({{At, HeaderBytes}, PartKind::Headers});
    writeELF(Object, Scale, /*IsMember=*/true, Into);
    Into.Contents.emplace_back(
        At, memberHeader("m.o/", Into.Bytes - At - HeaderBytes));
    Into.Bytes = alignTo(Into.Bytes, 2);
  }
}

void InputWriter::writeObject(const RecordedObject &From, double Scale,
                              WrittenInput &Into) {
  switch (Kind) {
  case Flavour::COFF:
    return writeCOFF(From, Scale, Into);
  case Flavour::ELF:
    return writeELF(From, Scale, /*IsMember=*/false, Into);
  case Flavour::MachO:
    return writeMachO(From, Scale, Into);
  }
}

static void sortByOffset(WrittenInput &Input) {
  llvm::sort(Input.Contents, less_first());
  llvm::sort(Input.Needed, [](const NeededPart &A, const NeededPart &B) {
    return std::pair(A.Range.Offset, A.Range.Length) <
           std::pair(B.Range.Offset, B.Range.Length);
  });
}

WrittenInput InputWriter::first(uint64_t NumLinked) {
  WrittenInput Result;
  NumWanted = NumLinked;
  RecordedObject Common;
  Common.Parts = {{'c', true, 4096}};
  writeObject(Common, 1, Result);
  NumWanted = 0;
  sortByOffset(Result);
  return Result;
}

WrittenInput InputWriter::write(const RecordedInput &From, double Scale) {
  WrittenInput Result;
  if (From.IsArchive)
    writeArchive(From, Scale, Result);
  else
    writeObject(From.Objects.front(), Scale, Result);
  sortByOffset(Result);
  return Result;
}

} // namespace headstart::simulation
