//===- SeamNames.h - Symbols of the seam ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the seam: declares a function of SeamFunctions.json as
/// HEADSTART_WRAP(name), to which lld's references are bound, and
/// HEADSTART_REAL(name), the original function. cmake/HeadstartSeam.cmake
/// selects the method:
///
///   wrap    the linker's --wrap; asm labels carry the mangled names, which
///           utils/rename-seam.py has found in lld's archives
///   rename  the same script renames the references in copies of lld's archives
///           to the C names of these functions
///
/// A function with C linkage takes and returns C++ classes here. The linkage
/// changes only the name: on x86-64 and AArch64, a free function, a static
/// member function and a constructor with `this` as its first argument have the
/// same calling convention. Only the result of a constructor differs: `this` in
/// Microsoft's ABI and in Apple's for AArch64, nothing in Itanium's elsewhere.
/// The wrapper of a constructor always returns `this` (a caller that expects
/// nothing ignores it), and ignores the constructor's own result.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_LINK_SEAMNAMES_H
#define HEADSTART_LIB_LINK_SEAMNAMES_H

#define HEADSTART_WRAP(Name) headstart_wrap_##Name
#define HEADSTART_REAL(Name) headstart_real_##Name

// A parameter list must not get further parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#ifdef HEADSTART_SEAM_RENAME

/// Declares a function that lld's archives define.
#define HEADSTART_LLD_FUNCTION(Result, Name, Parameters)                       \
  extern "C" Result HEADSTART_WRAP(Name) Parameters;                           \
  extern "C" Result HEADSTART_REAL(Name) Parameters
/// Declares a function that libLLVM defines, where it keeps its name.
#define HEADSTART_LLVM_FUNCTION(Result, Name, Parameters, Function)            \
  extern "C" Result HEADSTART_WRAP(Name) Parameters;                           \
  static constexpr auto &HEADSTART_REAL(Name) = Function

#else

#include "headstart/Link/SeamSymbols.h"

#define HEADSTART_LLD_FUNCTION(Result, Name, Parameters)                       \
  Result HEADSTART_WRAP(Name)                                                  \
  Parameters __asm__("__wrap_" HEADSTART_SYMBOL_##Name);                       \
  Result HEADSTART_REAL(Name)                                                  \
  Parameters __asm__("__real_" HEADSTART_SYMBOL_##Name)
/// --wrap also binds calls by the function's own name, so this uses __real_.
#define HEADSTART_LLVM_FUNCTION(Result, Name, Parameters, Function)            \
  HEADSTART_LLD_FUNCTION(Result, Name, Parameters)

#endif
// NOLINTEND(bugprone-macro-parentheses)

#endif // HEADSTART_LIB_LINK_SEAMNAMES_H
