//===- FilePlanner.h - Plans files by looking into them ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From open files to their plans: reads of each what its plan depends on, its
/// section table and, of an object with COMDATs, its symbols.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_FILEPLANNER_H
#define HEADSTART_ENGINE_FILEPLANNER_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/ELF.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/ComdatTable.h"
#include "headstart/Plan/ExtractionTable.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/LinkProfile.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace headstart {

/// What \p Command says about what its link will read.
PlanOptions planOptionsOf(const LinkCommand &Command);

/// Memory that one thread uses again for each file.
struct PlanScratch {
  FileBytes Bytes;
  SymbolBuffers Buffers;
};

/// The section headers of an ELF file, as far as plans need them.
struct SkimmedFile {
  struct Object {
    ByteRange Header; ///< an archive's, before the member
    ByteRange Within;
    std::optional<ELFObject> Headers;     ///< offsets are within Within
    PartKind Otherwise = PartKind::Whole; ///< what it is without a layout
  };
  bool IsArchive = false;
  std::vector<Object> Objects; ///< the file, or the archive's members, in order
};

/// Plans the files of one link. Every function may be called from any thread.
class FilePlanner {
public:
  explicit FilePlanner(const PlanOptions &Options,
                       const os::PageCache &Cache = os::PageCache());

  /// The ranges of \p File, which is \p Named and input number \p Order of the
  /// link: by its layout, without what the linker will drop; cut to \p Record,
  /// when there is one, of the same file; all of it where that is cheaper, or
  /// where every member of an archive is read (those of ld64.lld by the layout
  /// of each). \p Skimmed is what `skim` found in it, or null. Blocks for the
  /// disk.
  std::vector<PlannedRange> plan(const os::OpenFile &File,
                                 const NamedInput &Named, uint32_t Order,
                                 PlanScratch &Scratch,
                                 const RecordedFile *Record = nullptr,
                                 const SkimmedFile *Skimmed = nullptr);

  /// Whether what belongs to the lazy input \p Member (of a PlannedRange) is
  /// read: known when all files are planned.
  bool isLinked(uint32_t Member) const { return Extracted.isLinked(Member); }

  /// Reads the section headers of an ELF object, or of all members of an
  /// archive: what the linker needs of every input before it needs anything
  /// else. Blocks for the disk.
  std::shared_ptr<const SkimmedFile> skim(const os::OpenFile &File,
                                          PlanScratch &Scratch) const;

  /// Enters the symbols of a file that is linked in any case, or lazily, but
  /// needs no plan. Blocks for the disk.
  void enterSymbols(const os::OpenFile &File, const NamedInput &Named,
                    PlanScratch &Scratch);

  /// Whether the plan of one file depends on the others' being planned.
  bool planTogether() const { return Options.Kind == Flavour::ELF; }

private:
  std::vector<LayoutPart> readCOFF(const os::OpenFile &File,
                                   PlanScratch &Scratch, uint32_t Order,
                                   bool Recorded);
  std::vector<LayoutPart> readELF(const os::OpenFile &File,
                                  const SkimmedFile &Skimmed,
                                  const NamedInput &Named, uint32_t Order,
                                  bool Recorded, PlanScratch &Scratch);
  void enterSymbols(ELFSymbols Symbols, bool Lazy, uint32_t Order,
                    std::vector<LayoutPart> &Parts);

  const PlanOptions Options;
  const os::PageCache Cache;
  ComdatTable Comdats;
  ExtractionTable Extracted;
};

} // namespace headstart

#endif // HEADSTART_ENGINE_FILEPLANNER_H
