//===- Record.cpp - The form of the files that Headstart keeps ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/Record.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace headstart {

static constexpr uint64_t ChecksumBytes = 8;

static Error bad(const Twine &What) { return createStringError(What); }

void addChecksum(std::string &Bytes) {
  char Checksum[ChecksumBytes];
  support::endian::write64le(Checksum, xxh3_64bits(Bytes));
  Bytes.append(Checksum, sizeof(Checksum));
}

Expected<StringRef> recordContent(StringRef Bytes, StringRef Magic,
                                  StringRef Kind) {
  if (!Bytes.starts_with(Magic))
    return bad(Bytes.starts_with(Magic.take_until(isDigit))
                   ? "another version of Headstart wrote this " + Kind
                   : "this is not a " + Kind);
  if (Bytes.size() < Magic.size() + ChecksumBytes)
    return bad("the file ends early, at byte " + Twine(Bytes.size()));
  StringRef Content = Bytes.drop_back(ChecksumBytes);
  if (support::endian::read64le(Content.end()) != xxh3_64bits(Content))
    return bad("the checksum is wrong: the file is truncated or damaged");
  return Content.drop_front(Magic.size());
}

Expected<std::unique_ptr<MemoryBuffer>>
readRecordFile(const std::string &Path, uint64_t MaxBytes, StringRef Kind) {
  os::OpenFile File;
  if (std::error_code E = os::OpenFile::open(Path, File))
    return bad(E.message());
  if (File.size() > MaxBytes)
    return bad("the file is larger than any " + Kind);
  std::unique_ptr<WritableMemoryBuffer> Bytes =
      WritableMemoryBuffer::getNewUninitMemBuffer(File.size());
  std::error_code Error;
  if (!Bytes || File.readAt(0, {Bytes->getBufferStart(), File.size()}, Error) !=
                    File.size())
    return bad("the file cannot be read");
  return Bytes;
}

/// Whether \p File begins with \p Start.
static bool startsWith(const os::OpenFile &File, StringRef Start) {
  std::error_code Error;
  SmallString<32> Head;
  Head.resize_for_overwrite(Start.size());
  Head.truncate(File.readAt(0, Head, Error));
  return Head == Start;
}

bool startsLikeRecord(const std::string &Path, StringRef Start) {
  os::OpenFile File;
  return !os::OpenFile::open(Path, File) && startsWith(File, Start);
}

bool mayReplaceRecord(const std::string &Path, StringRef Start) {
  os::OpenFile File;
  if (std::error_code Error = os::OpenFile::open(Path, File))
    return os::isMissing(Error);
  return File.size() == 0 || startsWith(File, Start);
}

std::string withUniqueEnd(const Twine &Begin) {
  SmallString<8> End;
  sys::fs::createUniquePath("%%%%%%", End, /*MakeAbsolute=*/false);
  return (Begin + End).str();
}

Error replaceFile(const std::string &Path,
                  function_ref<void(raw_ostream &)> Write,
                  function_ref<bool(StringRef)> MayReplace) {
  SmallString<256> Target;
  if (sys::fs::real_path(Path, Target))
    Target = Path;
  // Write a file next to the target, and then rename it. Do not use LLVM's
  // writeToOutput, which ends the program if the disk is full, or its TempFile,
  // which replaces each '%' of the path.
  const std::string New = withUniqueEnd(Target + ".tmp");
  int FD = -1;
  std::error_code Failed = sys::fs::openFileForWrite(
      New, FD, sys::fs::CD_CreateNew, sys::fs::OF_None);
  if (Failed)
    return errorCodeToError(Failed);
  (void)sys::RemoveFileOnSignal(New);
  {
    raw_fd_ostream OS(FD, /*shouldClose=*/true);
    if (MayReplace && !MayReplace(New)) {
      Failed = std::make_error_code(std::errc::operation_not_permitted);
    } else {
      Write(OS);
    }
    OS.close();
    if (!Failed)
      Failed = OS.error();
    OS.clear_error();
  }
  // The system may forbid another file at the name, but not other contents.
  if (!Failed && sys::fs::rename(New, Target))
    Failed = sys::fs::copy_file(New, Target);
  (void)sys::fs::remove(New);
  sys::DontRemoveFileOnSignal(New);
  return errorCodeToError(Failed);
}

} // namespace headstart
