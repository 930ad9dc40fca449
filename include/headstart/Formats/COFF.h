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
/// form, and the data to which they point.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_COFF_H
#define HEADSTART_FORMATS_COFF_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "llvm/ADT/BitVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Accepts any file: one with impossible offsets or counts is no object, and no
/// range goes past the end.
class COFFObject {
public:
  /// Reads the headers of \p Object; nullopt if it has none. May block.
  static std::optional<COFFObject> read(ByteSource &Object);

  /// In the order of the file; may leave gaps, never overlap.
  std::vector<LayoutPart> Parts;
  ByteRange Directives;    ///< .drectve
  ByteRange TypeRecords;   ///< the first .debug$T; none of a precompiled header
  ByteRange SymbolTable;   ///< with the string table after it
  llvm::BitVector Comdats; ///< by section: whether it is a COMDAT

  /// \name Data of \p Object, from which the headers were read. May block.
  /// @{
  /// The path of the type server; empty without one.
  std::string readTypeServer(ByteSource &Object) const;
  /// The rules by section; empty if there are no COMDATs, or if the table is
  /// too long or cannot be read.
  std::vector<SectionRule> readComdats(ByteSource &Object,
                                       SymbolBuffers &Buffers) const;
  /// @}

private:
  uint32_t NumSymbols = 0; ///< including auxiliary records
  bool IsBig = false;
};

/// Returns the machine (IMAGE_FILE_MACHINE_*) of \p File, an object or bitcode
/// file; IMAGE_FILE_MACHINE_UNKNOWN for another file. May block.
uint16_t readCOFFMachine(ByteSource &File);

} // namespace headstart

#endif // HEADSTART_FORMATS_COFF_H
