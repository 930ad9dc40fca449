//===- Tuning.cpp - The numbers that decisions use, by name ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/Tuning.h"

using llvm::StringRef;

namespace headstart {

template <class T> static void set(T &Number, double Value) {
  Number = static_cast<T>(Value);
}
/// Durations are given in seconds.
template <class Rep, class Period>
static void set(std::chrono::duration<Rep, Period> &Number, double Value) {
  Number = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(
      Tuning::Seconds(Value));
}

bool setTuning(Tuning &Numbers, StringRef Name, StringRef Value) {
  double Number = 0;
  if (Value.getAsDouble(Number))
    return false;
#define NUMBER(TYPE, NAME, VALUE)                                              \
  if (Name == #NAME) {                                                         \
    set(Numbers.NAME, Number);                                                 \
    return true;                                                               \
  }
#include "headstart/Plan/Tuning.def"
  return false;
}

} // namespace headstart
