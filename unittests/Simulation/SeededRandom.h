//===- SeededRandom.h - Numbers drawn from a seed ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_SEEDEDRANDOM_H
#define HEADSTART_UNITTESTS_SIMULATION_SEEDEDRANDOM_H

#include <cmath>
#include <cstdint>

namespace headstart::simulation {

/// Draws numbers (splitmix64). The same seed draws the same numbers.
class SeededRandom {
public:
  explicit SeededRandom(uint64_t Seed) : State(Seed) {}

  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
    return Z ^ (Z >> 31);
  }
  /// Returns a number from 0 to \p Limit - 1.
  uint64_t below(uint64_t Limit) { return next() % Limit; }
  uint64_t between(uint64_t Least, uint64_t Most) {
    return Least + below(Most - Least + 1);
  }
  /// Returns true once in \p Times calls, on average.
  bool onceIn(uint64_t Times) { return below(Times) == 0; }
  /// Draws from \p Least to \p Most; each order of magnitude is equally likely.
  double logBetween(double Least, double Most) {
    const double Share = static_cast<double>(next() >> 11) * 0x1p-53;
    return Least * std::pow(Most / Least, Share);
  }
  uint64_t logBetween(uint64_t Least, uint64_t Most) {
    return static_cast<uint64_t>(logBetween(static_cast<double>(Least),
                                            static_cast<double>(Most) + 0.99));
  }

private:
  uint64_t State;
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_SEEDEDRANDOM_H
