//===- WalkState.h - What the threads of a walk share -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One walk, and one of its threads. The protocol is at the top of
/// TreeWalker.cpp.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_FILETREE_WALKSTATE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_FILETREE_WALKSTATE_H

#include "DirectoryListing.h"
#include "DirectoryNode.h"
#include "WorkQueue.h"
#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/Threads.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headstart::detail {

class WalkWorker;

/// What the threads share.
struct WalkState {
  WalkState(const WalkOptions &Options, TreeVisitor &Visitor,
            const std::atomic<bool> &Cancelled);
  ~WalkState();

  /// Starts one more thread if that is worth it now.
  void considerThread();
  /// A thread had to wait for the disk: more may run.
  void noteWait();
  void run(unsigned Index);

  const WalkOptions &Options;
  TreeVisitor &Visitor;
  const std::atomic<bool> &Cancelled;
  std::atomic<unsigned> MaxThreads; ///< falls if no more can be had
  const unsigned MaxKept; ///< directories that stay open for their children
  const unsigned MaxPostponed; ///< others that stay open, put back
  WorkQueue<DirectoryNode *> Queue;
  std::atomic<unsigned> Kept = 0;
  std::atomic<unsigned> Postponed = 0;
  std::mutex Starting; ///< for the three below, and threads to be added
  bool IsOver = false; ///< no thread is started any more
  os::Threads Threads;
  WalkFigures Figures;
};

/// One thread of a walk.
class WalkWorker {
public:
  WalkWorker(WalkState &State, unsigned Index)
      : State(State), Index(Index), Shown(*this) {
    Children.reserve(TreeVisitor::MaxEntries);
  }
  WalkWorker(const WalkWorker &) = delete;
  WalkWorker &operator=(const WalkWorker &) = delete;
  ~WalkWorker();

  /// Walks until nothing is left to do anywhere.
  void work();

  const DirectoryNode &directory() const { return *Current; }
  unsigned index() const { return Index; }
  llvm::StringRef path();
  llvm::StringRef pathFromRoot();
  std::string pathOf(llvm::StringRef Name);

  WalkFigures Figures;

private:
  /// Lists \p Node, or goes on with it, and queues the directories in it. False
  /// if it was put back.
  bool walk(DirectoryNode &Node);
  bool open(DirectoryNode &Node);
  std::error_code openOnce(DirectoryNode &Node, bool &MayBeMount);
  std::error_code openFromRoot(DirectoryNode &Node);
  void enterScope(DirectoryNode &Node);
  bool isLoop(DirectoryNode &Node);
  std::chrono::steady_clock::time_point beginWatch();
  void watch(std::chrono::steady_clock::time_point Begin);
  bool mayPostpone(DirectoryNode &Node);
  bool list(DirectoryNode &Node);
  /// Makes \p Entries what is shown of them.
  void prepare(DirectoryNode &Node,
               llvm::MutableArrayRef<os::DirectoryEntry> &Entries);
  bool complete(os::DirectoryEntry &Entry, DirectoryNode &Node);
  void show(DirectoryNode &Node, llvm::ArrayRef<os::DirectoryEntry> Entries);
  void childIsOpened(DirectoryNode *Parent);
  void closeLast();
  void problem(llvm::StringRef Name, std::string_view What);
  const DirectoryNode *findChain(const DirectoryNode *Node);

  WalkState &State;
  const unsigned Index;
  DirectoryNode *Current = nullptr;
  /// The directory that was listed last, if its handle is not kept: open until
  /// something else is opened.
  DirectoryNode *Last = nullptr;
  WalkDirectory Shown;
  DirectoryListing Listing;
  std::vector<DirectoryNode *> Children;
  /// What findChain has found.
  std::vector<const DirectoryNode *> Chain;
  std::string Path;    ///< of Current, when it is not empty
  size_t FromRoot = 0; ///< where in Path the root's own ends
  bool IsSlow = false; ///< whether the piece that was listed last took long
  std::optional<uint64_t> Waits; ///< of this thread, when that began
};

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_WALKSTATE_H
