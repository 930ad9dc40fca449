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

#include "headstart/Engine/FileContents.h"
#include "headstart/OS/ByteRange.h"
#include "headstart/OS/PageCache.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>

namespace headstart {

/// What a caller of `llvm::MemoryBuffer::getFile` asks for.
struct BufferRequest {
  bool RequiresNullTerminator = true;
  bool IsVolatile = false;
  std::optional<llvm::Align> Alignment;
};

/// A buffer over shared bytes, or around any other buffer, whose bytes, name
/// and kind it has. The hints may be given from any thread.
class HintedBuffer final : public llvm::MemoryBuffer {
public:
  /// Wraps \p Buffer, which it owns. \p Cache is copied.
  explicit HintedBuffer(std::unique_ptr<llvm::MemoryBuffer> Buffer,
                        const os::PageCache &Cache = os::PageCache());

  /// A buffer over \p Contents under the name \p Identifier, of the kind and
  /// with the guarantees that LLVM's own would have; null where these contents
  /// cannot keep what \p Request asks for. Whoever made the contents has asked
  /// for them: `willNeedIfMmap` does nothing. The buffer shares in the contents
  /// and may outlive whoever made them. Reads nothing.
  static std::unique_ptr<HintedBuffer>
  over(std::shared_ptr<const FileContents> Contents, llvm::StringRef Identifier,
       const BufferRequest &Request, const os::PageCache &Cache);

  /// See FileContents, for these.
  os::HintResult willNeed(ByteRange Range) const {
    return Contents->willNeed(Range, Cache);
  }
  void notNeededSoon(ByteRange Range) const {
    Contents->notNeededSoon(Range, Cache);
  }
  std::optional<os::Residency> residency(ByteRange Range) const {
    return Contents->residency(Range, Cache);
  }

  llvm::StringRef getBufferIdentifier() const override { return Identifier; }
  BufferKind getBufferKind() const override;
  void dontNeedIfMmap() override;
  /// All of it, in steps that are really done.
  void willNeedIfMmap() override {
    if (!IsAskedFor)
      willNeed({0, getBufferSize()});
  }

private:
  HintedBuffer(std::shared_ptr<const FileContents> Contents,
               llvm::StringRef Identifier, bool RequiresNullTerminator,
               const os::PageCache &Cache);

  std::shared_ptr<const FileContents> Contents;
  std::string Identifier;
  os::PageCache Cache; // a copy: a few words, and no life to keep track of
  bool IsAskedFor = false;
};

} // namespace headstart

#endif // HEADSTART_ENGINE_HINTEDBUFFER_H
