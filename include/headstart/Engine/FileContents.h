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
/// left with a mapping that is gone.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_FILECONTENTS_H
#define HEADSTART_ENGINE_FILECONTENTS_H

#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>

namespace headstart {

/// A file of at least this many bytes is mapped, a smaller one is read: LLVM's
/// own rule (lib/Support/MemoryBuffer.cpp, shouldUseMmap), kept so that the
/// linker's address space looks as it would without us.
inline constexpr uint64_t MinMappedBytes = 4 * 4096;

/// The bytes of one regular file: a read-only mapping, or a copy with a null
/// behind it.
struct FileContents {
  os::MappedFile Mapping;
  std::unique_ptr<llvm::WritableMemoryBuffer> Copy;

  bool isMapped() const { return Mapping.isMapped(); }
  llvm::StringRef bytes() const {
    return isMapped() ? llvm::StringRef(Mapping.data(), Mapping.size())
                      : static_cast<llvm::MemoryBuffer &>(*Copy).getBuffer();
  }
};

/// What a caller of `llvm::MemoryBuffer::getFile` asks for.
struct BufferRequest {
  bool RequiresNullTerminator = true;
  bool IsVolatile = false;
  std::optional<llvm::Align> Alignment;
};

/// A buffer over \p Contents under the name \p Identifier, of the kind and with
/// the guarantees that LLVM's own would have; null where these contents cannot
/// keep what \p Request asks for. The buffer shares in the contents: it may
/// outlive the engine. Reads nothing.
std::unique_ptr<llvm::MemoryBuffer>
makeSharedBuffer(std::shared_ptr<const FileContents> Contents,
                 llvm::StringRef Identifier, const BufferRequest &Request,
                 const os::PageCache &Cache);

} // namespace headstart

#endif // HEADSTART_ENGINE_FILECONTENTS_H
