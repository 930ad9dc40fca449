//===- PrefetchArgs.h - Options of ours among a linker's --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: shared by the flavours that parse with llvm::opt.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_PREFETCHARGS_H
#define HEADSTART_LIB_INPUTS_PREFETCHARGS_H

#include "headstart/Inputs/LinkCommand.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/Option.h"

namespace headstart {

/// Converts \p A, which is one of Headstart's own options.
inline PrefetchOption prefetchOptionOf(const llvm::opt::Arg &A) {
  PrefetchOption Option;
  Option.Spelling = A.getSpelling().str();
  llvm::StringRef Name = A.getOption().getName();
  if (Name.consume_front("no-")) {
    Option.Name = Name.str();
    Option.Value = "no";
    Option.HasValue = true;
    return Option;
  }
  Option.Name = Name.rtrim('=').str();
  Option.HasValue = A.getOption().getKind() == llvm::opt::Option::JoinedClass;
  if (Option.HasValue) {
    Option.Value = A.getValue();
    Option.Spelling += Option.Value;
  }
  return Option;
}

} // namespace headstart

#endif // HEADSTART_LIB_INPUTS_PREFETCHARGS_H
