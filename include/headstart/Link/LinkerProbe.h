//===- LinkerProbe.h - What a linker says of itself -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which linker a program is, and which one a compiler driver would run, by
/// asking them. Nothing is linked.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKERPROBE_H
#define HEADSTART_LINK_LINKERPROBE_H

#include <string>
#include <vector>

namespace headstart {

/// What \p Program says of itself with --version, first line; empty if nothing.
/// Blocks, for 5 seconds at most.
std::string versionOf(const std::string &Program);

/// Whether the linker at \p Program is one of Headstart's: whether it knows
/// our options. It is run with a bad value of one, and without inputs. Blocks
/// like `versionOf`.
bool isHeadstart(const std::string &Program);

/// The linker that \p Driver, a compiler, would run with \p Option added
/// ("-fuse-ld=lld", or ""), as a path where it can be found; empty when it
/// would run none, or does not say. \p Input is a file that it takes for an
/// object and does not read. Blocks like `versionOf`, twice.
std::string linkerOf(const std::string &Driver, const std::string &Option,
                     const std::string &Input);

/// The linker that the compiler driver in front of \p Link would run for that
/// link, as above. For GCC the one that it runs as `ld.lld` (-fuse-ld=lld).
std::string linkerOf(const std::vector<std::string> &Link);

} // namespace headstart

#endif // HEADSTART_LINK_LINKERPROBE_H
