//===- COFF.h - COFF objects ------------------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the headers of a COFF object, of the plain and of the "big object"
/// form, and by them what else is asked for.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_COFF_H
#define HEADSTART_FORMATS_COFF_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "headstart/Formats/Symbols.h"
#include "llvm/ADT/BitVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Whatever is in the file: impossible offsets and counts make it no object,
/// and no range goes past the end.
class COFFObject {
public:
  /// Reads the headers of \p Object; nothing where they are none. May block.
  static std::optional<COFFObject> read(ByteSource &Object);

  /// In the order of the file; may leave gaps, never overlap.
  std::vector<LayoutPart> Parts;
  ByteRange Directives;  ///< .drectve
  ByteRange TypeRecords; ///< the first .debug$T, unless it is of a precompiled
                         ///< header
  ByteRange SymbolTable; ///< with the string table behind it
  llvm::BitVector Comdats; ///< by section: whether it is a COMDAT

  /// \name What stands in these places of \p Object, from which the headers
  /// were read. May block.
  /// @{
  std::string readDirectives(ByteSource &Object) const;
  /// The path of the type server; empty without one.
  std::string readTypeServer(ByteSource &Object) const;
  /// By section; empty where there are no COMDATs, or the table is too long or
  /// cannot be read.
  std::vector<SectionRule> readComdats(ByteSource &Object,
                                       SymbolBuffers &Buffers) const;
  /// @}

private:
  uint32_t NumSymbols = 0; ///< auxiliary records counted
  bool IsBig = false;
};

/// The machine (IMAGE_FILE_MACHINE_*) that \p File, an object or a bitcode
/// file, is for; IMAGE_FILE_MACHINE_UNKNOWN for another file. May block.
uint16_t readCOFFMachine(ByteSource &File);

} // namespace headstart

#endif // HEADSTART_FORMATS_COFF_H
