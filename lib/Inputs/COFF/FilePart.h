//===- FilePart.h - Part of a file, read in windows -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the flavour: how its readers look into files. Whatever a file
/// says of offsets and sizes, no more is read than was asked for, and nothing
/// past the end.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_COFF_FILEPART_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_COFF_FILEPART_H

#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

namespace headstart::coff {

/// The pages of a file that were read last. Not for two threads at once.
class FileWindow {
public:
  /// \p File must outlive the window.
  explicit FileWindow(const os::OpenFile &File) : File(File) {}

  uint64_t fileSize() const { return File.size(); }

  /// The \p Length bytes at \p Offset, or nothing where the file does not hold
  /// all of them. Valid until the next call. Blocks for the disk.
  llvm::StringRef bytes(uint64_t Offset, uint64_t Length);

private:
  const os::OpenFile &File;
  llvm::SmallVector<char, 0> Buffer;
  uint64_t Begin = 0;
};

/// A part of a file: all of an object, or a member of an archive.
class FilePart {
public:
  explicit FilePart(FileWindow &Window)
      : Window(&Window), Size(Window.fileSize()) {}

  uint64_t size() const { return Size; }

  /// The \p Length bytes at \p Offset of the part, or nothing where the part
  /// does not hold all of them. Valid until the next call, of this or of any
  /// part of the same window. Blocks for the disk.
  llvm::StringRef bytes(uint64_t Offset, uint64_t Length) const {
    if (Offset > Size || Length > Size - Offset)
      return {};
    return Window->bytes(Begin + Offset, Length);
  }

  /// What of \p Length bytes at \p Offset lies within this part.
  FilePart part(uint64_t Offset, uint64_t Length) const {
    FilePart Result = *this;
    Offset = std::min(Offset, Size);
    Result.Begin += Offset;
    Result.Size = std::min(Length, Size - Offset);
    return Result;
  }

private:
  FileWindow *Window;
  uint64_t Begin = 0;
  uint64_t Size;
};

} // namespace headstart::coff

#endif // HEADSTART_LIB_INPUTS_COFF_FILEPART_H
