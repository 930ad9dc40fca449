//===- ELF.cpp - ELF objects and shared libraries -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/ELF.h"
#include "NameTable.h"
#include "headstart/Formats/Archive.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// Calls \p Visit with the types of one of the four forms.
template <typename F> static auto withTypes(bool Is64, bool IsLittle, F Visit) {
  if (Is64)
    return IsLittle ? Visit(object::ELF64LE()) : Visit(object::ELF64BE());
  return IsLittle ? Visit(object::ELF32LE()) : Visit(object::ELF32BE());
}

/// Returns the \p Index-th T of \p Bytes; null past their end.
template <typename T> static const T *at(StringRef Bytes, uint64_t Index) {
  static_assert(alignof(T) == 1, "the file promises no alignment");
  if (Index >= Bytes.size() / sizeof(T))
    return nullptr;
  return reinterpret_cast<const T *>(Bytes.data() + Index * sizeof(T));
}

/// The kind of a section of a shared library, whose exported symbols lld reads.
static PartKind kindInShared(uint32_t Type, uint64_t Flags) {
  switch (Type) {
  case ELF::SHT_DYNSYM:
  case ELF::SHT_DYNAMIC:
  case ELF::SHT_GNU_verdef:
  case ELF::SHT_GNU_verneed:
  case ELF::SHT_GNU_versym:
    return PartKind::Symbols;
  case ELF::SHT_STRTAB:
    // .dynstr, but not the names of sections and of symbols that the dynamic
    // linker does not see.
    return Flags & ELF::SHF_ALLOC ? PartKind::Symbols : PartKind::NeverRead;
  default:
    return PartKind::NeverRead;
  }
}

/// The kind of a section of an object. It does not depend on names, so that
/// their table need not be read: sections that are not loaded are debug
/// information, except for some bytes of comments.
static PartKind kindInObject(uint32_t Type, uint64_t Flags, bool ForDebug) {
  bool IsLoaded = Flags & ELF::SHF_ALLOC;
  switch (Type) {
  case ELF::SHT_SYMTAB:
  case ELF::SHT_SYMTAB_SHNDX:
  case ELF::SHT_STRTAB:
  case ELF::SHT_GROUP:
  case ELF::SHT_LLVM_DEPENDENT_LIBRARIES:
    return PartKind::Symbols;
  case ELF::SHT_NOTE:
    // lld reads .note.gnu.property while it parses.
    return IsLoaded ? PartKind::Symbols : PartKind::NeverRead;
  case ELF::SHT_REL:
  case ELF::SHT_RELA:
  case ELF::SHT_RELR:
  case ELF::SHT_CREL:
    return ForDebug ? PartKind::DebugRelocs : PartKind::Relocations;
  case ELF::SHT_LLVM_ADDRSIG:
  case ELF::SHT_LLVM_CALL_GRAPH_PROFILE:
    return PartKind::ParsedContents;
  default:
    break;
  }
  // lld cuts mergeable data and unwind tables into pieces before it copies any
  // section.
  if (IsLoaded && (Type == ELF::SHT_X86_64_UNWIND || Flags & ELF::SHF_MERGE))
    return PartKind::ParsedContents;
  if (IsLoaded)
    return Flags & ELF::SHF_EXECINSTR ? PartKind::FoldableContents
                                      : PartKind::Contents;
  if (Flags & ELF::SHF_EXCLUDE)
    return PartKind::NeverRead;
  // lld cuts mergeable strings into pieces before it does anything else.
  return Flags & ELF::SHF_MERGE ? PartKind::DebugStrings : PartKind::DWARF;
}

class ELFHeaderReader {
public:
  explicit ELFHeaderReader(ByteSource &Object) : Object(Object) {}

  /// Reads the form of the types in the object. False if it is no ELF file.
  bool readForm() {
    std::optional<StringRef> Ident = Object.read({0, ELF::EI_NIDENT});
    if (!Ident || !Ident->starts_with(ELF::ElfMagic))
      return false;
    char Class = (*Ident)[ELF::EI_CLASS];
    Result.Is64 = Class == ELF::ELFCLASS64;
    Result.IsLittle = (*Ident)[ELF::EI_DATA] == ELF::ELFDATA2LSB;
    return Result.Is64 || Class == ELF::ELFCLASS32;
  }

  /// Reads the header of the object and the table of its sections.
  template <typename ELFT>
  std::optional<std::pair<typename ELFT::Ehdr, StringRef>> readTable() {
    using Shdr = ELFT::Shdr;
    auto Header = Object.get<typename ELFT::Ehdr>(0);
    if (!Header || Header->e_shentsize != sizeof(Shdr) ||
        Header->e_shoff >= Object.size() ||
        (Header->e_type != ELF::ET_REL && Header->e_type != ELF::ET_DYN))
      return std::nullopt;
    uint64_t Count = Header->e_shnum;
    if (Count == 0) {
      // From 65,280 sections on, the header of the first one has the number.
      auto First = Object.get<Shdr>(Header->e_shoff);
      Count = First ? uint64_t(First->sh_size) : 0;
    }
    if (Count == 0 || Count > MaxTableBytes / sizeof(Shdr))
      return std::nullopt;
    std::optional<StringRef> Table =
        Object.read({Header->e_shoff, Count * sizeof(Shdr)});
    if (!Table)
      return std::nullopt;
    return std::pair(*Header, *Table);
  }

  template <typename ELFT> void readAhead() {
    using Shdr = ELFT::Shdr;
    const auto Found = readTable<ELFT>();
    if (!Found)
      return;
    for (uint64_t I = 1; const Shdr *S = at<Shdr>(Found->second, I); ++I)
      if (S->sh_type == ELF::SHT_SYMTAB) {
        const Shdr *Strings = at<Shdr>(Found->second, S->sh_link);
        if (Strings && Strings->sh_size != 0)
          Object.willRead(
              ByteRange{Strings->sh_offset + Strings->sh_size - 1, 1}.clippedTo(
                  Object.size()));
        return;
      }
  }

  template <typename ELFT> bool read() {
    using Shdr = ELFT::Shdr;
    const auto Found = readTable<ELFT>();
    if (!Found)
      return false;
    const auto *Header = &Found->first;
    const StringRef Table = Found->second;
    const uint64_t Count = Table.size() / sizeof(Shdr);
    Result.NumSections = static_cast<uint32_t>(Count);
    RelaxesCode = Header->e_machine == ELF::EM_RISCV ||
                  Header->e_machine == ELF::EM_LOONGARCH;
    ReadEarly.resize(static_cast<unsigned>(Count));
    addPart(Result.Parts, {0, sizeof(*Header)}, Object.size(),
            PartKind::Headers);
    for (uint32_t I = 1; I < Count; ++I) {
      const Shdr &S = *at<Shdr>(Table, I);
      if (S.sh_type == ELF::SHT_NULL || S.sh_type == ELF::SHT_NOBITS)
        continue;
      if (Header->e_type == ELF::ET_DYN)
        addPart(Result.Parts, {S.sh_offset, S.sh_size}, Object.size(),
                kindInShared(S.sh_type, S.sh_flags));
      else
        addSection(S, I, Table);
    }
    for (LayoutPart &Part : Result.Parts)
      if (Part.Kind == PartKind::Contents ||
          Part.Kind == PartKind::FoldableContents)
        Part.Kind = kindOfContents(Part);
    Result.Parts.insert(Result.Parts.end(), Relocations.begin(),
                        Relocations.end());
    addPart(Result.Parts, {Header->e_shoff, Table.size()}, Object.size(),
            PartKind::Headers);
    settleParts(Result.Parts);
    return true;
  }

  ELFObject Result;

private:
  /// The final kind of \p Part. lld folds data only if its object says which
  /// addresses matter, and writable data only in .data.rel.ro, which is not
  /// told apart here.
  PartKind kindOfContents(const LayoutPart &Part) const {
    bool IsCode = Part.Kind == PartKind::FoldableContents;
    if ((IsCode && RelaxesCode) || ReadEarly.test(Part.Section))
      return PartKind::ParsedContents;
    return HasAddressTable ? PartKind::FoldableContents : Part.Kind;
  }

  template <typename Shdr>
  void addSection(const Shdr &S, uint32_t Number, StringRef Table) {
    auto RangeOf = [&](const Shdr &Of) {
      return ByteRange{Of.sh_offset, Of.sh_size}.clippedTo(Object.size());
    };
    const Shdr *Target = at<Shdr>(Table, S.sh_info);
    bool ForDebug = Target && !(Target->sh_flags & ELF::SHF_ALLOC);
    PartKind Kind = kindInObject(S.sh_type, S.sh_flags, ForDebug);
    bool Relocates =
        Kind == PartKind::Relocations || Kind == PartKind::DebugRelocs;
    addPart(Relocates ? Relocations : Result.Parts, RangeOf(S), Object.size(),
            Kind, Number);
    // To scan relocations without addends, lld reads these in the contents.
    // Unwind tables may have no type of their own, but relocations, like few
    // other sections that are neither code nor writable.
    if (Kind == PartKind::Relocations && Target &&
        (S.sh_type == ELF::SHT_REL || Target->sh_flags == ELF::SHF_ALLOC))
      ReadEarly.set(S.sh_info);
    HasAddressTable |= S.sh_type == ELF::SHT_LLVM_ADDRSIG;
    // Neither groups nor .deplibs share bytes. If a file claims that they do,
    // only as many count as the file has room for.
    if (S.sh_type == ELF::SHT_GROUP && !RangeOf(S).empty() &&
        RangeOf(S).Length <= GroupBytesLeft) {
      GroupBytesLeft -= RangeOf(S).Length;
      Result.Groups.push_back({RangeOf(S), S.sh_info});
    }
    if (S.sh_type == ELF::SHT_LLVM_DEPENDENT_LIBRARIES &&
        S.sh_size <= DependentBytesLeft) {
      DependentBytesLeft -= S.sh_size;
      Result.Dependents.push_back({S.sh_offset, S.sh_size});
    }
    if (S.sh_type == ELF::SHT_SYMTAB && Result.Symbols.empty()) {
      Result.Symbols = RangeOf(S);
      Result.FirstGlobal = S.sh_info;
      if (const Shdr *Strings = at<Shdr>(Table, S.sh_link))
        Result.Strings = RangeOf(*Strings);
    }
  }

  ByteSource &Object;
  /// Assemblers put relocations after everything else, in the same order, so
  /// two lists need less sorting than one.
  std::vector<LayoutPart> Relocations;
  /// lld changes the code of such machines before it copies any.
  bool RelaxesCode = false;
  bool HasAddressTable = false;
  BitVector ReadEarly; ///< by number: sections that are read before any copy
  uint64_t GroupBytesLeft = Object.size();
  uint64_t DependentBytesLeft =
      std::min<uint64_t>(Object.size(), uint64_t(1) << 20);
};

std::optional<ELFObject> ELFObject::read(ByteSource &Object) {
  ELFHeaderReader Reader(Object);
  ELFObject &Result = Reader.Result;
  if (!Reader.readForm() ||
      !withTypes(Result.Is64, Result.IsLittle,
                 [&](auto Types) { return Reader.read<decltype(Types)>(); }))
    return std::nullopt;
  return std::move(Result);
}

void ELFObject::readAhead(ByteSource &Object) {
  ELFHeaderReader Reader(Object);
  if (Reader.readForm())
    withTypes(Reader.Result.Is64, Reader.Result.IsLittle,
              [&](auto Types) { Reader.readAhead<decltype(Types)>(); });
}

namespace {
/// Reads names and groups with the types of one form.
template <typename ELFT> class SymbolReader {
public:
  SymbolReader(StringRef Symbols, StringRef Strings)
      : Symbols(Symbols), Names(Strings) {}

  std::vector<SymbolUse> uses(uint32_t FirstGlobal) {
    std::vector<SymbolUse> Uses;
    uint64_t Count = Symbols.size() / sizeof(Sym);
    for (uint64_t I = std::max<uint64_t>(FirstGlobal, 1); I < Count; ++I) {
      const Sym &S = *at<Sym>(Symbols, I);
      bool Defines = S.st_shndx != ELF::SHN_UNDEF;
      if (!Defines && S.getBinding() == ELF::STB_WEAK)
        continue;
      if (std::optional<StringRef> Name = nameOf(S))
        Uses.push_back({hashOfSymbol(*Name), Defines});
    }
    return Uses;
  }

  /// All members of a group are linked, or discarded, by its name.
  void addGroup(uint32_t SignatureNumber, StringRef Bytes,
                std::vector<SectionRule> &Rules) {
    const Word *Flags = at<Word>(Bytes, 0);
    const Sym *Signature = at<Sym>(Symbols, SignatureNumber);
    if (!Flags || !(*Flags & ELF::GRP_COMDAT) || !Signature)
      return;
    // A section's symbol, with which old compilers named groups, has no name.
    std::optional<StringRef> Name = nameOf(*Signature);
    if (!Name || Signature->getType() == ELF::STT_SECTION)
      return;
    uint64_t Hash = hashOfSymbol(*Name);
    for (uint64_t I = 1; const Word *Member = at<Word>(Bytes, I); ++I)
      if (*Member != 0 && *Member <= Rules.size())
        Rules[*Member - 1] = {SectionRule::Leader, 0, Hash};
  }

private:
  using Sym = ELFT::Sym;
  using Word = ELFT::Word;

  std::optional<StringRef> nameOf(const Sym &S) {
    return S.st_name == 0 ? std::nullopt : Names.at(S.st_name);
  }

  StringRef Symbols;
  NameTable Names;
};
} // namespace

ELFSymbols ELFObject::readSymbols(ByteSource &Object, SymbolBuffers &Buffers,
                                  bool WithUses) const {
  if (Symbols.empty() || (Groups.empty() && !WithUses) ||
      Symbols.Length > MaxTableBytes || Strings.Length > MaxTableBytes)
    return {};
  std::optional<StringRef> SymbolBytes = Object.read(Symbols, Buffers.Symbols);
  std::optional<StringRef> StringBytes = Object.read(Strings, Buffers.Strings);
  if (!SymbolBytes || !StringBytes)
    return {};
  // Groups are adjacent; each has a few words.
  ByteRange GroupBytes;
  for (const Group &G : Groups) {
    if (GroupBytes.empty())
      GroupBytes = G.Members;
    uint64_t End = std::max(GroupBytes.end(), G.Members.end());
    GroupBytes.Offset = std::min(GroupBytes.Offset, G.Members.Offset);
    GroupBytes.Length = End - GroupBytes.Offset;
  }
  constexpr uint64_t MaxGroupBytes = 1024 * 1024;
  return withTypes(Is64, IsLittle, [&](auto Types) {
    SymbolReader<decltype(Types)> Reader(*SymbolBytes, *StringBytes);
    ELFSymbols Result;
    if (WithUses)
      Result.Uses = Reader.uses(FirstGlobal);
    std::optional<StringRef> Bytes;
    if (!Groups.empty() && GroupBytes.Length <= MaxGroupBytes)
      Bytes = Object.read(GroupBytes);
    if (Bytes) {
      Result.Rules.resize(NumSections);
      for (const Group &G : Groups)
        Reader.addGroup(G.Signature,
                        Bytes->substr(G.Members.Offset - GroupBytes.Offset,
                                      G.Members.Length),
                        Result.Rules);
    }
    return Result;
  });
}

std::vector<std::string> ELFObject::readDependents(ByteSource &Object) const {
  std::vector<std::string> Names;
  StringSet<> Seen;
  for (ByteRange Section : Dependents) {
    std::optional<StringRef> Bytes = Object.read(Section);
    if (!Bytes || Bytes->empty() || Bytes->back() != '\0')
      continue;
    for (StringRef Name : split(Bytes->drop_back(), '\0'))
      if (Seen.insert(Name).second)
        Names.push_back(Name.str());
  }
  return Names;
}

/// Requests the borders between the members of an archive all at once: the
/// section headers of one, and the header of the next. The symbol index, whose
/// names lld skips, begins with the offsets of the members. A walk from header
/// to header would wait for the disk at each (185 ms instead of 110 for 3,300
/// members).
static void hintBorders(ByteSource &Archive, ByteRange Index) {
  constexpr uint64_t BeforeBytes = 12 * 1024; // 190 sections
  std::vector<uint32_t> Members = readIndexedMembers(Archive, Index);
  if (Members.empty())
    return;
  const uint64_t Size = Archive.size();
  std::vector<ByteRange> Borders;
  for (uint64_t Member : Members)
    if (Member < Size) {
      uint64_t Begin = Member - std::min(Member, BeforeBytes);
      addJoined(Borders, {Begin, Member + 128 - Begin});
    }
  Borders.push_back({Size - std::min(Size, BeforeBytes), BeforeBytes});
  Archive.willRead(Borders);
}

static ELFFile::Object readMember(ByteSource &File, ByteRange Within) {
  PartBytes Contents(File, Within);
  ELFFile::Object Object{{}, Within, ELFObject::read(Contents)};
  // lld checks that the names end with a zero (see ELFObject::readAhead).
  if (Object.Headers && !Object.Headers->Strings.empty())
    Contents.willRead(ByteRange{Object.Headers->Strings.end() - 1, 1});
  return Object;
}

// lld's ELF driver also skips the symbol index of an archive, and walks from
// member to member.
ELFFile ELFFile::read(ByteSource &File) {
  ELFFile Result;
  Result.Kind = kindOf(File);
  // A thin archive has only headers and names.
  if (ArchiveReader::isThin(File))
    return Result;
  Result.IsArchive = Result.Kind == file_magic::archive;
  if (!Result.IsArchive) {
    if (std::optional<ELFObject> Headers = ELFObject::read(File))
      Result.Objects.push_back({{}, {0, File.size()}, std::move(Headers)});
    return Result;
  }
  ArchiveReader Archive(File);
  while (std::optional<ArchiveMember> Member = Archive.next()) {
    if (Member->Kind == ArchiveMember::SymbolIndex && Result.Objects.empty())
      hintBorders(File, Member->Contents);
    Object &Next = Result.Objects.emplace_back();
    if (Member->Kind == ArchiveMember::File)
      Next = readMember(File, Member->Contents);
    else
      Next = {{},
              Member->Contents,
              std::nullopt,
              Member->Kind == ArchiveMember::LongNames ? PartKind::Symbols
                                                       : PartKind::NeverRead};
    Next.Header = Member->Header;
  }
  return Result;
}

} // namespace headstart
