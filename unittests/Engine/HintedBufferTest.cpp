//===- HintedBufferTest.cpp - Hints for parts of any MemoryBuffer ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/HintedBuffer.h"
#include "EngineTestSupport.h"

using namespace headstart;
using namespace headstart::test;
using llvm::MemoryBuffer;

namespace {

class HintedBufferTest : public testing::Test {
protected:
  /// Returns LLVM's own mapping of a file that is not cached.
  HintedBuffer coldBuffer(size_t Size) {
    std::string Path = Directory.write("cold.obj", pattern(Size));
    evict({Path});
    auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    EXPECT_TRUE(bool(Buffer));
    return HintedBuffer(std::move(*Buffer));
  }

  static os::Residency residency(const HintedBuffer &B, ByteRange Range) {
    return os::PageCache()
        .residency(std::span(B.getBufferStart() + Range.Offset, Range.Length))
        .value_or(os::Residency());
  }

  TestDirectory Directory;
};

TEST_F(HintedBufferTest, KeepsBytesNameAndKind) {
  HintedBuffer B = coldBuffer(100000);
  EXPECT_EQ(B.getBufferKind(), MemoryBuffer::MemoryBuffer_MMap);
  EXPECT_EQ(B.getBufferIdentifier(), Directory.path("cold.obj"));
  EXPECT_EQ(B.getBuffer(), pattern(100000));
}

TEST_F(HintedBufferTest, HintsOnlyRequestedPart) {
  HintedBuffer B = coldBuffer(1 << 20);
  ByteRange Middle{512 * 1024, 64 * 1024};
  ASSERT_EQ(residency(B, Middle).ResidentPages, 0U);
  os::HintResult Result = B.willNeed(Middle);
  EXPECT_EQ(Result.Outcome, os::HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, Middle.Length);
  // Reading waits for the requests that the hint has begun.
  std::string Bytes = B.getBuffer().substr(Middle.Offset, Middle.Length).str();
  EXPECT_EQ(Bytes, pattern(1 << 20).substr(Middle.Offset, Middle.Length));
  EXPECT_TRUE(residency(B, Middle).complete());
  EXPECT_FALSE(residency(B, {0, B.getBufferSize()}).complete());
}

TEST_F(HintedBufferTest, HintsWholeBufferInSeveralCalls) {
  HintedBuffer B = coldBuffer(1 << 20);
  os::HintResult Result = B.willNeed({0, B.getBufferSize()});
  // Other systems load at most the disk's readahead per call.
  if (!os::test::OnWindows)
    EXPECT_GT(Result.Calls, 1U);
  EXPECT_EQ(Result.AcceptedBytes, B.getBufferSize());
  EXPECT_EQ(B.getBuffer(), pattern(1 << 20));
  EXPECT_TRUE(residency(B, {0, B.getBufferSize()}).complete());
}

TEST_F(HintedBufferTest, CutsRangesPastEnd) {
  HintedBuffer B = coldBuffer(100000);
  EXPECT_EQ(B.willNeed({99990, 100000}).AcceptedBytes, 10U);
  EXPECT_EQ(B.willNeed({200000, UINT64_MAX}).AcceptedBytes, 0U);
  EXPECT_EQ(B.getBuffer(), pattern(100000));
}

TEST_F(HintedBufferTest, HeapBufferIsResidentAndKeepsContents) {
  std::string Text = pattern(100000);
  HintedBuffer B(MemoryBuffer::getMemBufferCopy(Text, "heap"));
  EXPECT_EQ(B.willNeed({0, 50}).AcceptedBytes, 50U);
  B.dontNeedIfMmap();
  B.willNeedIfMmap();
  EXPECT_EQ(B.getBuffer(), Text);
}

} // namespace
