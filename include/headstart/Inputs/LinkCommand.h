//===- LinkCommand.h - What a command line says it will read ----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The meaning of a linker's command line to a prefetcher: the inputs it
/// names, in the order in which the linker will ask for them, where they are
/// searched for, and what the options say will be read of them. Parsing reads
/// no input: names are turned into paths by an InputResolver, on any thread.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_LINKCOMMAND_H
#define HEADSTART_INPUTS_LINKCOMMAND_H

#include "headstart/Inputs/CommandLine.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// Why a file is among the inputs.
enum class InputReason : uint8_t {
  CommandLine,            ///< named on the command line itself
  ResponseFile,           ///< named in a response file
  Environment,            ///< named in LINK or _LINK_
  DefaultLibrary,         ///< /defaultlib:
  WholeArchive,           ///< /wholearchive:
  ModuleDefinition,       ///< /def:, /defarm64native:
  OptionFile,             ///< any other option whose value the linker reads
  Library,                ///< -l and its kin
  Framework,              ///< -framework and its kin
  FileList,               ///< named in a -filelist
  LinkerScript,           ///< -T, or named in one (INPUT, GROUP, INCLUDE)
  ArchiveMember,          ///< a member of a thin archive
  EmbeddedDefaultLibrary, ///< a default library that an object names (.drectve)
  TypeServer,             ///< a PDB that an object's type records name
  LinkerOption,           ///< LC_LINKER_OPTION in a Mach-O object
  ReExport,               ///< a library that another one re-exports
  Dependent,              ///< .deplibs in an ELF object
  Recorded, ///< named by another input in the link that was recorded
};

inline constexpr size_t NumInputReasons = 18;

/// The reason in the words of the JSON: "command line".
llvm::StringRef reasonName(InputReason R);

/// Whether what stands on the command line names an input, and not another
/// input. Not for scripts, which do both.
bool isOnCommandLine(InputReason R);

/// How the linker turns a name into a path.
enum class SearchRule : uint8_t {
  Verbatim, ///< the name is the path
  Object,   ///< COFF: search paths, `.obj` added where there is no extension
  /// COFF: search paths, `.lib` added where there is no extension. ELF and
  /// Mach-O: the value of -l.
  Library,
  Framework,   ///< Mach-O: the value of -framework
  Dylib,       ///< Mach-O: an install name, or a path under -syslibroot
  Script,      ///< ELF: a linker script (-T, INCLUDE), a version script
  ScriptInput, ///< ELF: a name in INPUT or GROUP of the script in From
  Dependent,   ///< ELF: an entry of .deplibs
};

/// When the linker scans an input for its dependencies.
enum class ScanPolicy : uint8_t {
  AtOnce,
  AtEnd, ///< behind all that the command line names (--default-script)
  Never, ///< it takes the bytes as they are (--format=binary), or as a list
};

/// An input as the command line names it.
struct NamedInput {
  std::string Name;
  InputReason Reason = InputReason::CommandLine;
  SearchRule Search = SearchRule::Verbatim;
  /// Who named it: the response file, the variable or the option's spelling;
  /// empty for a plain argument of the command line; the path of the input that
  /// names it, where one does.
  std::string From;
  bool Lazy = false; ///< between /start-lib and /end-lib
  /// The linker opens it when a symbol asks for it, and perhaps never: a member
  /// of a thin archive that has an index. Not fetched before that.
  bool OnDemand = false;
  /// Every member of it is read, if it is an archive: /wholearchive names it,
  /// or names nothing and so means all; --whole-archive, -force_load,
  /// -all_load.
  bool Whole = false;
  /// ELF and MinGW: only archives are searched for (-Bstatic stands before it),
  /// also for what the input names.
  bool StaticOnly = false;
  ScanPolicy Scan = ScanPolicy::AtOnce;
  /// The linker does without it where it is not there.
  bool Optional = false;
  /// COFF, Mach-O: the linker comes to it when it has read all of lower turns
  /// and what that names inside itself. What an input names has its own turn.
  uint8_t Turn = 0;
  /// Mach-O: the library on whose behalf this one is loaded, where it is not
  /// the one that names it. Its directory is @loader_path, and its LC_RPATHs
  /// are @rpath, for all that is re-exported below it.
  std::string Umbrella;
};

/// Whether \p Input is an object by its name: an archive is hardly ever read
/// as a whole.
bool isObjectByName(const NamedInput &Input);

/// One of Headstart's own options, wherever it stood, values unchecked.
struct PrefetchOption {
  std::string Name;  ///< without prefix, lower case: "prefetch-jobs"
  std::string Value; ///< empty for a flag
  bool HasValue = false;
  std::string Spelling; ///< as it was written, for messages
};

/// What only links of ELF know; see lib/Inputs/ELF.
struct ELFSettings {
  std::string SysRoot; ///< --sysroot
  std::string ChRoot;  ///< --chroot: stands before every absolute path
  /// --remap-inputs and the lines of --remap-inputs-file: a pattern, and what
  /// is read in place of a path that it matches.
  std::vector<std::pair<std::string, std::string>> Remaps;
  /// Whether SEARCH_DIR in scripts counts (-nostdlib: it does not).
  bool IgnoresScriptDirectories = false;
  /// Symbols that the link looks for though no input refers to them: --entry,
  /// --undefined, --init, --fini.
  std::vector<std::string> Wanted;
  /// Whether .deplibs counts (--no-dependent-libraries, -r: it does not).
  bool IgnoresDependents = false;
  /// What dependent libraries are searched for and read with: what holds where
  /// the command line ends, since lld comes to them behind it.
  NamedInput Dependents;
};

/// What only links of Mach-O know; see lib/Inputs/MachO.
struct MachOSettings {
  std::vector<std::string> FrameworkPaths; ///< in the order of the search
  /// -syslibroot; one empty root where there is none, as in lld.
  std::vector<std::string> SystemRoots;
  /// -arch in lld's own words ("arm64", "x86_64"): the slice of universal files
  /// that is read. Empty if it is not given, which lld refuses.
  std::string Arch;
  /// The number of -platform_version's platform (MachO::PlatformType), 0 if
  /// unknown: text stubs re-export by architecture and platform.
  unsigned Platform = 0;
  bool SearchesDylibsFirst = false; ///< -search_dylibs_first
  /// Whether @executable_path means the output's directory (not with -dylib and
  /// -bundle).
  bool MakesExecutable = true;
  /// -flat_namespace: what a dylib loads is read as well as what it re-exports.
  bool FlatNamespace = false;
  bool IgnoresLinkerOptions = false; ///< -ignore_auto_link
  /// --ignore-auto-link-option: libraries and frameworks that are
  /// ignored if LC_LINKER_OPTION names them.
  std::vector<std::string> IgnoredLinkerOptions;
  /// -force_load_swift_libs: libswift*.a is Whole where LC_LINKER_OPTION names
  /// it.
  bool ForcesSwiftLibraries = false;
};

/// What a link reads besides code and data.
struct ReadKinds {
  /// Whether CodeView sections are read (/debug in a form that makes a PDB).
  bool ReadsCodeView = false;
  /// Whether DWARF sections are read into the output.
  bool ReadsDWARF = false;
  /// Whether unreferenced sections are looked for (/opt:ref, the default
  /// without /debug): to find them the linker reads the relocations of all that
  /// is reached, and those of debug symbols with them.
  bool DropsUnreferenced = false;
};

class LinkerModel;

/// A file that the link writes.
struct LinkOutput {
  std::string Path;
  /// What stands before the path where an option names it: "/pdb:", "--Map=";
  /// an argument of its own where it ends in neither ':' nor '='. Empty where
  /// the path follows from another, or comes from elsewhere.
  std::string Option;

  friend bool operator==(const LinkOutput &Output, llvm::StringRef Path) {
    return Output.Path == Path;
  }
};

/// What one link will do, as far as its command line tells.
struct LinkCommand : ReadKinds {
  Flavour Kind = Flavour::COFF;
  /// In the order in which the linker will ask for them. A name may stand here
  /// twice; the linker opens it once.
  std::vector<NamedInput> Inputs;
  /// In the order of the linker's search; "" is the current directory.
  std::vector<std::string> SearchPaths;
  /// Files that the link writes (image, PDB, import library, map; for COFF the
  /// image first): never
  /// fetched, even where an option also names them as an input.
  std::vector<LinkOutput> Outputs;
  /// Where --time-trace has the linker write its trace; empty: nowhere. "-" is
  /// standard output.
  std::string TimeTrace;
  std::vector<PrefetchOption> PrefetchOptions;
  /// The values of /nodefaultlib: and /disallowlib:, for the default libraries
  /// that are named inside inputs (`.drectve`); see lib/Inputs/COFF/Model.cpp.
  std::vector<std::string> ExcludedLibraries;
  bool ExcludesAllLibraries = false; ///< /nodefaultlib without a name
  /// COFF: the file names, in lower case, of the plainly named `.lib`s. lld
  /// skips a default library of such a name, wherever it lies.
  llvm::StringSet<> NamedLibraries;
  bool NamesMachine = false; ///< /machine:
  bool ForArm64EC = false;   ///< /machine:arm64ec, /machine:arm64x
  bool MinGW = false;        ///< /lldmingw
  /// MinGW: what stands before a DLL's name where -l finds no import library.
  std::string DLLPrefix = "lib";
  ELFSettings ELF;
  MachOSettings MachO;
  /// Whether there is a link at all: /help, --version and /lib read nothing.
  bool Links = true;
  /// What the linker prints in place of a link.
  enum class Answer : uint8_t { None, Help, Version };
  Answer Prints = Answer::None;

  const LinkerModel &model() const;
  /// Whether the link writes \p Path.
  bool writes(llvm::StringRef Path) const;
  /// The file that the link is about; empty where there is none.
  llvm::StringRef image() const {
    return Outputs.empty() ? llvm::StringRef() : Outputs.front().Path;
  }
};

/// Where lld writes its trace for a --time-trace with the value \p Named
/// (empty: without) and a link of \p Image.
std::string timeTraceFile(llvm::StringRef Named, llvm::StringRef Image);

/// An input that another input names.
struct FoundInput {
  NamedInput Input; ///< From is the path of the file that names it
  /// Whether the linker reads it right behind the file that names it (members
  /// of thin archives, linker scripts); else when it has read all that the
  /// command line names, or all of the same turn (NamedInput::Turn).
  bool Next = false;
};

/// An input with its path settled.
struct ResolvedInput {
  std::string Path; ///< spelled as the linker will spell it
  os::FileStatus Status;

  bool exists() const { return Status.Kind != os::FileKind::Missing; }
};

class FileInspector;
class DirectorySearch;
struct SnapshotFigures;

/// Turns names into paths by the linker's own search rules, and reads in inputs
/// what others they name: default libraries in .drectve, members of thin
/// archives, type servers, linker scripts, re-exported libraries. To resolve
/// opens nothing but what decides a search. Const and thread-safe:
/// share one among threads. After enough misses in a directory it reads that
/// directory once, and then takes names that were not listed for missing.
class InputResolver {
public:
  /// \p Command must outlive the resolver, and not change any more.
  explicit InputResolver(const LinkCommand &Command);
  ~InputResolver();

  /// Where the linker will find \p Input. A file that is not there is a
  /// status, not an error: Path is then the name as the linker reports it.
  ResolvedInput resolve(const NamedInput &Input) const;

  /// What the file that \p Inspector is turned to, found at \p Path for
  /// \p Named, names, in the order of the file. Reads little: of an object its
  /// headers and the sections that name something; of scripts and text stubs
  /// all. A file of any other kind, or one that is not sane, names nothing; nor
  /// is there what the linker would not read (an excluded default library).
  /// Blocks for the disk.
  std::vector<FoundInput> scan(const NamedInput &Named, llvm::StringRef Path,
                               FileInspector &Inspector) const;

  /// ELF: searches \p Directory behind all others from now on (SEARCH_DIR in a
  /// script).
  void addDirectory(llvm::StringRef Directory) const;

  /// Whether \p File has not been scanned yet. An input that names itself by
  /// ever new paths (`INPUT(./self)`) is scanned once.
  bool isFirstScan(const os::FileIdentity &File) const;

  /// Mach-O: the run paths of the library at \p Library. Those that were asked
  /// for last are kept: a library with many names below @rpath would be read
  /// for each. Blocks for the disk.
  std::shared_ptr<const std::vector<std::string>>
  runPathsOf(const std::string &Library) const;

  const LinkCommand &command() const { return Command; }

  /// How the searches went, so far.
  SnapshotFigures searchFigures() const;

  /// Where the search paths lie; private to lib/Inputs.
  DirectorySearch &directories() const { return *Directories; }

private:
  const LinkCommand &Command;
  std::unique_ptr<DirectorySearch> Directories; ///< thread-safe
  mutable std::mutex Mutex;                     ///< for those below
  mutable std::set<std::pair<uint64_t, uint64_t>> Scanned;
  mutable std::string LastRunPathsOf;
  mutable std::shared_ptr<const std::vector<std::string>> LastRunPaths;
};

} // namespace headstart

#endif // HEADSTART_INPUTS_LINKCOMMAND_H
