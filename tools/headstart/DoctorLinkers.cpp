//===- DoctorLinkers.cpp - The linkers on PATH ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "headstart/Link/LinkerProbe.h"
#include "headstart/OS/Program.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace headstart {

static constexpr StringLiteral DropIn = "ld.headstart";

namespace {

/// Checks the linkers and compilers on PATH. Queries each linker once.
class LinkerChecks {
public:
  CheckGroup run();

private:
  const LinkerVersion &query(const std::string &Path);
  std::string describe(const std::string &Path);
  void checkDropIn();
  void checkLinker(StringRef Name);
  void checkCompiler(StringRef Name);
  void checkVersionedClangs();
  std::string beside(StringRef Name);
  std::string adviceForClang();
  std::string adviceForGCC(StringRef Name);

  CheckGroup Group = {"linkers", "Linkers", "", {}};
  const std::string Self = os::programPath();
  StringMap<LinkerVersion> Answers; ///< keyed by path
  std::vector<std::string> Missing; ///< the names that are not on PATH
};

} // namespace

static std::string findOnPath(StringRef Name) {
  ErrorOr<std::string> Path = sys::findProgramByName(Name);
  return Path ? *Path : "";
}

const LinkerVersion &LinkerChecks::query(const std::string &Path) {
  const auto [Place, IsNew] = Answers.try_emplace(Path);
  if (IsNew)
    Place->second = versionOf(Path);
  return Place->second;
}

/// "/usr/bin/ld.lld, Debian LLD 22.1.8 (compatible with GNU linkers), stock".
std::string LinkerChecks::describe(const std::string &Path) {
  const LinkerVersion &Version = query(Path);
  if (Version.IsHeadstart)
    return Path + ", part of Headstart";
  if (Version.Line.empty())
    return Path + ", which reports no version";
  const bool IsLLD = StringRef(Version.Line).contains("LLD ");
  return Path + ", " + Version.Line + (IsLLD ? ", stock" : "");
}

/// The path of Headstart's linker \p Name, in this program's directory or in
/// that of the linkers that are installed with it; empty if it is in neither.
std::string LinkerChecks::beside(StringRef Name) {
  const StringRef Directory = sys::path::parent_path(Self);
  for (const StringRef Place :
       {StringRef(""), StringRef("../libexec/headstart")}) {
    SmallString<256> Path(Directory);
    sys::path::append(Path, Place, Name);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    // In /usr/bin, other programs have these names.
    if (!Self.empty() && sys::fs::can_execute(Path) &&
        query(std::string(Path)).IsHeadstart)
      return std::string(Path);
  }
  return "";
}

/// Returns the command that makes `-fuse-ld=headstart` work, or replaces it.
std::string LinkerChecks::adviceForClang() {
  const std::string Ours = beside(DropIn);
  if (!Ours.empty())
    return ("export PATH=" + sys::path::parent_path(Ours) + ":$PATH").str();
  const std::string Linker = beside("ld.lld");
  return Linker.empty()
             ? "install Headstart's linkers, or run: headstart run -- COMMAND"
             : "clang --ld-path=" + Linker;
}

/// Returns what makes \p Name, which rejects `-fuse-ld=headstart`, prefetch.
std::string LinkerChecks::adviceForGCC(StringRef Name) {
  for (const auto &[Linker, Selection] :
       {std::pair("ld", ""), std::pair("ld.lld", " -fuse-ld=lld")})
    if (const std::string Path = beside(Linker); !Path.empty())
      return (Name + " -B" + sys::path::parent_path(Path) + Selection).str();
  return ("install Headstart's linkers, or run: headstart run -- " + Name +
          " ARGS...")
      .str();
}

void LinkerChecks::checkDropIn() {
  const std::string Path = findOnPath(DropIn);
  Check &C = Group.add(
      DropIn.str(), textOrNull(Path),
      (DropIn + (Path.empty() ? " is not on PATH" : ": " + describe(Path)))
          .str());
  if (Path.empty())
    C.note("clang -fuse-ld=headstart finds no linker", adviceForClang());
  else if (!query(Path).IsHeadstart)
    C.problem("clang -fuse-ld=headstart runs a program that is not part of "
              "Headstart",
              adviceForClang());
}

void LinkerChecks::checkLinker(StringRef Name) {
  const std::string Path = findOnPath(Name);
  Group.add(Name.str(), textOrNull(Path),
            Path.empty() ? "" : (Name + ": " + describe(Path)).str());
  if (Path.empty())
    Missing.push_back(Name.str());
  else
    Group.add((Name + ".is_headstart").str(), query(Path).IsHeadstart, "");
}

/// Checks which linker \p Name runs by default, and with -fuse-ld=headstart.
void LinkerChecks::checkCompiler(StringRef Name) {
  const std::string Path = findOnPath(Name);
  if (Path.empty()) {
    Group.add(Name.str(), nullptr, "");
    Missing.push_back(Name.str());
    return;
  }
  const std::string Default = linkerOf(Path, "", Self);
  const std::string Chosen = linkerOf(Path, "-fuse-ld=headstart", Self);
  Check &C =
      Group.add(Name.str(), textOrNull(Default),
                (Name + " links with " +
                 (Default.empty() ? "an unknown linker" : describe(Default)))
                    .str());
  if (!Chosen.empty() && query(Chosen).IsHeadstart) {
    C.Text += " by default; with -fuse-ld=headstart it runs Headstart";
    return;
  }
  if (!Default.empty() && query(Default).IsHeadstart)
    return;
  if (StringRef(versionOf(Path).Line).contains_insensitive("clang"))
    return C.note(
        Chosen.empty() || Chosen == Default
            ? "its links do not prefetch: -fuse-ld=headstart finds no linker"
            : "its links do not prefetch: -fuse-ld=headstart finds " + Chosen,
        adviceForClang());
  C.note("its links do not prefetch, and it rejects -fuse-ld=headstart",
         adviceForGCC(Name));
}

/// Checks the compilers with a version in their names: Debian installs clang
/// under names such as clang-22, and at most one of them is also clang.
void LinkerChecks::checkVersionedClangs() {
  constexpr unsigned Oldest = 11, Newest = LLVM_VERSION_MAJOR + 10;
  for (const StringRef Name : {"clang", "clang++"}) {
    SmallString<256> Unversioned, Versioned;
    (void)sys::fs::real_path(findOnPath(Name), Unversioned);
    for (unsigned Version = Newest; Version >= Oldest; --Version) {
      const std::string Full = (Name + "-" + Twine(Version)).str();
      const std::string Path = findOnPath(Full);
      if (!Path.empty() && !sys::fs::real_path(Path, Versioned) &&
          Versioned != Unversioned)
        checkCompiler(Full);
    }
  }
}

CheckGroup LinkerChecks::run() {
  checkDropIn();
  for (const StringRef Name :
       {"ld.lld", "lld-link", "ld64.lld", "ld", "mold", "wild"})
    checkLinker(Name);
  for (const StringRef Name : {"cc", "c++", "clang", "clang++"})
    checkCompiler(Name);
  checkVersionedClangs();
  if (!Missing.empty())
    Group.add("not_on_path", json::Array(Missing),
              "not on PATH: " + join(Missing, ", "));
  return std::move(Group);
}

CheckGroup checkLinkers() { return LinkerChecks().run(); }

} // namespace headstart
