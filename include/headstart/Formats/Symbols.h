//===- Symbols.h - The symbols of a link ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The symbols of an input that decide which sections are linked: its COMDATs,
/// and the names that it defines and lacks. Names are hashes.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_SYMBOLS_H
#define HEADSTART_FORMATS_SYMBOLS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace headstart {

/// The hash alone distinguishes symbols. Two names with the same hash, which
/// are rare, may cause a range to be fetched, or not.
uint64_t hashOfSymbol(llvm::StringRef Name);

struct SymbolUse {
  uint64_t Name = 0;    ///< hashOfSymbol
  bool Defines = false; ///< else the input lacks it, and not weakly
};

/// The memory into which a thread reads one symbol table after the other. Fresh
/// memory of that size would cost a page fault for every page.
struct SymbolBuffers {
  llvm::SmallVector<char, 0> Symbols, Strings;
};

/// When the linker reads a section.
struct SectionRule {
  enum Kind : uint8_t {
    Always,   ///< it is always read
    Leader,   ///< a COMDAT: the first of its name is read
    Follower, ///< associated with another section: read when that one is
  } Kind = Always;
  uint32_t Parent = 0; ///< Follower: the other section's number, from 1
  uint64_t Name = 0;   ///< Leader: a hash of the name
};

} // namespace headstart

#endif // HEADSTART_FORMATS_SYMBOLS_H
