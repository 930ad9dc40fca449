//===- LLVM.h - Differences of LLVM's versions ------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Headstart builds with LLVM 19 to 22. This file contains everything that
/// differs; all other code uses what these versions have in common.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LLVM_H
#define HEADSTART_LLVM_H

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Config/llvm-config.h"

/// The arguments before `InfoTable` of the class of option tables, and that
/// class. Newer versions keep the strings in one llvm::StringTable.
#if __has_include("llvm/ADT/StringTable.h")
#define HEADSTART_OPTION_STRINGS OptionStrTable, OptionPrefixesTable,
namespace llvm::opt {
class GenericOptTable;
} // namespace llvm::opt
namespace headstart {
using GenericOptionTable = llvm::opt::GenericOptTable;
} // namespace headstart
#else
#define HEADSTART_OPTION_STRINGS
/// A set of prefixes is an array whose last element marks its end.
#define HEADSTART_OPTION_PREFIX(Name, Value)                                   \
  static constexpr llvm::StringLiteral Name##_init[] = Value;                  \
  static constexpr llvm::ArrayRef<llvm::StringLiteral> Name(                   \
      Name##_init, std::size(Name##_init) - 1);
#include "llvm/Option/OptTable.h"
namespace headstart {
class GenericOptionTable : public llvm::opt::GenericOptTable {
public:
  explicit GenericOptionTable(llvm::ArrayRef<Info> Options,
                              bool IgnoreCase = false)
      : GenericOptTable(Options, IgnoreCase), Options(Options) {}
  void
  appendOptionPrefixes(llvm::opt::OptSpecifier ID,
                       llvm::SmallVectorImpl<llvm::StringRef> &Prefixes) const {
    llvm::append_range(Prefixes, Options[ID.getID() - 1].Prefixes);
  }

private:
  llvm::ArrayRef<Info> Options;
};
} // namespace headstart
#endif

#if LLVM_VERSION_MAJOR >= 22
/// MemoryBuffer::willNeedIfMmap is a function that Headstart overrides.
#define HEADSTART_OVERRIDES_WILL_NEED override
/// The access for opening a file to find out whether a process has locked it,
/// and the lock to try. Older versions have no lock that needs no write access.
#define HEADSTART_LOCK_PROBE_ACCESS llvm::sys::fs::FA_Read
#define HEADSTART_LOCK_PROBE_KIND , llvm::sys::fs::LockKind::Shared
#else
#define HEADSTART_OVERRIDES_WILL_NEED
#define HEADSTART_LOCK_PROBE_ACCESS                                            \
  static_cast<llvm::sys::fs::FileAccess>(llvm::sys::fs::FA_Read |              \
                                         llvm::sys::fs::FA_Write)
#define HEADSTART_LOCK_PROBE_KIND
#include "llvm/Support/FileSystem.h"
namespace llvm {
namespace detail {
template <typename Callable> scope_exit(Callable) -> scope_exit<Callable>;
} // namespace detail
using detail::scope_exit;
namespace sys::path {
using fs::make_absolute;
} // namespace sys::path
} // namespace llvm
#endif

/// The parameter of lld's ELF functions, and the argument that passes it on.
#if LLVM_VERSION_MAJOR >= 20
#define HEADSTART_ELF_PARAMETER lld::elf::Ctx &Context
#define HEADSTART_ELF_ARGUMENT Context
#else
#define HEADSTART_ELF_PARAMETER
#define HEADSTART_ELF_ARGUMENT
#endif

/// The header that declares plug-ins of LLVM's passes.
#if __has_include("llvm/Plugins/PassPlugin.h")
#define HEADSTART_PASS_PLUGIN_HEADER "llvm/Plugins/PassPlugin.h"
#else
#define HEADSTART_PASS_PLUGIN_HEADER "llvm/Passes/PassPlugin.h"
#endif

#endif // HEADSTART_LLVM_H
