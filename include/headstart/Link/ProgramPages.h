//===- ProgramPages.h - The program itself as an input ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernel also reads the linker's own code from the disk, 128 KiB around
/// each page fault. Headstart records the pages of the program that a link
/// touched, once for each build of the program and kind of link, and requests
/// them at the start of the next link.
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
  /// \p Program is the path of the program's file, \p Record the file for its
  /// pages; empty: none. \p Tool is the description in that file. Does nothing
  /// yet.
  ProgramPages(std::string Tool, std::string Program, std::string Record)
      : State(std::make_shared<Request>()) {
    State->Tool = std::move(Tool);
    State->Program = std::move(Program);
    State->Record = std::move(Record);
  }
  /// Detaches a thread that has not ended.
  ~ProgramPages() { (void)Thread.join(std::chrono::milliseconds(0)); }

  /// The pages of the running program that it uses as \p Linker ("ld.lld"),
  /// with the record in the user's cache directory.
  static std::shared_ptr<ProgramPages> ofThisProcess(llvm::StringRef Linker);

  /// Requests the recorded pages on a thread of its own, unless the program has
  /// changed since or is cached. Does not block.
  void request();

  /// Records the pages of the program that the process has touched until now,
  /// unless a valid list is stored. Waits for `request`. Blocks for a small
  /// file.
  llvm::Error keep();

  /// The number of requested bytes; nothing if no list was valid. Waits for
  /// `request`.
  std::optional<uint64_t> requestedBytes();

private:
  struct Request {
    std::string Tool, Program, Record;
    std::optional<uint64_t>
        RequestedBytes; ///< the thread writes it; others read it after the join

    void requestNow();
  };
  std::shared_ptr<Request> State; ///< shared with the thread
  os::Threads Thread;
};

} // namespace headstart

#endif // HEADSTART_LINK_PROGRAMPAGES_H
