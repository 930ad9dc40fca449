//===- ByteSource.h - Bytes that a reader asks for --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where the readers of formats get their bytes from: a file, a part of a file,
/// or memory. They ask for what they need next, piece by piece.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_BYTESOURCE_H
#define HEADSTART_FORMATS_BYTESOURCE_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Magic.h"
#include <cstdint>
#include <cstring>
#include <optional>

namespace headstart {

/// A table of more bytes is not read: far above what any compiler writes, and
/// each is held in memory as a whole.
inline constexpr uint64_t MaxTableBytes = uint64_t(64) << 20;

/// One thread's.
class ByteSource {
public:
  virtual ~ByteSource() = default;

  uint64_t size() const { return Size; }

  /// The bytes of \p Range, valid until the next call; nothing where the source
  /// does not hold all of them, or they cannot be read. May block for the disk.
  std::optional<llvm::ArrayRef<char>> read(ByteRange Range) {
    return holds(Range) ? readInside(Range, nullptr) : std::nullopt;
  }

  /// The same, valid until \p Into is changed or the source is gone.
  std::optional<llvm::ArrayRef<char>> read(ByteRange Range,
                                           llvm::SmallVectorImpl<char> &Into) {
    return holds(Range) ? readInside(Range, &Into) : std::nullopt;
  }

  /// The first \p Length bytes, or all when there are fewer.
  std::optional<llvm::ArrayRef<char>> head(uint64_t Length) {
    return read(ByteRange{0, Length}.clippedTo(Size));
  }

  /// What stands at \p Offset, as it is in the file; nothing as above.
  template <typename T> std::optional<T> get(uint64_t Offset) {
    std::optional<llvm::ArrayRef<char>> Bytes = read({Offset, sizeof(T)});
    if (!Bytes)
      return std::nullopt;
    T Value;
    std::memcpy(&Value, Bytes->data(), sizeof(T));
    return Value;
  }

  /// The bytes of \p Ranges are read next: a file asks for all of them at once.
  /// A hint; does not wait.
  virtual void willRead(llvm::ArrayRef<ByteRange> Ranges) {}

protected:
  explicit ByteSource(uint64_t Size) : Size(Size) {}
  void setSize(uint64_t NewSize) { Size = NewSize; }

private:
  bool holds(ByteRange Range) const {
    return Range.Offset <= Size && Range.Length <= Size - Range.Offset;
  }
  /// \p Range lies inside. The bytes are put into \p Into, unless that is null
  /// or they stay where they are.
  virtual std::optional<llvm::ArrayRef<char>>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *Into) = 0;

  uint64_t Size; ///< bytes
};

/// Lets reads of a file begin.
class ReadGate {
public:
  virtual ~ReadGate() = default;
  /// A read begins; may wait. False: it must not, and fails.
  virtual bool begin() = 0;
  /// The read that began last has ended, with so many bytes.
  virtual void end(uint64_t Bytes) = 0;
};

/// A file, of which some pages are kept: what a reader asks for next mostly
/// lies in those that were read last.
class FileBytes final : public ByteSource {
public:
  FileBytes() : ByteSource(0) {}
  explicit FileBytes(const os::OpenFile &File) : FileBytes() { open(File); }

  /// Turns to \p File, which must stay open. Keeps its memory. Hints go through
  /// \p Cache, and nowhere when that is null. Reads go through \p Gate, if
  /// there is one; both must outlive this.
  void open(const os::OpenFile &File, const os::PageCache *Cache = nullptr,
            ReadGate *Gate = nullptr);

  void willRead(llvm::ArrayRef<ByteRange> Ranges) override;

private:
  std::optional<llvm::ArrayRef<char>>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *Into) override;
  /// Makes \p Into as long as \p Length; its first \p Kept bytes stay.
  bool readAt(uint64_t Offset, uint64_t Length, uint64_t Kept,
              llvm::SmallVectorImpl<char> &Into);

  const os::OpenFile *File = nullptr;
  const os::PageCache *Cache = nullptr;
  ReadGate *Gate = nullptr;
  uint64_t Begin = 0; ///< of Bytes, in the file
  llvm::SmallVector<char, 0> Bytes;
};

/// Bytes in memory, which must outlive it.
class MemoryBytes final : public ByteSource {
public:
  explicit MemoryBytes(llvm::ArrayRef<char> Bytes)
      : ByteSource(Bytes.size()), Bytes(Bytes) {}
  explicit MemoryBytes(llvm::StringRef Bytes)
      : MemoryBytes(llvm::ArrayRef(Bytes.data(), Bytes.size())) {}

  /// Turns to \p NewBytes.
  void open(llvm::StringRef NewBytes) {
    Bytes = llvm::ArrayRef(NewBytes.data(), NewBytes.size());
    setSize(NewBytes.size());
  }

private:
  std::optional<llvm::ArrayRef<char>>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *) override {
    return Bytes.slice(Range.Offset, Range.Length);
  }

  llvm::ArrayRef<char> Bytes;
};

/// A part of another source, which must outlive it: an archive's member, the
/// slice of a universal file. What lies outside of the source is not part of
/// it.
class PartBytes final : public ByteSource {
public:
  PartBytes(ByteSource &Whole, ByteRange Part)
      : ByteSource(Part.clippedTo(Whole.size()).Length), Whole(Whole),
        Begin(Part.Offset) {}

  void willRead(llvm::ArrayRef<ByteRange> Ranges) override;

private:
  std::optional<llvm::ArrayRef<char>>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *Into) override {
    Range.Offset += Begin;
    return Into ? Whole.read(Range, *Into) : Whole.read(Range);
  }

  ByteSource &Whole;
  uint64_t Begin;
};

/// The kind of the file that begins with \p Bytes. May block.
llvm::file_magic kindOf(ByteSource &Bytes);

} // namespace headstart

#endif // HEADSTART_FORMATS_BYTESOURCE_H
