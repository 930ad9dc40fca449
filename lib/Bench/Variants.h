//===- Variants.h - The ways to run one link --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_BENCH_VARIANTS_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_BENCH_VARIANTS_H

#include "headstart/Bench/Bench.h"
#include "headstart/Link/LinkerName.h"
#include "headstart/OS/MeasuredProgram.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// What is known of the linker.
struct LinkerFacts {
  std::vector<std::string> Args; ///< the link, its outputs moved
  std::optional<Flavour> Forced;
  Flavour Style = Flavour::ELF;
  std::optional<DriverKind> Driver; ///< the compiler driver that runs it
  bool IsHeadstart = false;
  bool HasOwnOptions = false; ///< the arguments hold options of the prefetcher
  std::string Stock;          ///< stock lld of the same version; empty: none
  std::string NoStock;        ///< why there is none; empty before `findStock`
  std::vector<std::string> StockArgs; ///< the link by Stock
  std::string Version; ///< what the linker says of itself; may be empty
  std::string Self;    ///< the headstart program
};

/// The file names of what a prefetcher is to leave behind; empty: nothing.
struct ReportFiles {
  std::string Profile; ///< empty: no record is used, and none is kept
  std::string Stats;
  std::string Trace;
};

/// One way to run a link.
struct LinkVariant {
  std::string Name;  ///< of BenchVariants
  std::string Title; ///< for people
  /// A prefetcher of ours is at work: it writes the files that it is asked for.
  bool Prefetches = false;
  bool UsesProfile = false;
  /// The linker writes its command line, which is another one, into its output.
  bool WritesOwnOutput = false;
};

/// Finds stock lld of our own version, which takes the place of \p Facts'
/// linker: \p Given by the user, or LLVM's own. Fills in Stock and StockArgs,
/// or NoStock. A linker that is not Headstart's has none: if \p Given is not
/// used, a note says so. The error says what is wrong with \p Given. Runs the
/// linker with --version, and asks a compiler driver what it would run. Blocks.
llvm::Error findStock(llvm::StringRef Given, LinkerFacts &Facts,
                      std::vector<std::string> &Notes);

/// The ways that \p Facts' linker has, of the \p Wanted (all of them if empty),
/// in the order of BenchVariants. Adds to \p Notes why one is left out.
std::vector<LinkVariant> variantsOf(const LinkerFacts &Facts,
                                    llvm::ArrayRef<std::string> Wanted,
                                    std::vector<std::string> &Notes);

/// What starts the link \p Variant, leaving \p Files.
os::ProgramStart startOf(const LinkerFacts &Facts, const LinkVariant &Variant,
                         const ReportFiles &Files);

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_VARIANTS_H
