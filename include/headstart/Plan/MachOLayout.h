//===- MachOLayout.h - Where the parts of a Mach-O file lie -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layout of an input of ld64.lld: objects, dynamic libraries, archives of
/// objects, and universal files with any of these in them. Pure, no I/O.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_MACHOLAYOUT_H
#define HEADSTART_PLAN_MACHOLAYOUT_H

#include "headstart/OS/ByteRange.h"
#include "headstart/Plan/ObjectLayout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace headstart {

/// Reads the layout of a Mach-O object, dynamic library or bundle (32 or 64
/// bits, either byte order) from \p Head, its first bytes. Anything in the file
/// is possible: impossible counts and sizes give `Unknown`, never a range past
/// \p FileSize.
LayoutReading readMachOLayout(llvm::ArrayRef<char> Head, uint64_t FileSize);

/// What came of a look at the first bytes of a universal file.
struct SliceReading {
  enum Outcome : uint8_t {
    Found,    ///< Slice holds
    Missing,  ///< a universal file, without a slice of that architecture
    NeedMore, ///< BytesNeeded in all
    Unknown,  ///< no universal file, or not a sane one
  } Result = Unknown;
  uint64_t BytesNeeded = 0;
  ByteRange Slice;
};

/// Finds the slice that ld64.lld links with `-arch` \p Arch: the first of that
/// type and subtype, flags aside. With an empty \p Arch, the only slice there
/// is. Slices that overlap or end behind the file give `Unknown`. Of the 64-bit
/// form nothing is found: ld64.lld 22 does not read it.
SliceReading findMachOSlice(llvm::ArrayRef<char> Head, uint64_t FileSize,
                            llvm::StringRef Arch);

/// Reads the layout of a file of any of these kinds, by asking for one run of
/// bytes after the other: the slice of a universal file; of an archive the
/// indexes, and the load commands of each member where all of them are read.
class MachOFileReader {
public:
  /// \p AllMembers: every member of an archive is read (-all_load,
  /// -force_load). \p Arch must outlive the reader.
  MachOFileReader(uint64_t FileSize, llvm::StringRef Arch, bool AllMembers);

  /// The bytes that decide what comes next, at most 64 MiB; empty when all is
  /// known.
  ByteRange needs() const { return Needed; }
  /// Takes the bytes that it needs.
  void give(llvm::ArrayRef<char> Bytes);

  /// What is known when nothing more is needed; nothing for a file without a
  /// layout.
  std::optional<ObjectLayout> layout() &&;

private:
  enum class Stage : uint8_t { File, Slice, Index, Member, Done };

  void giveHead(llvm::ArrayRef<char> Bytes);
  void giveSlice(llvm::ArrayRef<char> Bytes);
  void giveIndex(llvm::ArrayRef<char> Bytes);
  void giveMember(llvm::ArrayRef<char> Bytes);
  void beginMember(uint64_t Offset);
  void need(uint64_t Offset, uint64_t Length);
  void addPart(uint64_t Offset, uint64_t Length, PartKind Kind);
  void addParts(const ObjectLayout &Of, uint64_t Offset);
  void finish(bool HasLayout);

  const uint64_t FileSize;
  const llvm::StringRef Arch;
  const bool AllMembers;
  Stage At = Stage::File;
  bool Thin = false; ///< an archive whose members are other files
  bool HasLayout = false;
  ByteRange Inside; ///< the file, or its slice
  ByteRange Needed;
  ArchiveIndexReader Index;
  ObjectLayout Layout;
};

} // namespace headstart

#endif // HEADSTART_PLAN_MACHOLAYOUT_H
