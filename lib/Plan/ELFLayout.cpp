//===- ELFLayout.cpp - Where the parts of an ELF file lie -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ELFLayout.h"
#include "LayoutParts.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace headstart {

/// Calls \p Visit with the types of \p Form.
template <typename F> static void withTypes(ELFForm Form, F Visit) {
  if (Form.Is64) {
    if (Form.IsLittle)
      Visit(object::ELF64LE());
    else
      Visit(object::ELF64BE());
  } else {
    if (Form.IsLittle)
      Visit(object::ELF32LE());
    else
      Visit(object::ELF32BE());
  }
}

/// The \p Index-th record of \p Bytes; null past the end.
template <typename T> static const T *at(ArrayRef<char> Bytes, uint64_t Index) {
  static_assert(alignof(T) == 1, "the file promises no alignment");
  if (Index >= Bytes.size() / sizeof(T))
    return nullptr;
  return reinterpret_cast<const T *>(Bytes.data() + Index * sizeof(T));
}

bool ELFLayoutReader::isELF(ArrayRef<char> Head) {
  return Head.size() >= ELF::EI_NIDENT &&
         std::memcmp(Head.data(), ELF::ElfMagic, 4) == 0;
}

void ELFLayoutReader::give(ArrayRef<char> Bytes) {
  if (Bytes.size() < Needed.Length) {
    Needed = {};
    return;
  }
  take(Bytes.take_front(Needed.Length));
}

void ELFLayoutReader::take(ArrayRef<char> Bytes) {
  Step Now = At;
  Needed = {};
  At = Step::End;
  if (Now == Step::Header) {
    if (!isELF(Bytes) || Bytes[ELF::EI_CLASS] < ELF::ELFCLASS32 ||
        Bytes[ELF::EI_CLASS] > ELF::ELFCLASS64)
      return;
    Result.Form.Is64 = Bytes[ELF::EI_CLASS] == ELF::ELFCLASS64;
    Result.Form.IsLittle = Bytes[ELF::EI_DATA] == ELF::ELFDATA2LSB;
  }
  withTypes(Result.Form, [&](auto Types) {
    using ELFT = decltype(Types);
    switch (Now) {
    case Step::Header:
      return giveHeader<ELFT>(Bytes);
    case Step::FirstSection:
      return giveFirstSection<ELFT>(Bytes);
    case Step::Sections:
      return giveSections<ELFT>(Bytes);
    case Step::End:
      return;
    }
  });
}

/// Asks for \p Count section headers, if there can be so many.
void ELFLayoutReader::needSections(uint64_t Count, uint64_t HeaderBytes) {
  uint64_t Room = Within.end() - SectionsAt;
  if (Count == 0 || Count > Room / HeaderBytes || Count > UINT32_MAX)
    return;
  Needed = {SectionsAt, Count * HeaderBytes};
  Result.NumSections = static_cast<uint32_t>(Count);
  At = Step::Sections;
}

template <typename ELFT>
void ELFLayoutReader::giveHeader(ArrayRef<char> Bytes) {
  const auto *Header = at<typename ELFT::Ehdr>(Bytes, 0);
  if (!Header || Header->e_shentsize != sizeof(typename ELFT::Shdr) ||
      Header->e_shoff >= Within.Length ||
      (Header->e_type != ELF::ET_REL && Header->e_type != ELF::ET_DYN))
    return;
  IsShared = Header->e_type == ELF::ET_DYN;
  SectionsAt = Within.Offset + Header->e_shoff;
  if (Header->e_shnum != 0)
    return needSections(Header->e_shnum, sizeof(typename ELFT::Shdr));
  // With 65,280 sections and more, the first one's header has the number.
  if (Within.end() - SectionsAt < sizeof(typename ELFT::Shdr))
    return;
  Needed = {SectionsAt, sizeof(typename ELFT::Shdr)};
  At = Step::FirstSection;
}

template <typename ELFT>
void ELFLayoutReader::giveFirstSection(ArrayRef<char> Bytes) {
  needSections(at<typename ELFT::Shdr>(Bytes, 0)->sh_size,
               sizeof(typename ELFT::Shdr));
}

/// What lld reads of a shared library: the symbols that it offers.
static PartKind kindInShared(uint32_t Type, uint64_t Flags) {
  switch (Type) {
  case ELF::SHT_DYNSYM:
  case ELF::SHT_DYNAMIC:
  case ELF::SHT_GNU_verdef:
  case ELF::SHT_GNU_verneed:
  case ELF::SHT_GNU_versym:
    return PartKind::Symbols;
  case ELF::SHT_STRTAB:
    // .dynstr; not the names of sections and of what the dynamic linker does
    // not see.
    return Flags & ELF::SHF_ALLOC ? PartKind::Symbols : PartKind::NeverRead;
  default:
    return PartKind::NeverRead;
  }
}

/// What lld reads of an object, and as what. Names play no part, so that their
/// table need not be read: what does not go into memory is debug information,
/// but for some bytes of comments.
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
    // .note.gnu.property is read while parsing.
    return IsLoaded ? PartKind::Symbols : PartKind::NeverRead;
  case ELF::SHT_REL:
  case ELF::SHT_RELA:
  case ELF::SHT_RELR:
  case ELF::SHT_CREL:
    return ForDebug ? PartKind::DebugRelocs : PartKind::Relocations;
  case ELF::SHT_LLVM_ADDRSIG:
  case ELF::SHT_LLVM_CALL_GRAPH_PROFILE:
    return PartKind::Contents;
  default:
    break;
  }
  if (IsLoaded)
    return PartKind::Contents;
  if (Flags & ELF::SHF_EXCLUDE)
    return PartKind::NeverRead;
  // lld cuts mergeable strings into pieces before it does anything else.
  return Flags & ELF::SHF_MERGE ? PartKind::DebugStrings : PartKind::DWARF;
}

template <typename ELFT>
void ELFLayoutReader::giveSections(ArrayRef<char> Bytes) {
  using Shdr = ELFT::Shdr;
  // Assemblers put relocations behind all else, in the same order, so that two
  // lists need less sorting than one.
  std::vector<LayoutPart> Relocations;
  auto Add = [&](uint64_t Offset, uint64_t Length, PartKind Kind,
                 uint32_t Section = 0) {
    if (Offset >= Within.Length || Length == 0)
      return;
    bool Relocates =
        Kind == PartKind::Relocations || Kind == PartKind::DebugRelocs;
    (Relocates ? Relocations : Result.Parts)
        .push_back(
            {{Within.Offset + Offset, std::min(Length, Within.Length - Offset)},
             Kind,
             Section});
  };
  auto RangeOf = [&](const Shdr &S) {
    ByteRange R = ByteRange{S.sh_offset, S.sh_size}.clippedTo(Within.Length);
    return ByteRange{Within.Offset + R.Offset, R.Length};
  };
  Add(0, sizeof(typename ELFT::Ehdr), PartKind::Headers);
  // Groups share no bytes; where they say so, there are no more of them than
  // the file has room for.
  uint64_t GroupBytesLeft = Within.Length;
  for (uint32_t I = 1; I < Result.NumSections; ++I) {
    const Shdr &S = *at<Shdr>(Bytes, I);
    if (S.sh_type == ELF::SHT_NULL || S.sh_type == ELF::SHT_NOBITS)
      continue;
    if (IsShared) {
      Add(S.sh_offset, S.sh_size, kindInShared(S.sh_type, S.sh_flags));
      continue;
    }
    const Shdr *Target = at<Shdr>(Bytes, S.sh_info);
    bool ForDebug = Target && !(Target->sh_flags & ELF::SHF_ALLOC);
    Add(S.sh_offset, S.sh_size, kindInObject(S.sh_type, S.sh_flags, ForDebug),
        I);
    if (S.sh_type == ELF::SHT_GROUP && RangeOf(S).Length <= GroupBytesLeft) {
      GroupBytesLeft -= RangeOf(S).Length;
      Result.Groups.push_back({RangeOf(S), S.sh_info});
    }
    if (S.sh_type == ELF::SHT_SYMTAB && Result.Symbols.empty()) {
      Result.Symbols = RangeOf(S);
      Result.FirstGlobal = S.sh_info;
      if (const Shdr *Strings = at<Shdr>(Bytes, S.sh_link))
        Result.Strings = RangeOf(*Strings);
    }
  }
  Result.Parts.insert(Result.Parts.end(), Relocations.begin(),
                      Relocations.end());
  Add(SectionsAt - Within.Offset, Bytes.size(), PartKind::Headers);
  settleParts(Result.Parts);
  Done = true;
}

namespace {

/// Reads names and groups with the types of one form.
template <typename ELFT> class SymbolReader {
public:
  SymbolReader(const ELFLayout &Layout, ArrayRef<char> Symbols,
               ArrayRef<char> Strings)
      : Layout(Layout), Symbols(Symbols), Names(Strings) {}

  ELFSymbols read(ArrayRef<ArrayRef<char>> GroupBytes) {
    ELFSymbols Result;
    uint64_t Count = Symbols.size() / sizeof(Sym);
    for (uint64_t I = std::max<uint64_t>(Layout.FirstGlobal, 1); I < Count;
         ++I) {
      const Sym &S = *at<Sym>(Symbols, I);
      bool Defines = S.st_shndx != ELF::SHN_UNDEF;
      if (!Defines && S.getBinding() == ELF::STB_WEAK)
        continue;
      if (std::optional<StringRef> Name = nameOf(S))
        Result.Uses.push_back({hashOfSymbol(*Name), Defines});
    }
    if (!Layout.Groups.empty())
      Result.Rules.resize(Layout.NumSections);
    for (size_t I = 0; I != std::min(GroupBytes.size(), Layout.Groups.size());
         ++I)
      addGroup(Layout.Groups[I], GroupBytes[I], Result.Rules);
    return Result;
  }

private:
  using Sym = ELFT::Sym;
  using Word = ELFT::Word;

  std::optional<StringRef> nameOf(const Sym &S) {
    return S.st_name == 0 ? std::nullopt : Names.at(S.st_name);
  }

  /// All members of a group go, or stay, with its name.
  void addGroup(const ELFGroup &Group, ArrayRef<char> Bytes,
                std::vector<SectionRule> &Rules) {
    const Word *Flags = at<Word>(Bytes, 0);
    const Sym *Signature = at<Sym>(Symbols, Group.Signature);
    if (!Flags || !(*Flags & ELF::GRP_COMDAT) || !Signature)
      return;
    // A section's symbol has no name of its own; old compilers named groups so.
    std::optional<StringRef> Name = nameOf(*Signature);
    if (!Name || Signature->getType() == ELF::STT_SECTION)
      return;
    uint64_t Hash = xxh3_64bits(*Name);
    for (uint64_t I = 1; const Word *Member = at<Word>(Bytes, I); ++I)
      if (*Member != 0 && *Member <= Rules.size())
        Rules[*Member - 1] = {SectionRule::Leader, 0, Hash};
  }

  const ELFLayout &Layout;
  ArrayRef<char> Symbols;
  NameTable Names;
};

} // namespace

ELFSymbols readELFSymbols(const ELFLayout &Layout, ArrayRef<char> Symbols,
                          ArrayRef<char> Strings,
                          ArrayRef<ArrayRef<char>> GroupBytes) {
  ELFSymbols Result;
  withTypes(Layout.Form, [&](auto Types) {
    Result = SymbolReader<decltype(Types)>(Layout, Symbols, Strings)
                 .read(GroupBytes);
  });
  return Result;
}

} // namespace headstart
