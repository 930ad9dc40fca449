//===- Launcher.cpp - A name of the program, on Windows -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Most users of Windows may not create links. Each name is therefore a small
/// program, and one library next to them, headstart.dll, has all the code.
///
//===----------------------------------------------------------------------===//

extern "C" __declspec(dllimport) int headstartMain(int argc, char **argv);

int main(int argc, char **argv) { return headstartMain(argc, argv); }
