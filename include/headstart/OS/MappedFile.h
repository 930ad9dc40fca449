//===- MappedFile.h - Open and map regular files safely ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opening and mapping of regular files. One source per platform in
/// `lib/OS/<Platform>/MappedFile.cpp`; the standard library only, no LLVM.
///
/// Everything here is safe against files that are not what they seem: a FIFO,
/// a device, a directory or a socket is never opened (opening a FIFO for
/// reading would wake a writer that waits for the real reader), only stat'ed.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_MAPPEDFILE_H
#define HEADSTART_OS_MAPPEDFILE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace headstart::os {

/// What a path names.
enum class FileKind : uint8_t { Missing, Regular, Directory, Other };

/// Which file, and in which state: two equal identities are the same content
/// as far as the file system can tell without reading it.
struct FileIdentity {
  uint64_t Device = 0;
  uint64_t Inode = 0;
  uint64_t Size = 0;      ///< bytes
  int64_t ModifiedNs = 0; ///< nanoseconds since the epoch
  int64_t ChangedNs = 0;  ///< status change (ctime), 0 where there is none
  // On Windows the volume's serial number, the file's index (or 128 bits folded
  // to 64, where the file system has more), and the times that NTFS keeps.

  friend bool operator==(const FileIdentity &, const FileIdentity &) = default;
};

/// The result of one stat of a path.
struct FileStatus {
  FileKind Kind = FileKind::Missing;
  FileIdentity Identity;
};

/// Stats \p Path, following symbolic links, without opening it. Blocks only
/// for metadata. A path that does not exist is `FileKind::Missing` and no
/// error; any other failure (no permission to search a directory, a loop of
/// links) is returned in \p Error with `Missing`. Any thread. \p Known: what it
/// was a moment ago. Where the whole identity takes an open file (Windows), a
/// file of the same size and the same time of the last write is still that one.
FileStatus statFile(const std::string &Path, std::error_code &Error,
                    const FileIdentity *Known = nullptr);

/// An open regular file, for reading. Owns one descriptor, closed by the
/// destructor. Movable, not copyable; not to be used by two threads at once
/// except for `readAt`. While it is open others may write, rename, delete and
/// replace the file, on Windows as well (it shares everything).
class OpenFile {
public:
  OpenFile() = default;
  OpenFile(OpenFile &&Other) noexcept
      : Handle(std::exchange(Other.Handle, InvalidHandle)),
        Identity(std::exchange(Other.Identity, {})) {}
  OpenFile &operator=(OpenFile &&Other) noexcept {
    if (this != &Other) {
      close();
      Handle = std::exchange(Other.Handle, InvalidHandle);
      Identity = std::exchange(Other.Identity, {});
    }
    return *this;
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() { close(); }

  /// Opens \p Path when it is a regular file; looks before it opens, so that
  /// it never blocks on, nor disturbs, a FIFO or a device. Anything that is
  /// not a regular file gives `errc::is_a_directory` or
  /// `errc::operation_not_supported`; otherwise the system's own error.
  /// Never follows up with a read. What \p Result had open before is closed,
  /// also on failure. Any thread.
  static std::error_code open(const std::string &Path, OpenFile &Result);
  /// The same, when \p Seen is what `statFile` has just said of \p Path.
  static std::error_code open(const std::string &Path, const FileStatus &Seen,
                              OpenFile &Result);

  bool isOpen() const { return Handle != InvalidHandle; }
  /// Identity at the time of opening (from the open descriptor, so that no
  /// rename in between can mix up two files).
  const FileIdentity &identity() const { return Identity; }
  uint64_t size() const { return Identity.Size; }

  /// Reads up to `Into.size()` bytes at \p Offset; blocks until they are there.
  /// Returns the number of bytes read, short only at the end of the file.
  /// Never raises SIGBUS, so it is the way to read a file that may shrink.
  size_t readAt(uint64_t Offset, std::span<char> Into,
                std::error_code &Error) const;

  /// Says that reads through this descriptor will not follow one another, so
  /// that a read brings just its own pages into memory and not what lies behind
  /// them (up to 8 MiB on some machines). A hint; mappings keep their own ways.
  void expectScatteredReads() const;

  void close();

  /// The platform's descriptor or handle, for the other files of this layer.
  intptr_t nativeHandle() const { return Handle; }

private:
  friend class PageCache; // to evict a file is to open it anew on Windows
  friend class MappedFile;

  static constexpr intptr_t InvalidHandle = -1;
  intptr_t Handle = InvalidHandle;
  FileIdentity Identity;
};

/// A read-only private mapping of a whole file; unmapped by the destructor.
/// It outlives the OpenFile it was made from. Movable, not copyable.
///
/// Reading `bytes()` past a point to which the file has been truncated raises
/// SIGBUS, as with any mapping (stock lld has the same exposure). Not on
/// Windows: there no process can shrink, delete or replace a file that is
/// mapped (ERROR_USER_MAPPED_FILE), which holds for the inputs of stock lld as
/// well. A mapping is to be kept no longer than it is needed.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&Other) noexcept
      : Data(std::exchange(Other.Data, nullptr)),
        Size(std::exchange(Other.Size, 0)), File(std::move(Other.File)) {}
  MappedFile &operator=(MappedFile &&Other) noexcept {
    if (this != &Other) {
      MappedFile Old(std::move(*this));
      Data = std::exchange(Other.Data, nullptr);
      Size = std::exchange(Other.Size, 0);
      File = std::move(Other.File);
    }
    return *this;
  }
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  /// Maps all of \p File, in the size it had when it was opened. An empty file
  /// maps to an empty span, no error, and `isMapped()`. A file that does not
  /// end at a page boundary has a zero behind its last byte. Reads nothing.
  static std::error_code map(const OpenFile &File, MappedFile &Result);

  std::span<const char> bytes() const { return {Data, Size}; }
  const char *data() const { return Data; }
  size_t size() const { return Size; }
  bool isMapped() const { return Data != nullptr; }

private:
  const char *Data = nullptr;
  size_t Size = 0; ///< bytes
  /// Open on Windows only: if no handle is open, the bytes of a file that is
  /// deleted meanwhile may change (LLVM's review D48051).
  OpenFile File;
};

} // namespace headstart::os

#endif // HEADSTART_OS_MAPPEDFILE_H
