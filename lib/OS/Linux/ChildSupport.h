//===- ChildSupport.h - Helpers to start programs ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_LINUX_CHILDSUPPORT_H
#define HEADSTART_LIB_OS_LINUX_CHILDSUPPORT_H

#include "../Posix/Support.h"
#include "headstart/OS/ChildProcess.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace headstart::os::detail {

/// Returns \p Args in exec's form, valid as long as \p Args.
inline std::vector<char *> argumentsOf(const std::vector<std::string> &Args) {
  std::vector<char *> Arguments;
  Arguments.reserve(Args.size() + 1);
  for (const std::string &Arg : Args)
    Arguments.push_back(const_cast<char *>(Arg.c_str())); // NOLINT: exec's
  Arguments.push_back(nullptr);
  return Arguments;
}

/// Returns this process's environment with \p Changes: NAME=VALUE, or NAME to
/// remove a variable.
inline std::vector<std::string>
environmentWith(const std::vector<std::string> &Changes) {
  const auto NameOf = [](std::string_view Text) {
    return Text.substr(0, Text.find('='));
  };
  std::vector<std::string> Result;
  for (char **Variable = environ; Variable != nullptr && *Variable != nullptr;
       ++Variable) { // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic)
    const std::string_view Name = NameOf(*Variable);
    if (std::none_of(Changes.begin(), Changes.end(),
                     [&](const std::string &C) { return NameOf(C) == Name; }))
      Result.emplace_back(*Variable);
  }
  for (const std::string &Change : Changes)
    if (Change.find('=') != std::string::npos)
      Result.push_back(Change);
  return Result;
}

/// Opens /dev/null, or an empty memory file in a container without it.
/// \p Flags: O_CLOEXEC or 0. Returns a negative number and sets errno on error.
inline int openNothing(int Flags) {
  const int Null = ::open("/dev/null", O_RDWR | Flags); // NOLINT: variadic
  return Null >= 0 ? Null
                   : ::memfd_create("headstart", Flags != 0 ? MFD_CLOEXEC : 0U);
}

/// A pipe that no program inherits.
class Pipe {
public:
  Pipe() = default;
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  std::error_code open() {
    return ::pipe2(Ends.data(), O_CLOEXEC) == 0 ? std::error_code()
                                                : lastError();
  }
  void closeEnd(unsigned End) {
    if (Ends.at(End) >= 0)
      ::close(Ends.at(End));
    Ends.at(End) = -1;
  }
  int reading() const { return Ends[0]; }
  int writing() const { return Ends[1]; }

private:
  std::array<int, 2> Ends = {-1, -1};
};

/// Opens a descriptor that poll(2) reports as readable once the process \p Id
/// has ended. Returns -1 before Linux 5.3.
inline int openProcess(pid_t Id) {
  return static_cast<int>(::syscall(SYS_pidfd_open, Id, 0));
}

/// Waits until the child \p Id has ended.
inline void waitForChild(pid_t Id) {
  (void)retry([&] { return ::waitpid(Id, nullptr, 0); });
}

/// Returns how a child ended, by \p Status of wait4(2).
inline ProgramEnd endOf(int Status) {
  const bool BySignal = WIFSIGNALED(Status);
  return {BySignal, BySignal ? WTERMSIG(Status) : WEXITSTATUS(Status)};
}

/// Kills the child \p Id with all of its group, and waits for it.
inline void killWithGroup(pid_t Id) {
  ::kill(-Id, SIGKILL);
  ::kill(Id, SIGKILL); // it may not have created its group yet
  waitForChild(Id);
}

/// Creates the process \p Child, which ends with this one, even if this one is
/// killed, and in which \p Exec runs a program. If that returns, or no process
/// can be created, returns errno as the error, and \p Child is -1.
template <class Function>
std::error_code startChild(pid_t &Child, const Function &Exec) {
  Pipe Failure;
  if (const std::error_code Error = Failure.open())
    return Error;
  const pid_t Self = ::getpid();
  Child = ::fork();
  if (Child < 0)
    return lastError();
  int Why = 0;
  if (Child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != Self)
      ::_exit(EXIT_FAILURE);
    Exec();
    Why = errno;
    (void)!::write(Failure.writing(), &Why, sizeof(Why));
    ::_exit(EXIT_FAILURE);
  }
  // A successful exec closes the other end.
  Failure.closeEnd(1);
  if (retry([&] { return ::read(Failure.reading(), &Why, sizeof(Why)); }) !=
      sizeof(Why))
    return {};
  waitForChild(std::exchange(Child, -1));
  return {Why, std::generic_category()};
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_CHILDSUPPORT_H
