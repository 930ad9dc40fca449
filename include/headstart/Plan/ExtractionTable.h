//===- ExtractionTable.h - Which archive members are linked -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the lazy inputs (members of archives, objects between --start-lib and
/// --end-lib) that an ELF linker will extract. It extracts an input if the
/// input defines a symbol that a linked input lacks, in any order on the
/// command line. The symbol tables decide this. The linker reads them anyway,
/// of every member, before anything else.
///
/// The result is advice, like all of a plan. It ignores the symbols of shared
/// libraries and bitcode, so that Headstart may fetch a member unnecessarily,
/// or the linker may read one itself.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_EXTRACTIONTABLE_H
#define HEADSTART_PLAN_EXTRACTIONTABLE_H

#include "headstart/Formats/Symbols.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <mutex>
#include <vector>

namespace headstart {

/// Any thread may call any function.
class ExtractionTable {
public:
  /// \p MaxNames bounds the memory (about 40 bytes per name). With more names,
  /// every lazy input counts as linked.
  explicit ExtractionTable(size_t MaxNames = size_t(16) << 20)
      : MaxNames(MaxNames) {}

  /// Enters an input that is linked in any case.
  void addLinked(llvm::ArrayRef<SymbolUse> Uses);

  /// Enters a lazy input and returns its number, which starts from 1.
  uint32_t addLazy(std::vector<SymbolUse> Uses);

  /// Enters a reference to \p Name that is in no input: --undefined, --entry.
  void want(uint64_t Name);

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

#endif // HEADSTART_PLAN_EXTRACTIONTABLE_H
