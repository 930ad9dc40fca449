//===- SeamNames.h - What the linker calls the seam's functions -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the seam: declares a function of SeamFunctions.json as
/// HEADSTART_WRAP(name), which lld's references come to, and
/// HEADSTART_REAL(name), the function itself. cmake/HeadstartSeam.cmake says
/// which way they are bound:
///
///   wrap    the linker's --wrap; asm labels carry the mangled names, which
///           utils/rename-seam.py has looked up in lld's archives
///   rename  references in copies of lld's archives are renamed, by the same
///           script, to what C calls these functions
///
/// A function with C's name takes and returns C++ classes here. That changes
/// the name alone: on x86-64 and AArch64 a free function, a static member
/// function and a constructor with `this` as its first argument are called
/// alike. What a constructor returns differs: `this` in Microsoft's ABI and in
/// Apple's for AArch64, nothing in Itanium's elsewhere. The wrapper of a
/// constructor returns `this` always (a caller that expects nothing does not
/// look) and does not use what the constructor returned.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_LINK_SEAMNAMES_H
#define HEADSTART_LIB_LINK_SEAMNAMES_H

#define HEADSTART_WRAP(Name) headstart_wrap_##Name
#define HEADSTART_REAL(Name) headstart_real_##Name

// Parameter lists stand where no further parentheses may.
// NOLINTBEGIN(bugprone-macro-parentheses)
#ifdef HEADSTART_SEAM_RENAME

/// A function that is defined in lld's archives.
#define HEADSTART_LLD_FUNCTION(Result, Name, Parameters)                       \
  extern "C" Result HEADSTART_WRAP(Name) Parameters;                           \
  extern "C" Result HEADSTART_REAL(Name) Parameters
/// A function that is defined in libLLVM: there, its name is not changed.
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
/// Calls of the function itself would be wrapped too.
#define HEADSTART_LLVM_FUNCTION(Result, Name, Parameters, Function)            \
  HEADSTART_LLD_FUNCTION(Result, Name, Parameters)

#endif
// NOLINTEND(bugprone-macro-parentheses)

#endif // HEADSTART_LIB_LINK_SEAMNAMES_H
