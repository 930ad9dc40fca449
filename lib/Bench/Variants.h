//===- Variants.h - The variants of one link --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_BENCH_VARIANTS_H
#define HEADSTART_LIB_BENCH_VARIANTS_H

#include "headstart/Bench/Bench.h"
#include "headstart/Link/LinkerProbe.h"
#include "headstart/OS/MeasuredProgram.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The known facts about the linker.
struct LinkerFacts {
  std::vector<std::string> Args; ///< the link, its outputs redirected
  std::optional<Flavour> Forced;
  Flavour Style = Flavour::ELF;
  std::optional<DriverKind> Driver; ///< the compiler driver that runs it
  bool IsHeadstart = false;
  bool HasOwnOptions = false; ///< whether Args has options of the prefetcher
  std::string Stock;          ///< stock lld of the same version; empty: none
  std::string NoStock;        ///< why there is none; empty before `findStock`
  std::vector<std::string> StockArgs; ///< the link with Stock
  std::string Version; ///< the linker's --version text; may be empty
  std::string Self;    ///< the headstart program
};

/// The files that a prefetcher writes; it writes none for an empty name.
struct ReportFiles {
  std::string Profile; ///< also read; empty: no profile is read or stored
  std::string Stats;
  std::string Trace;
};

/// One variant of a link.
struct LinkVariant {
  std::string Name;  ///< of BenchVariants
  std::string Title; ///< for people
  /// Whether Headstart prefetches, and so writes the requested files.
  bool Prefetches = false;
  bool UsesProfile = false;
  /// Whether the linker stores its own, different command line in its output.
  bool WritesOwnOutput = false;
};

/// Finds stock lld of Headstart's version, which replaces \p Facts' linker: the
/// user's \p Given, or LLVM's own. Fills in Stock and StockArgs, or NoStock. A
/// linker that is not Headstart's has none; then a note reports an unused
/// \p Given. The error reports what is wrong with \p Given. Runs the linker's
/// --version, and queries which linker a compiler driver would run. Blocks.
llvm::Error findStock(llvm::StringRef Given, LinkerFacts &Facts,
                      std::vector<std::string> &Notes);

/// Returns those of the \p Wanted variants (all if empty) that the linker of
/// \p Facts supports, in BenchVariants' order. \p Notes says why it omits one.
std::vector<LinkVariant> variantsOf(const LinkerFacts &Facts,
                                    llvm::ArrayRef<std::string> Wanted,
                                    std::vector<std::string> &Notes);

/// Returns the command that runs the link as \p Variant and writes \p Files.
os::ProgramStart startOf(const LinkerFacts &Facts, const LinkVariant &Variant,
                         const ReportFiles &Files);

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_VARIANTS_H
