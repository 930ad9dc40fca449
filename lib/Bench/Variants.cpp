//===- Variants.cpp - The variants of one link ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchRun.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace headstart {

/// Returns why \p Path is not stock lld of Headstart's version; empty if it is.
static std::string whyNotStock(const std::string &Path) {
  if (!sys::fs::can_execute(Path))
    return "'" + Path + "' is not a program";
  const std::string Version = versionOf(Path).Line;
  if (!StringRef(Version).contains("LLD " LLVM_VERSION_STRING))
    return "'" + Path + "' is not LLD " LLVM_VERSION_STRING " but '" + Version +
           "'";
  return "";
}

/// Returns the arguments of \p Facts' link for running the stock linker
/// directly. Replaces a name of Headstart's own, which stock lld would not
/// recognize. Keeps any other name, since a PDB contains it.
static std::vector<std::string> directArgs(const LinkerFacts &Facts) {
  std::vector<std::string> Args = Facts.Args;
  if (sys::path::stem(Args.front()) == "headstart" &&
      recognizeProgram(ArrayRef(Args).drop_front())) {
    Args.erase(Args.begin()); // headstart ld.lld ...
  } else if (sys::path::filename(Args.front()).contains("headstart")) {
    Args.front() = joined(sys::path::parent_path(Args.front()),
                          LinkerModel::of(Facts.Style).Program);
  }
  return Args;
}

/// Returns the arguments that make the compiler driver run \p Stock.
static std::vector<std::string> driverArgs(const LinkerFacts &Facts,
                                           const std::string &Stock) {
  std::vector<std::string> Args = Facts.Args;
  if (Facts.Driver == DriverKind::GCC) {
    // GCC takes no path of a linker. The first -B and the last -fuse-ld win.
    Args.insert(std::next(Args.begin()),
                "-B" + sys::path::parent_path(Stock).str());
    Args.emplace_back("-fuse-ld=lld");
  } else if (Facts.Style == Flavour::COFF) {
    // clang selects a linker for MSVC only by its name. Arguments at the end
    // may be the linker's (/link).
    llvm::erase_if(Args, [](StringRef Arg) {
      return Arg.starts_with("-fuse-ld=") || Arg.starts_with("/fuse-ld=");
    });
    Args.insert(std::next(Args.begin()), "-fuse-ld=lld");
  } else {
    Args.push_back("--ld-path=" + Stock);
  }
  return Args;
}

Error findStock(StringRef Given, LinkerFacts &Facts,
                std::vector<std::string> &Notes) {
  if (!Facts.IsHeadstart) {
    if (!Given.empty())
      Notes.emplace_back(
          "--stock has no effect: it replaces only Headstart's own linkers");
    return Error::success();
  }
  if (Facts.HasOwnOptions) {
    Facts.NoStock = "the command line has options that stock lld rejects";
    return Error::success();
  }
  const std::string Stock = Given.empty()
                                ? joined(HEADSTART_STOCK_DIRECTORY,
                                         LinkerModel::of(Facts.Style).Program)
                                : Given.str();
  std::string Why = whyNotStock(Stock);
  if (Why.empty() && !Facts.Driver) {
    Facts.StockArgs = directArgs(Facts);
    if (realProgramPath(Stock) == realProgramPath(Facts.Args.front()))
      Why = "'" + Stock + "' is the same program";
  } else if (Why.empty()) {
    Facts.StockArgs = driverArgs(Facts, Stock);
    const std::string Started = linkerOf(Facts.StockArgs, "ld.lld");
    if (realProgramPath(Started) != realProgramPath(Stock))
      Why = "options that select '" + Stock + "' make '" + Facts.Args.front() +
            "' run " +
            (Started.empty() ? "an unknown linker" : "'" + Started + "'");
  }
  if (Why.empty())
    Facts.Stock = Stock;
  else if (!Given.empty())
    return make_error<BenchUsageError>("--stock: " + Why);
  else
    Facts.NoStock = Why + " (--stock=PROGRAM selects another)";
  return Error::success();
}

/// Whether a linker's \p Version names stock lld of a version that fetches.
static bool isStockLLD(StringRef Version) {
  constexpr unsigned First = 22;
  unsigned Major = 0;
  return !Version.split("LLD ").second.consumeInteger(10, Major) &&
         Major >= First;
}

/// Fills in the rest of \p Variant, which has a name. Returns why the linker of
/// \p Facts lacks this variant; empty if it has it.
static std::string complete(LinkVariant &Variant, const LinkerFacts &Facts) {
  const StringRef Name = Variant.Name;
  const std::string Linker = sys::path::filename(Facts.Args.front()).str();
  // The report has the stock linker's path elsewhere.
  const std::string Stock = !Facts.Stock.empty()
                                ? LinkerModel::of(Facts.Style).Program.str() +
                                      " " LLVM_VERSION_STRING " (stock)"
                            : Facts.Version.empty() ? Linker
                                                    : Facts.Version;
  if (Name == "stock") {
    Variant.Title = Stock;
    return Facts.IsHeadstart && Facts.Stock.empty() ? Facts.NoStock : "";
  }
  if (Name == "off") {
    Variant.Title = "Headstart off (HEADSTART=off)";
    return Facts.IsHeadstart ? ""
                             : "'stock' is this linker without prefetching";
  }
  if (Name == "stock-prefetch") {
    const std::string Option = LinkerModel::of(Facts.Style).StockPrefetchOption;
    Variant.Title = Stock + " " + Option;
    // A PDB contains the command line, and the image the PDB's checksum.
    Variant.WritesOwnOutput = Facts.Style == Flavour::COFF;
    if (Option.empty())
      return "stock ld.lld has no option that prefetches inputs";
    if (Facts.Driver)
      return "it needs a command that runs the linker directly";
    return Facts.Stock.empty() && !isStockLLD(Facts.Version)
               ? "it needs stock lld 22 or later"
               : "";
  }
  Variant.Prefetches = true;
  if (Name == "on") {
    Variant.Title = Facts.IsHeadstart ? "Headstart, first link (no profile)"
                                      : "headstart run -- " + Linker;
    return "";
  }
  Variant.Title = "Headstart, next link (profile of the first)";
  Variant.UsesProfile = true;
  return Facts.IsHeadstart ? "" : "only Headstart's own linkers store profiles";
}

std::vector<LinkVariant> variantsOf(const LinkerFacts &Facts,
                                    ArrayRef<std::string> Wanted,
                                    std::vector<std::string> &Notes) {
  std::vector<LinkVariant> Variants;
  auto IsWanted = [&](StringRef Name) {
    return llvm::is_contained(Wanted, Name) ||
           // Another linker has "stock" as its base in place of "off".
           (Name == "stock" && !Facts.IsHeadstart &&
            llvm::is_contained(Wanted, "off"));
  };
  for (const StringRef Name : BenchVariants) {
    if (!Wanted.empty() && !IsWanted(Name))
      continue;
    LinkVariant Variant;
    Variant.Name = Name.str();
    const std::string Why = complete(Variant, Facts);
    if (Why.empty())
      Variants.push_back(std::move(Variant));
    // Without "stock" the report cannot show the effect of changing the linker.
    else if (IsWanted(Name) || Name == "stock")
      Notes.push_back(("'" + Name + "' is not measured: " + Why).str());
  }
  return Variants;
}

bool setsReport(StringRef Name) {
  return Name == "prefetch-stats" || Name == "prefetch-trace" ||
         Name == "prefetch-profile";
}

/// Returns the user's HEADSTART_FLAGS with \p Options in place of the options
/// for the statistics, the trace and the profile.
static std::string flagsWith(const std::vector<std::string> &Options) {
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  SmallVector<const char *, 8> Args;
  cl::TokenizeGNUCommandLine(
      sys::Process::GetEnv("HEADSTART_FLAGS").value_or(std::string()), Saver,
      Args);
  llvm::erase_if(Args, [](StringRef Arg) {
    return setsReport(Arg.ltrim("-/").take_until(
        [](char C) { return C == '=' || C == ':'; }));
  });
  for (const std::string &Option : Options)
    Args.push_back(Option.c_str());
  std::string Flags;
  raw_string_ostream OS(Flags);
  ListSeparator Space(" ");
  for (StringRef Arg : Args) {
    OS << Space;
    sys::printArg(OS, Arg, /*Quote=*/true);
  }
  return Flags;
}

os::ProgramStart startOf(const LinkerFacts &Facts, const LinkVariant &Variant,
                         const ReportFiles &Files) {
  os::ProgramStart Start;
  Start.Args = Facts.Args;
  // With this variable, lld would write a tar file during the measurement.
  Start.Environment.emplace_back("LLD_REPRODUCE");
  std::vector<std::string> Options;
  if (Facts.IsHeadstart)
    Options.push_back("--prefetch-profile=" +
                      (Files.Profile.empty() ? "none" : Files.Profile));
  if (!Files.Stats.empty())
    Options.push_back("--prefetch-stats=" + Files.Stats);
  if (!Files.Trace.empty())
    Options.push_back("--prefetch-trace=" + Files.Trace);
  // The variable passes through a compiler driver, too.
  Start.Environment.push_back("HEADSTART_FLAGS=" +
                              flagsWith(Variant.Prefetches && Facts.IsHeadstart
                                            ? Options
                                            : std::vector<std::string>()));
  if (Variant.Name == "off") {
    Start.Environment.emplace_back("HEADSTART=off");
    return Start;
  }
  if (!Variant.Prefetches) {
    if (!Facts.Stock.empty())
      Start.Args = Facts.StockArgs;
    if (!Facts.Driver)
      Start.Program = Facts.Stock;
    if (Variant.Name == "stock-prefetch")
      Start.Args.push_back(LinkerModel::of(Facts.Style).StockPrefetchOption);
    return Start;
  }
  Start.Environment.emplace_back("HEADSTART");
  if (!Facts.IsHeadstart) {
    std::vector<std::string> Args = {Facts.Self, "run"};
    llvm::append_range(Args, std::move(Options));
    if (Facts.Forced)
      Args.push_back("--flavour=" + LinkerModel::of(*Facts.Forced).Name.str());
    Args.emplace_back("--");
    llvm::append_range(Args, std::move(Start.Args));
    Start.Args = std::move(Args);
  }
  return Start;
}

} // namespace headstart
