//===- InputScanner.h - What inputs name ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Much of what a link reads is named only inside other inputs: default
/// libraries in .drectve, members of thin archives, type servers, linker
/// scripts, re-exported libraries. These readers find it as the files arrive.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_INPUTSCANNER_H
#define HEADSTART_INPUTS_INPUTSCANNER_H

#include "headstart/Formats/FileLook.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace headstart {

/// An input that another input names.
struct FoundInput {
  NamedInput Input; ///< From is the path of the file that names it
  /// Whether the linker reads it right behind the file that names it (members
  /// of thin archives, linker scripts); else when it has read all that the
  /// command line names, or all of the same turn (NamedInput::Turn).
  bool Next = false;
};

/// Reads in inputs what other inputs they name. What an input names that the
/// linker would not read (an excluded default library) is left out. Const, and
/// any thread may call it.
class InputScanner {
public:
  /// \p Resolver must outlive the scanner.
  explicit InputScanner(const InputResolver &Resolver) : Resolver(Resolver) {}

  /// What the file that \p Look is turned to, found at \p Path for \p Named,
  /// names, in the order of the file. Reads little: of an object its headers
  /// and the sections that name something; of scripts and text stubs all. A
  /// file of any other kind, or one that is not sane, names nothing. Blocks for
  /// the disk.
  std::vector<FoundInput> scan(const NamedInput &Named, llvm::StringRef Path,
                               FileLook &Look) const;

private:
  const InputResolver &Resolver;
};

} // namespace headstart

#endif // HEADSTART_INPUTS_INPUTSCANNER_H
