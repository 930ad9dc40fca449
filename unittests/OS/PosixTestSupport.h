//===- PosixTestSupport.h - Children, and what is on a disk -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_POSIXTESTSUPPORT_H
#define HEADSTART_UNITTESTS_OS_POSIXTESTSUPPORT_H

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headstart::os::test {

/// An environment variable that is set while the object lives.
class Variable {
public:
  Variable(const char *Name, const std::string &Value) : Name(Name) {
    if (const char *Set = std::getenv(Name))
      Before = Set;
    ::setenv(Name, Value.c_str(), 1);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  ~Variable() {
    if (Before)
      ::setenv(Name, Before->c_str(), 1);
    else
      ::unsetenv(Name);
  }

private:
  const char *Name;
  std::optional<std::string> Before;
};

/// Starts a child that runs \p Work and exits with its result.
template <class Function> pid_t startChild(Function Work) {
  const pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(Work()); // skips the exit handlers, which belong to the parent
  return Child;
}

/// Waits for \p Child; returns its exit status, or -1 if a signal ended it.
inline int exitStatus(pid_t Child) {
  int Status = 0;
  if (::waitpid(Child, &Status, 0) != Child || !WIFEXITED(Status))
    return -1;
  return WEXITSTATUS(Status);
}

/// Runs \p Work without the privileges of root and returns its result, a small
/// number.
template <class Function> int runUnprivileged(Function Work) {
  if (::geteuid() != 0)
    return Work();
  return exitStatus(startChild([&] {
    constexpr uid_t Unprivileged = 65534;
    return ::seteuid(Unprivileged) == 0 ? Work() : 99;
  }));
}

/// Makes the socket \p Path, which must be short.
inline void makeSocket(const std::string &Path) {
  const int Socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_GE(Socket, 0);
  struct sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  ASSERT_LT(Path.size(), sizeof(Address.sun_path));
  std::memcpy(Address.sun_path, Path.c_str(), Path.size() + 1);
  ASSERT_EQ(::bind(Socket, reinterpret_cast<const sockaddr *>(&Address),
                   sizeof(Address)),
            0);
  ::close(Socket);
}

/// The descriptor that the next open will return.
inline int nextDescriptor() {
  const int Next = ::fcntl(0, F_DUPFD_CLOEXEC, 0);
  ::close(Next);
  return Next;
}

inline std::string contentsOf(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(File), {}};
}

/// Writes \p Text into a new file and waits until the disk has it.
inline void writeSynced(const std::string &Path, const std::string &Text) {
  const int File =
      ::open(Path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  ASSERT_GE(File, 0) << Path;
  ASSERT_EQ(::write(File, Text.data(), Text.size()),
            static_cast<ssize_t>(Text.size()));
  ASSERT_EQ(::fsync(File), 0);
  ASSERT_EQ(::close(File), 0);
}

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_POSIXTESTSUPPORT_H
