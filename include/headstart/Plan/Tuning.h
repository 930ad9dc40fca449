//===- Tuning.h - The numbers that decisions use ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every threshold by which the engine decides what to fetch. Users get the
/// defaults; tests, the simulation and benchmarks set others. PlanOptions has
/// the two numbers that depend on the flavour or the page size.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_TUNING_H
#define HEADSTART_PLAN_TUNING_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headstart {

struct Tuning {
  using Seconds = std::chrono::duration<double>;
#define NUMBER(TYPE, NAME, VALUE) TYPE NAME{VALUE};
#include "headstart/Plan/Tuning.def"
  /// The seconds for a path above which it is worthwhile to query it again.
  double slowName() const { return StatSeconds / ForgottenShare; }
};

/// Sets the number \p Name, such as "FirstWindow", to \p Value, a time in
/// seconds. Returns false if no such number exists, or \p Value is none.
bool setTuning(Tuning &Numbers, llvm::StringRef Name, llvm::StringRef Value);

} // namespace headstart

#endif // HEADSTART_PLAN_TUNING_H
