//===- LinkerName.cpp - Which program this is, by its name ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace headstart {

namespace {

/// A program's name and kind.
struct NamedProgram {
  StringLiteral Name;
  std::optional<Flavour> Linker; ///< absent: that of the system's own linker
  std::optional<DriverKind> Driver;
};

} // namespace

/// No name is, or ends in "-" and, a name above it: the first match counts.
static constexpr NamedProgram Programs[] = {
    {"lld-link", Flavour::COFF, std::nullopt},
    {"ld64.lld", Flavour::MachO, std::nullopt},
    {"ld64.mold", Flavour::MachO, std::nullopt},
    {"ld64", Flavour::MachO, std::nullopt},
    {"ld-classic", Flavour::MachO, std::nullopt},
    {"ld-prime", Flavour::MachO, std::nullopt},
    {"ld.lld", Flavour::ELF, std::nullopt},
    {"ld.headstart", Flavour::ELF, std::nullopt},
    {"ld64.headstart", Flavour::MachO, std::nullopt},
    {"ld.bfd", Flavour::ELF, std::nullopt},
    {"ld.gold", Flavour::ELF, std::nullopt},
    {"ld.mold", Flavour::ELF, std::nullopt},
    {"ld.wild", Flavour::ELF, std::nullopt},
    {"gold", Flavour::ELF, std::nullopt},
    {"mold", Flavour::ELF, std::nullopt},
    {"wild", Flavour::ELF, std::nullopt},
    // gcc starts collect2, which passes its arguments on to ld.
    {"collect2", std::nullopt, std::nullopt},
    {"ld", std::nullopt, std::nullopt},
    {"clang-cl", std::nullopt, DriverKind::ClangCL},
    {"clang++", std::nullopt, DriverKind::Clang},
    {"clang", std::nullopt, DriverKind::Clang},
    {"flang-new", std::nullopt, DriverKind::Clang},
    {"flang", std::nullopt, DriverKind::Clang},
    {"gcc", std::nullopt, DriverKind::GCC},
    {"g++", std::nullopt, DriverKind::GCC},
    {"gfortran", std::nullopt, DriverKind::GCC},
    {"gdc", std::nullopt, DriverKind::GCC},
    {"cc", std::nullopt, DriverKind::GCC},
    {"c++", std::nullopt, DriverKind::GCC},
    {"rustc", std::nullopt, DriverKind::Rustc},
};

static const NamedProgram *findProgram(StringRef Name) {
  for (const NamedProgram &P : Programs)
    if (Name == P.Name || (Name.ends_with(P.Name) &&
                           Name.drop_back(P.Name.size()).ends_with("-")))
      return &P;
  return nullptr;
}

/// The flavour of the system's own ld.
static Flavour machinesOwn() {
  Triple Machine(sys::getProcessTriple());
  return Machine.isOSDarwin()    ? Flavour::MachO
         : Machine.isOSWindows() ? Flavour::COFF
                                 : Flavour::ELF;
}

/// The flavour for \p Value of -flavor (lld 22 Common/DriverDispatcher.cpp).
static std::optional<Flavour> flavourOfLLD(StringRef Value) {
  std::string Name = Value.lower();
  if (is_contained({"ld", "ld.lld", "gnu"}, Name))
    return Flavour::ELF;
  if (is_contained({"ld64", "ld64.lld", "darwin"}, Name))
    return Flavour::MachO;
  if (is_contained({"link", "lld-link"}, Name))
    return Flavour::COFF;
  return std::nullopt;
}

/// Whether \p Arg shows that `link` is link.exe: an option in its style, a
/// response file, or an object. coreutils' link takes two paths.
static bool isForLinkExe(StringRef Arg) {
  if (Arg.starts_with("@"))
    return true;
  StringRef Extension = sys::path::extension(Arg);
  if (llvm::any_of(
          ArrayRef<StringRef>{".obj", ".lib", ".res", ".def"},
          [&](StringRef E) { return Extension.equals_insensitive(E); }))
    return true;
  if (!Arg.starts_with("/") && !Arg.starts_with("-"))
    return false;
  StringRef Option = Arg.drop_front().take_while(isAlpha);
  StringRef Rest = Arg.drop_front(1 + Option.size());
  return !Option.empty() &&
         (Rest.starts_with(":") || (Rest.empty() && Arg[0] == '/'));
}

/// The arguments that \p Target in the name of a GNU ld for MinGW implies.
static std::vector<std::string> impliedByTarget(StringRef Target) {
  if (!Target.contains("mingw"))
    return {};
  StringRef Machine = StringSwitch<StringRef>(
                          Target.take_until([](char C) { return C == '-'; }))
                          .Case("x86_64", "i386pep")
                          .Case("i386", "i386pe")
                          .Case("i486", "i386pe")
                          .Case("i586", "i386pe")
                          .Case("i686", "i386pe")
                          .Case("aarch64", "arm64pe")
                          .Case("armv7", "thumb2pe")
                          .Default("");
  if (Machine.empty())
    return {};
  return {"-m", Machine.str()};
}

/// Recognizes `headstart` with \p Args. tools/main.cpp distinguishes the same
/// two: `headstart ld.lld ...`, and the command that clang-cl runs for
/// -fuse-ld=headstart.
static std::optional<KnownProgram>
recognizeHeadstart(ArrayRef<std::string> Args) {
  std::optional<KnownProgram> Program;
  if (StringRef(Args[1]).starts_with("-out:") ||
      StringRef(Args[1]).starts_with("@")) {
    Program.emplace().Linker = Flavour::COFF;
    return Program;
  }
  Program = recognizeProgram(Args.drop_front());
  if (!Program || Program->Driver)
    return std::nullopt;
  ++Program->LeadingArgs;
  return Program;
}

std::optional<KnownProgram> recognizeProgram(ArrayRef<std::string> Args) {
  if (Args.empty())
    return std::nullopt;
  StringRef Name = sys::path::filename(Args[0]);
  bool IsExe = Name.consume_back_insensitive(".exe");
  KnownProgram Result;

  if (Name == "headstart" && Args.size() > 1)
    return recognizeHeadstart(Args);

  // lld accepts -flavor under each of its names, also as Headstart's linkers.
  StringRef Unversioned = Name.rtrim("0123456789.").rtrim('-');
  if (Args.size() > 2 && Args[1] == "-flavor" &&
      (Unversioned.contains("lld") || Unversioned.ends_with(".headstart"))) {
    std::optional<Flavour> F = flavourOfLLD(Args[2]);
    if (!F)
      return std::nullopt;
    Result.Linker = *F;
    Result.LeadingArgs = 3;
    return Result;
  }

  if (Unversioned.equals_insensitive("link")) {
    if (!IsExe && machinesOwn() != Flavour::COFF &&
        llvm::none_of(Args.drop_front(), isForLinkExe))
      return std::nullopt;
    Result.Linker = Flavour::COFF;
    return Result;
  }

  // The full name comes first: the digits of "ld64" are no version.
  const NamedProgram *Program = findProgram(Name);
  if (!Program) {
    Name = Unversioned;
    Program = findProgram(Name);
  }
  if (!Program && Name.equals_insensitive("lld-link"))
    Program = findProgram("lld-link");
  if (!Program || Name == "wasm-ld")
    return std::nullopt;
  Result.Linker = Program->Linker.value_or(machinesOwn());
  Result.Driver = Program->Driver;
  StringRef Target =
      Name.drop_back(std::min(Program->Name.size(), Name.size()));
  if (!Result.Driver && Result.Linker != Flavour::COFF &&
      !llvm::is_contained(Args, "-m"))
    Result.ImpliedArgs = impliedByTarget(Target);
  // A cross linker's name has its target. All except Apple's read ELF's command
  // line; MinGW's has an implied -m.
  if (!Program->Linker && !Result.Driver && !Target.empty())
    Result.Linker = Target.contains("apple") ? Flavour::MachO : Flavour::ELF;
  return Result;
}

} // namespace headstart
