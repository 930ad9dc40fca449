//===- Fields.h - Reading the fields of records -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_RECORDS_FIELDS_H
#define HEADSTART_LIB_OS_RECORDS_FIELDS_H

#include "headstart/OS/DirectoryReader.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace headstart::os::detail {

/// Returns the field of type \p T at \p At bytes after \p Record, which need
/// not be aligned. The caller has checked that the record is long enough.
template <typename T> T fieldAt(const char *Record, size_t At) {
  T Value;
  std::memcpy(&Value, Record + At, sizeof(Value));
  return Value;
}

/// Returns the text that begins \p At bytes into \p Bytes and ends with a zero;
/// empty if it does not end there, or begins outside.
inline std::string_view textAt(std::span<const char> Bytes, size_t At) {
  if (At >= Bytes.size())
    return {};
  const auto *Begin = Bytes.data() + At;
  const void *End = std::memchr(Begin, '\0', Bytes.size() - At);
  if (End == nullptr)
    return {};
  return {Begin, static_cast<size_t>(static_cast<const char *>(End) - Begin)};
}

/// Returns the type that \p Type means in a `struct dirent`; it is that of
/// `st_mode`, shifted by 12.
EntryType typeOfEntry(unsigned Type);

inline bool isDots(std::string_view Name) {
  return Name == "." || Name == "..";
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_RECORDS_FIELDS_H
