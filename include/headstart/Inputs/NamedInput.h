//===- NamedInput.h - An input as a command line names it -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An input of a link before its path is known: its name, how the linker
/// searches for it, who names it, and how much of it the linker reads.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_NAMEDINPUT_H
#define HEADSTART_INPUTS_NAMEDINPUT_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace headstart {

/// The reason why a file is among the inputs; those of the command line come
/// first.
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

/// Whether the linker searches directories for \p Input, if that is not a path.
inline bool isSearched(const NamedInput &Input) {
  return Input.Search != SearchRule::Verbatim &&
         Input.Search != SearchRule::Object;
}

/// Whether ld.lld links the objects of \p Input, which may be an archive, only
/// if others need them.
inline bool isLazy(const NamedInput &Input, bool IsArchive) {
  return !Input.Whole && (IsArchive || Input.Lazy ||
                          Input.Reason == InputReason::ArchiveMember);
}

/// Whether the name of \p Input is that of an object. The linker hardly ever
/// reads a whole archive.
bool isObjectByName(const NamedInput &Input);

} // namespace headstart

#endif // HEADSTART_INPUTS_NAMEDINPUT_H
