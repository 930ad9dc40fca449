//===- Seam.h - Binds lld to the session ------------------------*- C++ -*-===//
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
#include <string>

namespace headstart {

class LinkSession;

/// Directs lld's calls to \p Session while this object lives. Only one object
/// may live at a time, because lld runs one link at a time. \p FirstArg is the
/// first argument of lld's command line.
class InstalledSession {
public:
  InstalledSession(LinkSession &Session, std::string ProgramName,
                   const char *FirstArg);
  ~InstalledSession();
  InstalledSession(const InstalledSession &) = delete;
  InstalledSession &operator=(const InstalledSession &) = delete;
};

/// Reports to the installed session that lld has reached \p Stage. Any thread.
void stageReached(LinkStage Stage);

} // namespace headstart

#endif // HEADSTART_LIB_LINK_SEAM_H
