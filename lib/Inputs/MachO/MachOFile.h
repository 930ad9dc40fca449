//===- MachOFile.h - The headers of a Mach-O file ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: the part of a file that a link reads, and the load
/// commands of a Mach-O file. Nothing in a file is believed.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_MACHO_MACHOFILE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_MACHO_MACHOFILE_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart::macho {

/// The bytes of a file that a link reads: all of it, or the slice of a
/// universal file for the architecture of the link.
class Slice {
public:
  /// Of \p File, open for as long as the slice is used. Nothing where a
  /// universal file has no slice for \p Arch, or one that does not lie inside
  /// it. Blocks for the disk.
  static std::optional<Slice> of(const os::OpenFile &File,
                                 llvm::StringRef Arch);

  uint64_t size() const { return Size; }
  /// Up to \p Length bytes at \p Offset, fewer at the end of the slice or where
  /// they cannot be read.
  std::string read(uint64_t Offset, size_t Length) const;

private:
  Slice(const os::OpenFile &File, uint64_t Begin, uint64_t Size)
      : File(&File), Begin(Begin), Size(Size) {}

  const os::OpenFile *File;
  uint64_t Begin;
  uint64_t Size;
};

/// The headers of a Mach-O file.
class LoadCommands {
public:
  /// Reads the headers that \p From begins with. Nothing where they are not
  /// those of a little-endian Mach-O file.
  static std::optional<LoadCommands> read(const Slice &From);

  uint32_t fileType() const { return FileType; }
  uint32_t cpuType() const { return CPUType; }
  uint32_t flags() const { return Flags; }
  /// Calls \p Each with the kind and the bytes (kind and size included) of each
  /// command, up to one that does not fit.
  void forEach(llvm::function_ref<void(uint32_t Kind, llvm::StringRef Bytes)>
                   Each) const;

private:
  uint32_t FileType = 0;
  uint32_t CPUType = 0;
  uint32_t Flags = 0;
  uint32_t Count = 0;
  std::string Bytes;
};

/// A little-endian 32-bit word of \p Bytes; 0 behind their end.
uint32_t wordAt(llvm::StringRef Bytes, size_t Offset);

/// The string of a command, whose offset in the command is the word at \p
/// Field; empty where it does not lie inside.
llvm::StringRef stringOf(llvm::StringRef Command, size_t Field);

/// The processor of \p Arch as in Mach-O headers; nothing if it is unknown.
std::optional<std::pair<uint32_t, uint32_t>> cpuOf(llvm::StringRef Arch);

/// The first LC_RPATHs of the dylib at \p Path, in order. Opens it. Blocks for
/// the disk.
std::vector<std::string> readRunPaths(const std::string &Path,
                                      const LinkCommand &Command);

} // namespace headstart::macho

#endif // HEADSTART_LIB_INPUTS_MACHO_MACHOFILE_H
