//===- SearchPaths.cpp - lld-link's search paths --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order is that of lld 22 COFF/Driver.cpp: the current directory,
// /libpath:, the directories of the LLVM that lld belongs to, LIB, and, as soon
// as the machine is known, the directories of an MSVC toolchain
// (addWinSysRootLibSearchPaths).
//
// If lld learns the machine from /machine: or an input, it searches the
// toolchain's directories only from then on. It may not find an earlier input
// there, and the link then fails; Headstart finds that input.
//
// The paths were compared with /print-search-paths of lld-link 22.1.8 for
// random combinations of these options and variables.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "headstart/Formats/COFF.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/WindowsMachineFlag.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/WindowsDriver/MSVCPaths.h"

using namespace llvm;
using namespace llvm::opt;

namespace headstart::coff {

/// Adds the directories of the LLVM that `<prefix>/bin/lld-link` belongs to.
static void addOwnDirectories(StringRef ToolPath,
                              std::vector<std::string> &Paths) {
  StringRef Prefix = sys::path::parent_path(sys::path::parent_path(ToolPath));
  if (Prefix.empty())
    return;
  std::string Lib = joined(Prefix, "lib");
  std::string Runtime = joined(Lib, "clang", Twine(LLVM_VERSION_MAJOR), "lib");
  Paths.insert(Paths.end(), {joined(Runtime, "windows"), Runtime, Lib});
}

namespace {
/// An MSVC toolchain and its SDK.
class Toolchain {
public:
  Toolchain(const InputArgList &Args, const CommandLineContext &Context)
      : Args(Args), Context(Context),
        IgnoresEnvironment(Args.hasArg(OPT_lldignoreenv)) {}

  /// Searches for a toolchain. Returns whether it has directories to search.
  bool detect();
  void addDirectories(Triple::ArchType Arch,
                      std::vector<std::string> &Paths) const;

private:
  bool findTools();
  void findSDK();
  std::optional<StringRef> value(OptionID ID) const {
    const Arg *A = Args.getLastArg(ID);
    return A ? std::optional<StringRef>(A->getValue()) : std::nullopt;
  }

  const InputArgList &Args;
  const CommandLineContext &Context;
  bool IgnoresEnvironment;
  IntrusiveRefCntPtr<vfs::FileSystem> FS = vfs::getRealFileSystem();

  ToolsetLayout Layout = ToolsetLayout::OlderVS;
  std::string Tools;
  bool UsesToolsLib = false;
  std::string DIA;          ///< without "lib/<arch>"; empty if there is none
  std::string UniversalCRT; ///< without the architecture
  std::string SDKLib;       ///< without the architecture
  int SDKMajor = 0;
};
} // namespace

bool Toolchain::findTools() {
  // The last two query Windows and return false on other systems.
  return findVCToolChainViaCommandLine(*FS, value(OPT_vctoolsdir),
                                       value(OPT_vctoolsversion),
                                       value(OPT_winsysroot), Tools, Layout) ||
         (!IgnoresEnvironment &&
          findVCToolChainViaEnvironment(*FS, Tools, Layout)) ||
         findVCToolChainViaSetupConfig(*FS, {}, Tools, Layout) ||
         findVCToolChainViaRegistry(Tools, Layout);
}

void Toolchain::findSDK() {
  std::optional<StringRef> Directory = value(OPT_winsdkdir);
  std::optional<StringRef> Version = value(OPT_winsdkversion);
  std::optional<StringRef> SysRoot = value(OPT_winsysroot);
  std::string Found;
  std::string FoundVersion;
  // lld does not know the machine yet; the result does not depend on it.
  if (useUniversalCRT(Layout, Tools, Triple::UnknownArch, *FS) &&
      getUniversalCRTSdkDir(*FS, Directory, Version, SysRoot, Found,
                            FoundVersion))
    UniversalCRT = joined(Found, "Lib", FoundVersion, "ucrt");
  std::string IncludeVersion;
  std::string LibVersion;
  if (!getWindowsSDKDir(*FS, Directory, Version, SysRoot, Found, SDKMajor,
                        IncludeVersion, LibVersion))
    return;
  SDKLib = SDKMajor >= 8 ? joined(Found, "Lib", LibVersion, "um")
                         : joined(Found, "Lib");
}

bool Toolchain::detect() {
  if (!findTools())
    return false;
  if (const Arg *A = Args.getLastArg(OPT_diasdkdir, OPT_winsysroot))
    DIA = A->getOption().matches(OPT_winsysroot)
              ? joined(A->getValue(), "DIA SDK")
              : A->getValue();
  // If LIB is set, lld relies on it unless an option overrides it. (These
  // options were taken from lld-link 22.1.8 itself.)
  bool NoLIB = IgnoresEnvironment || !Context.env("LIB");
  UsesToolsLib =
      NoLIB || Args.hasArg(OPT_vctoolsdir, OPT_vctoolsversion, OPT_winsysroot);
  if (NoLIB || Args.hasArg(OPT_winsdkdir, OPT_winsdkversion, OPT_winsysroot))
    findSDK();
  return UsesToolsLib || !DIA.empty() || !UniversalCRT.empty() ||
         !SDKLib.empty();
}

void Toolchain::addDirectories(Triple::ArchType Arch,
                               std::vector<std::string> &Paths) const {
  if (!DIA.empty())
    Paths.push_back(joined(DIA, "lib", archToLegacyVCArch(Arch)));
  if (UsesToolsLib)
    for (StringRef Parent : {"", "atlmfc"})
      Paths.push_back(getSubDirectoryPath(SubDirectoryType::Lib, Layout, Tools,
                                          Arch, Parent));
  if (StringRef Name = archToWindowsSDKArch(Arch);
      !UniversalCRT.empty() && !Name.empty())
    Paths.push_back(joined(UniversalCRT, Name));
  std::string Path;
  if (!SDKLib.empty() && appendArchToWindowsSDKLibPath(
                             SDKMajor, SmallString<128>(SDKLib), Arch, Path))
    Paths.push_back(Path);
}

/// The machine of the object or bitcode file at \p Path.
static uint16_t machineOf(const std::string &Path) {
  os::OpenFile File;
  if (os::OpenFile::open(Path, File))
    return COFF::IMAGE_FILE_MACHINE_UNKNOWN;
  FileBytes Bytes(File);
  return readCOFFMachine(Bytes);
}

/// The machine that /machine: names, or that of the first object among the
/// inputs, or x64, which lld assumes in the end.
static uint16_t machineOf(const InputArgList &Args,
                          const LinkCommand &Command) {
  if (const Arg *A = Args.getLastArg(OPT_machine))
    return getMachineType(A->getValue());
  // More than enough to skip the resources and libraries before the first
  // object. A link of libraries only must not open all of them for this.
  constexpr unsigned MaxStats = 64;
  unsigned NumStats = 0;
  InputResolver Resolver(Command);
  for (const NamedInput &Input : Command.Inputs) {
    if (Input.Search != SearchRule::Object)
      continue;
    ResolvedInput R = Resolver.resolve(Input);
    if (R.Status.Kind != os::FileKind::Regular)
      continue;
    if (uint16_t M = machineOf(R.Path); M != COFF::IMAGE_FILE_MACHINE_UNKNOWN)
      return M;
    if (++NumStats == MaxStats)
      break;
  }
  return COFF::IMAGE_FILE_MACHINE_AMD64;
}

void addSearchPaths(const InputArgList &Args, const CommandLineContext &Context,
                    LinkCommand &Command) {
  std::vector<std::string> &Paths = Command.SearchPaths;
  Paths.emplace_back();
  for (const Arg *A : Args.filtered(OPT_libpath))
    Paths.emplace_back(A->getValue());
  // In MinGW mode the compiler's driver names every directory itself.
  if (Command.MinGW)
    return;
  addOwnDirectories(Context.ToolPath, Paths);
  // Each of these options replaces LIB (lld-link 22.1.8, /print-search-paths);
  // /diasdkdir: does not.
  if (!Args.hasArg(OPT_lldignoreenv, OPT_vctoolsdir, OPT_vctoolsversion,
                   OPT_winsdkdir, OPT_winsdkversion, OPT_winsysroot)) {
    std::string LIB = Context.env("LIB").value_or("");
    // Unlike StringRef::split, this ignores an empty entry at the end only.
    for (StringRef Rest = LIB; !Rest.empty();) {
      auto [Directory, Behind] = Rest.split(';');
      Paths.push_back(Directory.str());
      Rest = Behind;
    }
  }
  if (Toolchain T(Args, Context); T.detect())
    T.addDirectories(getMachineArchType(machineOf(Args, Command)), Paths);
}

} // namespace headstart::coff
