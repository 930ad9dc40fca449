//===- BenchRun.h - The state of one comparison -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_BENCH_BENCHRUN_H
#define HEADSTART_LIB_BENCH_BENCHRUN_H

#include "LinkWatch.h"
#include "headstart/Bench/Bench.h"
#include "headstart/Inputs/InputResolver.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <map>
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
  std::string NoStock;        ///< why Headstart's linker has none
  std::vector<std::string> StockArgs; ///< the link with Stock
  /// The --version text of a linker that is not Headstart's; may be empty.
  std::string Version;
  std::string Self; ///< the headstart program
};

/// The files that a prefetcher writes; it writes none for an empty name.
struct ReportFiles {
  std::string Profile; ///< also read; empty: no profile is read or stored
  std::string Stats;
  std::string Trace;
};

/// Whether the prefetcher's option \p Name is for one of the ReportFiles.
bool setsReport(llvm::StringRef Name);

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
/// linker that is not Headstart's has neither; then a note reports an unused
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

/// The size and hash of a file's contents.
struct OutputFile {
  uint64_t Bytes = 0;
  uint64_t HashLow = 0, HashHigh = 0; ///< XXH3, 128 bits

  friend bool operator==(const OutputFile &, const OutputFile &) = default;
};

/// The outputs by their paths below the directory of outputs.
using OutputFiles = std::map<std::string, OutputFile>;

/// A temporary directory, which the destructor removes.
class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch();

  /// Makes the directory next to \p Output, so that links write to the disk of
  /// the user's output; if that fails, in the directory for temporary files.
  llvm::Error make(llvm::StringRef Output);

  /// Whether the directory is next to the output.
  bool isNextToOutput() const { return IsNextToOutput; }

  /// Returns the absolute path of \p Name in the directory.
  std::string file(llvm::StringRef Name) const {
    return joined(Directory, Name);
  }
  /// Returns the absolute path of the directory to which links write.
  std::string outputs() const { return file("out"); }
  /// Empties the directory of outputs.
  llvm::Error clearOutputs() const;
  /// Reads the outputs except time traces, which are never identical.
  llvm::Expected<OutputFiles> readOutputs() const;

private:
  std::string Directory;
  bool IsNextToOutput = false;
};

/// One comparison, from its command to its report.
class Bench {
public:
  explicit Bench(const BenchOptions &Options) : Options(Options) {}

  llvm::Expected<BenchReport> run();

private:
  llvm::Error readCommand();
  llvm::Error checkCold();
  llvm::Error linkFirst();
  llvm::Error chooseVariants();
  llvm::Error runRounds(CacheState State);
  llvm::Error runRound(CacheState State, size_t Variant, unsigned Number);
  llvm::Error watch(CacheState State);
  llvm::Expected<os::ProgramUsage> link(os::ProgramStart Start,
                                        LinkWatch *Watch);
  /// Returns the command of a link of \p Variant that is not watched.
  os::ProgramStart unwatched(const LinkVariant &Variant) const;
  /// Brings the inputs into \p State. If this fails, sets \p Why.
  std::optional<ResidentPart> prepare(CacheState State, std::string &Why);
  llvm::Error keepOutputs(size_t Variant);
  llvm::Error compareOutputs();
  llvm::Error compareOutputs(llvm::ArrayRef<size_t> Group);
  void describe();

  /// Runs one more link of \p Variant, and keeps only its outputs.
  llvm::Error linkForOutputs(size_t Variant);
  static llvm::Error stopped() {
    return llvm::createStringError(std::errc::interrupted, "stopped");
  }
  void say(const llvm::Twine &Line) const { Options.Progress(Line.str()); }
  void announce();
  /// Reports that the link \p What begins.
  void step(const llvm::Twine &What) const;
  void note(const llvm::Twine &Text) { Report.Notes.push_back(Text.str()); }

  const BenchOptions &Options;
  BenchReport Report;
  LinkerFacts Facts;
  Scratch Place;
  /// How long this process was suspended during the last link, in seconds.
  double Paused = 0;
  double FirstSeconds = 0;      ///< the time of the uncounted first link
  unsigned Done = 0, Total = 0; ///< links
  std::chrono::steady_clock::time_point Begin; ///< of counted links
  std::optional<LinkCommand> Command;          ///< with its outputs redirected
  std::optional<InputFiles> Inputs;
  std::vector<LinkVariant> Variants;
  /// The different sets of outputs that the links of each variant wrote.
  std::vector<std::vector<OutputFiles>> Written;
};

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_BENCHRUN_H
