//===- FileInspector.h - The headers of a file, read once -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the headers of an input once while it is open, for its dependencies
/// and for its parts.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_FILEINSPECTOR_H
#define HEADSTART_FORMATS_FILEINSPECTOR_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/COFF.h"
#include "headstart/Formats/ELF.h"
#include "headstart/Formats/MachO.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Magic.h"
#include <memory>
#include <optional>
#include <vector>

namespace headstart {

/// For use by one thread. Reuses its memory for the next file. Functions that
/// read block for the disk.
class FileInspector {
public:
  /// Nothing is open yet.
  FileInspector() = default;
  explicit FileInspector(const os::OpenFile &File) { open(File); }
  FileInspector(const FileInspector &) = delete;
  FileInspector &operator=(const FileInspector &) = delete;

  /// Switches to \p File, which must stay open. \p Gate: see FileBytes::open.
  /// \p Known is the result of an earlier scan of the same file, or null.
  void open(const os::OpenFile &File, ReadGate *Gate = nullptr,
            std::shared_ptr<const ELFFile> Known = nullptr);
  /// Switches to \p Bytes, a copy of the file \p Identity that must stay valid.
  void open(llvm::StringRef Bytes, const os::FileIdentity &Identity);

  ByteSource &bytes() { return *Bytes; }
  const os::FileIdentity &identity() const { return Identity; }

  /// Announces that the bytes after the headers will be read in another order:
  /// see OpenFile::expectScatteredReads.
  void expectScatteredReads() const;

  /// The kind by the first bytes.
  llvm::file_magic kind();
  /// Whether it is an object or a bitcode file. The linker reads the references
  /// of these after all inputs on the command line.
  bool isObject();

  /// \name The headers
  /// @{
  /// Null if the file is no COFF object.
  const COFFObject *coff();
  const MachOInput &machO(llvm::StringRef Arch);
  /// Never null.
  const std::shared_ptr<const ELFFile> &elf();
  /// See ELFObject::readAhead.
  void readAheadELF();
  /// The parts of bitcode; see readBitcodeParts.
  const std::vector<LayoutPart> &bitcode();
  /// @}

private:
  void forget(ByteSource &Next, const os::FileIdentity &NewIdentity);

  const os::OpenFile *File = nullptr;
  os::FileIdentity Identity;
  FileBytes OfFile;
  std::optional<MemoryBytes> OfMemory;
  ByteSource *Bytes = &OfFile;
  std::optional<llvm::file_magic> Kind;
  std::optional<std::optional<COFFObject>> COFF;
  std::optional<MachOInput> MachO;
  std::shared_ptr<const ELFFile> ELF;
  std::optional<std::vector<LayoutPart>> Bitcode;
};

} // namespace headstart

#endif // HEADSTART_FORMATS_FILEINSPECTOR_H
