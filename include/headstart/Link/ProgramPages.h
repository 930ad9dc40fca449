//===- ProgramPages.h - The program itself as an input ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker's own code is read from the disk as well, one fault at a time
/// and 128 KiB around each. What a link touched of the program is recorded,
/// once for each build of it and kind of link, and asked for at the start of
/// the next.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_PROGRAMPAGES_H
#define HEADSTART_LINK_PROGRAMPAGES_H

#include "headstart/OS/Threads.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace headstart {

class ProgramPages {
public:
  /// \p Program is the path of the program's file, \p Record where its pages
  /// are recorded; empty: nowhere. \p Tool says in the record what it is. Does
  /// nothing yet.
  ProgramPages(std::string Tool, std::string Program, std::string Record)
      : State(std::make_shared<Request>()) {
    State->Tool = std::move(Tool);
    State->Program = std::move(Program);
    State->Record = std::move(Record);
  }
  /// Detaches a thread that has not ended.
  ~ProgramPages() { (void)Thread.join(std::chrono::milliseconds(0)); }

  /// The running program as \p Linker ("ld.lld"), which uses a part of it, and
  /// its record in the user's cache directory.
  static std::shared_ptr<ProgramPages> ofThisProcess(llvm::StringRef Linker);

  /// Asks for the recorded pages, on a thread of its own, unless the program
  /// has changed since or is in memory. Does not block.
  void request();

  /// Records what the process has touched of the program until now, unless a
  /// record of it holds. Waits for `request`. Blocks for a small file.
  llvm::Error keep();

  /// How many bytes were asked for; nothing when no record held. Waits for
  /// `request`.
  std::optional<uint64_t> requestedBytes();

private:
  struct Request {
    std::string Tool, Program, Record;
    std::optional<uint64_t>
        RequestedBytes; ///< written by the thread, read when joined

    void requestNow();
  };
  std::shared_ptr<Request> State; ///< the thread's as well
  os::Threads Thread;
};

} // namespace headstart

#endif // HEADSTART_LINK_PROGRAMPAGES_H
