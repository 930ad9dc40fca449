//===- ComdatTable.h - Which copy of a COMDAT is linked ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which sections the linker will drop before it reads them. Most bytes of a
/// C++ object are COMDATs, of which the linker keeps one copy: the first, in
/// the order of the command line. The others, and what is associated with them
/// (their debug symbols, unwind tables), it never reads. An object's symbol
/// table, which the linker reads anyway, tells all this.
///
/// Advice, as all of a plan: where this is wrong (a name in a bitcode file, an
/// object that the linker replaces by a larger one), a section is fetched for
/// nothing or read by the linker itself.
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
#include <vector>

namespace headstart {

/// Who comes first. Every function may be called from any thread.
class ComdatTable {
public:
  /// \p MaxNames bounds its memory (some 32 bytes a name): names beyond are
  /// not entered, and every copy is fetched.
  explicit ComdatTable(size_t MaxNames = size_t(16) << 20)
      : MaxNamesPerShard(MaxNames / NumShards) {}

  /// Enters the names of input number \p Order, and tells by section (bit 0 is
  /// section 1) which the linker will drop, as far as the inputs entered until
  /// now show. In the order of the inputs the answer is exact; an input that
  /// comes late is not known to those behind it, which then keep their copies.
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
