//===- LinkerModel.h - One family of linkers --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All that differs from one family of linkers to another. Each has a directory
/// in lib/Inputs, and nothing outside of it asks which one it has.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_LINKERMODEL_H
#define HEADSTART_INPUTS_LINKERMODEL_H

#include "headstart/Formats/Parts.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm::opt {
class OptTable;
} // namespace llvm::opt

namespace headstart {

/// Where a linker stands. lld takes every input through a stage before it takes
/// any through the next (docs/internals/Design.md, "lld reads in stages"). In
/// one of the first four each part is needed first; in the others lld comes
/// back to what it has read before.
enum class LinkStage : uint8_t {
  Parse,        ///< the inputs are parsed, in command-line order
  Contents,     ///< chunks are hashed, folded and laid out
  Types,        ///< COFF: type records are merged
  DebugSymbols, ///< COFF: the PDB's symbols are merged; ELF: debug information,
                ///< which is only copied
  Contributions, ///< COFF: checksums of section contents, for the PDB; ELF and
                 ///< Mach-O: the output is written
  Names,         ///< COFF: public symbols are sorted by name
  Commit,        ///< COFF: the PDB is written
};
inline constexpr unsigned NumLinkStages = 7;
inline constexpr unsigned NumFirstStages = 4;

/// The name of \p Stage for people: "debug symbols". A literal.
const char *linkStageName(LinkStage Stage);

/// A bit for each LinkStage.
using StageSet = uint8_t;
constexpr StageSet bitOf(LinkStage Stage) {
  return static_cast<StageSet>(1U << static_cast<unsigned>(Stage));
}

/// Whether all that is read in \p Stage was read before. While memory lasts it
/// is still there.
constexpr bool isReadAgain(LinkStage Stage) {
  return static_cast<unsigned>(Stage) >= NumFirstStages;
}

struct ScanRequest;

/// Const and without state: any thread may ask.
class LinkerModel {
public:
  virtual ~LinkerModel();

  static const LinkerModel &of(Flavour Kind);
  /// The one of that name, "coff"; null where there is none.
  static const LinkerModel *named(llvm::StringRef Name);

  /// \name Facts
  /// @{
  Flavour Kind;
  llvm::StringRef Name;    ///< "coff", "macho" or "elf", as in the JSON
  llvm::StringRef Program; ///< lld's: "lld-link"
  /// The option by which stock lld fetches its inputs, since 22; empty: none.
  std::string StockPrefetchOption;
  /// What the linker searches for it knows by identity, whatever the path, and
  /// default libraries by their names.
  bool KnowsByIdentity = false;
  /// On Windows the linker opens each input on a thread of its own, all at once
  /// (COFF/Driver.cpp, createFutureForFile).
  bool OpensTogether = false;
  /// Which members of archives are linked is known when all are planned.
  bool PlansTogether = false;
  /// See PlanOptions.
  uint64_t MergeGapBytes = 16 * 1024;
  /// @}

  /// How the arguments of a command line are split and what comes in front of
  /// them.
  struct Expansion {
    llvm::cl::TokenizerCallback Tokenizer = llvm::cl::TokenizeGNUCommandLine;
    /// Environment variables whose arguments come first.
    llvm::SmallVector<llvm::StringRef, 2> Variables;
  };
  virtual Expansion expansionOf(llvm::ArrayRef<std::string> Args) const = 0;

  /// Reads the command line \p Args, which is expanded and without the
  /// program's name. Knows every option of lld 22 that takes a value, so that
  /// no value is mistaken for an input. Unknown options are the linker's to
  /// report. COFF reads the file system for /winsysroot and its friends
  /// (PATH among them, as lld does), and for a /defaultlib: that a
  /// /nodefaultlib: comes close to; else it does not.
  virtual LinkCommand parse(llvm::ArrayRef<CommandLineArg> Args,
                            const CommandLineContext &Context) const = 0;

  /// The options that are known. Only Headstart's own have a text for --help.
  virtual const llvm::opt::OptTable &options() const = 0;

  /// Takes Headstart's own options out of \p Args (a command line whose first
  /// argument is the program's name) and leaves everything else as it is. An
  /// option's separate value that looks like one of ours stays.
  /// Returns what was taken, in order.
  virtual std::vector<PrefetchOption>
  takePrefetchOptions(llvm::SmallVectorImpl<const char *> &Args) const = 0;

  /// Every option of the linker and Headstart's own, whose group is
  /// "headstart";
  /// \p Args as for expansionOf. (ld.lld for MinGW has Headstart's in the table
  /// for no arguments.)
  virtual const GenericOptionTable &
  optionTable(llvm::ArrayRef<std::string> Args) const = 0;

  /// See InputResolver::resolve.
  virtual ResolvedInput resolve(const NamedInput &Input,
                                const InputResolver &Resolver) const = 0;

  /// See InputResolver::scan.
  virtual std::vector<FoundInput> scan(const ScanRequest &Request) const = 0;

  /// When the linker first reads a part, or nothing where a link that reads
  /// \p Reads will not read it at all.
  virtual std::optional<LinkStage> stageOf(PartKind Part,
                                           const ReadKinds &Reads) const = 0;

  /// The stages in which a part of the kind \p Kind that is needed first in
  /// \p First is read.
  virtual StageSet stagesOf(LinkStage First, PartKind Kind) const;

  /// The stage from which on the linker reads small pieces of its inputs that
  /// no plan has.
  virtual LinkStage firstUnplanned() const { return LinkStage::Parse; }

  /// Whether the linker comes to the last input first in \p Stage. It does in
  /// LLVM's parallelFor, whose threads take the newest task
  /// (ThreadPoolExecutor in llvm/lib/Support/Parallel.cpp keeps a stack).
  virtual bool isBackward(LinkStage Stage) const;

  /// A number that is the smaller, the earlier the linker comes in \p Stage to
  /// what is at \p Place among its inputs.
  uint32_t orderIn(LinkStage Stage, uint32_t Place) const {
    return isBackward(Stage) ? UINT32_MAX - Place : Place;
  }

protected:
  LinkerModel(Flavour Kind, llvm::StringRef Name, llvm::StringRef Program)
      : Kind(Kind), Name(Name), Program(Program) {}
};

} // namespace headstart

#endif // HEADSTART_INPUTS_LINKERMODEL_H
