//===- ExtractionTable.h - Which archive members are linked -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which lazy inputs (members of archives, objects between --start-lib and
/// --end-lib) a linker of ELF will take. It takes one when it defines a symbol
/// that something it has taken lacks, wherever either stands on the command
/// line. Symbol tables, which it reads of every member anyway, and first, tell
/// it all.
///
/// Advice, as all of a plan: shared libraries and bitcode are not asked for
/// their symbols, so that a member may be fetched for nothing, or read by the
/// linker itself.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_EXTRACTIONTABLE_H
#define HEADSTART_PLAN_EXTRACTIONTABLE_H

#include "headstart/Formats/Symbols.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <mutex>
#include <vector>

namespace headstart {

/// Every function may be called from any thread.
class ExtractionTable {
public:
  /// \p MaxNames bounds its memory (some 40 bytes a name): beyond, every lazy
  /// input counts as taken.
  explicit ExtractionTable(size_t MaxNames = size_t(16) << 20)
      : MaxNames(MaxNames) {}

  /// Enters an input that is linked in any case.
  void addLinked(llvm::ArrayRef<SymbolUse> Uses);

  /// Enters a lazy input and gives it a number, from 1.
  uint32_t addLazy(std::vector<SymbolUse> Uses);

  /// Something else than an input lacks \p Name: --undefined, --entry.
  void want(uint64_t Name);

  /// Whether the lazy input \p Number is taken, as far as what was entered
  /// until now shows. 0 is no lazy input, and always linked.
  bool isLinked(uint32_t Number) const;

private:
  struct Name {
    uint32_t Provider = 0; ///< the first lazy input that defines it
    bool IsWanted = false;
    bool IsDefined = false;
  };
  struct Lazy {
    std::vector<SymbolUse> Uses; ///< freed when it is taken
    bool IsTaken = false;
  };

  Name *find(uint64_t Hash);
  void take(uint32_t Number);
  void link(llvm::ArrayRef<SymbolUse> Uses);
  void settle();

  const size_t MaxNames;
  mutable std::mutex Mutex;
  // All guarded by Mutex:
  llvm::DenseMap<uint64_t, Name> Names;
  std::vector<Lazy> Lazies;    ///< number 1 first
  std::vector<uint32_t> Taken; ///< not scanned yet
  bool Overflowed = false;
};

} // namespace headstart

#endif // HEADSTART_PLAN_EXTRACTIONTABLE_H
