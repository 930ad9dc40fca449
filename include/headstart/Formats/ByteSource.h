//===- ByteSource.h - Bytes that a reader asks for --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sources of bytes for the readers of formats: a file, a part of a file,
/// or memory. Readers request what they need next, piece by piece.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_BYTESOURCE_H
#define HEADSTART_FORMATS_BYTESOURCE_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Magic.h"
#include <algorithm>
#include <cstdint>
#include <optional>

namespace headstart {

/// The most bytes of one read, because they are held in memory as a whole. No
/// compiler writes a table of nearly as many.
inline constexpr uint64_t MaxTableBytes = uint64_t(64) << 20;

/// For use by one thread.
class ByteSource {
public:
  virtual ~ByteSource() = default;

  uint64_t size() const { return Size; }

  /// Returns the bytes of \p Range, valid until the next call; nullopt if they
  /// are more than MaxTableBytes, or if the source does not hold or cannot read
  /// all of them. May block for the disk.
  std::optional<llvm::StringRef> read(ByteRange Range) {
    return mayRead(Range) ? readInside(Range, nullptr) : std::nullopt;
  }

  /// Returns them valid until \p Into is changed or the source is destroyed.
  std::optional<llvm::StringRef> read(ByteRange Range,
                                      llvm::SmallVectorImpl<char> &Into) {
    return mayRead(Range) ? readInside(Range, &Into) : std::nullopt;
  }

  /// Returns the first \p Length bytes, or all if there are fewer.
  std::optional<llvm::StringRef> head(uint64_t Length) {
    return read(ByteRange{0, Length}.clippedTo(Size));
  }

  /// Returns the bytes at \p Offset, unchanged, as a T; nullopt as above.
  template <typename T> std::optional<T> get(uint64_t Offset) {
    std::optional<llvm::StringRef> Bytes = read({Offset, sizeof(T)});
    if (!Bytes)
      return std::nullopt;
    T Value;
    std::copy(Bytes->begin(), Bytes->end(), reinterpret_cast<char *>(&Value));
    return Value;
  }

  /// Announces that \p Ranges are read next: a file requests all of them at
  /// once. A hint; does not wait.
  virtual void willRead(llvm::ArrayRef<ByteRange> Ranges) {}

protected:
  explicit ByteSource(uint64_t Size) : Size(Size) {}

  uint64_t Size; ///< bytes

private:
  bool mayRead(ByteRange Range) const {
    return Range.Offset <= Size && Range.Length <= Size - Range.Offset &&
           Range.Length <= MaxTableBytes;
  }
  /// Reads \p Range, which lies inside, and stores the bytes in \p Into, unless
  /// that is null or the bytes stay where they are.
  virtual std::optional<llvm::StringRef>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *Into) = 0;
};

/// Decides when reads of a file begin, and requests what is read next.
class ReadGate {
public:
  virtual ~ReadGate() = default;
  /// Requests \p Ranges of \p File. Does not wait.
  virtual void hint(const os::OpenFile &File,
                    llvm::ArrayRef<ByteRange> Ranges) = 0;
  /// Begins a read; may wait. Returns false if the read must not begin.
  virtual bool begin() = 0;
  /// Ends the read that began last, and that read \p Bytes.
  virtual void end(uint64_t Bytes) = 0;
};

/// A file. Keeps the pages that were read last, in which the next request of a
/// reader mostly lies.
class FileBytes final : public ByteSource {
public:
  FileBytes() : ByteSource(0) {}
  explicit FileBytes(const os::OpenFile &File) : FileBytes() { open(File); }

  /// Switches to \p File, which must stay open, and reuses the memory. Reads go
  /// through \p Gate, unless it is null; it must outlive this. Without a gate,
  /// there are no hints.
  void open(const os::OpenFile &File, ReadGate *Gate = nullptr);

  void willRead(llvm::ArrayRef<ByteRange> Ranges) override;

private:
  std::optional<llvm::StringRef>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *Into) override;
  /// Makes \p Into \p Length bytes long; keeps the first \p Kept bytes.
  bool readAt(uint64_t Offset, uint64_t Length, uint64_t Kept,
              llvm::SmallVectorImpl<char> &Into);

  const os::OpenFile *File = nullptr;
  ReadGate *Gate = nullptr;
  uint64_t Begin = 0; ///< offset of Bytes in the file
  llvm::SmallVector<char, 0> Bytes;
};

/// Bytes in memory, which must outlive it.
class MemoryBytes final : public ByteSource {
public:
  explicit MemoryBytes(llvm::StringRef Bytes)
      : ByteSource(Bytes.size()), Bytes(Bytes) {}

private:
  std::optional<llvm::StringRef>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *) override {
    return Bytes.substr(Range.Offset, Range.Length);
  }

  llvm::StringRef Bytes;
};

/// A part of another source, which must outlive it: an archive's member, or the
/// slice of a universal file. Clipped to the end of the source.
class PartBytes final : public ByteSource {
public:
  PartBytes(ByteSource &Whole, ByteRange Part)
      : ByteSource(Part.clippedTo(Whole.size()).Length), Whole(Whole),
        Begin(Part.Offset) {}

  void willRead(llvm::ArrayRef<ByteRange> Ranges) override;

private:
  std::optional<llvm::StringRef>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *Into) override {
    Range.Offset += Begin;
    return Into ? Whole.read(Range, *Into) : Whole.read(Range);
  }

  ByteSource &Whole;
  uint64_t Begin;
};

/// Returns the kind of the file that begins with \p Bytes. May block.
llvm::file_magic kindOf(ByteSource &Bytes);

} // namespace headstart

#endif // HEADSTART_FORMATS_BYTESOURCE_H
