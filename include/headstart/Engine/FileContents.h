//===- FileContents.h - The bytes of an input, mapped or read ---*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The bytes of one input, as the engine holds them and as the linker gets
/// them: shared, so that neither a thread of the engine nor the linker can be
/// left with a mapping that is gone; and the hints for ranges of them.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_FILECONTENTS_H
#define HEADSTART_ENGINE_FILECONTENTS_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <span>

namespace headstart {

/// A file of at least this many bytes is mapped, a smaller one is read: LLVM's
/// own rule (lib/Support/MemoryBuffer.cpp, shouldUseMmap), kept so that the
/// linker's address space looks as it would without us.
inline constexpr uint64_t MinMappedBytes = 4 * 4096;

/// The bytes of one regular file: a read-only mapping, or a buffer of LLVM's
/// (a copy on the heap, or whatever somebody has wrapped). Hints act on what is
/// mapped; for what is on the heap all is in memory already, and there is
/// nothing to do. A range past the end is cut to the end. Any thread.
struct FileContents {
  os::MappedFile Mapping;
  std::unique_ptr<llvm::MemoryBuffer> Buffer;

  bool isMapped() const;
  llvm::StringRef bytes() const {
    return Buffer ? Buffer->getBuffer()
                  : llvm::StringRef(Mapping.data(), Mapping.size());
  }

  /// Asks for \p Range to be read into memory, and does not wait: a hint.
  os::HintResult willNeed(ByteRange Range, const os::PageCache &Cache) const;
  /// Says that \p Range is not needed soon: its memory may be taken first. The
  /// bytes stay readable. A hint.
  void notNeededSoon(ByteRange Range, const os::PageCache &Cache) const;
  /// How much of \p Range is in memory; nothing where the system does not tell.
  std::optional<os::Residency> residency(ByteRange Range,
                                         const os::PageCache &Cache) const;

private:
  std::span<const char> part(ByteRange Range) const;
};

} // namespace headstart

#endif // HEADSTART_ENGINE_FILECONTENTS_H
