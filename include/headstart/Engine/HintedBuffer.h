//===- HintedBuffer.h - Hints for parts of any MemoryBuffer -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The MemoryBuffer extension: a buffer that takes hints for parts of itself.
/// LLVM's own `willNeedIfMmap` and `dontNeedIfMmap` know only all of it, in one
/// call, of which Linux does at most the device's readahead.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_HINTEDBUFFER_H
#define HEADSTART_ENGINE_HINTEDBUFFER_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/PageCache.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>

namespace headstart {

/// Wraps any MemoryBuffer, which it owns; the bytes, the name and the kind stay
/// those of the wrapped one. Hints act on mapped buffers; for one on the heap
/// all is in memory already, and there is nothing to do. A range past the end
/// is cut to the end. The hints may be given from any thread.
class HintedBuffer final : public llvm::MemoryBuffer {
public:
  /// \p Wrapped must not be null. \p Cache is copied.
  explicit HintedBuffer(std::unique_ptr<llvm::MemoryBuffer> Wrapped,
                        const os::PageCache &Cache = os::PageCache());

  /// Asks for \p Range to be read into memory, and does not wait: a hint.
  os::HintResult willNeed(ByteRange Range) const;

  /// Says that \p Range is not needed soon: its memory may be taken first.
  /// The bytes stay readable. A hint.
  void dontNeed(ByteRange Range) const;

  /// How much of \p Range is in memory; nothing where the system does not tell.
  std::optional<os::Residency> residency(ByteRange Range) const;
  /// The same for all of the buffer.
  std::optional<os::Residency> residency() const;

  llvm::StringRef getBufferIdentifier() const override {
    return Wrapped->getBufferIdentifier();
  }
  BufferKind getBufferKind() const override { return Wrapped->getBufferKind(); }
  void dontNeedIfMmap() override { Wrapped->dontNeedIfMmap(); }
  /// All of it, in steps that are really done.
  void willNeedIfMmap() override { willNeed({0, getBufferSize()}); }

private:
  bool isMapped() const { return getBufferKind() == MemoryBuffer_MMap; }
  std::span<const char> part(ByteRange Range) const;

  std::unique_ptr<llvm::MemoryBuffer> Wrapped;
  os::PageCache Cache;
};

} // namespace headstart

#endif // HEADSTART_ENGINE_HINTEDBUFFER_H
