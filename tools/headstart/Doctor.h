//===- Doctor.h - Checks of headstart doctor --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The checks of `headstart doctor`, in groups. They change nothing, and block.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_DOCTOR_H
#define HEADSTART_TOOLS_HEADSTART_DOCTOR_H

#include "Command.h"
#include "headstart/Link/PrefetchSettings.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace headstart {

enum class Verdict : uint8_t {
  Ok,
  Note,    ///< links work, but could be faster
  Problem, ///< something that the user set, or that links need, fails
};

struct Check {
  std::string Name; ///< in JSON
  llvm::json::Value Value = nullptr;
  std::string Text; ///< one line; empty: only the JSON has the check
  Verdict Status = Verdict::Ok;
  std::string Costs, Do; ///< the effect and the fix of a note or problem

  void note(std::string Cost, std::string Advice) {
    set(Verdict::Note, std::move(Cost), std::move(Advice));
  }
  void problem(std::string Cost, std::string Advice) {
    set(Verdict::Problem, std::move(Cost), std::move(Advice));
  }

private:
  void set(Verdict V, std::string Cost, std::string Advice) {
    Status = V;
    Costs = std::move(Cost);
    Do = std::move(Advice);
  }
};

struct CheckGroup {
  std::string Name;         ///< in JSON
  std::string Heading;      ///< for people
  std::string Subject;      ///< the path that was checked; empty: the machine
  std::deque<Check> Checks; ///< a deque, because `add` returns a reference

  Check &add(std::string CheckName, llvm::json::Value Value, std::string Text) {
    Check &C = Checks.emplace_back();
    C.Name = std::move(CheckName);
    C.Value = std::move(Value);
    C.Text = std::move(Text);
    return C;
  }
};

/// Checks the program and its environment variables, which set \p Settings as
/// in ld.lld.
CheckGroup checkProgram(PrefetchSettings &Settings);
/// Checks which system calls work.
CheckGroup checkSystem();
CheckGroup checkMemory(const PrefetchSettings &Settings);
CheckGroup checkProcessors(const PrefetchSettings &Settings);
/// Checks the directory of the profiles.
CheckGroup checkRecords(const PrefetchSettings &Settings);
/// Checks the linkers and compilers on PATH; runs them with --version and such.
CheckGroup checkLinkers();
/// Checks \p Path, a directory or a file, and its file system. \p Problem is
/// the reason why it cannot be inspected, or empty.
CheckGroup checkDirectory(const std::string &Path, std::string &Problem);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_DOCTOR_H
