//===- ScanMachO.cpp - Dependencies of Mach-O inputs ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld 22 (MachO/InputFiles.cpp, MachO/Driver.cpp) reads these dependencies of
// inputs (checked against ld64.lld 22.1.8 by the names it opens):
//
//   re-exports of a dylib, recursively   at once, depth first
//   members of thin archives             when a symbol needs them
//   LC_LINKER_OPTION                     after all other inputs
//
// Objects between --start-lib and --end-lib and members of archives have no
// dependencies until a symbol needs them, which the scan cannot know. An
// executable (-bundle_loader) has none: lld reads it before it knows of
// -flat_namespace.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "headstart/Formats/Archive.h"
#include "headstart/Formats/MachO.h"
#include "headstart/Formats/TextStub.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Support/Path.h"
#include "llvm/TextAPI/Architecture.h"
#include "llvm/TextAPI/Target.h"
#include <set>

using namespace llvm;

namespace headstart::macho {

/// The limit for a stub; the largest one of Apple's SDKs has 6 MB.
static constexpr uint64_t MaxStubBytes = 64 << 20;
/// The limit for documents of one stub, each re-exported by the previous one.
static constexpr unsigned MaxReExportDepth = 100;

namespace {
class Scan {
public:
  explicit Scan(const ScanRequest &Request)
      : Request(Request), Settings(Request.Resolver.command().MachO),
        Input(Request.Inspector.machO(Settings.Arch)),
        Contents(Request.Inspector.bytes(), Input.Within) {}
  std::vector<FoundInput> run();

private:
  void scanObject(const MachOFile &File);
  void scanDylib(const MachOFile &File);
  void scanStub();
  void scanThinArchive();

  void addLinkerOption(ArrayRef<StringRef> Options);
  /// Adds the re-exports of one library of a stub.
  void addStubReExports(ArrayRef<StubDocument> Documents, size_t Index,
                        StringRef Umbrella, unsigned Depth);
  bool appliesHere(const StubReExports &ReExports) const;
  NamedInput reExport(StringRef InstallName, StringRef Umbrella) const;
  void addNext(NamedInput Input) {
    Found.push_back({std::move(Input), /*Next=*/true});
  }
  /// The library on whose behalf lld loads this file: the file itself unless it
  /// is re-exported.
  StringRef ownUmbrella() const;

  const ScanRequest &Request;
  const MachOSettings &Settings;
  const MachOInput &Input;
  PartBytes Contents; ///< the bytes of the file, or of its slice
  std::vector<FoundInput> Found;
  StringSet<> Named;         ///< inputs that linker options have named
  StringMap<size_t> Inlined; ///< the documents of a stub by install name
  std::set<size_t> Entered;  ///< the documents that were scanned
};
} // namespace

/// Whether the library is in a public directory. lld then links with it
/// directly even if another library re-exports it (lld 22 MachO/InputFiles.cpp:
/// isImplicitlyLinked).
static bool isPublic(StringRef InstallName) {
  if (sys::path::parent_path(InstallName) == "/usr/lib")
    return true;
  return InstallName.consume_front("/System/Library/Frameworks/") &&
         sys::path::filename(InstallName) == InstallName.split('.').first;
}

StringRef Scan::ownUmbrella() const {
  if (Request.Named.Reason != InputReason::ReExport)
    return Request.Path;
  return Request.Named.Umbrella.empty() ? Request.Named.From
                                        : Request.Named.Umbrella;
}

NamedInput Scan::reExport(StringRef InstallName, StringRef Umbrella) const {
  NamedInput Input = makeInput(InstallName, InputReason::ReExport,
                               SearchRule::Dylib, Request.Path);
  if (Umbrella != Request.Path)
    Input.Umbrella = Umbrella.str();
  return Input;
}

void Scan::addLinkerOption(ArrayRef<StringRef> Options) {
  for (size_t I = 0; I < Options.size(); ++I) {
    StringRef Name = Options[I];
    const bool IsLibrary = Name.consume_front("-l");
    if (!IsLibrary) {
      if (Name != "-framework" || I + 1 == Options.size())
        return; // an error
      Name = Options[++I];
    }
    if (is_contained(Settings.IgnoredLinkerOptions, Name) ||
        !Named.insert((IsLibrary ? "l" : "f") + Name.str()).second)
      continue;
    NamedInput Input = makeInput(
        Name, InputReason::LinkerOption,
        IsLibrary ? SearchRule::Library : SearchRule::Framework, Request.Path);
    Input.Whole =
        IsLibrary && Settings.ForcesSwiftLibraries && Name.starts_with("swift");
    Input.Optional = true;
    Found.push_back({std::move(Input), /*Next=*/false});
  }
}

void Scan::scanObject(const MachOFile &File) {
  auto CPU = cpuOf(Settings.Arch);
  if (Settings.IgnoresLinkerOptions || Request.Named.Lazy ||
      (CPU && CPU->first != File.CPUType))
    return;
  for (ArrayRef<StringRef> Options : File.names().LinkerOptions)
    addLinkerOption(Options);
}

void Scan::scanDylib(const MachOFile &File) {
  const MachOFile::Names Names = File.names();
  bool StandsForItself = !Names.HasClients && isPublic(Names.InstallName);
  StringRef Umbrella = StandsForItself ? Request.Path : ownUmbrella();
  bool ReExports = !(File.Flags & MachO::MH_NO_REEXPORTED_DYLIBS);
  for (const MachOFile::Library &Library : Names.Libraries)
    if (Library.IsReExported ? ReExports : Settings.FlatNamespace)
      addNext(reExport(Library.Path, Umbrella));
}

// lld compares the processor, not its subtype (isTargetPlatformArchCompatible
// and isArchABICompatible in lld 22 MachO/InputFiles.cpp).
bool Scan::appliesHere(const StubReExports &ReExports) const {
  auto CPU = cpuOf(Settings.Arch);
  if (ReExports.Targets.empty() || !CPU)
    return true;
  return any_of(ReExports.Targets, [&](StringRef Text) {
    if (!Text.contains('-')) {
      auto Other = cpuOf(Text);
      return Other && Other->first == CPU->first;
    }
    Expected<MachO::Target> Target = MachO::Target::create(Text);
    if (!Target) {
      consumeError(Target.takeError());
      return false;
    }
    return MachO::getCPUTypeFromArchitecture(Target->Arch).first ==
               CPU->first &&
           (Settings.Platform == MachO::PLATFORM_UNKNOWN ||
            Target->Platform == Settings.Platform);
  });
}

/// Whether lld reads the re-export of this library for any target, because some
/// SDKs have wrong targets for it.
static bool hasWrongTargets(StringRef InstallName) {
  return InstallName == "/usr/lib/system/libsystem_kernel.dylib" ||
         InstallName == "/usr/lib/system/libsystem_platform.dylib" ||
         InstallName == "/usr/lib/system/libsystem_pthread.dylib";
}

void Scan::addStubReExports(ArrayRef<StubDocument> Documents, size_t Index,
                            StringRef Umbrella, unsigned Depth) {
  const StubDocument &Document = Documents[Index];
  // Documents that re-export each other make lld overflow its stack.
  if (Depth > MaxReExportDepth || !Entered.insert(Index).second)
    return;
  if (!Document.HasClients && isPublic(Document.InstallName))
    Umbrella = Request.Path;
  // lld sorts them.
  std::set<StringRef> Names;
  for (const StubReExports &ReExports : Document.ReExports) {
    bool Applies = appliesHere(ReExports);
    for (StringRef Name : ReExports.Names)
      if (Applies || hasWrongTargets(Name))
        Names.insert(Name);
  }
  for (StringRef Name : Names) {
    // A file on the search path has precedence over a document of this stub.
    auto Inside = Inlined.find(Name);
    if (Inside == Inlined.end() ||
        Request.Resolver.resolve(reExport(Name, Umbrella)).exists())
      addNext(reExport(Name, Umbrella));
    else
      addStubReExports(Documents, Inside->second, Umbrella, Depth + 1);
  }
}

void Scan::scanStub() {
  if (Contents.size() > MaxStubBytes)
    return;
  SmallVector<char, 0> Buffer;
  std::optional<StringRef> Text = Contents.read({0, Contents.size()}, Buffer);
  if (!Text)
    return;
  std::vector<StubDocument> Documents = readTextStub(*Text);
  if (Documents.empty())
    return;
  for (size_t I = 1; I < Documents.size(); ++I)
    Inlined.try_emplace(Documents[I].InstallName, I);
  addStubReExports(Documents, 0, ownUmbrella(), 0);
}

void Scan::scanThinArchive() {
  // An archive inside an archive is an error, and could hold itself.
  if (Request.Named.Reason == InputReason::ArchiveMember)
    return;
  for (const std::string &Path :
       readThinMembers(Request.Inspector.bytes(), Request.Path)) {
    NamedInput Input = makeInput(Path, InputReason::ArchiveMember,
                                 SearchRule::Verbatim, Request.Path);
    Input.Lazy = !Request.Named.Whole;
    Input.OnDemand = Input.Lazy;
    addNext(std::move(Input));
  }
}

std::vector<FoundInput> Scan::run() {
  switch (Input.Kind) {
  case file_magic::archive:
    scanThinArchive();
    break;
  case file_magic::tapi_file:
    scanStub();
    break;
  case file_magic::macho_object:
    if (Input.File)
      scanObject(*Input.File);
    break;
  case file_magic::macho_dynamically_linked_shared_lib:
  case file_magic::macho_dynamically_linked_shared_lib_stub:
    if (Input.File)
      scanDylib(*Input.File);
    break;
  default:
    break;
  }
  return std::move(Found);
}

std::vector<FoundInput> Model::scan(const ScanRequest &Request) const {
  if (Request.Named.Scan == ScanPolicy::Never)
    return {};
  return Scan(Request).run();
}

} // namespace headstart::macho
