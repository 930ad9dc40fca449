//===- NameTable.h - The names in a string table ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: names of symbols.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FORMATS_NAMETABLE_H
#define HEADSTART_LIB_FORMATS_NAMETABLE_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace headstart {

/// The names in a string table. Names may share their ends, so all names can be
/// longer than the table, but not by much. After it has returned four times its
/// bytes, the table returns no more names. Otherwise symbols that all begin in
/// one long name would cost its length each.
class NameTable {
public:
  explicit NameTable(llvm::StringRef Bytes)
      : Bytes(Bytes), BytesLeft(4 * Bytes.size()) {}

  /// Returns the name at \p Offset; an unterminated one ends with the table.
  std::optional<llvm::StringRef> at(uint64_t Offset) {
    if (Offset >= Bytes.size())
      return std::nullopt;
    const char *Name = Bytes.data() + Offset;
    size_t Length =
        strnlen(Name, std::min<uint64_t>(Bytes.size() - Offset, BytesLeft));
    if (Length == BytesLeft)
      return std::nullopt;
    BytesLeft -= Length;
    return llvm::StringRef(Name, Length);
  }

private:
  llvm::StringRef Bytes;
  uint64_t BytesLeft;
};

} // namespace headstart

#endif // HEADSTART_LIB_FORMATS_NAMETABLE_H
