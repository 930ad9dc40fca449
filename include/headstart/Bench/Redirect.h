//===- Redirect.h - The same link with other outputs ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns a link into one that reads the same and writes elsewhere, so
/// that it can be run again and again without harm.
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

/// A command line whose outputs all lie in one directory.
struct RedirectedLink {
  std::vector<std::string> Args; ///< the program first
  LinkCommand Command;           ///< what they mean
  std::string Problem;           ///< for people; empty: all is well
};

/// The arguments behind \p Link's own that move what it writes to \p Directory,
/// as its linker takes them. Later options win over earlier ones in every
/// linker that is known here. A link for Windows is also told to leave out the
/// time, or no two of its outputs would be the same.
std::vector<std::string> redirectingArgs(const ForeignCommand &Link,
                                         llvm::StringRef Directory);

/// Adds such arguments to \p Args, which \p Link was read from, asks again what
/// they mean, and makes sure that nothing is left that would be written
/// elsewhere: what is, is a problem that names it. Blocks as
/// readForeignCommand does.
RedirectedLink redirect(llvm::ArrayRef<std::string> Args,
                        const ForeignCommand &Link,
                        std::optional<Flavour> Forced,
                        llvm::StringRef Directory);

} // namespace headstart

#endif // HEADSTART_BENCH_REDIRECT_H
