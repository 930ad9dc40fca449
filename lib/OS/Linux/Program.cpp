//===- Program.cpp - Mappings of this program -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Program.h"

#include <array>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <link.h>
#include <sys/auxv.h>
#include <system_error>

using namespace headstart::os;

std::vector<ProgramPart> headstart::os::programParts() {
  std::vector<ProgramPart> Parts;
  const auto Visit = [](dl_phdr_info *Info, size_t, void *Result) {
    for (unsigned I = 0; I != Info->dlpi_phnum; ++I) {
      const ElfW(Phdr) &Header = Info->dlpi_phdr[I];
      if (Header.p_type != PT_LOAD || (Header.p_flags & PF_W) != 0)
        continue;
      const auto *const Begin = reinterpret_cast<const char *>( // NOLINT
          Info->dlpi_addr + Header.p_vaddr);
      static_cast<std::vector<ProgramPart> *>(Result)->push_back(
          {{Begin, static_cast<size_t>(Header.p_filesz)}, Header.p_offset});
    }
    return 1; // the program comes first; skip its libraries
  };
  ::dl_iterate_phdr(Visit, &Parts);
  return Parts;
}

std::string headstart::os::programPath() {
  std::error_code Error;
  const auto Path = std::filesystem::read_symlink("/proc/self/exe", Error);
  if (!Error)
    return Path.string();
  // Without /proc, use the path with which this program was started.
  const auto *const Given =
      reinterpret_cast<const char *>(::getauxval(AT_EXECFN)); // NOLINT
  std::array<char, PATH_MAX> Real;
  return Given != nullptr && ::realpath(Given, Real.data()) != nullptr
             ? Real.data()
             : "";
}
