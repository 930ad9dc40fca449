//===- FileWindow.h - Reading a file piece by piece -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Small pieces of a file, read a page or more at a
/// time. What readers of layouts ask for next mostly lies in the same page.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_FILEWINDOW_H
#define HEADSTART_ENGINE_FILEWINDOW_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <optional>

namespace headstart {

/// One thread's view of one file at a time. Keeps its memory.
class FileWindow {
public:
  /// Turns to \p File, which must stay open.
  void open(const os::OpenFile &File) {
    Source = &File;
    Begin = 0;
    Bytes.clear();
  }

  /// The bytes of \p Range, valid until the next call; nothing when they cannot
  /// be read as a whole. Blocks for the disk.
  std::optional<llvm::ArrayRef<char>> read(ByteRange Range) {
    if (Range.Offset < Begin || Range.end() > Begin + Bytes.size()) {
      if (Range.end() > Source->size())
        return std::nullopt;
      // The rest of the last page comes at no price; what follows a table is
      // mostly the next header.
      uint64_t End =
          std::min(llvm::alignTo(Range.end() + NextHeaderBytes, PageBytes),
                   Source->size());
      Begin = Range.Offset;
      Bytes.resize_for_overwrite(End - Begin);
      std::error_code Error;
      size_t Read = Source->readAt(Begin, {Bytes.data(), Bytes.size()}, Error);
      Bytes.truncate(Error ? 0 : Read);
      if (Bytes.size() < Range.Length)
        return std::nullopt;
    }
    return llvm::ArrayRef(Bytes).slice(Range.Offset - Begin, Range.Length);
  }

private:
  static constexpr uint64_t PageBytes = 4096;
  static constexpr uint64_t NextHeaderBytes = 128;

  const os::OpenFile *Source = nullptr;
  uint64_t Begin = 0;
  llvm::SmallVector<char, 0> Bytes;
};

} // namespace headstart

#endif // HEADSTART_ENGINE_FILEWINDOW_H
