//===- Doctor.h - What headstart doctor finds out ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The checks of `headstart doctor`, in groups. Each looks, and changes
/// nothing; all of them block.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_DOCTOR_H
#define HEADSTART_TOOLS_HEADSTART_DOCTOR_H

#include "headstart/Link/PrefetchSettings.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace headstart {

enum class Verdict : uint8_t {
  Ok,
  Note,    ///< links work, and could be faster
  Problem, ///< something does not work that was asked for, or is needed
};

struct Check {
  std::string Name; ///< in JSON
  llvm::json::Value Value = nullptr;
  std::string Text; ///< a line; empty: only JSON has it
  Verdict Status = Verdict::Ok;
  std::string Costs, Do; ///< of notes and problems

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
  std::string Subject;      ///< the path that it is about; empty: the machine
  std::deque<Check> Checks; ///< which stay where they are

  Check &add(std::string CheckName, llvm::json::Value Value, std::string Text) {
    Check &C = Checks.emplace_back();
    C.Name = std::move(CheckName);
    C.Value = std::move(Value);
    C.Text = std::move(Text);
    return C;
  }
};

/// \p Text for JSON, null when it is empty.
llvm::json::Value textOrNull(llvm::StringRef Text);

/// The program and what its environment says; that goes into \p Settings, as
/// ld.lld would read it.
CheckGroup checkProgram(PrefetchSettings &Settings);
/// The calls of the system.
CheckGroup checkSystem();
CheckGroup checkMemory(const PrefetchSettings &Settings);
CheckGroup checkProcessors(const PrefetchSettings &Settings);
/// Where records of links are kept.
CheckGroup checkRecords(const PrefetchSettings &Settings);
/// Linkers and compilers on PATH. Runs them with --version and the like.
CheckGroup checkLinkers();
/// The file system of \p Path, a directory or a file. \p Problem is why it
/// could not be looked at, and empty otherwise.
CheckGroup checkDirectory(const std::string &Path, std::string &Problem);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_DOCTOR_H
