//===- Model.cpp - lld-link ----------------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search rules of lld 22 (COFF/Driver.cpp: findFile, findLib,
// findLibMinGW). A directory counts as found, as in lld, which only tests
// whether the path exists and fails when it opens it. Not implemented:
// /vfsoverlay:, which can rename the files that a search finds.
//
//===----------------------------------------------------------------------===//

#include "../DirectorySearch.h"
#include "Parse.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart::coff {

/// lld adds an extension only if the path has no '.' at all, not even in the
/// name of a directory.
static bool hasExtension(StringRef Name) { return Name.contains('.'); }

static std::string libraryName(StringRef Name) {
  return hasExtension(Name) ? Name.str() : (Name + ".lib").str();
}

static ResolvedInput findFile(StringRef Name, const InputResolver &Resolver) {
  if (sys::path::is_absolute(Name))
    return statInput(Name);
  SmallVector<std::string, 2> Names = {Name.str()};
  if (!hasExtension(Name))
    Names.push_back((Name + ".obj").str());
  if (std::optional<ResolvedInput> Found = Resolver.directories().find(Names))
    return std::move(*Found);
  return {Name.str(), {}};
}

static ResolvedInput findLibrary(StringRef Name,
                                 const InputResolver &Resolver) {
  std::string Library = libraryName(Name);
  ResolvedInput R = findFile(Library, Resolver);
  // lld considers a search failed if the path equals the name. In MinGW mode it
  // therefore skips `foo.lib` in the current directory and searches for
  // `libfoo.a` (seen in lld-link 22.1.8).
  if (!Resolver.command().MinGW || R.Path != Library ||
      StringRef(Library).contains('/') || StringRef(Library).contains('\\'))
    return R;
  SmallString<128> Archive = StringRef(Library);
  sys::path::replace_extension(Archive, ".a");
  return findFile(("lib" + Archive).str(), Resolver);
}

// lld searches for both names and compares the paths in lower case. On a
// case-sensitive file system `/nodefaultlib:FOO` may therefore not exclude
// `/defaultlib:foo`. But if lld infers the machine, it searches once more, with
// the excluded paths, which are in lower case by then
// (addWinSysRootLibSearchPaths; seen in lld-link 22.1.8).
bool isExcluded(StringRef Name, const InputResolver &Resolver) {
  const LinkCommand &Command = Resolver.command();
  if (Command.ExcludesAllLibraries)
    return true;
  if (Command.ExcludedLibraries.empty())
    return false;
  auto PathOf = [&](StringRef Library) {
    return StringRef(findLibrary(Library, Resolver).Path).lower();
  };
  std::string Library = libraryName(Name);
  std::string Path;
  for (const std::string &Excluded : Command.ExcludedLibraries) {
    std::string Other = libraryName(Excluded);
    if (Other == Library)
      return true;
    // A search finds a path that ends in the name, except in MinGW mode, where
    // `foo.lib` can find `libfoo.a`.
    if (!Command.MinGW && !sys::path::filename(Other).equals_insensitive(
                              sys::path::filename(Library)))
      continue;
    if (Path.empty())
      Path = PathOf(Library);
    std::string OtherPath = PathOf(Other);
    if (!Command.NamesMachine)
      OtherPath = PathOf(OtherPath);
    if (OtherPath == Path)
      return true;
  }
  return false;
}

/// Finds the file that ld.lld finds for -l before it calls lld-link's driver,
/// as in lld 22 MinGW/Driver.cpp (searchLibrary; checked against ld.lld 22.1.8
/// -m i386pep -###). Import libraries have precedence over static libraries,
/// and those over DLLs. lld searches only the directories of -L.
static ResolvedInput findMinGWLibrary(const NamedInput &Input,
                                      const InputResolver &Resolver) {
  const LinkCommand &Command = Resolver.command();
  StringRef Name = Input.Name;
  SmallVector<std::string, 6> Files;
  if (Name.consume_front(":"))
    Files = {Name.str()};
  else if (Input.StaticOnly)
    Files = {("lib" + Name + ".a").str(), (Name + ".lib").str()};
  else
    Files = {("lib" + Name + ".dll.a").str(),
             (Name + ".dll.a").str(),
             ("lib" + Name + ".a").str(),
             (Name + ".lib").str(),
             (Command.DLLPrefix + Name + ".dll").str(),
             (Name + ".dll").str()};
  // The first search path is lld-link's current directory, not one of -L.
  if (!Command.SearchPaths.empty())
    if (std::optional<ResolvedInput> Found =
            Resolver.directories().find(Files, /*Skip=*/1))
      return std::move(*Found);
  return {"-l" + Input.Name, {}};
}

Model::Model()
    : LinkerModel(Flavour::COFF, "coff", "lld-link", coff::optionTable()) {
  KnowsByIdentity = true;
  StockPrefetchOption = "/prefetch-inputs";
}

/// lld-link reads these options from the unexpanded command line before it
/// reads response files and variables (lld 22 COFF/DriverUtils.cpp).
LinkerModel::Expansion Model::expansionOf(ArrayRef<std::string> Args) const {
  Expansion Result;
  Result.Tokenizer = cl::TokenizeWindowsCommandLine;
  // lld inserts the arguments of LINK after the program's name, and then the
  // arguments of _LINK_ before those.
  Result.Variables = {"_LINK_", "LINK"};
  std::vector<const char *> Texts;
  for (const std::string &Arg : Args)
    Texts.push_back(Arg.c_str());
  const opt::InputArgList Parsed = parseArguments(Texts);
  if (Parsed.hasArg(OPT_lldignoreenv))
    Result.Variables.clear();
  if (const opt::Arg *A = Parsed.getLastArg(OPT_rsp_quoting))
    Result.Tokenizer = StringRef(A->getValue()) == "windows"
                           ? cl::TokenizeWindowsCommandLine
                           : cl::TokenizeGNUCommandLine;
  return Result;
}

ResolvedInput Model::resolve(const NamedInput &Input,
                             const InputResolver &Resolver) const {
  if (Input.Reason == InputReason::Library)
    return findMinGWLibrary(Input, Resolver);
  if (Input.Search == SearchRule::Object)
    return findFile(Input.Name, Resolver);
  if (Input.Search == SearchRule::Library)
    return findLibrary(Input.Name, Resolver);
  return statInput(Input.Name);
}

std::optional<LinkStage> Model::stageOf(PartKind K, const ReadKinds &O) const {
  switch (K) {
  case PartKind::Whole:
  case PartKind::Headers:
  case PartKind::Symbols:
  case PartKind::CompilerInfo:
    return LinkStage::Parse;
  case PartKind::Contents:
  case PartKind::Relocations:
  case PartKind::Bitcode:
    return LinkStage::Contents;
  case PartKind::Types:
  case PartKind::TypeHashes:
    return stageIf(O.ReadsCodeView, LinkStage::Types);
  case PartKind::DebugRelocs:
    if (O.DropsUnreferenced)
      return LinkStage::Contents;
    [[fallthrough]];
  case PartKind::DebugSymbols:
    return stageIf(O.ReadsCodeView, LinkStage::DebugSymbols);
  case PartKind::DWARF:
    return stageIf(O.ReadsDWARF, LinkStage::Contents);
  case PartKind::BitcodeMetadata:
    return stageIf(!O.HasLTOCache, LinkStage::Contents);
  case PartKind::ParsedContents:   // Mach-O only
  case PartKind::DebugStrings:     // ELF only
  case PartKind::FoldableContents: // ELF only
  case PartKind::NeverRead:
    return std::nullopt;
  }
  return std::nullopt;
}

// With /debug, lld reads small pieces of headers and symbols when it writes
// the module streams (in DebugSymbols and again in Commit). It reads headers
// and contents for the checksums of the section contributions, and the names
// of all public symbols to sort and to write them.
StageSet Model::stagesOf(LinkStage First, PartKind K) const {
  switch (First) {
  case LinkStage::Parse:
    return bitOf(First) | bitOf(LinkStage::DebugSymbols) |
           bitOf(LinkStage::Commit) |
           (K == PartKind::Headers ? bitOf(LinkStage::Contributions) : 0) |
           (K == PartKind::Symbols ? bitOf(LinkStage::Names) : 0);
  case LinkStage::Contents: // lld compiles bitcode once
    return bitOf(First) |
           (K == PartKind::Bitcode || K == PartKind::BitcodeMetadata
                ? 0
                : bitOf(LinkStage::Contributions));
  case LinkStage::DebugSymbols:
    return bitOf(First) | bitOf(LinkStage::Commit);
  default:
    return bitOf(First);
  }
}

bool Model::isBackward(LinkStage Stage) const {
  return Stage == LinkStage::Contents || Stage == LinkStage::Types ||
         Stage == LinkStage::Commit;
}

} // namespace headstart::coff
