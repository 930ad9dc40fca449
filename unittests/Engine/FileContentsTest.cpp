//===- FileContentsTest.cpp - Buffers over shared contents ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineTestSupport.h"
#include "headstart/Engine/HintedBuffer.h"
#include "headstart/OS/PageTables.h"

using namespace headstart;
using namespace headstart::test;
using llvm::MemoryBuffer;

namespace {

class FileContentsTest : public testing::Test {
protected:
  std::shared_ptr<const FileContents> mapped(size_t Size) {
    os::OpenFile File = openOrFail(Directory.write("mapped", pattern(Size)));
    auto Contents = std::make_shared<FileContents>();
    EXPECT_FALSE(os::MappedFile::map(File, Contents->Mapping));
    return Contents;
  }
  static std::shared_ptr<const FileContents> copied(llvm::StringRef Text) {
    auto Contents = std::make_shared<FileContents>();
    Contents->Buffer = llvm::MemoryBuffer::getMemBufferCopy(Text, "c");
    return Contents;
  }

  TestDirectory Directory;
  os::PageCache Cache;
};

TEST_F(FileContentsTest, MappedBufferHasKindOfLLVM) {
  auto Buffer = HintedBuffer::over(mapped(40000), "as/asked", likeLLD(), Cache);
  ASSERT_TRUE(Buffer);
  // lld uses the kind to decide whether to call dontNeedIfMmap.
  EXPECT_EQ(Buffer->getBufferKind(), MemoryBuffer::MemoryBuffer_MMap);
  EXPECT_EQ(Buffer->getBufferIdentifier(), "as/asked");
  EXPECT_EQ(Buffer->getBuffer(), pattern(40000));
}

TEST_F(FileContentsTest, CopyIsOnHeapAndNullTerminated) {
  auto Buffer = HintedBuffer::over(copied("bytes"), "x", {}, Cache);
  ASSERT_TRUE(Buffer);
  EXPECT_EQ(Buffer->getBufferKind(), MemoryBuffer::MemoryBuffer_Malloc);
  EXPECT_EQ(Buffer->getBuffer(), "bytes");
  EXPECT_EQ(*Buffer->getBufferEnd(), '\0');
}

TEST_F(FileContentsTest, NullNeedsRoomInLastPage) {
  BufferRequest WithNull;
  EXPECT_FALSE(
      HintedBuffer::over(mapped(5 * Cache.pageSize()), "x", WithNull, Cache));
  auto Buffer = HintedBuffer::over(mapped(5 * Cache.pageSize() - 1), "x",
                                   WithNull, Cache);
  ASSERT_TRUE(Buffer);
  EXPECT_EQ(*Buffer->getBufferEnd(), '\0');
}

TEST_F(FileContentsTest, DoesNotShareVolatileFile) {
  BufferRequest Request = likeLLD();
  Request.IsVolatile = true;
  EXPECT_FALSE(HintedBuffer::over(mapped(40000), "x", Request, Cache));
}

TEST_F(FileContentsTest, RefusesLargerAlignment) {
  BufferRequest Request = likeLLD();
  Request.Alignment = llvm::Align(4096);
  EXPECT_TRUE(HintedBuffer::over(mapped(40000), "x", Request, Cache));
  Request.Alignment = llvm::Align(uint64_t(1) << 40);
  EXPECT_FALSE(HintedBuffer::over(mapped(40000), "x", Request, Cache));
}

TEST_F(FileContentsTest, DontNeedKeepsContents) {
  auto Buffer = HintedBuffer::over(mapped(40000), "x", likeLLD(), Cache);
  Buffer->dontNeedIfMmap();
  Buffer->willNeedIfMmap();
  EXPECT_EQ(Buffer->getBuffer(), pattern(40000));
}

TEST_F(FileContentsTest, AdviseColdKeepsContents) {
  for (const auto &Contents : {mapped(40000), copied(pattern(40000))}) {
    Contents->adviseCold({0, UINT64_MAX}, Cache);
    EXPECT_EQ(Contents->bytes(), pattern(40000));
  }
}

TEST_F(FileContentsTest, RemembersTouchedPages) {
  auto Contents = mapped(40000);
  auto Buffer = HintedBuffer::over(Contents, "x", likeLLD(), Cache);
  EXPECT_EQ(Buffer->getBuffer(), pattern(40000));
  os::PageTables Tables;
  const std::optional<std::vector<ByteRange>> Before =
      Contents->touched(Tables);
  if (!Before)
    GTEST_SKIP() << "the system does not report page tables";
  Buffer->dontNeedIfMmap();
  EXPECT_EQ(Contents->touched(Tables), Before);
  EXPECT_EQ(*Before, std::vector<ByteRange>({{0, 40000}}));
}

TEST_F(FileContentsTest, BuffersKeepContentsAlive) {
  std::unique_ptr<MemoryBuffer> First, Second;
  {
    auto Contents = mapped(40000);
    First = HintedBuffer::over(Contents, "1", likeLLD(), Cache);
    Second = HintedBuffer::over(Contents, "2", likeLLD(), Cache);
  }
  First.reset();
  EXPECT_EQ(Second->getBuffer(), pattern(40000));
}

} // namespace
