//===- ArchiveTestSupport.h - Members of archives for tests -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FORMATS_ARCHIVETESTSUPPORT_H
#define HEADSTART_UNITTESTS_FORMATS_ARCHIVETESTSUPPORT_H

#include <cstdint>
#include <string>

namespace headstart::test {

/// Returns a member's header. \p Name and \p Size are written unchanged.
inline std::string memberHeader(std::string Name, std::string Size) {
  Name.resize(48, ' ');
  Size.resize(10, ' ');
  return Name + Size + "`\n";
}
inline std::string memberHeader(std::string Name, uint64_t Size) {
  return memberHeader(std::move(Name), std::to_string(Size));
}

/// Returns a member, padded to an even length.
inline std::string member(const std::string &Name,
                          const std::string &Contents) {
  return memberHeader(Name, Contents.size()) + Contents +
         std::string(Contents.size() % 2, '\n');
}

/// Returns a member in the form of BSD and Darwin: its body begins with its
/// name, which takes \p NameBytes.
inline std::string longNamedMember(std::string Name,
                                   const std::string &Contents,
                                   size_t NameBytes = 20) {
  Name.resize(NameBytes, '\0');
  return member("#1/" + std::to_string(NameBytes), Name + Contents);
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FORMATS_ARCHIVETESTSUPPORT_H
