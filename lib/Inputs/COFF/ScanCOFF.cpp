//===- ScanCOFF.cpp - Dependencies of COFF inputs -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/internals/Discovery-COFF.md describes how lld 22 reads each kind of
// input, as seen in lld-link 22.1.8, and what is not implemented here.
//
// The scan skips directives that name no file (/include:, /alternatename:,
// /merge:, /manifestdependency:, ...) and those that lld refuses. LF_PRECOMP
// names an object, but lld searches for it only among its inputs.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "headstart/Formats/Archive.h"
#include "headstart/Formats/Bitcode.h"
#include "headstart/Formats/COFF.h"
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
  /// Default libraries by name, in lower case: lld searches for each name once.
  StringSet<> Met;
  /// Paths that the /nodefaultlib: directives so far exclude in this file.
  StringSet<> Excluded;
  StringSet<> TypeServers;
  std::vector<FoundInput> Found;
};
} // namespace

std::string Scan::pathOfLibrary(StringRef Name) const {
  NamedInput Library = makeInput(Name, InputReason::EmbeddedDefaultLibrary,
                                 SearchRule::Library, "");
  return StringRef(Request.Resolver.resolve(Library).Path).lower();
}

void Scan::addDefaultLibrary(StringRef Name) {
  std::string Lower = Name.lower();
  if (Name.empty() || Command.NamedLibraries.contains(Lower) ||
      !Met.insert(Lower).second || isExcluded(Name, Request.Resolver) ||
      (!Excluded.empty() && Excluded.contains(pathOfLibrary(Name))))
    return;
  Found.push_back({makeInput(Name, InputReason::EmbeddedDefaultLibrary,
                             SearchRule::Library, Request.Path)});
}

void Scan::readDirectives(StringRef Directives) {
  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  SmallVector<StringRef, 16> All;
  cl::TokenizeWindowsCommandLineNoCopy(Directives, Saver, All);
  // Most directives are exports, a hundred thousand in some objects.
  SmallVector<const char *, 16> OfLibraries;
  for (StringRef Directive : All)
    if (Directive.contains_insensitive("defaultlib:"))
      // NOLINTNEXTLINE(bugprone-*): StringSaver adds a NUL.
      OfLibraries.push_back(Saver.save(Directive).data());
  const opt::InputArgList Args = parseArguments(OfLibraries);
  for (const opt::Arg *A : Args.filtered(OPT_defaultlib, OPT_nodefaultlib)) {
    if (A->getOption().matches(OPT_defaultlib))
      addDefaultLibrary(A->getValue());
    else
      Excluded.insert(pathOfLibrary(A->getValue()));
  }
}

/// The directory in which lld assumes the object. lld knows a member of a thin
/// archive only by its name in the archive. For `one.obj` in `sub/thin.lib` it
/// therefore assumes the current directory.
StringRef Scan::directoryOfInput() const {
  StringRef Path = Request.Path;
  if (Request.Named.Reason == InputReason::ArchiveMember) {
    StringRef Directory = sys::path::parent_path(Request.Named.From);
    if (!Directory.empty() && Path.consume_front(Directory))
      Path = Path.drop_while([](char C) { return sys::path::is_separator(C); });
  }
  return sys::path::parent_path(Path);
}

/// Searches for a type server in the order of lld-link 22.1.8 (for an older
/// version see COFF/InputFiles.cpp, findPdbPath): at the path that the compiler
/// recorded, mostly a Windows path of another machine; next to the object, or
/// the archive that holds it; next to the image.
std::optional<std::string> Scan::findTypeServer(StringRef Recorded) const {
  if (statInput(Recorded).exists())
    return Recorded.str();
  StringRef Name = sys::path::filename(Recorded, sys::path::Style::windows);
  // A link that has inputs to scan also has an image.
  StringRef Image = Command.image();
  for (StringRef Directory :
       {directoryOfInput(), sys::path::parent_path(Image)})
    if (std::string Beside = joined(Directory, Name);
        statInput(Beside).exists())
      return Beside;
  return std::nullopt;
}

void Scan::addTypeServer(StringRef Recorded) {
  if (Recorded.empty())
    return;
  std::optional<std::string> Path = findTypeServer(Recorded);
  // A PDB next to the image may be the one that this link will overwrite.
  if (!Path || Command.writes(*Path) || !TypeServers.insert(*Path).second)
    return;
  Found.push_back({makeInput(*Path, InputReason::TypeServer,
                             SearchRule::Verbatim, Request.Path)});
}

void Scan::readObject(const COFFObject &Object, ByteSource &Bytes) {
  if (WantsTypeServers)
    addTypeServer(Object.readTypeServer(Bytes));
  if (WantsDirectives)
    readDirectives(Bytes.read(Object.Directives).value_or(""));
}

void Scan::readMember(ByteSource &Member) {
  switch (kindOf(Member)) {
  case file_magic::coff_object:
    if (std::optional<COFFObject> Object = COFFObject::read(Member))
      readObject(*Object, Member);
    break;
  case file_magic::bitcode:
    if (WantsDirectives)
      readDirectives(readBitcodeDirectives(Member, readBitcodeParts(Member)));
    break;
  default:
    break;
  }
}

void Scan::addThinMembers() {
  for (const std::string &Path :
       readThinMembers(Request.Inspector.bytes(), Request.Path)) {
    Found.push_back({makeInput(Path, InputReason::ArchiveMember,
                               SearchRule::Verbatim, Request.Path),
                     /*Next=*/true});
    Found.back().Input.Lazy = !Request.Named.Whole;
  }
}

void Scan::readMembers() {
  // Each member costs two reads or more. Most name libraries that others have
  // named, so this limit loses little.
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
  // lld tests for /debug itself, not for the output that it requests.
  WantsTypeServers = Command.ReadsCodeView || Command.ReadsDWARF;
  FileInspector &Inspector = Request.Inspector;
  if (Inspector.kind() == file_magic::archive) {
    bool IsThin = ArchiveReader::isThin(Inspector.bytes());
    // Only the linker knows which members of other archives it reads. The index
    // of a thin archive does not distinguish the two kinds of symbols of
    // ARM64EC, and lld reads every member.
    if (!Request.Named.Whole && !(IsThin && Command.ForArm64EC))
      return {};
    if (IsThin)
      addThinMembers();
    else if (WantsDirectives || WantsTypeServers)
      readMembers();
    return std::move(Found);
  }
  // lld reads a lazy object only when it needs one of its symbols.
  if (Request.Named.Lazy || !(WantsDirectives || WantsTypeServers))
    return {};
  ByteSource &Bytes = Inspector.bytes();
  if (Inspector.kind() == file_magic::bitcode && WantsDirectives)
    readDirectives(readBitcodeDirectives(Bytes, Inspector.bitcode()));
  else if (Inspector.kind() == file_magic::coff_object)
    if (const COFFObject *Object = Inspector.coff())
      readObject(*Object, Bytes);
  return std::move(Found);
}

std::vector<FoundInput> Model::scan(const ScanRequest &Request) const {
  return Scan(Request).run();
}

} // namespace headstart::coff
