//===- LinkTurn.h - A link that waits for its turn --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The turn of a link in the queue of its memory (LinkQueue): a link of a
/// drop-in linker, or of any linker that `headstart run` starts.
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

/// Runs \p Work on a thread that receives no signals (a file that grows past
/// `ulimit -f` is an error there), and waits at most a second for it: the
/// user's cache may be on a file system that does not answer. Returns whether
/// \p Work has ended. It may outlive the call, so it must own its data.
bool runWithTimeout(std::function<void()> Work);

/// Estimates the bytes of the inputs of \p Command from the profile \p Last, or
/// from a sample of the inputs if \p Last is null. Blocks for the files; ten
/// milliseconds are enough if they answer.
uint64_t expectedBytes(const LinkCommand &Command, const LinkProfile *Last);

/// The memory that a link needs, whose last link has the profile \p Last (may
/// be null), and whose inputs have about \p InputBytes.
uint64_t neededBytes(const LinkProfile *Last, uint64_t InputBytes);

/// One link's turn. Only one thread at a time may use it.
class LinkTurn {
public:
  explicit LinkTurn(HangLimits Limits = {}) : Limits(Limits) {}
  LinkTurn(const LinkTurn &) = delete;
  LinkTurn &operator=(const LinkTurn &) = delete;
  ~LinkTurn() { leave(); }

  /// Waits until a link of \p Output that needs \p NeedBytes fits into memory
  /// alongside the links that run; prints a message as \p Tool if it has to
  /// wait. The time is unlimited while the others make progress. A link that a
  /// queued link has started (`pass`) does not wait, nor does a small one.
  /// Returns a note for the report if the link begins alongside a link that
  /// hangs; else "".
  std::string wait(const PrefetchSettings &Settings, llvm::StringRef Tool,
                   const std::string &Output, uint64_t NeedBytes);

  /// Informs the linkers that this process starts that their link has its turn.
  /// Must be called before other threads exist.
  void pass() const;

  /// Leaves the queue, without waiting for a cache that does not answer.
  void leave();

  /// The descriptor that must stay open, or -1.
  int descriptor() const { return Queue ? Queue->descriptor() : -1; }
  /// Whether a thread still waits for the cache.
  bool isStalled() const { return IsStalled; }

private:
  HangLimits Limits;
  std::shared_ptr<LinkQueue> Queue; ///< null: in no queue
  bool IsStalled = false;
};

/// The turn of a link that another program runs. It needs the memory that its
/// last link took; the first link's need is estimated like a drop-in linker's.
class ForeignTurn {
public:
  /// The turn of the command \p Args; \p Forced as for readForeignCommand.
  ForeignTurn(std::vector<std::string> Args, std::optional<Flavour> Forced,
              const PrefetchSettings &Settings)
      : Args(std::move(Args)), Forced(Forced), Settings(Settings) {}

  /// Waits like LinkTurn::wait, and passes the turn on. Runs no process.
  /// Blocks, never fails. Must be called before other threads start programs.
  std::string wait();
  /// Leaves the queue after the link has ended, and, if it \p Succeeded, stores
  /// its need, \p PeakBytes, for the next link.
  void end(bool Succeeded, std::optional<uint64_t> PeakBytes);

  /// See LinkTurn.
  int descriptor() const { return Turn.descriptor(); }
  bool isStalled() const { return IsStalled || Turn.isStalled(); }

private:
  struct Guess; ///< the facts that are known before the link

  std::vector<std::string> Args;
  std::optional<Flavour> Forced;
  const PrefetchSettings Settings;
  std::shared_ptr<Guess> Known; ///< null: no link, or one without a turn
  LinkTurn Turn;
  bool IsStalled = false;
};

} // namespace headstart

#endif // HEADSTART_LINK_LINKTURN_H
