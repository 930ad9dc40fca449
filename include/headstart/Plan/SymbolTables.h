//===- SymbolTables.h - Sections and members that are linked ----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the sections that the linker will drop before it reads them, and the
/// lazy inputs that it will extract. Symbol tables decide both, and the linker
/// reads them anyway, before anything else.
///
/// The result is advice, like all of a plan. It ignores the symbols of shared
/// libraries and bitcode, and objects that the linker replaces by larger ones.
/// Headstart may then fetch a section unnecessarily, or the linker reads it
/// itself.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_SYMBOLTABLES_H
#define HEADSTART_PLAN_SYMBOLTABLES_H

#include "headstart/Formats/Parts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <mutex>
#include <vector>

namespace headstart {

/// Stores the first input with each COMDAT. Most bytes of a C++ object are
/// COMDATs. The linker keeps the first copy of each, in the order of the
/// command line. It never reads the other copies, nor the sections associated
/// with them (debug symbols, unwind tables). Any thread may call any function.
class ComdatTable {
public:
  /// \p MaxNames bounds the memory (about 32 bytes per name). Further names are
  /// not stored, and all their copies are fetched.
  explicit ComdatTable(size_t MaxNames = size_t(16) << 20)
      : MaxNames(MaxNames) {}

  /// Enters the names of input number \p Order. Returns which of its sections
  /// the linker will drop (bit 0 is section 1), according to the inputs entered
  /// so far. If all are entered in order, the result is exact. An input that is
  /// entered late is unknown to the inputs after it, which keep their copies.
  llvm::BitVector enter(llvm::ArrayRef<SectionRule> Rules, uint32_t Order);

private:
  bool isFirst(uint64_t Name, uint32_t Order);

  const size_t MaxNames;
  std::mutex Mutex;
  /// From a name to the lowest number of an input with it; guarded by Mutex.
  llvm::DenseMap<uint64_t, uint32_t> First;
};

/// Marks the parts of \p Dropped sections (bit 0 is section 1) as never read.
void dropSections(llvm::MutableArrayRef<LayoutPart> Parts,
                  const llvm::BitVector &Dropped);

/// Finds the lazy inputs (members of archives, objects between --start-lib and
/// --end-lib) that an ELF linker extracts: those that define a symbol that a
/// linked input lacks, in any order on the command line. Any thread may call
/// any function.
class ExtractionTable {
public:
  /// \p MaxNames bounds the memory (about 40 bytes per name). With more names,
  /// every lazy input counts as linked.
  explicit ExtractionTable(size_t MaxNames = size_t(16) << 20)
      : MaxNames(MaxNames) {}

  /// Enters an input that is linked in any case, or references that are in no
  /// input (--undefined, --entry).
  void addLinked(llvm::ArrayRef<SymbolUse> Uses);

  /// Enters a lazy input and returns its number, which starts from 1.
  uint32_t addLazy(std::vector<SymbolUse> Uses);

  /// Whether the lazy input \p Number is linked, according to the inputs
  /// entered so far. 0 is an input that is not lazy, which is always linked.
  bool isLinked(uint32_t Number) const;

private:
  struct Name {
    uint32_t Provider = 0; ///< the first lazy input that defines it
    bool IsWanted = false;
    bool IsDefined = false;
  };
  struct Lazy {
    std::vector<SymbolUse> Uses; ///< freed when the input is taken
    bool IsTaken = false;
  };

  Name *find(uint64_t Hash);
  void take(uint32_t Number);
  void link(llvm::ArrayRef<SymbolUse> Uses);
  void settle();

  const size_t MaxNames;
  mutable std::mutex Mutex;
  // Mutex guards all members below.
  llvm::DenseMap<uint64_t, Name> Names;
  std::vector<Lazy> Lazies;    ///< number 1 first
  std::vector<uint32_t> Taken; ///< whose Uses are not linked yet
  bool Overflowed = false;
};

} // namespace headstart

#endif // HEADSTART_PLAN_SYMBOLTABLES_H
