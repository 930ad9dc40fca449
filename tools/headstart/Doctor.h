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
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

enum class Finding : uint8_t {
  Ok,
  Note,    ///< links work, but could be faster
  Problem, ///< something that the user set, or that links need, fails
};

struct Check {
  std::string Name; ///< in JSON
  llvm::json::Value Value = nullptr;
  std::string Text; ///< one line; empty: only the JSON has the check
  Finding Status = Finding::Ok;
  std::string Costs, Do; ///< the effect and the fix of a note or problem

  void note(std::string Cost, std::string Advice) {
    Status = Finding::Note;
    Costs = std::move(Cost);
    Do = std::move(Advice);
  }
  void problem(std::string Cost, std::string Advice) {
    note(std::move(Cost), std::move(Advice));
    Status = Finding::Problem;
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

/// Adds the checks of the program, of the linkers and compilers on PATH, which
/// it runs with --version and such, and of the machine.
void checkMachine(std::vector<CheckGroup> &Groups);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_DOCTOR_H
