//===- ScanELF.cpp - Dependencies of ELF inputs ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld reads every file of unknown kind as a script (lld 22 ELF/Driver.cpp,
// addFile). It reads the dependencies of scripts and thin archives right after
// these. It reads .deplibs when it parses objects, after it has opened all
// inputs of the command line. Not implemented: the dependent libraries of
// bitcode, and those of objects that lld links only if it needs their symbols
// (members of archives, --start-lib).
//
//===----------------------------------------------------------------------===//

#include "../DirectorySearch.h"
#include "Parse.h"
#include "headstart/Formats/Archive.h"
#include "headstart/Formats/ELF.h"
#include "headstart/Formats/LinkerScript.h"

using namespace llvm;

namespace headstart::elf {

/// The limit for a script; those of the largest systems have some 100 kB.
static constexpr uint64_t MaxScriptBytes = uint64_t(16) << 20; // bytes

/// The input \p Name that \p Request names, with that file's option state.
static FoundInput foundBy(const ScanRequest &Request, StringRef Name,
                          InputReason Reason, SearchRule Search) {
  FoundInput Found;
  Found.Input = Request.Named;
  Found.Input.Name = Name.str();
  Found.Input.Reason = Reason;
  Found.Input.Search = Search;
  Found.Input.From = Request.Path.str();
  Found.Input.Scan = ScanPolicy::AtOnce;
  Found.Next = Request.Named.Scan == ScanPolicy::AtOnce;
  return Found;
}

static std::vector<FoundInput> scanScript(const ScanRequest &Request) {
  std::vector<FoundInput> Result;
  if (Request.Inspector.bytes().size() > MaxScriptBytes ||
      !Request.Resolver.isFirstScan(Request.Inspector.identity()))
    return Result;
  SmallVector<char, 0> Buffer;
  std::optional<StringRef> Text = Request.Inspector.bytes().read(
      {0, Request.Inspector.bytes().size()}, Buffer);
  if (!Text)
    return Result;
  // The kind was determined from the head, which may have been too short.
  if (identify_magic(*Text) != file_magic::unknown)
    return Result;
  // An input that a script names with INPUT also has the reason LinkerScript,
  // but another search rule.
  bool IsPart = Request.Named.Search == SearchRule::Script;
  const InputReason Reason = InputReason::LinkerScript;
  const ELFSettings &Settings = Request.Resolver.command().ELF;
  for (ScriptName N : readLinkerScript(*Text, IsPart)) {
    switch (N.What) {
    case ScriptName::Kind::Directory:
      if (!Settings.IgnoresScriptDirectories)
        Request.Resolver.directories().add(
            directoryOf(N.Name, Settings.SysRoot));
      break;
    case ScriptName::Kind::Include:
      Result.push_back(foundBy(Request, N.Name, Reason, SearchRule::Script));
      break;
    case ScriptName::Kind::Input:
      if (N.Name.consume_front("-l"))
        Result.push_back(foundBy(Request, N.Name, Reason, SearchRule::Library));
      else
        Result.push_back(
            foundBy(Request, N.Name, Reason, SearchRule::ScriptInput));
      break;
    }
  }
  return Result;
}

static std::vector<FoundInput> scanArchive(const ScanRequest &Request) {
  std::vector<FoundInput> Result;
  if (!ArchiveReader::isThin(Request.Inspector.bytes()) ||
      !Request.Resolver.isFirstScan(Request.Inspector.identity()))
    return Result;
  for (const std::string &Member :
       readThinMembers(Request.Inspector.bytes(), Request.Path))
    Result.push_back(foundBy(Request, Member, InputReason::ArchiveMember,
                             SearchRule::Verbatim));
  return Result;
}

static std::vector<FoundInput> scanObject(const ScanRequest &Request) {
  std::vector<FoundInput> Result;
  const ELFSettings &Settings = Request.Resolver.command().ELF;
  bool OnDemand = Request.Named.Lazy ||
                  (Request.Named.Reason == InputReason::ArchiveMember &&
                   !Request.Named.Whole);
  if (OnDemand || Settings.IgnoresDependents)
    return Result;
  const ELFFile &File = *Request.Inspector.elf();
  if (File.Objects.empty())
    return Result;
  const ELFObject &Object = *File.Objects.front().Headers;
  for (std::string &Name : Object.readDependents(Request.Inspector.bytes())) {
    FoundInput &Found = Result.emplace_back();
    Found.Input = Settings.Dependents;
    Found.Input.Name = std::move(Name);
    Found.Input.From = Request.Path.str();
  }
  return Result;
}

std::vector<FoundInput> Model::scan(const ScanRequest &Request) const {
  if (Request.Named.Scan == ScanPolicy::Never)
    return {};
  bool IsMember = Request.Named.Reason == InputReason::ArchiveMember;
  switch (Request.Inspector.kind()) {
  case file_magic::unknown:
    // lld warns about a member that is not an object, and skips it.
    return IsMember ? std::vector<FoundInput>() : scanScript(Request);
  case file_magic::archive:
    return IsMember ? std::vector<FoundInput>() : scanArchive(Request);
  case file_magic::elf_relocatable:
    return scanObject(Request);
  default:
    return {};
  }
}

} // namespace headstart::elf
