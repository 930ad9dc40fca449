//===- NoPolly.cpp - A link-time stand-in for Polly -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Debian builds LLVM's LTO with Polly but installs no libPolly.a, so a static
/// link of LTO lacks this one function. A plug-in that registers nothing takes
/// its place. `-mllvm -polly` and Polly's other options, which stock lld
/// accepts, are unknown.
///
//===----------------------------------------------------------------------===//

#include "headstart/LLVM.h"
#include HEADSTART_PASS_PLUGIN_HEADER

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no Polly", "", [](llvm::PassBuilder &) {}};
}
