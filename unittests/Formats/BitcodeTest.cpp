//===- BitcodeTest.cpp - The parts of bitcode -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/Bitcode.h"
#include "BitcodeTestSupport.h"
#include "FormatsTestSupport.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {
constexpr uint64_t KiB = 1024;

std::vector<LayoutPart> partsOf(const std::string &File) {
  HeadOnly Source(File);
  return readBitcodeParts(Source);
}

/// Ends the module and the file.
std::string finish(BitcodeWriter &Out) {
  Out.endModule();
  Out.blob(bitc::STRTAB_BLOCK_ID, std::string(256, 'x'));
  return Out.bytes();
}
} // namespace

TEST(BitcodeTest, FindsMetadataBetweenTypesAndFunctions) {
  for (uint64_t TypeBytes : {4 * KiB, 700 * KiB}) {
    BitcodeWriter Out;
    Out.block(bitc::TYPE_BLOCK_ID_NEW, TypeBytes);
    const ByteRange Metadata = Out.block(bitc::METADATA_BLOCK_ID, 300 * KiB);
    Out.block(bitc::FUNCTION_BLOCK_ID, 8 * KiB);
    const ByteRange Module = Out.endModule();
    Out.blob(bitc::STRTAB_BLOCK_ID, std::string(256, 'x'));
    const std::string File = Out.bytes();
    const auto Part = [](uint64_t Begin, uint64_t End, PartKind Kind) {
      return LayoutPart{{Begin, End - Begin}, Kind};
    };
    EXPECT_THAT(
        partsOf(File),
        ElementsAre(Part(0, Module.Offset, PartKind::Symbols),
                    Part(Module.Offset, Metadata.Offset, PartKind::Bitcode),
                    LayoutPart{Metadata, PartKind::BitcodeMetadata},
                    Part(Metadata.end(), Module.end(), PartKind::Bitcode),
                    Part(Module.end(), File.size(), PartKind::Symbols)));
  }
}

/// A head may end with a block, and what precedes the metadata may exceed the
/// largest one.
TEST(BitcodeTest, ReadsHeadsUntilMetadata) {
  const auto NumParts = [](uint64_t TypeBytes) {
    BitcodeWriter Out;
    Out.block(bitc::TYPE_BLOCK_ID_NEW, TypeBytes);
    Out.block(bitc::METADATA_BLOCK_ID, 300 * KiB);
    return partsOf(finish(Out)).size();
  };
  for (uint64_t Bytes = 64 * KiB - 100; Bytes <= 64 * KiB; Bytes += 4)
    EXPECT_EQ(NumParts(Bytes), 5U) << Bytes;
  EXPECT_EQ(NumParts(3000 * KiB), 3U);
}

TEST(BitcodeTest, SkipsFewAbbreviations) {
  for (const unsigned Count : {900, 1100}) {
    BitcodeWriter Out;
    Out.abbreviations(Count);
    Out.block(bitc::METADATA_BLOCK_ID, 300 * KiB);
    EXPECT_EQ(partsOf(finish(Out)).size(), Count == 900 ? 5U : 0U);
  }
}

TEST(BitcodeTest, ReadsOnlyWhatPrecedesMetadata) {
  BitcodeWriter Out;
  const ByteRange Metadata = Out.block(bitc::METADATA_BLOCK_ID, 600 * KiB);
  const std::string File = finish(Out);
  HeadOnly Source(File.substr(0, 64 * KiB), File.size());
  EXPECT_EQ(readBitcodeParts(Source).at(2).Range, Metadata);
}

TEST(BitcodeTest, SkipsWrapper) {
  BitcodeWriter Out;
  const ByteRange Metadata = Out.block(bitc::METADATA_BLOCK_ID, 300 * KiB);
  std::string Wrapper("\xDE\xC0\x17\x0B\0\0\0\0\x20\0\0\0", 12);
  Wrapper.resize(32);
  EXPECT_EQ(partsOf(Wrapper + finish(Out)).at(2).Range.Offset,
            Metadata.Offset + 32);
}

TEST(BitcodeTest, ModuleMayLackMetadata) {
  BitcodeWriter Out;
  Out.block(bitc::FUNCTION_BLOCK_ID, 300 * KiB);
  // This is not the module's.
  Out.block(bitc::METADATA_BLOCK_ID, 300 * KiB);
  const ByteRange Module = Out.endModule();
  Out.blob(bitc::STRTAB_BLOCK_ID, std::string(256, 'x'));
  const std::vector<LayoutPart> Parts = partsOf(Out.bytes());
  ASSERT_EQ(Parts.size(), 3U);
  EXPECT_EQ(Parts[1].Range, Module);
  EXPECT_EQ(Parts[1].Kind, PartKind::Bitcode);
  BitcodeWriter Empty;
  EXPECT_EQ(partsOf(finish(Empty)).size(), 3U);
}

TEST(BitcodeTest, HasNoPartsIfBroken) {
  BitcodeWriter Out;
  Out.block(bitc::TYPE_BLOCK_ID_NEW, 90 * KiB);
  const ByteRange Metadata = Out.block(bitc::METADATA_BLOCK_ID, 300 * KiB);
  const std::string File = finish(Out);
  for (uint64_t Size = 0; Size < Metadata.Offset; Size += 997)
    EXPECT_THAT(partsOf(File.substr(0, Size)), IsEmpty()) << Size;
  // A block ends where the file does.
  EXPECT_THAT(partsOf(File.substr(0, Metadata.Offset - 8)), IsEmpty());
  EXPECT_THAT(partsOf("\xDE\xC0\x17\x0B" + File), IsEmpty());
  // The wrapper's module begins with the last bytes.
  const std::string Wrapper("\xDE\xC0\x17\x0B\0\0\0\0\x17\0\0\0", 12);
  for (uint64_t Size = 20; Size != 27; ++Size)
    EXPECT_THAT(partsOf(Wrapper + std::string(Size - 12, 'B')), IsEmpty());
  EXPECT_THAT(partsOf("BC\xC0\xDF" + File), IsEmpty());
  // Metadata that claim more bytes than the file has end with it.
  const std::vector<LayoutPart> Cut = partsOf(File.substr(0, 200 * KiB));
  ASSERT_EQ(Cut.size(), 3U);
  EXPECT_EQ(Cut[2].Range.end(), 200 * KiB);
}
