//===- Seam.h - Where lld's calls come to the session -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to Link: the seam between unmodified lld libraries and a session.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_LINK_SEAM_H
#define HEADSTART_LIB_LINK_SEAM_H

#include "headstart/Engine/PrefetchEngine.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace headstart {

class LinkSession;

/// Makes \p Session the one that lld's calls come to, for as long as this
/// object lives. One at a time: lld itself links once at a time. \p FirstArg
/// is the first argument of the command line that lld is given.
class InstalledSession {
public:
  InstalledSession(LinkSession &Session, std::string ProgramName,
                   const char *FirstArg);
  ~InstalledSession();
  InstalledSession(const InstalledSession &) = delete;
  InstalledSession &operator=(const InstalledSession &) = delete;
};

/// The path of the program whose neighbours lld looks up (clang's runtime
/// libraries): our own, where clang's directory lies beside it, else the stock
/// linker's of the LLVM that Headstart was built with.
std::string linkerProgramPath();

/// lld has come to \p Stage: tells the installed session. Any thread.
void stageReached(LinkStage Stage);

} // namespace headstart

#endif // HEADSTART_LIB_LINK_SEAM_H
