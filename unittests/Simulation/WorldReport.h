//===- WorldReport.h - Results of many worlds -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_WORLDREPORT_H
#define HEADSTART_UNITTESTS_SIMULATION_WORLDREPORT_H

#include "World.h"
#include "llvm/Support/raw_ostream.h"

namespace headstart::simulation {

/// The result of one seed's link. It is plain data, because processes share it.
struct WorldResult {
  uint64_t Seed = 0;
  double Ours = 0, Stock = 0, Bound = 0; ///< seconds
  double Built = 0;                      ///< of ours after a build; 0: no build
  uint64_t OursBytes = 0, StockBytes = 0, OursRequests = 0, StockRequests = 0;
  Flavour Kind = Flavour::COFF;
  StoreKind Store = StoreKind::LocalFast;
  ResidencyKind Residency = ResidencyKind::Cold;
  bool IsShort = false, IsDone = false;
  char Failure[160] = {}; ///< empty: none

  double regret() const { return Ours / Bound; }
  double toStock() const { return Ours / Stock; }
  double builtToOurs() const { return Built / Ours; }
};

/// Runs the link of \p Of with and without the engine, and after its build.
WorldResult linkIn(const World &Of, const Tuning &Numbers);

/// Returns the value that \p Percent of \p Values do not exceed. Sorts them.
double percentile(std::vector<double> &Values, double Percent);

void printDistributions(llvm::ArrayRef<WorldResult> All,
                        llvm::raw_ostream &Out);
/// Prints the worst worlds by either measure; \p Draw draws a seed's world.
void printWorst(llvm::ArrayRef<WorldResult> All, size_t Count,
                llvm::function_ref<World(uint64_t)> Draw,
                llvm::raw_ostream &Out);
void writeJSON(llvm::ArrayRef<WorldResult> All,
               llvm::function_ref<World(uint64_t)> Draw,
               llvm::raw_ostream &Out);
/// Prints the three times of one world, and its stages.
void printWorld(const World &Of, const Tuning &Numbers, bool Traces,
                llvm::raw_ostream &Out);

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_WORLDREPORT_H
