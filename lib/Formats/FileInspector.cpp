//===- FileInspector.cpp - The headers of a file, read once ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/FileInspector.h"
#include "headstart/Formats/Bitcode.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace headstart {

void FileInspector::forget(ByteSource &Next,
                           const os::FileIdentity &NewIdentity) {
  Bytes = &Next;
  Identity = NewIdentity;
  Kind = std::nullopt;
  COFF = std::nullopt;
  MachO = std::nullopt;
  ELF = nullptr;
  Bitcode = std::nullopt;
}

void FileInspector::open(const os::OpenFile &NewFile, ReadGate *Gate,
                         std::shared_ptr<const ELFFile> Known) {
  forget(OfFile, NewFile.identity());
  File = &NewFile;
  OfFile.open(NewFile, Gate);
  if (Known)
    Kind = Known->Kind;
  ELF = std::move(Known);
}

void FileInspector::open(StringRef Copy, const os::FileIdentity &NewIdentity) {
  File = nullptr;
  forget(OfMemory.emplace(Copy), NewIdentity);
}

void FileInspector::expectScatteredReads() const {
  if (File)
    File->expectScatteredReads();
}

file_magic FileInspector::kind() {
  if (!Kind)
    Kind = kindOf(*Bytes);
  return *Kind;
}

bool FileInspector::isObject() {
  return is_contained({file_magic::bitcode, file_magic::coff_object,
                       file_magic::elf_relocatable, file_magic::macho_object},
                      kind());
}

const COFFObject *FileInspector::coff() {
  if (!COFF)
    COFF = COFFObject::read(*Bytes);
  return *COFF ? &**COFF : nullptr;
}

const MachOInput &FileInspector::machO(StringRef Arch) {
  if (!MachO)
    MachO = MachOInput::read(*Bytes, Arch);
  return *MachO;
}

const std::shared_ptr<const ELFFile> &FileInspector::elf() {
  if (!ELF) {
    expectScatteredReads(); // headers are at the end, or between members
    ELF = std::make_shared<const ELFFile>(ELFFile::read(*Bytes));
  }
  return ELF;
}

void FileInspector::readAheadELF() {
  expectScatteredReads(); // headers are at the end
  ELFObject::readAhead(*Bytes);
}

const std::vector<LayoutPart> &FileInspector::bitcode() {
  if (!Bitcode) {
    expectScatteredReads(); // the symbols are at the end
    Bitcode = readBitcodeParts(*Bytes);
  }
  return *Bitcode;
}

} // namespace headstart
