//===- Redirect.h - Redirection of a link's outputs -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Changes a link so that it reads the same inputs and writes elsewhere. It can
/// then run repeatedly without harm.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_BENCH_REDIRECT_H
#define HEADSTART_BENCH_REDIRECT_H

#include "headstart/Link/ForeignCommand.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// A command line whose outputs are all in one directory.
struct RedirectedLink {
  std::vector<std::string> Args; ///< the program first
  LinkCommand Command;           ///< the meaning of Args
  std::string Problem;           ///< for people; empty if there is none
};

/// Returns the arguments that, after \p Link's own, redirect its outputs to
/// \p Directory, in the linker's syntax. In every known linker a later option
/// overrides an earlier one. A link for Windows also gets an option that omits
/// the time, without which no two outputs would be identical.
std::vector<std::string> redirectingArgs(const ForeignCommand &Link,
                                         llvm::StringRef Directory);

/// Adds these arguments to \p Args, from which \p Link was read, and reads the
/// result again. If an output would still be outside of \p Directory, the
/// Problem names it. Blocks like readForeignCommand.
RedirectedLink redirect(llvm::ArrayRef<std::string> Args,
                        const ForeignCommand &Link,
                        std::optional<Flavour> Forced,
                        llvm::StringRef Directory);

} // namespace headstart

#endif // HEADSTART_BENCH_REDIRECT_H
