//===- StartThread.h - A thread, or why there is none -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_STARTTHREAD_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_STARTTHREAD_H

#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace headstart::os::detail {

/// Adds a thread that runs \p Work to \p Running; else why it could not be
/// started.
inline std::error_code startThread(std::vector<std::thread> &Running,
                                   std::function<void()> Work) {
  try {
    Running.emplace_back(std::move(Work));
  } catch (const std::system_error &E) {
    return E.code();
  } catch (const std::bad_alloc &) {
    return std::make_error_code(std::errc::not_enough_memory);
  }
  return {};
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_STARTTHREAD_H
