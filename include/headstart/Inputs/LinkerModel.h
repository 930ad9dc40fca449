//===- LinkerModel.h - One family of linkers --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The differences between the families of linkers: their command lines, how
/// they find inputs, and the stages in which they read the kinds of parts. Each
/// family has a directory in lib/Inputs. Other facts about stages are
/// elsewhere: lib/Formats divides a file into parts, FilePlanner skips what the
/// linker drops, and lib/Link knows which call of lld begins a stage.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_LINKERMODEL_H
#define HEADSTART_INPUTS_LINKERMODEL_H

#include "headstart/Formats/Parts.h"
#include "headstart/Inputs/InputResolver.h"
#include "headstart/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/CommandLine.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The stages of a link. lld completes each stage for all inputs before it
/// starts the next (docs/internals/Design.md, "lld reads in stages"). It first
/// reads each part in one of the first four stages, and again in the others.
enum class LinkStage : uint8_t {
  Parse,        ///< the inputs are parsed, in command-line order
  Contents,     ///< chunks are hashed, folded and laid out; ELF: relocations
                ///< are scanned
  Types,        ///< COFF: type records are merged; ELF: DWARF is copied, or
                ///< by one thread the other sections
  DebugSymbols, ///< COFF: the PDB's symbols are merged; ELF: other sections are
                ///< copied, or by one thread DWARF
  Contributions, ///< COFF: checksums of section contents, for the PDB; ELF:
                 ///< the output is written; Mach-O: likewise, in traces only
  Names,         ///< COFF: public symbols are sorted by name
  Commit,        ///< COFF: the PDB is written
};
inline constexpr unsigned NumLinkStages = 7;
inline constexpr unsigned NumFirstStages = 4;

/// A bit for each LinkStage.
using StageSet = uint8_t;
constexpr StageSet bitOf(LinkStage Stage) {
  return static_cast<StageSet>(1U << static_cast<unsigned>(Stage));
}

/// Whether the linker reads in \p Stage only parts that it has read before.
/// They are still cached if memory sufficed.
constexpr bool isReadAgain(LinkStage Stage) {
  return static_cast<unsigned>(Stage) >= NumFirstStages;
}

struct ScanRequest;

/// One of Headstart's options, and the index of its argument.
struct PlacedOption {
  size_t Index = 0;
  PrefetchOption Option;
};

/// Const and stateless: any thread may call it.
class LinkerModel {
public:
  virtual ~LinkerModel() = default;

  static const LinkerModel &of(Flavour Kind);
  /// The model of the name \p Name ("coff"); null if there is none.
  static const LinkerModel *named(llvm::StringRef Name);

  /// \name Facts
  /// @{
  Flavour Kind;
  llvm::StringRef Name;    ///< "coff", "macho" or "elf", as in the JSON
  llvm::StringRef Program; ///< the name of lld's program: "lld-link"
  /// The option with which stock lld (since 22) fetches its inputs; empty if it
  /// has none.
  std::string StockPrefetchOption;
  /// Whether the linker identifies the files that it searches for by identity,
  /// not by path, and default libraries by name.
  bool KnowsByIdentity = false;
  /// Whether linked members of archives are known only when all are planned.
  bool PlansTogether = false;
  /// The number of consecutive requests that an inspection takes.
  unsigned InspectionRequests = 2;
  /// See PlanOptions.
  uint64_t MergeGapBytes = 16 * 1024;
  std::array<const char *, NumLinkStages> StageNames = {
      "parse",         "contents", "types", "debug symbols",
      "contributions", "names",    "commit"};
  /// @}

  /// The name of \p Stage for messages: "debug symbols". A string literal.
  const char *stageName(LinkStage Stage) const {
    return StageNames.at(static_cast<size_t>(Stage));
  }

  /// How response files are split into arguments, and which arguments precede
  /// the command line.
  struct Expansion {
    llvm::cl::TokenizerCallback Tokenizer = llvm::cl::TokenizeGNUCommandLine;
    /// Environment variables whose arguments precede the command line.
    llvm::SmallVector<llvm::StringRef, 2> Variables;
  };
  virtual Expansion expansionOf(llvm::ArrayRef<std::string> /*Args*/) const {
    return {};
  }

  /// Parses the command line \p Args, which is expanded and without the
  /// program's name. Knows every option of lld 22 that takes a value, so that
  /// no value is mistaken for an input. Leaves unknown options to the linker.
  /// COFF searches for an MSVC toolchain (/winsysroot, PATH and the like, as
  /// lld does), may then open inputs to infer the machine, and searches for a
  /// /defaultlib: that is similar to a /nodefaultlib:. ELF reads
  /// --remap-inputs-file; Mach-O reads -filelist and stats search directories.
  virtual LinkCommand parse(llvm::ArrayRef<CommandLineArg> Args,
                            const CommandLineContext &Context) const = 0;

  /// Removes Headstart's own options from \p Args (a command line whose first
  /// argument is the program's name) and returns them in order. Changes nothing
  /// else: a separate value of another option stays even if it looks like one
  /// of Headstart's options.
  std::vector<PrefetchOption>
  takePrefetchOptions(llvm::SmallVectorImpl<const char *> &Args) const;

  /// The options of the linker and Headstart's own. Only Headstart's have a
  /// text for --help.
  const GenericOptionTable &optionTable() const { return Options; }

  /// See InputResolver::resolve.
  virtual ResolvedInput resolve(const NamedInput &Input,
                                const InputResolver &Resolver) const = 0;

  /// See InputResolver::scan.
  virtual std::vector<FoundInput> scan(const ScanRequest &Request) const = 0;

  /// The stage in which the linker first reads a part of the kind \p Part;
  /// nullopt if a link that reads \p Reads never reads it.
  virtual std::optional<LinkStage> stageOf(PartKind Part,
                                           const ReadKinds &Reads) const = 0;

  /// The stages in which the linker reads a part of a kind that it first reads
  /// in \p First.
  virtual StageSet stagesOf(LinkStage First, PartKind /*Kind*/) const {
    return bitOf(First);
  }

  /// Whether the threads of the linker process the last input first in a stage.
  /// They do in LLVM's parallelFor: a thread takes the newest task
  /// (ThreadPoolExecutor in llvm/lib/Support/Parallel.cpp keeps a stack).
  virtual bool isBackward(LinkStage /*Stage*/) const { return false; }

  /// A sort key for the input at \p Place: the earlier a linker that reads
  /// \p Reads processes the input in \p Stage, the smaller the key. In a
  /// backward stage, it reads bitcode first, and forward.
  uint32_t orderIn(LinkStage Stage, uint32_t Place, const ReadKinds &Reads,
                   bool IsBitcode = false) const {
    return isBackward(Stage) && !Reads.HasOneThread && !IsBitcode
               ? UINT32_MAX - Place
               : Place;
  }

protected:
  LinkerModel(Flavour Kind, llvm::StringRef Name, llvm::StringRef Program,
              const GenericOptionTable &Options)
      : Kind(Kind), Name(Name), Program(Program), Options(Options) {}

private:
  /// Returns Headstart's own options among \p Args, which are without the
  /// program's name, in order. Each is one argument.
  virtual std::vector<PlacedOption>
  findPrefetchOptions(llvm::ArrayRef<const char *> Args) const = 0;

  const GenericOptionTable &Options;
};

/// Makes a PrefetchOption of \p A, one of Headstart's own options.
PrefetchOption makePrefetchOption(const llvm::opt::Arg &A);

} // namespace headstart

#endif // HEADSTART_INPUTS_LINKERMODEL_H
