//===- StopSignals.h - Being asked to stop ----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns a first Ctrl-C into something that a program can query. The standard
/// library only, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_STOPSIGNALS_H
#define HEADSTART_OS_STOPSIGNALS_H

#include <array>

namespace headstart::os {

/// What signals do that come in after the first.
enum class NextSignal : unsigned char {
  Ends,  ///< the usual: nothing that hangs can keep a user waiting
  Waits, ///< nothing: there is something to be put back, which is soon done
};

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is only noted; with
/// `NextSignal::Waits` also SIGQUIT and SIGPIPE. A signal
/// that was ignored stays ignored. One at a time in a process; threads that are
/// to be spared an interrupted system call should be started by `os::Threads`.
class StopSignals {
public:
  explicit StopSignals(NextSignal Next = NextSignal::Ends);
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;
  ~StopSignals();

  /// The signal that has come in, or 0. Any thread.
  static int received();

private:
  using Handler = void (*)(int);
  std::array<Handler, 5> Before{};
};

/// What a write to a closed pipe does to a program: SIGPIPE ends it. Returns
/// where the system has no such signal, or it is ignored or blocked. For a
/// program whose writing threads are those of `os::Threads`, which are spared
/// it. To be called by the main thread.
void endByClosedPipe();

} // namespace headstart::os

#endif // HEADSTART_OS_STOPSIGNALS_H
