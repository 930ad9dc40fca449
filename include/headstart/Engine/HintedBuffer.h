//===- HintedBuffer.h - Hints for parts of any MemoryBuffer -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A MemoryBuffer that takes hints for parts of itself. LLVM's own
/// `willNeedIfMmap` and `dontNeedIfMmap` apply to the whole buffer in one call,
/// of which Linux executes at most the device's readahead.
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

/// The size from which files are mapped; smaller files are read. LLVM has the
/// same rule, with the 4096 on all systems (lib/Support/MemoryBuffer.cpp,
/// shouldUseMmap).
constexpr uint64_t minMappedBytes(uint64_t PageBytes) {
  return PageBytes < 4 * 4096 ? 4 * 4096 : PageBytes;
}

/// The bytes of one regular file: a read-only mapping, or an LLVM buffer (a
/// copy on the heap, or a buffer that a caller has wrapped). Hints act on
/// mapped bytes only. Ranges are clipped to the end of the file. Any thread.
struct FileContents {
  os::MappedFile Mapping;
  std::unique_ptr<llvm::MemoryBuffer> Buffer;

  FileContents() = default;
  explicit FileContents(std::unique_ptr<llvm::MemoryBuffer> Buffer)
      : Buffer(std::move(Buffer)) {}

  bool isMapped() const;
  llvm::StringRef bytes() const {
    return Buffer ? Buffer->getBuffer()
                  : llvm::StringRef(Mapping.data(), Mapping.size());
  }

  /// Removes all pages from the page tables, because the linker needs none of
  /// them for some time. `touched` still reports them.
  void dontNeed(const os::PageCache &Cache) const;
  /// The ranges that the linker has touched since the mapping, in order and
  /// disjoint; nullopt if not reported. See PageTables::present.
  std::optional<std::vector<ByteRange>> touched(os::PageTables &Tables) const;
  /// Marks \p Range as not needed soon, so that the system may evict it first.
  /// The bytes stay readable. A hint.
  void adviseCold(ByteRange Range, const os::PageCache &Cache) const;

  /// The bytes of \p Range of the mapping, which this owns; none of a copy.
  std::span<const char> part(ByteRange Range) const;

private:
  mutable std::mutex Mutex;
  /// The union of what all calls of `touched` found. Guarded by Mutex.
  mutable std::vector<ByteRange> Touched;
};

/// The requirements of a caller of `llvm::MemoryBuffer::getFile`.
struct BufferRequest {
  bool RequiresNullTerminator = true;
  bool IsVolatile = false;
  std::optional<llvm::Align> Alignment;
};

/// A buffer over shared bytes, or a wrapper that has the bytes, name and kind
/// of another buffer. Any thread may give hints.
class HintedBuffer final : public llvm::MemoryBuffer {
public:
  /// Wraps and owns \p Buffer. Copies \p Cache.
  explicit HintedBuffer(std::unique_ptr<llvm::MemoryBuffer> Buffer,
                        const os::PageCache &Cache = os::PageCache());

  /// Returns a buffer over \p Contents with the name \p Identifier and with the
  /// kind and guarantees of LLVM's own; null if the contents cannot satisfy
  /// \p Request. The creator of the contents has requested their bytes already,
  /// so `willNeedIfMmap` does nothing. The buffer shares ownership of the
  /// contents and may outlive their creator. Reads nothing.
  static std::unique_ptr<HintedBuffer>
  over(std::shared_ptr<const FileContents> Contents, llvm::StringRef Identifier,
       const BufferRequest &Request, const os::PageCache &Cache);

  /// Requests that \p Range be read into memory, without waiting. A hint.
  os::HintResult willNeed(ByteRange Range) const;

  llvm::StringRef getBufferIdentifier() const override { return Identifier; }
  BufferKind getBufferKind() const override;
  void dontNeedIfMmap() override;
  /// Requests the whole buffer, in steps that the system executes in full.
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
  os::PageCache Cache; // small; a copy has no lifetime to track
  bool IsRequested = false;
};

} // namespace headstart

#endif // HEADSTART_ENGINE_HINTEDBUFFER_H
