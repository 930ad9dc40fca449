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

#include "headstart/Inputs/LinkerModel.h"

namespace headstart {

class LinkSession;

/// Directs lld's calls to \p Session from now on; null: to no session. \p
/// FirstArg is the first argument of lld's command line.
void install(LinkSession *Session, const char *FirstArg);

/// Reports to the installed session that lld has reached \p Stage. Any thread.
void stageReached(LinkStage Stage);

} // namespace headstart

#endif // HEADSTART_LIB_LINK_SEAM_H
