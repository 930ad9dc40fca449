//===- Background.cpp - Work that makes way for others (Linux) ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Background.h"
#include "PseudoFile.h"
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace headstart::os {

void enterBackground() {
  // Nice 10 means a tenth of a compiler's weight. With less, links on busy
  // processors would begin before anything is fetched.
  constexpr int Nice = 10;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), Nice);
  // From linux/ioprio.h, which older systems lack.
  constexpr int WhoProcess = 1;
  constexpr int IdleClass = 3;
  constexpr int ClassShift = 13;
  (void)::syscall(SYS_ioprio_set, WhoProcess, 0, IdleClass << ClassShift);
}

std::optional<std::chrono::microseconds> diskStall(const std::string &Root) {
  const std::string Prefix = detail::prefixOf(Root);
  for (const char *Path : {"/proc/pressure/io", "/sys/fs/cgroup/io.pressure"}) {
    // "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"
    const auto Text = detail::readPseudoFile(Prefix + Path);
    std::string_view Rest = Text ? std::string_view(*Text) : "";
    std::string_view Line = detail::takeField(Rest, '\n');
    if (!Line.starts_with("some "))
      continue;
    const size_t At = Line.rfind("total=");
    if (At == std::string_view::npos)
      continue;
    Line.remove_prefix(At);
    (void)detail::takeField(Line, '=');
    if (const auto Total = detail::parseNumber(Line))
      return std::chrono::microseconds(*Total);
  }
  return std::nullopt;
}

} // namespace headstart::os
