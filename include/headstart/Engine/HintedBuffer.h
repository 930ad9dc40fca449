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

#include "headstart/LLVM.h"
#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headstart {

namespace os {
class PageTables;
} // namespace os

/// A file of at least this many bytes is mapped, a smaller one is read: LLVM's
/// own rule (lib/Support/MemoryBuffer.cpp, shouldUseMmap), kept so that the
/// linker's address space looks as it would without us. LLVM has the 4096 as a
/// number, on all systems.
constexpr uint64_t minMappedBytes(uint64_t PageBytes) {
  return PageBytes < 4 * 4096 ? 4 * 4096 : PageBytes;
}

/// The bytes of one regular file: a read-only mapping, or a buffer of LLVM's
/// (a copy on the heap, or what a caller has wrapped). Hints act on what is
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

  /// Takes all pages out of the page tables: the linker needs none of them for
  /// some time. `touched` still tells of them.
  void dontNeed(const os::PageCache &Cache) const;
  /// What the linker has touched since it was mapped, in order and disjoint;
  /// nothing where the system does not tell. See PageTables::present.
  std::optional<std::vector<ByteRange>> touched(os::PageTables &Tables) const;
  /// Asks for \p Range to be read into memory, and does not wait: a hint.
  os::HintResult willNeed(ByteRange Range, const os::PageCache &Cache) const;
  /// Says that \p Range is not needed soon: its memory may be taken first. The
  /// bytes stay readable. A hint.
  void adviseCold(ByteRange Range, const os::PageCache &Cache) const;
  /// Whether an access to a page that is not cached may read what lies around
  /// it. A hint.
  void setReadAround(bool IsAllowed, const os::PageCache &Cache) const {
    if (isMapped())
      (void)Cache.setReadAround(Mapping, IsAllowed);
  }
  /// How much of \p Range is in memory; nothing where the system does not tell.
  std::optional<os::Residency> residency(ByteRange Range,
                                         const os::PageCache &Cache) const;

private:
  std::span<const char> part(ByteRange Range) const;

  mutable std::mutex Mutex;
  /// Of all calls of `touched`. Guarded by Mutex.
  mutable std::vector<ByteRange> Touched;
};

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
  /// cannot keep what \p Request asks for. The maker of the contents has
  /// asked for them: `willNeedIfMmap` does nothing. The buffer shares in the
  /// contents and may outlive their maker. Reads nothing.
  static std::unique_ptr<HintedBuffer>
  over(std::shared_ptr<const FileContents> Contents, llvm::StringRef Identifier,
       const BufferRequest &Request, const os::PageCache &Cache);

  /// See FileContents, for these.
  os::HintResult willNeed(ByteRange Range) const {
    return Contents->willNeed(Range, Cache);
  }
  void adviseCold(ByteRange Range) const { Contents->adviseCold(Range, Cache); }
  std::optional<os::Residency> residency(ByteRange Range) const {
    return Contents->residency(Range, Cache);
  }

  llvm::StringRef getBufferIdentifier() const override { return Identifier; }
  BufferKind getBufferKind() const override;
  void dontNeedIfMmap() override;
  /// All of it, in steps that are really done.
  void willNeedIfMmap() HEADSTART_OVERRIDES_WILL_NEED {
    if (!IsRequested)
      willNeed({0, getBufferSize()});
  }

private:
  HintedBuffer(std::shared_ptr<const FileContents> Contents,
               llvm::StringRef Identifier, bool RequiresNullTerminator,
               const os::PageCache &Cache);

  std::shared_ptr<const FileContents> Contents;
  std::string Identifier;
  os::PageCache Cache; // a copy: a few words, and no life to keep track of
  bool IsRequested = false;
};

} // namespace headstart

#endif // HEADSTART_ENGINE_HINTEDBUFFER_H
