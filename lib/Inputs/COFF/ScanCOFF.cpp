//===- ScanCOFF.cpp - What COFF inputs name -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lld 22 does with each kind of input was seen in lld-link 22.1.8 and is
// written down in docs/internals/Discovery-COFF.md, with what is not followed
// here.
//
// Directives that name no file (/include:, /alternatename:, /merge:,
// /manifestdependency:, ...) and those that lld refuses are skipped.
// LF_PRECOMP names an object, but lld looks for it among its inputs.
//
//===----------------------------------------------------------------------===//

#include "../Private.h"
#include "Options.h"
#include "Parse.h"
#include "headstart/Formats/Archive.h"
#include "headstart/Formats/Bitcode.h"
#include "headstart/Formats/COFF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace headstart::coff {

namespace {
class Scan {
public:
  explicit Scan(const ScanRequest &Request)
      : Request(Request), Command(Request.Resolver.command()) {}
  std::vector<FoundInput> run();

private:
  void readObject(const COFFObject &Object, ByteSource &Bytes);
  void readMember(ByteSource &Member);
  void readDirectives(StringRef Directives);
  void addDefaultLibrary(StringRef Name);
  StringRef directoryOfInput() const;
  std::optional<std::string> findTypeServer(StringRef Recorded) const;
  void addTypeServer(StringRef Recorded);
  void addThinMembers();
  void readMembers();
  std::string pathOfLibrary(StringRef Name) const;

  const ScanRequest &Request;
  const LinkCommand &Command;
  bool WantsDirectives = false;
  bool WantsTypeServers = false;
  /// As written, in lower case: a name that was met is not searched for again.
  StringSet<> Met;
  /// What /nodefaultlib: in this file excludes from there on.
  StringSet<> Excluded;
  StringSet<> TypeServers;
  std::vector<FoundInput> Found;
};
} // namespace

std::string Scan::pathOfLibrary(StringRef Name) const {
  NamedInput Library;
  Library.Name = Name.str();
  Library.Search = SearchRule::Library;
  return StringRef(Request.Resolver.resolve(Library).Path).lower();
}

void Scan::addDefaultLibrary(StringRef Name) {
  std::string Lower = Name.lower();
  if (Name.empty() || Command.NamedLibraries.contains(Lower) ||
      !Met.insert(Lower).second || isExcluded(Name, Request.Resolver) ||
      (!Excluded.empty() && Excluded.contains(pathOfLibrary(Name))))
    return;
  NamedInput &Input = Found.emplace_back().Input;
  Input.Name = Name.str();
  Input.Reason = InputReason::EmbeddedDefaultLibrary;
  Input.Search = SearchRule::Library;
  Input.From = Request.Path.str();
}

void Scan::readDirectives(StringRef Directives) {
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  SmallVector<StringRef, 16> Args;
  cl::TokenizeWindowsCommandLineNoCopy(Directives, Saver, Args);
  for (StringRef Arg : Args) {
    // Most are exports, a hundred thousand in some objects.
    if (!Arg.contains_insensitive("defaultlib:"))
      continue;
    MatchedArg Match = matchArg(Arg);
    if (Match.ID == OPT_defaultlib)
      addDefaultLibrary(Match.Value);
    else if (Match.ID == OPT_nodefaultlib)
      Excluded.insert(pathOfLibrary(Match.Value));
  }
}

/// The directory that lld takes the object for in: of a thin archive's member
/// it only knows the name that the archive has for it, so that of
/// `sub/thin.lib`'s `one.obj` it takes the current directory.
StringRef Scan::directoryOfInput() const {
  StringRef Path = Request.Path;
  if (Request.Named.Reason == InputReason::ArchiveMember) {
    StringRef Directory = sys::path::parent_path(Request.Named.From);
    if (!Directory.empty() && Path.consume_front(Directory))
      Path = Path.ltrim('/');
  }
  return sys::path::parent_path(Path);
}

/// The places where lld-link 22.1.8 looks for a type server, in order (an
/// older version is COFF/InputFiles.cpp, findPdbPath): the path as the compiler
/// recorded it, mostly one of Windows and of another machine; beside the
/// object, or the archive that holds it; beside the image.
std::optional<std::string> Scan::findTypeServer(StringRef Recorded) const {
  if (statInput(Recorded).exists())
    return Recorded.str();
  StringRef Name = sys::path::filename(Recorded, sys::path::Style::windows);
  // Without inputs, which have brought us here, there would be no image.
  StringRef Image = Command.image();
  for (StringRef Directory :
       {directoryOfInput(), sys::path::parent_path(Image)}) {
    SmallString<256> Beside = Directory;
    sys::path::append(Beside, Name);
    if (statInput(Beside).exists())
      return Beside.str().str();
  }
  return std::nullopt;
}

void Scan::addTypeServer(StringRef Recorded) {
  if (Recorded.empty())
    return;
  std::optional<std::string> Path = findTypeServer(Recorded);
  // One beside the image may be the PDB that this link writes again.
  if (!Path || Command.writes(*Path) || !TypeServers.insert(*Path).second)
    return;
  NamedInput &Input = Found.emplace_back().Input;
  Input.Name = std::move(*Path);
  Input.Reason = InputReason::TypeServer;
  Input.From = Request.Path.str();
}

void Scan::readObject(const COFFObject &Object, ByteSource &Bytes) {
  if (WantsTypeServers)
    addTypeServer(Object.readTypeServer(Bytes));
  if (WantsDirectives)
    readDirectives(Object.readDirectives(Bytes));
}

void Scan::readMember(ByteSource &Member) {
  switch (kindOf(Member)) {
  case file_magic::coff_object:
    if (std::optional<COFFObject> Object = COFFObject::read(Member))
      readObject(*Object, Member);
    break;
  case file_magic::bitcode:
    if (WantsDirectives)
      readDirectives(readBitcodeDirectives(Member));
    break;
  default:
    break;
  }
}

void Scan::addThinMembers() {
  for (std::string &Path :
       readThinMembers(Request.Inspector.bytes(), Request.Path)) {
    FoundInput &Member = Found.emplace_back();
    Member.Next = true;
    Member.Input.Name = std::move(Path);
    Member.Input.Reason = InputReason::ArchiveMember;
    Member.Input.From = Request.Path.str();
    Member.Input.Lazy = !Request.Named.Whole;
  }
}

void Scan::readMembers() {
  // Two reads for each. They mostly name what others have named, so that an
  // end early loses little.
  constexpr unsigned MaxMembers = 4096;
  ByteSource &Bytes = Request.Inspector.bytes();
  ArchiveReader Archive(Bytes);
  for (unsigned I = 0; I != MaxMembers; ++I) {
    std::optional<ArchiveMember> Member = Archive.next();
    if (!Member)
      break;
    PartBytes Contents(Bytes, Member->Contents);
    if (Member->Kind == ArchiveMember::File)
      readMember(Contents);
  }
}

std::vector<FoundInput> Scan::run() {
  WantsDirectives = !Command.ExcludesAllLibraries;
  // lld asks for /debug, not for what it will make of it.
  WantsTypeServers = Command.ReadsCodeView || Command.ReadsDWARF;
  FileInspector &Inspector = Request.Inspector;
  if (Inspector.kind() == file_magic::archive) {
    bool IsThin = ArchiveReader::isThin(Inspector.bytes());
    // Which members of other archives are read, only the linker knows. The
    // index of a thin one does not tell the two kinds of symbols apart that
    // ARM64EC has, and lld looks into every member.
    if (!Request.Named.Whole && !(IsThin && Command.ForArm64EC))
      return {};
    if (IsThin)
      addThinMembers();
    else if (WantsDirectives || WantsTypeServers)
      readMembers();
    return std::move(Found);
  }
  // An object in a library of objects is read when a symbol of it is wanted.
  if (Request.Named.Lazy || !(WantsDirectives || WantsTypeServers))
    return {};
  if (Inspector.kind() != file_magic::coff_object)
    readMember(Inspector.bytes());
  else if (const COFFObject *Object = Inspector.coff())
    readObject(*Object, Inspector.bytes());
  return std::move(Found);
}

std::vector<FoundInput> scan(const ScanRequest &Request) {
  return Scan(Request).run();
}

} // namespace headstart::coff
