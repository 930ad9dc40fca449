//===- LinuxTestSupport.h - System calls that fail --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_LINUXTESTSUPPORT_H
#define HEADSTART_UNITTESTS_OS_LINUXTESTSUPPORT_H

#include "PosixTestSupport.h"

#include <array>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace headstart::os::test {

/// From now on, system call \p Number fails with \p Error in this process.
inline bool deny(unsigned Number, unsigned Error) {
  std::array<sock_filter, 4> Filter = {
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Number, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | Error),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog Program = {Filter.size(), Filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program) == 0;
}

/// Runs \p Work in a child where the call fails; returns its result, or 99.
template <class Function>
int runWithout(unsigned Number, unsigned Error, Function Work) {
  return exitStatus(
      startChild([&] { return deny(Number, Error) ? Work() : 99; }));
}

/// The device that holds \p Path, as /proc and /sys name it: "259:1".
inline std::string deviceNumberOf(const std::string &Path) {
  struct stat S = {};
  EXPECT_EQ(::stat(Path.c_str(), &S), 0);
  return std::to_string(major(S.st_dev)) + ":" +
         std::to_string(minor(S.st_dev));
}

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_LINUXTESTSUPPORT_H
