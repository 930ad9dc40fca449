//===- Decisions.h - Counters of the engine's decisions ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A counter for each branch of the engine's decisions. `--prefetch-stats=FILE`
/// writes them. The simulation fails if it never took a branch, since no test
/// would then cover that branch.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_DECISIONS_H
#define HEADSTART_REPORT_DECISIONS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headstart {

enum class Decision : uint8_t {
#define DECISION(Name, Key) Name,
#include "headstart/Report/Decisions.def"
};
/// By Decision: the key in the JSON, such as "whole cheaper".
inline constexpr std::array DecisionKeys = {
#define DECISION(Name, Key) Key,
#include "headstart/Report/Decisions.def"
};
inline constexpr size_t NumDecisions = DecisionKeys.size();

/// One counter for each decision. Any thread may call any function.
class DecisionCounts {
public:
  void note(Decision What) {
    Counts[static_cast<size_t>(What)].fetch_add(1, std::memory_order_relaxed);
  }
  std::array<uint64_t, NumDecisions> read() const {
    std::array<uint64_t, NumDecisions> Result;
    for (size_t I = 0; I != NumDecisions; ++I)
      Result[I] = Counts[I].load(std::memory_order_relaxed);
    return Result;
  }

private:
  std::array<std::atomic<uint64_t>, NumDecisions> Counts{};
};

} // namespace headstart

#endif // HEADSTART_REPORT_DECISIONS_H
