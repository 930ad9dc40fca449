//===- BitcodeTestSupport.h - Writes bitcode for tests ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FORMATS_BITCODETESTSUPPORT_H
#define HEADSTART_UNITTESTS_FORMATS_BITCODETESTSUPPORT_H

#include "headstart/OS/ByteRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitstreamWriter.h"
#include <memory>
#include <string>
#include <utility>

namespace headstart::test {

namespace bitc = llvm::bitc;

/// Writes a module, and what follows it, as LLVM does.
class BitcodeWriter {
public:
  BitcodeWriter() : Stream(Bytes) {
    for (char C : {'B', 'C', '\xC0', '\xDE'})
      Stream.Emit(static_cast<unsigned char>(C), 8);
    block(bitc::IDENTIFICATION_BLOCK_ID, 16);
    Stream.EnterSubblock(bitc::MODULE_BLOCK_ID, 3);
    Module.Offset = Stream.GetCurrentBitNo() / 8;
    // A record by an abbreviation, and one without.
    auto Abbrev = std::make_shared<llvm::BitCodeAbbrev>();
    Abbrev->Add(llvm::BitCodeAbbrevOp(bitc::MODULE_CODE_SOURCE_FILENAME));
    Abbrev->Add(llvm::BitCodeAbbrevOp(llvm::BitCodeAbbrevOp::Array));
    Abbrev->Add(llvm::BitCodeAbbrevOp(llvm::BitCodeAbbrevOp::Fixed, 8));
    const unsigned ID = Stream.EmitAbbrev(std::move(Abbrev));
    llvm::SmallVector<unsigned, 3> Name = {'a', '.', 'c'};
    Stream.EmitRecord(bitc::MODULE_CODE_SOURCE_FILENAME, Name, ID);
    Stream.EmitRecord(bitc::MODULE_CODE_VERSION,
                      llvm::SmallVector<unsigned, 1>{2});
  }

  /// Writes a block of \p Size bytes, and returns the range of its contents.
  ByteRange block(unsigned ID, uint64_t Size) {
    Stream.EnterSubblock(ID, 3);
    const uint64_t Begin = Stream.GetCurrentBitNo() / 8;
    for (uint64_t I = 4; I < Size; I += 4)
      Stream.Emit(0, 32);
    Stream.ExitBlock();
    return {Begin, Stream.GetCurrentBitNo() / 8 - Begin};
  }

  /// Defines \p Count abbreviations of records.
  void abbreviations(unsigned Count) {
    for (unsigned I = 0; I != Count; ++I) {
      auto Abbrev = std::make_shared<llvm::BitCodeAbbrev>();
      Abbrev->Add(llvm::BitCodeAbbrevOp(1));
      Stream.EmitAbbrev(std::move(Abbrev));
    }
  }

  /// Ends the module, and returns the range of its contents.
  ByteRange endModule() {
    Stream.ExitBlock();
    Module.Length = Stream.GetCurrentBitNo() / 8 - Module.Offset;
    return Module;
  }

  /// Writes a block of one record with a blob, as after a module.
  void blob(unsigned ID, llvm::StringRef Bytes) {
    Stream.EnterSubblock(ID, 3);
    auto Abbrev = std::make_shared<llvm::BitCodeAbbrev>();
    Abbrev->Add(llvm::BitCodeAbbrevOp(1));
    Abbrev->Add(llvm::BitCodeAbbrevOp(llvm::BitCodeAbbrevOp::Blob));
    const unsigned Number = Stream.EmitAbbrev(std::move(Abbrev));
    Stream.EmitRecordWithBlob(Number, llvm::ArrayRef<unsigned>{1}, Bytes);
    Stream.ExitBlock();
  }

  /// Call it last.
  std::string bytes() {
    Stream.FlushToWord();
    return std::string(Bytes.begin(), Bytes.end());
  }

private:
  llvm::SmallVector<char, 0> Bytes;
  llvm::BitstreamWriter Stream;
  ByteRange Module;
};

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FORMATS_BITCODETESTSUPPORT_H
