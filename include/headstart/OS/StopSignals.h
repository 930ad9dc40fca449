//===- StopSignals.h - Being asked to stop ----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns a first Ctrl-C into a state that a program can query.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_STOPSIGNALS_H
#define HEADSTART_OS_STOPSIGNALS_H

#include <array>
#include <string>

namespace headstart::os {

/// The effect of the signals after the first one.
enum class NextSignal : unsigned char {
  Ends,  ///< end the program, so that a hang cannot keep a user waiting
  Waits, ///< nothing: the program restores something, which is soon done
};

/// While an object lives, the first SIGINT, SIGTERM or SIGHUP is only recorded;
/// with `NextSignal::Waits` also SIGQUIT and SIGPIPE. A signal that was ignored
/// stays ignored. A process may have one object at a time. Threads whose system
/// calls must not be interrupted should be started by `os::Threads`.
class StopSignals {
public:
  explicit StopSignals(NextSignal Next = NextSignal::Ends);
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;
  ~StopSignals();

  /// Returns the signal that was received, or 0. Thread-safe.
  static int received();

  /// Runs \p Command in the system's shell, with this process's terminal, and
  /// returns the result of std::system. This process ignores SIGINT and SIGQUIT
  /// meanwhile, so one that ends the command is raised afterwards. Blocks.
  static int runInShell(const std::string &Command);

private:
  using Handler = void (*)(int);
  std::array<Handler, 5> Before{};
};

/// Ends the program by SIGPIPE, as a write to a closed pipe does. Returns if
/// the system has no such signal, or if it is ignored or blocked. For a program
/// that writes on threads of `os::Threads`, which receive no SIGPIPE. To be
/// called by the main thread.
void endByClosedPipe();

} // namespace headstart::os

#endif // HEADSTART_OS_STOPSIGNALS_H
