//===- LinkTurn.h - A link that waits for its turn --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Links take their turn in the queue of their memory (LinkQueue): those of the
/// drop-in linkers, and those of any linker that `headstart run` starts.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKTURN_H
#define HEADSTART_LINK_LINKTURN_H

#include "headstart/Link/ForeignCommand.h"
#include "headstart/Link/LinkQueue.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Does \p Work on a thread, where no signal comes (a file that grows past
/// `ulimit -f` is an error there), and waits for it for a second: the user's
/// cache may be on a file system that does not answer. False when it has not
/// ended: it must own what it uses.
bool runWithTimeout(std::function<void()> Work);

/// About how many bytes the inputs of \p Command have: as in the profile
/// \p Last, or, when that is null or names none, by a sample of them. Blocks
/// for the files; ten milliseconds are enough if they answer.
uint64_t expectedBytes(const LinkCommand &Command, const LinkProfile *Last);

/// How much memory a link needs whose last link has the profile \p Last (may be
/// null), and whose inputs have about \p InputBytes.
uint64_t neededBytes(const LinkProfile *Last, uint64_t InputBytes);

/// In whose name the needs of other linkers' links are stored.
inline constexpr const char *ForeignTool = "headstart run";

/// One link's turn. One thread at a time.
class LinkTurn {
public:
  explicit LinkTurn(HangLimits Limits = {}) : Limits(Limits) {}
  LinkTurn(const LinkTurn &) = delete;
  LinkTurn &operator=(const LinkTurn &) = delete;
  ~LinkTurn() { leave(); }

  /// Waits until the links that run leave room for one of \p Output that needs
  /// \p NeedBytes; if it has to wait, prints that as \p Tool. A link that a
  /// queued link has started (`pass`) does not wait, nor does a small one.
  ///
  /// If it begins beside a link that hangs, the result is a note for the
  /// report; else "". There is no limit while the others make progress.
  std::string wait(const PrefetchSettings &Settings, llvm::StringRef Tool,
                   const std::string &Output, uint64_t NeedBytes);

  /// Tells the linkers that this process starts that their link has its turn.
  /// Before there are other threads.
  void pass() const;

  /// Leaves the queue, without waiting for a cache that does not answer.
  void leave();

  /// The descriptor that must stay open, or -1.
  int descriptor() const { return Queue ? Queue->descriptor() : -1; }
  /// Whether a thread still waits for the cache.
  bool isStalled() const { return IsStalled; }

private:
  HangLimits Limits;
  std::shared_ptr<LinkQueue> Queue; ///< null: not in one
  bool IsStalled = false;
};

/// The turn of a link that another program makes. Its need is what its last
/// link took, else estimated as that of a drop-in linker's link.
class ForeignTurn {
public:
  /// For the command \p Args; \p Forced as for readForeignCommand.
  ForeignTurn(std::vector<std::string> Args, std::optional<Flavour> Forced,
              const PrefetchSettings &Settings)
      : Args(std::move(Args)), Forced(Forced), Settings(Settings) {}

  /// As LinkTurn::wait, and passes the turn on. Runs no process. Blocks; never
  /// fails. Before there are other threads that start programs.
  std::string wait();
  /// The link has ended: leaves the queue, and stores for the next link that it
  /// took \p PeakBytes, if it has succeeded.
  void end(bool Succeeded, std::optional<uint64_t> PeakBytes);

  /// As LinkTurn's.
  int descriptor() const { return Turn.descriptor(); }
  bool isStalled() const { return IsStalled || Turn.isStalled(); }

private:
  struct Guess; ///< what is known before the link

  std::vector<std::string> Args;
  std::optional<Flavour> Forced;
  const PrefetchSettings Settings;
  std::shared_ptr<Guess> Known; ///< null: no link, or one without a turn
  LinkTurn Turn;
  bool IsStalled = false;
};

} // namespace headstart

#endif // HEADSTART_LINK_LINKTURN_H
