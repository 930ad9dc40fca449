//===- Layouts.h - Recorded layouts of real links --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recorded layouts (Layouts/*.txt), and inputs that are written according to
/// them. A layout has a line for each input, in the order of the link: its
/// kind, its size, and its parts in the order of the file.
///
///     o 61208 h64 g16 c8192 c-4096 r6144 y2400 t1800 h3200
///     a 812340 i6000
///     m+ 61208 h64 c8192 ...
///
/// The members of an archive (`a`) follow it: `m+` if the linker links the
/// member, `m-` otherwise. A part is a letter and a number of bytes; `-` marks
/// a COMDAT copy that the linker drops, since an earlier input has the first
/// one.
///
///     h headers          y symbols           t strings of the symbols
///     g section groups   n other small data that is read while parsing
///     i archive index    c contents          p contents read while parsing
///     r relocations      d DWARF             s mergeable debug strings
///     e relocations of debug information     x never read
///     T type records     D debug symbols     F the first section of those
///     H type hashes
///     I, A, S, O Mach-O: __debug_info, _abbrev, _str, _str_offs
///
/// Runs of less than 2 KiB are joined with their neighbours, and an input has
/// at most 14 parts.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_LAYOUTS_H
#define HEADSTART_UNITTESTS_SIMULATION_LAYOUTS_H

#include "SimulatedOS.h"
#include "headstart/Formats/Parts.h"
#include "headstart/Inputs/LinkCommand.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart::simulation {

struct RecordedPart {
  char Kind = 0; ///< a letter of the list above
  bool IsDropped = false;
  uint64_t Bytes = 0;
};

struct RecordedObject {
  std::vector<RecordedPart> Parts;
  bool IsLinked = true;

  /// Returns the total bytes of the parts of \p Kind.
  uint64_t bytesOf(char Kind) const;
};

struct RecordedInput {
  bool IsArchive = false;
  uint64_t IndexBytes = 0;
  std::vector<RecordedObject> Objects; ///< the input itself, or its members
  uint64_t Bytes = 0;

  /// Returns the number of archive members that are linked.
  uint64_t linkedMembers() const;
};

struct Layout {
  std::string Name;
  Flavour Kind = Flavour::COFF;
  std::vector<RecordedInput> Inputs;

  double meanBytes() const;
  /// Reads \p Path; sets \p Error on failure.
  static std::optional<Layout> read(const std::string &Path,
                                    std::string &Error);
};

/// A part of an input that the linker reads.
struct NeededPart {
  ByteRange Range;
  PartKind Kind = PartKind::Whole;
};

/// An input to write. All bytes outside Contents are zero.
struct WrittenInput {
  FileBytes Contents;
  uint64_t Bytes = 0;
  std::vector<NeededPart> Needed;
  unsigned Members = 0; ///< of an archive
};

/// Writes the inputs of one link.
class InputWriter {
public:
  explicit InputWriter(Flavour Kind) : Kind(Kind) {}

  /// Returns the first input. It has the COMDAT that the others copy, and
  /// refers to the \p NumLinked archive members that are linked.
  WrittenInput first(uint64_t NumLinked);
  WrittenInput write(const RecordedInput &From, double Scale);

private:
  void writeELF(const RecordedObject &From, double Scale, bool IsMember,
                WrittenInput &Into);
  void writeCOFF(const RecordedObject &From, double Scale, WrittenInput &Into);
  void writeMachO(const RecordedObject &From, double Scale, WrittenInput &Into);
  void writeObject(const RecordedObject &From, double Scale,
                   WrittenInput &Into);
  void writeArchive(const RecordedInput &From, double Scale,
                    WrittenInput &Into);

  Flavour Kind;
  uint64_t NumDefined = 0; ///< the linked members until now
  uint64_t NumWanted = 0;  ///< those that the current object refers to
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_LAYOUTS_H
