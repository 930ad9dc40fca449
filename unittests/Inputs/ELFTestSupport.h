//===- ELFTestSupport.h - Command lines of ld.lld for tests -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_UNITTESTS_INPUTS_ELFTESTSUPPORT_H // NOLINT
#define HEADSTART_UNITTESTS_INPUTS_ELFTESTSUPPORT_H

#include "TestSupport.h"
#include "headstart/Inputs/InputList.h"
#include "headstart/Inputs/LinkerModel.h"

namespace headstart::test {

/// Expands and parses a command line of ld.lld.
inline LinkCommand parseELF(const Strings &Args,
                            const CommandLineContext &Context = contextWith()) {
  return LinkerModel::of(Flavour::ELF)
      .parse(expandCommandLine(Flavour::ELF, Args, Context).Args, Context);
}

/// Returns the paths that a link reads, in order.
inline Strings listed(const Strings &Args) {
  Strings Result;
  LinkCommand Command = parseELF(Args);
  for (const ListedInput &Input : listInputs(Command))
    Result.push_back(Input.Found.Path);
  return Result;
}

/// Returns the path of the only input of a command line.
inline std::string resolved(const Strings &Args) {
  LinkCommand Command = parseELF(Args);
  EXPECT_EQ(Command.Inputs.size(), 1U);
  return InputResolver(Command).resolve(Command.Inputs.at(0)).Path;
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_INPUTS_ELFTESTSUPPORT_H
