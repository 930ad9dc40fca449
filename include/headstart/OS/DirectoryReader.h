//===- DirectoryReader.h - Read directories in batches ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Directories: open them (a child relative to its parent, so that a rename in
/// between cannot lead astray), read what is in them many entries at a time,
/// ask for the status of one entry. One source per platform in
/// `lib/OS/<Platform>/DirectoryReader.cpp`; the standard library only, no LLVM.
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

/// What an entry of a directory is, links not followed.
enum class EntryType : uint8_t {
  Unknown, ///< the listing did not say: ask for the status
  Regular,
  Directory,
  Link, ///< a symbolic link (Windows: also a junction)
  Fifo,
  Socket,
  BlockDevice,
  CharacterDevice,
};

/// One entry of a directory, without `.` and `..`.
struct DirectoryEntry {
  /// The bytes that the file system keeps, whatever their encoding, and a zero
  /// behind them. On Windows UTF-8, where an unpaired surrogate is written as
  /// its three bytes (WTF-8). Points into the buffer of the reader,
  /// or of what lists.
  std::string_view Name;
  /// With HasStatus all of it (a directory's Size is of no meaning), except
  /// that Device and Inode are both 0 where the system has no id for the file.
  /// Without, of use only as a hint: Inode is what the listing says (that of
  /// the directory beneath where something is mounted), the rest 0.
  FileIdentity Identity;
  EntryType Type = EntryType::Unknown;
  /// Whether size and times are known: where listings bring them (Windows,
  /// macOS), or after `DirectoryHandle::addStatus`.
  bool HasStatus = false;
  /// With HasStatus: whether it may be late (Windows: what a listing says of a
  /// file that is open or has several hard links, see
  /// docs/internals/Directories.md). Good to show and to order by. Who
  /// concludes that a file is or is not what it was, or keeps the status to
  /// compare it later, asks `DirectoryHandle::addStatus` first, which clears
  /// this.
  bool StatusIsHint = false;

  /// Whether the status is that of the file itself.
  bool hasOwnStatus() const { return HasStatus && !StatusIsHint; }
  /// Forgets a status that is a hint and could not be confirmed.
  void dropHint() {
    if (!StatusIsHint)
      return;
    FileIdentity Hint;
    Hint.Inode = Identity.Inode;
    Identity = Hint;
    HasStatus = StatusIsHint = false;
  }
};

/// What to do where a path's last part is a symbolic link.
enum class LinkRule : uint8_t { Refuse, Follow };

/// An open directory. Owns one descriptor, closed by the destructor. Movable,
/// not copyable. `openBelow` and `addStatus` may be called by several threads
/// at once, everything else by one at a time.
class DirectoryHandle {
public:
  DirectoryHandle() = default;
  DirectoryHandle(DirectoryHandle &&Other) noexcept
      : Handle(std::exchange(Other.Handle, InvalidHandle)) {}
  DirectoryHandle &operator=(DirectoryHandle &&Other) noexcept {
    if (this != &Other) {
      close();
      Handle = std::exchange(Other.Handle, InvalidHandle);
    }
    return *this;
  }
  DirectoryHandle(const DirectoryHandle &) = delete;
  DirectoryHandle &operator=(const DirectoryHandle &) = delete;
  ~DirectoryHandle() { close(); }

  /// Opens the directory \p Path, through links; "" is the current directory.
  /// Anything but a directory gives `errc::not_a_directory` and is not
  /// disturbed. What \p Result had open before is closed, also on failure.
  /// Blocks for metadata.
  static std::error_code open(const std::string &Path, DirectoryHandle &Result);

  /// Opens a directory in this one. \p Path may have several parts, and is
  /// relative. With `LinkRule::Refuse` the result lies below this directory,
  /// whatever others do to the tree meanwhile: a link in any part of it gives
  /// `errc::too_many_symbolic_link_levels` or `errc::not_a_directory`, a `..`
  /// or a `/` in front `errc::cross_device_link`. (Where there is no source for
  /// the system, another process may put a link there between the check and the
  /// open.) What \p Result had open before, which may be this directory, is
  /// closed, also on failure. Blocks for metadata.
  std::error_code openBelow(const char *Path, LinkRule Links,
                            DirectoryHandle &Result) const;

  /// Opens the directory \p Name that is in this one, a single part as listed,
  /// for a walk; otherwise like `openBelow`. \p MayBeMount says whether another
  /// file system, or another part of this one, may be mounted there, so that
  /// what the listing said of it (its inode) may be that of the directory
  /// beneath. Where the system can tell (Linux 5.6) it says no for all others,
  /// at no cost; macOS says yes for every directory.
  std::error_code openChild(const char *Name, LinkRule Links,
                            DirectoryHandle &Result, bool &MayBeMount) const;

  /// Fills in type and status of \p Entry (by its name, in this directory).
  /// With `LinkRule::Follow` those of what a link points to. Leaves the entry
  /// as it is on an error. Where the system cannot tell (the times of a link
  /// itself, without a source for the system) the type is all, and HasStatus
  /// says so. Blocks for metadata.
  std::error_code addStatus(DirectoryEntry &Entry,
                            LinkRule Links = LinkRule::Refuse) const;

  /// Reads the beginning of the regular file \p Name in this directory, at most
  /// \p Into.size() bytes, and says how many those were and how large the file
  /// is. Follows links; anything but a regular file is not opened
  /// (`errc::operation_not_supported`). Blocks.
  std::error_code readFile(const char *Name, std::span<char> Into,
                           size_t &Filled, uint64_t &Size) const;

  /// The identity of the directory itself, as it is now; Size is of no meaning.
  std::error_code identity(FileIdentity &Result) const;

  bool isOpen() const { return Handle != InvalidHandle; }
  void close();

  /// The platform's descriptor or handle, for the other files of this layer.
  intptr_t nativeHandle() const { return Handle; }

private:
  static constexpr intptr_t InvalidHandle = -1;
  intptr_t Handle = InvalidHandle;
};

/// Reads directories, one after another, through one buffer: no allocation and
/// no copy per entry. (Where macOS has to fall back on readdir, a directory
/// comes in one piece, copied.) Not to be used by two threads at once.
class DirectoryReader {
public:
  /// What one system call fills, in bytes: a larger buffer buys nothing
  /// (measured on 400 entries a directory and 226,000 in all).
  static constexpr size_t DefaultBufferBytes = size_t(64) << 10;

  /// At least what one entry may take is allocated, whatever \p BufferBytes is.
  explicit DirectoryReader(size_t BufferBytes = DefaultBufferBytes);

  /// Begins with \p Directory, which must stay where it is until the last
  /// `read`. Reads nothing yet. A directory is listed once, from where it was
  /// left (what the buffer still held is left out): who wants it twice opens it
  /// twice.
  void start(DirectoryHandle &Directory);

  /// Gives the next entries, as many as \p Into takes (one at least) and one
  /// buffer holds: at least one, 0 at the end of the directory, which a
  /// directory that was deleted meanwhile has come to. With an \p Error, those
  /// before it, which are sound, and it is the last call: another gives 0. The
  /// names hold until the next call. Blocks.
  size_t read(std::span<DirectoryEntry> Into, std::error_code &Error);

  /// Whether the entries of one system call are used up: another reader may
  /// then `start` with the directory and go on where this one has stopped.
  bool isAtBoundary() const { return Unread.empty(); }

  /// System calls that have listed so far.
  uint64_t calls() const { return Calls; }

private:
  DirectoryHandle *Directory = nullptr;
  std::unique_ptr<char[]> Buffer;
  size_t Capacity = 0;          ///< bytes
  std::span<const char> Unread; ///< of Buffer
  uint64_t Calls = 0;
  /// macOS: the device of what is listed, and whether Unread came in bulk.
  [[maybe_unused]] uint64_t Device = 0;
  [[maybe_unused]] bool IsBulk = false;
};

} // namespace headstart::os

#endif // HEADSTART_OS_DIRECTORYREADER_H
