//===- ELFLayout.h - Where the parts of an ELF file lie ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layout of an ELF object or shared library, and what its symbols say
/// about which parts of it the linker will read. An ELF file's section headers
/// lie at its end, so that its layout is read in steps; and the same file may
/// be a member of an archive. Pure: the caller reads.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_ELFLAYOUT_H
#define HEADSTART_PLAN_ELFLAYOUT_H

#include "headstart/OS/ByteRange.h"
#include "headstart/Plan/ComdatTable.h"
#include "headstart/Plan/ExtractionTable.h"
#include "headstart/Plan/ObjectLayout.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace headstart {

/// A section that makes a group of others.
struct ELFGroup {
  ByteRange Members; ///< of the file: a word of flags, then section numbers
  uint32_t Signature = 0; ///< the number of the symbol that names it
};

/// The form of a file: two bits that change the size and order of every field.
struct ELFForm {
  bool Is64 = true;
  bool IsLittle = true;
};

struct ELFLayout {
  std::vector<LayoutPart> Parts; ///< in the order of the file, disjoint
  ELFForm Form;
  uint32_t NumSections = 0;
  ByteRange Symbols, Strings; ///< .symtab and its .strtab; empty when missing
  uint32_t FirstGlobal = 0;   ///< symbols before it are the file's own
  std::vector<ELFGroup> Groups;
};

/// Reads one layout: as long as `needs` is not empty, give it those bytes.
/// Offsets are the file's, also for a member of an archive. Anything in the
/// file is possible: what is impossible ends the reading, and `layout` is then
/// null.
class ELFLayoutReader {
public:
  /// \p Within: the whole file, or an archive's member.
  explicit ELFLayoutReader(ByteRange Within) : Within(Within) {}

  /// Whether \p Head, the first bytes of a file, are an ELF file's.
  static bool isELF(llvm::ArrayRef<char> Head);

  ByteRange needs() const { return Needed; }
  void give(llvm::ArrayRef<char> Bytes);

  /// What was found; null while something is needed, and for a file that is
  /// none of lld's.
  const ELFLayout *layout() const { return Done ? &Result : nullptr; }

private:
  enum class Step : uint8_t { Header, FirstSection, Sections, End };
  template <typename ELFT> void giveHeader(llvm::ArrayRef<char> Bytes);
  template <typename ELFT> void giveFirstSection(llvm::ArrayRef<char> Bytes);
  template <typename ELFT> void giveSections(llvm::ArrayRef<char> Bytes);
  void take(llvm::ArrayRef<char> Bytes);
  void needSections(uint64_t Count, uint64_t HeaderBytes);

  ByteRange Within;
  ByteRange Needed{Within.Offset, HeaderBytes};
  Step At = Step::Header;
  bool Done = false;
  bool IsShared = false;
  uint64_t SectionsAt = 0; ///< in the file; absolute
  ELFLayout Result;

public:
  /// Of the larger form; every ELF file is longer.
  static constexpr uint64_t HeaderBytes = 64;
};

/// What an object's symbols say: what it defines and what it lacks, and the
/// rules of its sections (bit 0 is section 1).
struct ELFSymbols {
  std::vector<SymbolUse> Uses;
  std::vector<SectionRule> Rules; ///< empty when there are no groups
};

/// Reads the symbols of \p Layout. \p Symbols and \p Strings are the bytes at
/// the layout's ranges of those names, or as many as there are; \p GroupBytes
/// those of each group's members, in order.
ELFSymbols readELFSymbols(const ELFLayout &Layout, llvm::ArrayRef<char> Symbols,
                          llvm::ArrayRef<char> Strings,
                          llvm::ArrayRef<llvm::ArrayRef<char>> GroupBytes);

} // namespace headstart

#endif // HEADSTART_PLAN_ELFLAYOUT_H
