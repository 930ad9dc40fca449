//===- DeclaredNames.h - What the seam takes its functions for --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replaces lib/Link/SeamNames.h for utils/check-llvm.py. The wrappers have C++
/// names, from which the script reads their parameters.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_LINK_SEAMNAMES_H
#define HEADSTART_LIB_LINK_SEAMNAMES_H

#define HEADSTART_WRAP(Name) headstart_wrap_##Name
#define HEADSTART_REAL(Name) headstart_real_##Name

#define HEADSTART_LLD_FUNCTION(Result, Name, Parameters)                       \
  Result HEADSTART_WRAP(Name) Parameters;                                      \
  Result HEADSTART_REAL(Name) Parameters
/// A function's name lacks the type of its result, which is checked here.
#define HEADSTART_LLVM_FUNCTION(Result, Name, Parameters, Function)            \
  Result HEADSTART_WRAP(Name) Parameters;                                      \
  static constexpr Result(*HEADSTART_REAL(Name)) Parameters = Function

#endif // HEADSTART_LIB_LINK_SEAMNAMES_H
