//===- FileInspector.h - The headers of a file, read once -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The dependencies of an input and its parts are in the same headers, which
/// are read once.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_FILEINSPECTOR_H
#define HEADSTART_FORMATS_FILEINSPECTOR_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/COFF.h"
#include "headstart/Formats/ELF.h"
#include "headstart/Formats/MachO.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Magic.h"
#include <memory>
#include <optional>

namespace headstart {

/// One thread's. Keeps its memory from file to file. Whatever reads blocks for
/// the disk.
class FileInspector {
public:
  /// Nothing is open yet.
  FileInspector() = default;
  explicit FileInspector(const os::OpenFile &File) { open(File); }
  FileInspector(const FileInspector &) = delete;
  FileInspector &operator=(const FileInspector &) = delete;

  /// Turns to \p File, which must stay open. What will be read is asked for
  /// through \p Cache, and read through \p Gate, unless they are null; both
  /// must outlive this. \p Known is what an earlier scan found in the same
  /// file, or null.
  void open(const os::OpenFile &File, const os::PageCache *Cache = nullptr,
            std::shared_ptr<const ELFFile> Known = nullptr,
            ReadGate *Gate = nullptr);
  /// Turns to the file \p Identity, of which \p Bytes, which must stay, are a
  /// copy.
  void open(llvm::StringRef Bytes, const os::FileIdentity &Identity);

  ByteSource &bytes() { return *Bytes; }
  const os::FileIdentity &identity() const { return Identity; }

  /// What lies behind the headers will be read in an order of its own: see
  /// OpenFile::expectScatteredReads.
  void expectScatteredReads() const;

  /// The kind by the first bytes.
  llvm::file_magic kind();
  /// Whether it is an object or a bitcode file: those name only what the linker
  /// reads after all that the command line names.
  bool isObject();

  /// \name The headers
  /// @{
  /// Null where the file is no such object.
  const COFFObject *coff();
  const MachOInput &machO(llvm::StringRef Arch);
  /// Never null.
  const std::shared_ptr<const ELFFile> &elf();
  /// @}

private:
  void forget(ByteSource &Next, const os::FileIdentity &NewIdentity);

  const os::OpenFile *File = nullptr;
  os::FileIdentity Identity;
  FileBytes OfFile;
  MemoryBytes OfMemory{llvm::StringRef()};
  ByteSource *Bytes = &OfMemory;
  std::optional<llvm::file_magic> Kind;
  std::optional<std::optional<COFFObject>> COFF;
  std::optional<MachOInput> MachO;
  std::shared_ptr<const ELFFile> ELF;
};

} // namespace headstart

#endif // HEADSTART_FORMATS_FILEINSPECTOR_H
