//===- FilePart.cpp - Part of a file, read in windows ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilePart.h"

using namespace llvm;

namespace headstart::coff {

StringRef FileWindow::bytes(uint64_t Offset, uint64_t Length) {
  if (Offset > File.size() || Length > File.size() - Offset)
    return {};
  if (Offset < Begin || Offset + Length > Begin + Buffer.size()) {
    // Whole pages, which the disk brings in any case.
    constexpr uint64_t Page = 4096;
    Begin = Offset / Page * Page;
    uint64_t End = (Offset + Length + Page - 1) / Page * Page;
    Buffer.resize_for_overwrite(std::min(End, File.size()) - Begin);
    std::error_code Error;
    size_t Read = File.readAt(Begin, Buffer, Error);
    Buffer.truncate(Error ? 0 : Read);
  }
  // The file may have shrunk.
  uint64_t Skip = Offset - Begin;
  if (Skip > Buffer.size() || Length > Buffer.size() - Skip)
    return {};
  return {Buffer.data() + Skip, static_cast<size_t>(Length)};
}

} // namespace headstart::coff
