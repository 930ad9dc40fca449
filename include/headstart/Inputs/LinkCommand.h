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
/// the options select. An InputResolver later turns names into paths, on any
/// thread. Parsing reads only the inputs that LinkerModel::parse mentions.
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

/// The reason why a file is among the inputs.
enum class InputReason : uint8_t {
  CommandLine,            ///< named on the command line itself
  ResponseFile,           ///< named in a response file
  Environment,            ///< named in LINK or _LINK_
  DefaultLibrary,         ///< /defaultlib:
  WholeArchive,           ///< /wholearchive:
  ModuleDefinition,       ///< /def:, /defarm64native:
  OptionFile,             ///< any other option whose value the linker reads
  Library,                ///< -l and its variants
  Framework,              ///< -framework and its variants
  FileList,               ///< named in a -filelist
  LinkerScript,           ///< -T, or named in one (INPUT, GROUP, INCLUDE)
  ArchiveMember,          ///< a member of a thin archive
  EmbeddedDefaultLibrary, ///< a default library that an object names (.drectve)
  TypeServer,             ///< a PDB that an object's type records name
  LinkerOption,           ///< LC_LINKER_OPTION in a Mach-O object
  ReExport,               ///< a library that another one re-exports
  Dependent,              ///< .deplibs in an ELF object
  Recorded,               ///< named by another input, according to the profile
};

inline constexpr size_t NumInputReasons = 18;

/// The name of the reason in the JSON: "command line".
llvm::StringRef reasonName(InputReason R);

/// Whether the command line, and not another input, names an input of the
/// reason \p R. False for scripts, which either may name.
bool isOnCommandLine(InputReason R);

/// How the linker turns a name into a path.
enum class SearchRule : uint8_t {
  Verbatim, ///< the name is the path
  Object,   ///< COFF: search paths, with `.obj` if it has no extension
  /// COFF: search paths, with `.lib` if it has no extension. ELF and Mach-O:
  /// the value of -l.
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
  AtEnd, ///< after all inputs of the command line (--default-script)
  Never, ///< the linker reads it as raw bytes (--format=binary) or as a list
};

/// An input as the command line names it.
struct NamedInput {
  std::string Name;
  InputReason Reason = InputReason::CommandLine;
  SearchRule Search = SearchRule::Verbatim;
  /// Where it is named: the response file, the variable, the option's spelling,
  /// or the path of the input that names it; empty for a plain argument of the
  /// command line.
  std::string From;
  bool Lazy = false; ///< between /start-lib and /end-lib
  /// Whether the linker opens it only if it needs one of its symbols: a member
  /// of a thin archive that has an index. It is not fetched before that.
  bool OnDemand = false;
  /// Whether the linker reads every member, if it is an archive: /wholearchive
  /// with or without its name, --whole-archive, -force_load, -all_load.
  bool Whole = false;
  /// ELF and MinGW: whether the linker searches for archives only (-Bstatic
  /// before the input). This applies to the input's dependencies too.
  bool StaticOnly = false;
  ScanPolicy Scan = ScanPolicy::AtOnce;
  /// Whether the link continues without it if it does not exist.
  bool Optional = false;
  /// COFF, Mach-O: the linker reads it after all inputs of lower turns and
  /// their dependencies. A dependency has the turn of the input that names it.
  uint8_t Turn = 0;
  /// Mach-O: the library on whose behalf this one is loaded, if another one
  /// names it. For all libraries re-exported below it, @loader_path is its
  /// directory and @rpath stands for its LC_RPATHs.
  std::string Umbrella;
};

/// Whether the name of \p Input is that of an object. The linker hardly ever
/// reads a whole archive.
bool isObjectByName(const NamedInput &Input);

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

/// The kinds of bytes that a link reads in addition to code and data.
struct ReadKinds {
  /// Whether it reads CodeView sections (/debug in a form that makes a PDB).
  bool ReadsCodeView = false;
  /// Whether it reads DWARF sections into the output.
  bool ReadsDWARF = false;
  /// Whether it removes unreferenced sections (/opt:ref, the default without
  /// /debug). To find them the linker reads the relocations of all sections
  /// that are reached, including those of debug symbols.
  bool DropsUnreferenced = false;
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
  /// The file to which the linker writes its trace (--time-trace); empty if it
  /// writes none. "-" is standard output.
  std::string TimeTrace;
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

/// An input that another input names.
struct FoundInput {
  NamedInput Input; ///< From is the path of the file that names it
  /// Whether the linker reads it right after the file that names it (members of
  /// thin archives, linker scripts); otherwise it reads it after all inputs of
  /// the command line, or of the same turn (NamedInput::Turn).
  bool Next = false;
};

/// The path and the status of an input.
struct ResolvedInput {
  std::string Path; ///< spelled as the linker will spell it
  os::FileStatus Status;

  bool exists() const { return Status.Kind != os::FileKind::Missing; }
};

class FileInspector;
class DirectorySearch;
struct SnapshotFigures;

/// Turns names into paths by the linker's search rules, and scans inputs for
/// their dependencies: default libraries in .drectve, members of thin archives,
/// type servers, linker scripts, re-exported libraries. Resolving opens only
/// files that decide a search. Const and thread-safe, so threads share one.
/// After enough misses in a directory it lists that directory once, and then
/// considers names that are not listed as missing.
class InputResolver {
public:
  /// \p Command must outlive the resolver and must not change.
  explicit InputResolver(const LinkCommand &Command);
  ~InputResolver();

  /// The path at which the linker will find \p Input. A missing file is a
  /// status, not an error: Path is then the name as the linker reports it.
  ResolvedInput resolve(const NamedInput &Input) const;

  /// The dependencies, in the order of the file, of the file that \p Inspector
  /// has open; it was found at \p Path for \p Named. Reads the headers of
  /// objects and their sections that name inputs, but whole scripts and text
  /// stubs. Other kinds of files and malformed files have no dependencies.
  /// Leaves out inputs that the linker would not read (an excluded default
  /// library). Blocks while it reads.
  std::vector<FoundInput> scan(const NamedInput &Named, llvm::StringRef Path,
                               FileInspector &Inspector) const;

  /// ELF: appends \p Directory to the search path (SEARCH_DIR in a script).
  void addDirectory(llvm::StringRef Directory) const;

  /// Whether \p File has not been scanned yet. An input that names itself by
  /// ever new paths (`INPUT(./self)`) is scanned once.
  bool isFirstScan(const os::FileIdentity &File) const;

  /// Mach-O: the run paths of the library at \p Library. Stores the last result
  /// so that a library with many names below @rpath is read once. Blocks while
  /// it reads.
  std::shared_ptr<const std::vector<std::string>>
  runPathsOf(const std::string &Library) const;

  const LinkCommand &command() const { return Command; }

  /// The figures of the searches so far.
  SnapshotFigures searchFigures() const;

  /// The searches in the search paths; private to lib/Inputs.
  DirectorySearch &directories() const { return *Directories; }

private:
  const LinkCommand &Command;
  std::unique_ptr<DirectorySearch> Directories; ///< thread-safe
  mutable std::mutex Mutex;                     ///< protects the members below
  mutable std::set<std::pair<uint64_t, uint64_t>> Scanned;
  mutable std::string LastRunPathsOf;
  mutable std::shared_ptr<const std::vector<std::string>> LastRunPaths;
};

} // namespace headstart

#endif // HEADSTART_INPUTS_LINKCOMMAND_H
