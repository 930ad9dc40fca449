//===- mingw-once.cpp - What std::call_once wants of the C++ library ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Linked to every program by mingw-w64.cmake. g++ for Windows keeps variables
/// of threads in memory of its own, which it frees before it destroys them: a
/// thread_local std::vector, as LLVM has one, corrupts the heap (GCC's bug
/// 80816). clang uses the system's. Of libstdc++ only these, which the header
/// names, are shared between the two.
///
//===----------------------------------------------------------------------===//

#include <mutex>

namespace std {
__thread void *__once_callable;
__thread void (*__once_call)();
} // namespace std

extern "C" void __once_proxy() { std::__once_call(); }
