//===- StockLinker.cpp - The link with stock lld --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variants.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/LinkerProbe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace headstart {

static std::string realPath(StringRef Program) {
  ErrorOr<std::string> Path = sys::findProgramByName(Program);
  SmallString<256> Real;
  if (!Path || sys::fs::real_path(*Path, Real))
    return "";
  return std::string(Real);
}

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
    SmallString<256> Name = sys::path::parent_path(Args.front());
    sys::path::append(Name, LinkerModel::of(Facts.Style).Program);
    Args.front() = std::string(Name);
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
    Facts.NoStock = "the linker is not part of Headstart";
    return Error::success();
  }
  if (Facts.HasOwnOptions) {
    Facts.NoStock = "the command line has options that stock lld rejects";
    return Error::success();
  }
  SmallString<256> Path(Given.empty() ? HEADSTART_STOCK_DIRECTORY : Given);
  if (Given.empty())
    sys::path::append(Path, LinkerModel::of(Facts.Style).Program);
  const std::string Stock(Path);
  std::string Why = whyNotStock(Stock);
  if (Why.empty() && !Facts.Driver) {
    Facts.StockArgs = directArgs(Facts);
    if (realPath(Stock) == realPath(Facts.Args.front()))
      Why = "'" + Stock + "' is the same program";
  } else if (Why.empty()) {
    Facts.StockArgs = driverArgs(Facts, Stock);
    const std::string Started = linkerOf(Facts.StockArgs);
    if (realPath(Started) != realPath(Stock))
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

} // namespace headstart
