//===- MachO.h - Mach-O files -----------------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the inputs of ld64.lld: objects, dynamic libraries, and universal
/// files with these, or archives of them, inside.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_MACHO_H
#define HEADSTART_FORMATS_MACHO_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace headstart {

/// The load commands of an object, a dynamic library or a bundle, of 32 or 64
/// bits, in the only byte order that ld64.lld reads. Accepts any file: one with
/// impossible counts or sizes is none of these.
class MachOFile {
public:
  /// Returns nullopt if \p File is none of these. May block.
  static std::optional<MachOFile> read(ByteSource &File);

  /// In the order of the file; may leave gaps, never overlap or exceed it.
  std::vector<LayoutPart> parts() const;

  struct Library {
    llvm::StringRef Path;
    bool IsReExported = false; ///< else loaded
  };
  /// What the commands name; the strings are valid as long as the file.
  struct Names {
    /// The arguments of each LC_LINKER_OPTION.
    std::vector<llvm::SmallVector<llvm::StringRef, 2>> LinkerOptions;
    std::vector<Library> Libraries;
    llvm::StringRef InstallName;
    bool HasClients = false; ///< only some may link with it: LC_SUB_CLIENT
    std::vector<llvm::StringRef> RunPaths; ///< the first 64
  };
  Names names() const;

  uint32_t FileType = 0, CPUType = 0, Flags = 0;

private:
  void forEachCommand(
      llvm::function_ref<void(uint32_t Kind, llvm::StringRef Bytes)> Visit)
      const;

  bool Is64 = false;
  uint64_t HeaderBytes = 0;
  uint64_t FileSize = 0;
  llvm::SmallVector<char, 0> Commands;
};

/// Returns the CPU type and subtype of \p Arch; nullopt if it is unknown.
std::optional<std::pair<uint32_t, uint32_t>> cpuOf(llvm::StringRef Arch);

/// Returns the slice of the universal file \p File that ld64.lld links with
/// `-arch` \p Arch: the first of that type and subtype, without flags; empty if
/// there is none. With an empty \p Arch, returns the only slice, or nullopt.
/// Returns nullopt if the file is not universal (for ld64.lld 22, the 64-bit
/// form is not), or if its slices overlap or exceed it. May block.
std::optional<ByteRange> findMachOSlice(ByteSource &File, llvm::StringRef Arch);

/// An input of ld64.lld of any kind; of a universal file, one slice.
struct MachOInput {
  /// The result of findMachOSlice, or the whole file if it is not universal.
  ByteRange Within;
  llvm::file_magic Kind; ///< of the bytes Within
  std::optional<MachOFile> File;
  bool IsUniversal = false;

  /// May block.
  static MachOInput read(ByteSource &Input, llvm::StringRef Arch);

  /// Returns the parts of \p Input, from which this was read. For an archive
  /// these are the indexes and, with \p AllMembers (-all_load, -force_load),
  /// the parts of each member. Empty for a file without any. May block.
  std::vector<LayoutPart> readParts(ByteSource &Input, bool AllMembers) const;
};

} // namespace headstart

#endif // HEADSTART_FORMATS_MACHO_H
