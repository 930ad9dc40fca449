//===- DependentLibraries.cpp - The .deplibs of an ELF object -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DependentLibraries.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFTypes.h"
#include <algorithm>
#include <array>

using namespace llvm;
using namespace llvm::object;

namespace headstart::elf {

static constexpr uint64_t MostSections = uint64_t(1) << 24;
static constexpr uint64_t MostBytes = uint64_t(1) << 20; // of all .deplibs

/// Reads exactly \p Into at \p Offset.
static bool readAll(const os::OpenFile &File, uint64_t Offset,
                    MutableArrayRef<char> Into) {
  std::error_code Error;
  return Offset <= File.size() && Into.size() <= File.size() - Offset &&
         File.readAt(Offset, std::span(Into.data(), Into.size()), Error) ==
             Into.size();
}

template <typename T>
static bool readAll(const os::OpenFile &File, uint64_t Offset, T &Into) {
  return readAll(File, Offset,
                 MutableArrayRef(reinterpret_cast<char *>(&Into), sizeof(T)));
}

/// Adds the strings of a section, each once: lld passes over a library that it
/// has. One that is not closed is lld's to report.
static void addStrings(StringRef Bytes, StringSet<> &Seen,
                       std::vector<std::string> &Result) {
  if (Bytes.empty() || Bytes.back() != '\0')
    return;
  while (!Bytes.empty()) {
    StringRef Text = Bytes.take_until([](char C) { return C == '\0'; });
    if (Seen.insert(Text).second)
      Result.push_back(Text.str());
    Bytes = Bytes.drop_front(Text.size() + 1);
  }
}

template <class ELFT>
static std::vector<std::string> readAs(const os::OpenFile &File) {
  using Header = ELFT::Ehdr;
  using Section = ELFT::Shdr;
  std::vector<std::string> Result;
  Header H;
  if (!readAll(File, 0, H) || H.e_type != ELF::ET_REL ||
      H.e_shentsize != sizeof(Section) || H.e_shoff == 0)
    return Result;
  uint64_t Count = H.e_shnum;
  if (Count == 0) {
    // More than fit into the header: the first section's size says how many.
    Section First;
    if (!readAll(File, H.e_shoff, First))
      return Result;
    Count = First.sh_size;
  }
  Count = std::min(Count, MostSections);
  // Sections may all say that they are the same bytes: together they have no
  // more than the file.
  uint64_t BytesLeft = std::min(File.size(), MostBytes);
  StringSet<> Seen;
  std::array<Section, 256> Some;
  for (uint64_t I = 0; I < Count; I += Some.size()) {
    MutableArrayRef<Section> Now(Some.data(),
                                 std::min<uint64_t>(Some.size(), Count - I));
    if (!readAll(File, H.e_shoff + I * sizeof(Section),
                 MutableArrayRef(reinterpret_cast<char *>(Now.data()),
                                 Now.size() * sizeof(Section))))
      return Result;
    for (const Section &S : Now) {
      if (S.sh_type != ELF::SHT_LLVM_DEPENDENT_LIBRARIES ||
          S.sh_size > BytesLeft)
        continue;
      BytesLeft -= S.sh_size;
      std::string Bytes(S.sh_size, '\0');
      if (readAll(File, S.sh_offset,
                  MutableArrayRef(Bytes.data(), Bytes.size())))
        addStrings(Bytes, Seen, Result);
    }
  }
  return Result;
}

std::vector<std::string> readDependentLibraries(const os::OpenFile &File) {
  std::array<char, ELF::EI_NIDENT> Ident;
  if (!readAll(File, 0, Ident) ||
      !StringRef(Ident.data(), 4).starts_with(StringRef(ELF::ElfMagic, 4)))
    return {};
  bool Is64 = Ident[ELF::EI_CLASS] == ELF::ELFCLASS64;
  if (Ident[ELF::EI_DATA] == ELF::ELFDATA2MSB)
    return Is64 ? readAs<ELF64BE>(File) : readAs<ELF32BE>(File);
  return Is64 ? readAs<ELF64LE>(File) : readAs<ELF32LE>(File);
}

} // namespace headstart::elf
