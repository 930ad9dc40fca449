//===- MappedFile.h - Open and map regular files safely ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opens and maps regular files.
///
/// All functions are safe for files that are not what they seem: a FIFO, a
/// device, a directory or a socket is never opened (opening a FIFO for reading
/// would wake a writer that waits for the real reader), only stat'ed.
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

/// The kind of file that a path names.
enum class FileKind : uint8_t { Missing, Regular, Directory, Other };

/// Shows if a file that is found by its path still has the same contents, where
/// a mistake costs only time. A hard link, a backup or a new mount changes
/// other parts of its identity.
struct FileVersion {
  uint64_t Size = 0;      ///< bytes
  int64_t ModifiedNs = 0; ///< nanoseconds since the epoch

  friend bool operator==(const FileVersion &, const FileVersion &) = default;
};

/// Which file, and in which state: equal identities mean equal contents, as far
/// as the file system can report this without reading them.
struct FileIdentity {
  uint64_t Device = 0;
  uint64_t Inode = 0;
  uint64_t Size = 0;      ///< bytes
  int64_t ModifiedNs = 0; ///< nanoseconds since the epoch
  int64_t ChangedNs = 0;  ///< status change (ctime), or 0 if there is none
  // On Windows: the volume's serial number, the file's index (128 bits are
  // folded to 64 if the file system has that many), and NTFS's own times.

  FileVersion version() const { return {Size, ModifiedNs}; }
  /// Whether both are known to be one file. Some file systems number no files.
  bool isSameFile(const FileIdentity &Other) const {
    return Inode != 0 && Inode == Other.Inode && Device == Other.Device;
  }

  friend bool operator==(const FileIdentity &, const FileIdentity &) = default;
};

/// The result of one stat of a path.
struct FileStatus {
  FileKind Kind = FileKind::Missing;
  FileIdentity Identity;
};

/// Whether \p Error says that a path does not exist.
inline bool isMissing(std::error_code Error) {
  return Error == std::errc::no_such_file_or_directory ||
         Error == std::errc::not_a_directory;
}

/// Stats \p Path, following symbolic links, without opening it. Blocks only for
/// metadata. A path that does not exist is `FileKind::Missing` without an
/// error; any other failure (no permission to search a directory, a loop of
/// links) is returned in \p Error with `Missing`. Thread-safe. \p Known is the
/// file's identity a moment ago: if a full identity requires an open file
/// (Windows), a file of that size and last-write time is taken for that one.
FileStatus statFile(const std::string &Path, std::error_code &Error,
                    const FileIdentity *Known = nullptr);

/// An open regular file, for reading. Owns one descriptor, which the destructor
/// closes. Movable, not copyable. Not thread-safe, except for `readAt`. While
/// it is open, other processes may write, rename, delete and replace the file,
/// on Windows as well (the file is opened with full sharing).
class OpenFile {
public:
  OpenFile() = default;
  OpenFile(OpenFile &&Other) noexcept
      : Handle(std::exchange(Other.Handle, InvalidHandle)),
        Identity(std::exchange(Other.Identity, {})) {}
  OpenFile &operator=(OpenFile Other) noexcept {
    std::swap(Handle, Other.Handle);
    std::swap(Identity, Other.Identity);
    return *this;
  }
  ~OpenFile() { close(); }

  /// Opens \p Path if it is a regular file. Stats it first, so that it neither
  /// blocks on a FIFO or a device nor disturbs it. If the file is not regular,
  /// returns `errc::is_a_directory` or `errc::operation_not_supported`;
  /// otherwise the system's own error. Reads nothing. Closes what \p Result had
  /// open before, also on failure. Thread-safe.
  static std::error_code open(const std::string &Path, OpenFile &Result);
  /// Like the other `open`, for \p Seen that `statFile` has just returned. On
  /// Windows a file that has replaced that one since, with the same size and
  /// times, gets its identity.
  static std::error_code open(const std::string &Path, const FileStatus &Seen,
                              OpenFile &Result);

  bool isOpen() const { return Handle != InvalidHandle; }
  /// Returns the identity at the time of opening (from the descriptor, so that
  /// a rename meanwhile cannot mix up two files).
  const FileIdentity &identity() const { return Identity; }
  uint64_t size() const { return Identity.Size; }

  /// Reads up to `Into.size()` bytes at \p Offset, and blocks until they are
  /// read. Returns the number of bytes read, which is short only at the end of
  /// the file. Never raises SIGBUS, so it can read a file that may shrink.
  size_t readAt(uint64_t Offset, std::span<char> Into,
                std::error_code &Error) const;

  /// Advises the system that reads through this descriptor are not sequential,
  /// so that a read loads only its own pages and not those after them (up to 8
  /// MiB on some machines). A hint, which does not affect mappings.
  void expectScatteredReads() const;

  void close();

  /// The platform's descriptor or handle, for the other files of this layer.
  intptr_t nativeHandle() const { return Handle; }

private:
  friend class DirectoryHandle;
  friend class PageCache; // on Windows it reopens a file to evict it
  friend class MappedFile;

  static constexpr intptr_t InvalidHandle = -1;
  intptr_t Handle = InvalidHandle;
  FileIdentity Identity;
};

/// The source of a file's contents.
enum class FileBacking : uint8_t {
  Disk,   ///< or a server, or anything else that can supply them again
  Memory, ///< only memory: the pages stay until the file is deleted
  None,   ///< the kernel generates them when they are read: there are no pages
};

/// Returns where the contents of \p File come from, or Disk if that is unknown.
/// Does not block. Thread-safe.
FileBacking backingOf(const OpenFile &File);

/// A read-only private mapping of a whole file, which the destructor unmaps. It
/// outlives the OpenFile that it was made from. Movable, not copyable.
///
/// Reading `bytes()` past a point to which the file was truncated raises
/// SIGBUS, as with any mapping (stock lld has the same exposure). On Windows it
/// does not, since no process can shrink, delete or replace a mapped file
/// (ERROR_USER_MAPPED_FILE); this also holds for the inputs of stock lld. Keep
/// a mapping no longer than it is needed.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&Other) noexcept
      : Data(std::exchange(Other.Data, nullptr)),
        Size(std::exchange(Other.Size, 0)), File(std::move(Other.File)) {}
  MappedFile &operator=(MappedFile Other) noexcept {
    std::swap(Data, Other.Data);
    std::swap(Size, Other.Size);
    std::swap(File, Other.File);
    return *this;
  }
  ~MappedFile();

  /// Maps all of \p File, in its size at opening. An empty file maps to an
  /// empty span, without an error and with `isMapped()`. If a file does not end
  /// at a page boundary, a zero follows its last byte. Reads nothing.
  static std::error_code map(const OpenFile &File, MappedFile &Result);

  std::span<const char> bytes() const { return {Data, Size}; }
  const char *data() const { return Data; }
  size_t size() const { return Size; }
  bool isMapped() const { return Data != nullptr; }

private:
  const char *Data = nullptr;
  size_t Size = 0; ///< bytes
  /// Open on Windows only: without an open handle, the bytes of a file that is
  /// deleted meanwhile may change (LLVM's review D48051).
  OpenFile File;
};

} // namespace headstart::os

#endif // HEADSTART_OS_MAPPEDFILE_H
