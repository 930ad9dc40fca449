//===- InputScanner.cpp - What inputs name --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputScanner.h"
#include "ScanInside.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>

using namespace llvm;

namespace headstart {

/// Enough for the magic numbers of all formats, and for the headers of most.
static constexpr size_t HeadBytes = 64;

bool InputScanner::isObject(const os::OpenFile &File) {
  std::array<char, HeadBytes> Bytes;
  std::error_code Error;
  size_t Read = File.readAt(0, Bytes, Error);
  return !Error && isObject(StringRef(Bytes.data(), Read));
}

bool InputScanner::isObject(StringRef Head) {
  switch (identify_magic(Head)) {
  case file_magic::bitcode:
  case file_magic::coff_object:
  case file_magic::elf_relocatable:
  case file_magic::macho_object:
    return true;
  default:
    return false;
  }
}

file_magic kindOf(ByteSource &Bytes) {
  std::optional<ArrayRef<char>> Head = Bytes.head(HeadBytes);
  return Head ? identify_magic(StringRef(Head->data(), Head->size()))
              : file_magic(file_magic::unknown);
}

std::vector<FoundInput> InputScanner::scan(const NamedInput &Named,
                                           StringRef Path,
                                           const os::OpenFile &File) const {
  FileBytes Bytes(File);
  if (Bytes.size() == 0)
    return {};
  ScanRequest Request{Resolver, Named, Path, File.identity(), Bytes};
  switch (Resolver.command().Kind) {
  case Flavour::COFF:
    return coff::scan(Request);
  case Flavour::ELF:
    return elf::scan(Request);
  case Flavour::MachO:
    return macho::scan(Request);
  }
  llvm_unreachable("unknown flavour");
}

} // namespace headstart
