//===- Program.cpp - The standard descriptors' places (POSIX) -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Program.h"

#include "Support.h"
#include "headstart/OS/Threads.h"

#include <array>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

using namespace headstart::os;

void headstart::os::holdStandardDescriptors() {
  // A directory for passing through can be neither read nor written. open(2)
  // takes the lowest free number; one above the standard descriptors is closed.
  int FD;
  do
    FD = ::open("/", detail::PassThrough | O_CLOEXEC);
  while (FD >= 0 && FD <= STDERR_FILENO);
  if (FD >= 0)
    ::close(FD);
}

std::string headstart::os::codePath() { return programPath(); }

void headstart::os::callAtExit(void (*Function)()) {
  (void)std::atexit(Function);
}

void headstart::os::leaveAtOnce(int Status) { std::_Exit(Status); }

void headstart::os::shareHeaps() {
#ifdef M_ARENA_MAX
  for (const char *Name : {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES"})
    if (std::getenv(Name) != nullptr) // NOLINT(concurrency-mt-unsafe)
      return;
  ::mallopt(M_ARENA_MAX, static_cast<int>(usableProcessors()) + 1);
#endif
}

void headstart::os::trimHeaps() {
#ifdef M_ARENA_MAX
  ::malloc_trim(0);
#endif
}

std::string headstart::os::currentDirectory() {
  std::array<char, PATH_MAX> Path;
  return ::getcwd(Path.data(), Path.size()) != nullptr ? Path.data() : "";
}
