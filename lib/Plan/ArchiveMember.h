//===- ArchiveMember.h - A member of an archive -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A member's header, for those who go through an archive.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_ARCHIVEMEMBER_H
#define HEADSTART_PLAN_ARCHIVEMEMBER_H

#include "headstart/OS/ByteRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace headstart {

/// A member's header, as far as it matters here: the name's and the size's
/// columns, and the two bytes that end every header.
struct MemberHeader {
  char Name[16];
  char Dates[32];
  char Size[10]; ///< bytes, in decimal, padded with blanks
  char End[2];
};
static_assert(sizeof(MemberHeader) == 60);

struct ArchiveMember {
  llvm::StringRef Name; ///< the header's column, within the bytes given
  ByteRange Body;       ///< of the archive
  /// How many bytes of the body are the name, and not what the member holds.
  uint64_t NameBytes = 0;
};

/// The member whose header \p Bytes begins with, at \p At of an archive of
/// \p FileSize bytes; nothing where that is no header, or one of a member that
/// ends behind the file.
std::optional<ArchiveMember> readMemberHeader(llvm::ArrayRef<char> Bytes,
                                              uint64_t At, uint64_t FileSize);

} // namespace headstart

#endif // HEADSTART_PLAN_ARCHIVEMEMBER_H
