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
#include "llvm/ADT/Twine.h"
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
  Check(std::string Name, llvm::json::Value Value, std::string Text)
      : Name(std::move(Name)), Value(std::move(Value)), Text(std::move(Text)) {}

  std::string Name; ///< in JSON
  llvm::json::Value Value;
  std::string Text; ///< one line; empty: only the JSON has the check
  Finding Status = Finding::Ok;
  std::string Costs, Do; ///< the effect and the fix of a note or problem

  void note(const llvm::Twine &Cost, const llvm::Twine &Advice) {
    Status = Finding::Note;
    Costs = Cost.str();
    Do = Advice.str();
  }
  void problem(const llvm::Twine &Cost, const llvm::Twine &Advice) {
    note(Cost, Advice);
    Status = Finding::Problem;
  }
};

struct CheckGroup {
  std::string Name;         ///< in JSON
  std::string Heading;      ///< for people
  std::string Subject;      ///< the path that was checked; empty: the machine
  std::deque<Check> Checks; ///< a deque, because `add` returns a reference

  Check &add(const llvm::Twine &CheckName, llvm::json::Value Value,
             const llvm::Twine &Text) {
    return Checks.emplace_back(CheckName.str(), std::move(Value), Text.str());
  }
};

/// Adds the checks of the program, of the linkers and compilers on PATH, which
/// it runs with --version and such, and of the machine.
void checkMachine(std::vector<CheckGroup> &Groups);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_DOCTOR_H
