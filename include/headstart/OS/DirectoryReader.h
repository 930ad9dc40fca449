//===- DirectoryReader.h - Read directories in batches ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opens directories (a child relative to its parent, so that a rename
/// meanwhile cannot redirect it), reads many of their entries at a time, and
/// queries the status of one entry.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_DIRECTORYREADER_H
#define HEADSTART_OS_DIRECTORYREADER_H

#include "headstart/OS/MappedFile.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace headstart::os {

/// The type of a directory entry; links are not followed.
enum class EntryType : uint8_t {
  Unknown, ///< the listing does not report it: query the status
  Regular,
  Directory,
  Link, ///< a symbolic link (Windows: also a junction)
  Fifo,
  Socket,
  BlockDevice,
  CharacterDevice,
};

/// One entry of a directory, never `.` or `..`.
struct DirectoryEntry {
  /// The bytes that the file system stores, in any encoding, with a zero after
  /// them. On Windows UTF-8, in which an unpaired surrogate takes three bytes
  /// (WTF-8). Points into the buffer of the reader, or of another source.
  std::string_view Name;
  /// With HasStatus, all of it is valid (but a directory's Size has no
  /// meaning); Device and Inode are both 0 if the system has no id for the
  /// file. Without HasStatus it is only a hint: Inode is the listed one (for a
  /// mount point, that of the directory beneath), the rest is 0.
  FileIdentity Identity;
  EntryType Type = EntryType::Unknown;
  /// Whether size and times are known, from a listing that has them (Windows,
  /// macOS) or from `DirectoryHandle::addStatus`.
  bool HasStatus = false;
  /// With HasStatus: whether the status may be outdated (on Windows, a listed
  /// status of a file that is open or has several hard links, see
  /// docs/internals/Platforms.md). It is good enough to show and to sort by.
  /// Code that decides whether a file has changed, or stores the status for a
  /// later comparison, must call `DirectoryHandle::addStatus` first, which
  /// clears this.
  bool StatusIsHint = false;

  /// Whether the status is that of the file itself.
  bool hasOwnStatus() const { return HasStatus && !StatusIsHint; }
  /// Discards a status that is a hint and could not be confirmed.
  void dropHint() {
    if (!StatusIsHint)
      return;
    FileIdentity Hint;
    Hint.Inode = Identity.Inode;
    Identity = Hint;
    HasStatus = StatusIsHint = false;
  }
};

/// The rule for a path whose last part is a symbolic link.
enum class LinkRule : uint8_t { Refuse, Follow };

/// An open directory. Owns one descriptor, which the destructor closes.
/// Movable, not copyable. Several threads may call `openChild` and `addStatus`
/// at once; only one at a time may call the other functions.
class DirectoryHandle {
public:
  DirectoryHandle() = default;
  DirectoryHandle(DirectoryHandle &&Other) noexcept
      : Handle(std::exchange(Other.Handle, InvalidHandle)) {}
  DirectoryHandle &operator=(DirectoryHandle Other) noexcept {
    std::swap(Handle, Other.Handle);
    return *this;
  }
  ~DirectoryHandle() { close(); }

  /// Opens the directory \p Path, and follows links; "" is the current
  /// directory. Anything that is not a directory gives `errc::not_a_directory`
  /// and is not disturbed. Closes what \p Result had open before, also on
  /// failure. Blocks for metadata.
  static std::error_code open(const std::string &Path, DirectoryHandle &Result);

  /// Opens the directory \p Name in this one, a single part as listed. With
  /// `LinkRule::Refuse` the result lies in this directory, whatever other
  /// processes do to the tree meanwhile: a link gives
  /// `errc::too_many_symbolic_link_levels` or `errc::not_a_directory`, and a
  /// `..` or a path of several parts `errc::cross_device_link`. Closes what
  /// \p Result had open before, which may be this directory, also on failure.
  /// Blocks for metadata.
  ///
  /// \p MayBeMount reports whether another file system, or another part of this
  /// one, may be mounted there, so that the listed inode may be that of the
  /// directory beneath. If the system can report this (Linux 5.6), it is false
  /// for all other directories, at no cost; on macOS it is true for every
  /// directory.
  std::error_code openChild(const char *Name, LinkRule Links,
                            DirectoryHandle &Result, bool &MayBeMount) const;

  /// Fills in type and status of \p Entry, which it finds in this directory by
  /// name. With `LinkRule::Follow` these are of the target of a link. Leaves
  /// the entry unchanged on an error. Blocks for metadata.
  std::error_code addStatus(DirectoryEntry &Entry,
                            LinkRule Links = LinkRule::Refuse) const;

  /// Opens the regular file \p Name in this directory, and follows links. Any
  /// other file is `errc::operation_not_supported`, and not disturbed. Closes
  /// what \p Result had open before, also on failure. Blocks for metadata.
  std::error_code openFile(const char *Name, OpenFile &Result) const;

  /// Returns the current identity of the directory itself; Size has no meaning.
  std::error_code identity(FileIdentity &Result) const;

  bool isOpen() const { return Handle != InvalidHandle; }
  void close();

  /// The platform's descriptor or handle, for the other files of this layer.
  intptr_t nativeHandle() const { return Handle; }

private:
  static constexpr intptr_t InvalidHandle = -1;
  intptr_t Handle = InvalidHandle;
};

/// Reads directories one after another through one buffer, with no allocation
/// and no copy per entry. Not thread-safe.
class DirectoryReader {
public:
  /// The bytes that one system call fills. A larger buffer gains nothing
  /// (measured on 400 entries per directory and 226,000 in all).
  static constexpr size_t DefaultBufferBytes = size_t(64) << 10;

  /// Allocates at least what one entry may take, whatever \p BufferBytes is.
  explicit DirectoryReader(size_t BufferBytes = DefaultBufferBytes);

  /// Starts with \p Directory, which must not move until the last `read`. Reads
  /// nothing yet. To list a directory twice, open it twice.
  void start(DirectoryHandle &Directory);

  /// Returns the next entries: at least one, and no more than \p Into holds (it
  /// must hold one) and one buffer. Returns 0 at the end of the directory; a
  /// directory that was deleted meanwhile is at its end. On an \p Error,
  /// returns the valid entries before it, and 0 in later calls. The names are
  /// valid until the next call at a boundary. Blocks.
  size_t read(std::span<DirectoryEntry> Into, std::error_code &Error);

  /// Whether all entries of the last system call are returned: a boundary.
  bool isAtBoundary() const { return Unread.empty(); }

private:
  /// Reads the next records into Buffer and sets Unread, to nothing at the end
  /// and on an error.
  std::error_code fill();
  /// Parses records from the front of Unread, as the functions of
  /// DirectoryRecords.h do.
  size_t parse(std::span<DirectoryEntry> Into, bool &Malformed);

  DirectoryHandle *Directory = nullptr;
  std::unique_ptr<char[]> Buffer;
  size_t Capacity = 0;                  ///< bytes
  std::span<const char> Unread;         ///< of Buffer
  [[maybe_unused]] uint64_t Device = 0; ///< macOS: of the listed directory
};

} // namespace headstart::os

#endif // HEADSTART_OS_DIRECTORYREADER_H
