//===- FileContents.cpp - The bytes of an input, mapped or read -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/FileContents.h"

using namespace llvm;

namespace headstart {

namespace {

class SharedBuffer final : public MemoryBuffer {
public:
  SharedBuffer(std::shared_ptr<const FileContents> Shared, StringRef Identifier,
               const os::PageCache &Cache, bool RequiresNullTerminator)
      : Contents(std::move(Shared)), Identifier(Identifier), Cache(Cache) {
    StringRef Bytes = Contents->bytes();
    init(Bytes.begin(), Bytes.end(), RequiresNullTerminator);
  }

  StringRef getBufferIdentifier() const override { return Identifier; }

  BufferKind getBufferKind() const override {
    return Contents->isMapped() ? MemoryBuffer_MMap : MemoryBuffer_Malloc;
  }

  void dontNeedIfMmap() override {
    if (Contents->isMapped())
      (void)Cache.dontNeed(Contents->Mapping, {0, Contents->Mapping.size()});
  }

  // The engine has asked already, in a better order: willNeedIfMmap is nothing.

private:
  std::shared_ptr<const FileContents> Contents;
  std::string Identifier;
  os::PageCache Cache; // a copy: a few words, and no life to keep track of
};

} // namespace

std::unique_ptr<MemoryBuffer>
makeSharedBuffer(std::shared_ptr<const FileContents> Contents,
                 StringRef Identifier, const BufferRequest &Request,
                 const os::PageCache &Cache) {
  // A caller that expects the file to change under it wants a private copy.
  if (Request.IsVolatile)
    return nullptr;
  StringRef Bytes = Contents->bytes();
  if (Request.Alignment && !isAddrAligned(*Request.Alignment, Bytes.data()))
    return nullptr;
  // Past the end of a mapped file the rest of its last page is zero; there is
  // no rest when the file ends with the page.
  if (Request.RequiresNullTerminator && Contents->isMapped() &&
      Bytes.size() % Cache.pageSize() == 0)
    return nullptr;
  return std::make_unique<SharedBuffer>(std::move(Contents), Identifier, Cache,
                                        Request.RequiresNullTerminator);
}

} // namespace headstart
