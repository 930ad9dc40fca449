//===- ComdatTable.h - Which copy of a COMDAT is linked ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the sections that the linker will drop before it reads them. Most
/// bytes of a C++ object are COMDATs. The linker keeps the first copy of each,
/// in the order of the command line. It never reads the other copies, nor the
/// sections associated with them (debug symbols, unwind tables). All this is in
/// an object's symbol table, which the linker reads anyway.
///
/// The result is advice, like all of a plan. If it is wrong (a name in a
/// bitcode file, an object that the linker replaces by a larger one), Headstart
/// fetches a section unnecessarily, or the linker reads it itself.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_COMDATTABLE_H
#define HEADSTART_PLAN_COMDATTABLE_H

#include "headstart/Formats/Parts.h"
#include "headstart/Formats/Symbols.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <cstdint>
#include <mutex>

namespace headstart {

/// Stores the first input with each COMDAT. Any thread may call any function.
class ComdatTable {
public:
  /// \p MaxNames bounds the memory (about 32 bytes per name). Further names are
  /// not stored, and all their copies are fetched.
  explicit ComdatTable(size_t MaxNames = size_t(16) << 20)
      : MaxNamesPerShard(MaxNames / NumShards) {}

  /// Enters the names of input number \p Order. Returns which of its sections
  /// the linker will drop (bit 0 is section 1), according to the inputs entered
  /// so far. If all are entered in order, the result is exact. An input that is
  /// entered late is unknown to the inputs after it, which keep their copies.
  llvm::BitVector enter(llvm::ArrayRef<SectionRule> Rules, uint32_t Order);

private:
  static constexpr size_t NumShards = 64;
  struct Shard {
    std::mutex Mutex;
    llvm::DenseMap<uint64_t, uint32_t> First; ///< name to lowest input number
  };

  bool isFirst(uint64_t Name, uint32_t Order);

  size_t MaxNamesPerShard;
  std::array<Shard, NumShards> Shards;
};

/// Marks the parts of \p Dropped sections (bit 0 is section 1) as never read.
void dropSections(llvm::MutableArrayRef<LayoutPart> Parts,
                  const llvm::BitVector &Dropped);

} // namespace headstart

#endif // HEADSTART_PLAN_COMDATTABLE_H
