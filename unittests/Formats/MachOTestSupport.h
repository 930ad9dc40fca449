//===- MachOTestSupport.h - Made-up Mach-O files ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FORMATS_MACHOTESTSUPPORT_H
#define HEADSTART_UNITTESTS_FORMATS_MACHOTESTSUPPORT_H

#include "FormatsTestSupport.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SwapByteOrder.h"
#include <initializer_list>
#include <ostream>
#include <string>

namespace headstart::test {

/// A slice of a universal file.
struct Slice {
  uint32_t CPU, Subtype, Offset, Size;
};

inline std::string big(uint32_t Value) {
  std::string S(4, 0);
  llvm::support::endian::write32be(S.data(), Value);
  return S;
}

/// The head of a universal file.
inline std::string universalHead(std::initializer_list<Slice> Slices,
                                 uint32_t Magic = llvm::MachO::FAT_MAGIC) {
  std::string S = big(Magic) + big(static_cast<uint32_t>(Slices.size()));
  for (const Slice &One : Slices)
    S += big(One.CPU) + big(One.Subtype) + big(One.Offset) + big(One.Size) +
         big(14);
  return S;
}

struct MachOSection {
  const char *Segment, *Name;
  uint32_t Offset, Size;
  uint32_t RelocOffset = 0, NumRelocs = 0;
  uint32_t Flags = 0;
};

/// Writes the head of a Mach-O file, command by command.
class MachOWriter {
public:
  explicit MachOWriter(bool Wide = true,
                       uint32_t CPU = llvm::MachO::CPU_TYPE_ARM64,
                       uint32_t FileType = llvm::MachO::MH_OBJECT)
      : Wide(Wide), CPU(CPU), FileType(FileType) {}

  MachOWriter &segment(std::initializer_list<MachOSection> Sections) {
    return Wide
               ? addSegment<llvm::MachO::segment_command_64,
                            llvm::MachO::section_64>(Sections,
                                                     llvm::MachO::LC_SEGMENT_64)
               : addSegment<llvm::MachO::segment_command, llvm::MachO::section>(
                     Sections, llvm::MachO::LC_SEGMENT);
  }

  MachOWriter &symbols(uint32_t Offset, uint32_t Count, uint32_t Strings,
                       uint32_t StringBytes) {
    llvm::MachO::symtab_command C = {};
    C.cmd = llvm::MachO::LC_SYMTAB;
    C.cmdsize = sizeof(C);
    C.symoff = Offset;
    C.nsyms = Count;
    C.stroff = Strings;
    C.strsize = StringBytes;
    return add(C);
  }

  MachOWriter &linkEdit(uint32_t Command, uint32_t Offset, uint32_t Size) {
    llvm::MachO::linkedit_data_command C = {};
    C.cmd = Command;
    C.cmdsize = sizeof(C);
    C.dataoff = Offset;
    C.datasize = Size;
    return add(C);
  }

  MachOWriter &exports(uint32_t Offset, uint32_t Size) {
    llvm::MachO::dyld_info_command C = {};
    C.cmd = llvm::MachO::LC_DYLD_INFO_ONLY;
    C.cmdsize = sizeof(C);
    C.bind_off = 1;
    C.bind_size = 1 << 20;
    C.export_off = Offset;
    C.export_size = Size;
    return add(C);
  }

  /// A command of eight bytes that claims to have \p Size.
  MachOWriter &raw(uint32_t Command, uint32_t Size) {
    llvm::MachO::load_command C = {Command, Size};
    return add(C);
  }

  /// The header and the commands, with \p CountMore and \p BytesMore too many.
  std::string head(uint32_t CountMore = 0, uint32_t BytesMore = 0) const {
    llvm::MachO::mach_header_64 H = {};
    H.magic = Wide ? llvm::MachO::MH_MAGIC_64 : llvm::MachO::MH_MAGIC;
    H.cputype = CPU;
    H.filetype = FileType;
    H.ncmds = Count + CountMore;
    H.sizeofcmds = static_cast<uint32_t>(Commands.size()) + BytesMore;
    return toBytes(H).substr(0, Wide ? 32 : 28) + Commands;
  }

private:
  template <typename T> static std::string toBytes(const T &Value) {
    return {reinterpret_cast<const char *>(&Value), sizeof(Value)};
  }

  template <typename T> MachOWriter &add(const T &Command) {
    Commands += toBytes(Command);
    ++Count;
    return *this;
  }

  template <class Segment, class Section>
  MachOWriter &addSegment(std::initializer_list<MachOSection> Sections,
                          uint32_t Command) {
    Segment S = {};
    S.cmd = Command;
    S.nsects = static_cast<uint32_t>(Sections.size());
    S.cmdsize = static_cast<uint32_t>(sizeof(S)) +
                S.nsects * static_cast<uint32_t>(sizeof(Section));
    add(S);
    for (const MachOSection &Made : Sections) {
      Section One = {};
      std::strncpy(One.segname, Made.Segment, sizeof(One.segname));
      std::strncpy(One.sectname, Made.Name, sizeof(One.sectname));
      One.offset = Made.Offset;
      One.size = Made.Size;
      One.reloff = Made.RelocOffset;
      One.nreloc = Made.NumRelocs;
      One.flags = Made.Flags;
      Commands += toBytes(One);
    }
    return *this;
  }

  bool Wide;
  uint32_t CPU, FileType;
  uint32_t Count = 0;
  std::string Commands;
};

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FORMATS_MACHOTESTSUPPORT_H
