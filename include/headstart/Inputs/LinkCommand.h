//===- LinkCommand.h - A parsed linker command line -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A linker's command line as a prefetcher sees it: the inputs in the order in
/// which the linker will open them, their search paths, and which parts of them
/// the options select. Parsing reads only the inputs that LinkerModel::parse
/// mentions.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_LINKCOMMAND_H
#define HEADSTART_INPUTS_LINKCOMMAND_H

#include "headstart/Inputs/CommandLine.h"
#include "headstart/Inputs/NamedInput.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// One of Headstart's own options, from anywhere on the command line, with its
/// value unchecked.
struct PrefetchOption {
  std::string Name;  ///< without prefix, lower case: "prefetch-jobs"
  std::string Value; ///< empty for a flag
  bool HasValue = false;
  std::string Spelling; ///< as it was written, for messages
};

/// The settings of ELF links only; see lib/Inputs/ELF.
struct ELFSettings {
  std::string SysRoot; ///< --sysroot
  std::string ChRoot;  ///< --chroot: the prefix of every absolute path
  /// --remap-inputs and the lines of --remap-inputs-file: a pattern, and the
  /// file that lld reads instead of a path that matches it.
  std::vector<std::pair<std::string, std::string>> Remaps;
  /// Whether lld ignores SEARCH_DIR in scripts (-nostdlib).
  bool IgnoresScriptDirectories = false;
  /// Symbols that the link needs even if no input refers to them: --entry,
  /// --undefined, --init, --fini.
  std::vector<std::string> Wanted;
  /// Whether lld ignores .deplibs (--no-dependent-libraries, -r).
  bool IgnoresDependents = false;
  /// The template of dependent libraries. It has the state of the options at
  /// the end of the command line, since lld reads these libraries after it.
  NamedInput Dependents;
};

/// The settings of Mach-O links only; see lib/Inputs/MachO.
struct MachOSettings {
  std::vector<std::string> FrameworkPaths; ///< in the order of the search
  /// -syslibroot; one empty root if the option is not given, as in lld.
  std::vector<std::string> SystemRoots;
  /// -arch by lld's names ("arm64", "x86_64"): the slice of universal files
  /// that lld reads. Empty if it is not given, which lld refuses.
  std::string Arch;
  /// The number of -platform_version's platform (MachO::PlatformType), 0 if
  /// unknown: text stubs re-export by architecture and platform.
  unsigned Platform = 0;
  bool SearchesDylibsFirst = false; ///< -search_dylibs_first
  /// Whether @executable_path means the output's directory (not with -dylib and
  /// -bundle).
  bool MakesExecutable = true;
  /// -flat_namespace: lld reads all libraries that a dylib loads, not only
  /// those that it re-exports.
  bool FlatNamespace = false;
  bool IgnoresLinkerOptions = false; ///< -ignore_auto_link
  /// --ignore-auto-link-option: libraries and frameworks that lld ignores if
  /// LC_LINKER_OPTION names them.
  std::vector<std::string> IgnoredLinkerOptions;
  /// -force_load_swift_libs: libswift*.a is Whole if LC_LINKER_OPTION names it.
  bool ForcesSwiftLibraries = false;
};

/// The kinds of bytes that a link reads in addition to code and data, and how.
struct ReadKinds {
  /// Whether it reads CodeView sections (/debug in a form that makes a PDB).
  bool ReadsCodeView = false;
  /// Whether it reads DWARF sections into the output.
  bool ReadsDWARF = false;
  /// Whether it removes unreferenced sections (/opt:ref, the default without
  /// /debug). To find them the linker reads the relocations of all sections
  /// that are reached, including those of debug symbols.
  bool DropsUnreferenced = false;
  /// ELF: whether it compares the contents of sections before it copies any
  /// (--icf).
  bool FoldsContents = false;
  /// ELF and COFF: whether the linker has one thread (--threads=1). LLVM's
  /// parallelFor then is a loop.
  bool HasOneThread = false;
  /// Whether a cache may have the objects that lld would compile from bitcode
  /// (--thinlto-cache-dir), so that it compiles only changed files.
  bool HasLTOCache = false;
};

class LinkerModel;

/// A file that the link writes.
struct LinkOutput {
  std::string Path;
  /// The option before the path: "/pdb:", "--Map=". If it ends in neither ':'
  /// nor '=', it is an argument of its own. Empty if no option names the path:
  /// it is derived from another path or comes from elsewhere.
  std::string Option;

  friend bool operator==(const LinkOutput &Output, llvm::StringRef Path) {
    return Output.Path == Path;
  }
};

/// A parsed command line: what one link will read and write.
struct LinkCommand : ReadKinds {
  Flavour Kind = Flavour::COFF;
  /// In the order in which the linker will open them. A name may occur twice;
  /// the linker opens it once.
  std::vector<NamedInput> Inputs;
  /// In the order of the linker's search; "" is the current directory.
  std::vector<std::string> SearchPaths;
  /// Files that the link writes (image, PDB, import library, map), the image
  /// first. Headstart never fetches them, even if an option names one as input.
  std::vector<LinkOutput> Outputs;
  std::vector<PrefetchOption> PrefetchOptions;
  /// The values of /nodefaultlib: and /disallowlib:, which exclude default
  /// libraries of inputs (`.drectve`) too; see lib/Inputs/COFF/Model.cpp.
  std::vector<std::string> ExcludedLibraries;
  bool ExcludesAllLibraries = false; ///< /nodefaultlib without a name
  /// COFF: the file names, in lower case, of the `.lib`s that the command line
  /// names without an option. lld skips a default library of such a name in any
  /// directory.
  llvm::StringSet<> NamedLibraries;
  bool NamesMachine = false; ///< /machine:
  bool ForArm64EC = false;   ///< /machine:arm64ec, /machine:arm64x
  bool MinGW = false;        ///< /lldmingw
  /// MinGW: the prefix of a DLL's name if -l finds no import library.
  std::string DLLPrefix = "lib";
  ELFSettings ELF;
  MachOSettings MachO;
  /// Whether the linker links: with /help, --version and /lib it reads nothing.
  bool Links = true;
  /// The text that the linker prints instead of linking.
  enum class Answer : uint8_t { None, Help, Version };
  Answer Prints = Answer::None;

  const LinkerModel &model() const;
  /// Removes option files that the link also writes: the file on the store is
  /// that of the last link. Objects and libraries stay inputs.
  void dropWrittenFiles();
  /// Whether the link writes \p Path.
  bool writes(llvm::StringRef Path) const;
  /// The path of the first output, the image; empty if the link has no outputs.
  llvm::StringRef image() const {
    return Outputs.empty() ? llvm::StringRef() : Outputs.front().Path;
  }
};

/// The file to which lld writes its trace in a link of \p Image, for a
/// --time-trace with the value \p Named (empty if it has none).
std::string timeTraceFile(llvm::StringRef Named, llvm::StringRef Image);

} // namespace headstart

#endif // HEADSTART_INPUTS_LINKCOMMAND_H
