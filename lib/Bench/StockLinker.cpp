//===- StockLinker.cpp - The same link by stock lld -----------------------===//
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

/// Why \p Path is not stock lld of our version; empty: it is.
static std::string whyNotStock(const std::string &Path) {
  if (!sys::fs::can_execute(Path))
    return "'" + Path + "' is not a program";
  const std::string Version = versionOf(Path);
  if (!StringRef(Version).contains("LLD " LLVM_VERSION_STRING))
    return "'" + Path + "' is not LLD " LLVM_VERSION_STRING " but '" + Version +
           "'";
  return "";
}

/// The words of \p Facts' link by the stock linker, which is run directly. It
/// goes by its name, and does not know the names that are Headstart's own. Any
/// other name stays: a PDB holds it.
static std::vector<std::string> directWords(const LinkerFacts &Facts) {
  std::vector<std::string> Words = Facts.Words;
  if (sys::path::stem(Words.front()) == "headstart" &&
      recognizeProgram(ArrayRef(Words).drop_front())) {
    Words.erase(Words.begin()); // headstart ld.lld ...
  } else if (sys::path::filename(Words.front()).contains("headstart")) {
    SmallString<256> Name = sys::path::parent_path(Words.front());
    sys::path::append(Name, LinkerModel::of(Facts.Style).Program);
    Words.front() = std::string(Name);
  }
  return Words;
}

/// The same through the compiler driver, which is told to run \p Stock.
static std::vector<std::string> driverWords(const LinkerFacts &Facts,
                                            const std::string &Stock) {
  std::vector<std::string> Words = Facts.Words;
  if (Facts.Driver == DriverKind::GCC) {
    // It takes no path of a linker. The first -B wins, and the last -fuse-ld.
    Words.insert(std::next(Words.begin()),
                 "-B" + sys::path::parent_path(Stock).str());
    Words.emplace_back("-fuse-ld=lld");
  } else if (Facts.Style == Flavour::COFF) {
    // clang knows a linker for MSVC by its name alone. Words at the end may be
    // the linker's (/link).
    llvm::erase_if(Words, [](StringRef Word) {
      return Word.starts_with("-fuse-ld=") || Word.starts_with("/fuse-ld=");
    });
    Words.insert(std::next(Words.begin()), "-fuse-ld=lld");
  } else {
    Words.push_back("--ld-path=" + Stock);
  }
  return Words;
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
    Facts.StockWords = directWords(Facts);
    if (realPath(Stock) == realPath(Facts.Words.front()))
      Why = "'" + Stock + "' is the same program";
  } else if (Why.empty()) {
    Facts.StockWords = driverWords(Facts, Stock);
    const std::string Started = linkerOf(Facts.StockWords);
    if (realPath(Started) != realPath(Stock))
      Why = "'" + Facts.Words.front() + "' does not run '" + Stock +
            "' even if asked to: it would run " +
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
