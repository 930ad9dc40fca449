//===- Layouts.h - Recorded layouts of real links --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Layouts that utils/record-layout.py has recorded, and inputs that are
/// written according to them.
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
  char Kind = 0; ///< a letter of record-layout.py
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
