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

/// Adds arguments to \p Args, from which \p Link was read, that redirect its
/// outputs to \p Directory, and reads the result again. If an output would
/// still be outside of \p Directory, the Problem names it. Blocks like
/// readForeignCommand.
RedirectedLink redirect(llvm::ArrayRef<std::string> Args,
                        const ForeignCommand &Link,
                        std::optional<Flavour> Forced,
                        llvm::StringRef Directory);

} // namespace headstart

#endif // HEADSTART_BENCH_REDIRECT_H
