//===- WalkState.h - State shared by threads --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The state of a walk, of one of its threads, and of a directory. The top of
/// TreeWalker.cpp describes the protocol.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_WALKSTATE_H
#define HEADSTART_LIB_FILETREE_WALKSTATE_H

#include "WorkQueue.h"
#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/Threads.h"
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace headstart::detail {

/// A directory that is queued or being walked, or contains such a directory. It
/// keeps a reference to its parent, so that a path can be built from the names:
/// the memory of whole paths would grow with the square of the depth.
///
/// A node's handle serves to open its children. `Keeps` is set before the node
/// has any. If it is true, the handle stays open until the last child has been
/// opened; the thread that opens that child (`Unopened` falls to 0) closes the
/// handle. If it is false (too many are open already), only the thread that
/// listed the node may use the handle, until it opens another directory; other
/// threads open the children by their paths from the root.
struct DirectoryNode final {
  /// Has one reference, and adds a reference to \p Parent.
  DirectoryNode(DirectoryNode *Parent, llvm::StringRef Name, uint32_t Root,
                const os::FileIdentity &Identity)
      : Parent(Parent), Depth(Parent ? Parent->Depth + 1 : 0), Root(Root),
        Name(Name), Identity(Identity) {
    if (Parent)
      Parent->References.fetch_add(1, std::memory_order_relaxed);
  }

  DirectoryNode *const Parent; ///< null for a root
  const uint32_t Depth;        ///< 0 for a root
  const uint32_t Root;         ///< the number of the root
  const std::string Name;      ///< for a root, the path that it was given
  bool Keeps = false;
  bool MayLoop = false; ///< below a mount point or a followed link
  /// Device and inode, from the parent's listing, or from the directory itself
  /// if the listing may be wrong.
  os::FileIdentity Identity;
  os::DirectoryHandle Handle;
  IgnoreScopePtr Scope;
  /// Counts its children, and itself until it is done.
  std::atomic<uint32_t> References = 1;
  /// Counts its children not opened yet, and itself until it is listed.
  std::atomic<uint32_t> Unopened = 1;

  /// Drops a reference. Frees the node if it was the last one, and then also
  /// each ancestor without another reference.
  static void release(DirectoryNode *Node) {
    while (Node && Node->References.fetch_sub(1) == 1) {
      DirectoryNode *Above = Node->Parent;
      delete Node;
      Node = Above;
    }
  }
};

/// The listing of one thread, for one directory after another, some entries at
/// a time. It can read ahead, because ignore rules must know whether a
/// directory has an ignore file before they judge its first entry, if possible
/// from the listing alone.
class DirectoryListing {
public:
  /// Begins to list \p Directory.
  void start(os::DirectoryHandle &Directory) {
    Reader.start(Directory);
    Ahead.clear();
    Given = 0;
    Failure = {};
  }

  /// Returns which of the files that matter to ignore rules \p Directory has,
  /// which is being listed. Reads the entries of one system call and whether
  /// there are more. (A listing needs that second call anyway, to find the
  /// end.) Only if there are more, the files are stat'ed by name.
  IgnorePresence peek(const os::DirectoryHandle &Directory);

  /// Returns the next entries, at most `TreeVisitor::MaxEntries`; none at the
  /// end. A call that sets \p Error is the last one. The caller may modify the
  /// entries, which are valid until the next call.
  llvm::MutableArrayRef<os::DirectoryEntry> next(std::error_code &Error);

  /// Whether `next` will make a system call. Also true at the end.
  bool isAtBoundary() const {
    return Given == Ahead.size() && Reader.isAtBoundary();
  }

private:
  os::DirectoryReader Reader;
  std::array<os::DirectoryEntry, TreeVisitor::MaxEntries> Current;
  std::vector<os::DirectoryEntry> Ahead; ///< those that `peek` has read
  std::vector<char> Names; ///< of Ahead, until the second system call
  size_t Given = 0;        ///< how many of Ahead `next` has returned
  std::error_code Failure; ///< of the listing after Ahead
};

/// The state that the threads of a walk share.
struct WalkState {
  WalkState(const WalkOptions &Options, TreeVisitor &Visitor,
            const std::atomic<bool> &Cancelled);
  ~WalkState();

  /// Wakes or starts one more thread if there should be more.
  void considerThread();
  /// Allows more threads, because one had to wait for the disk.
  void noteWait();

  const WalkOptions &Options;
  TreeVisitor &Visitor;
  const std::atomic<bool> &Cancelled;
  std::atomic<unsigned> MaxThreads; ///< falls if a thread cannot be started
  const unsigned MaxKept; ///< directories that stay open for their children
  WorkQueue<DirectoryNode *> Queue;
  std::atomic<unsigned> Kept = 0;
  std::mutex Starting; ///< guards the members below and the thread count
  bool IsOver = false; ///< no more threads are started
  os::Threads Threads;
};

/// The work of one thread of a walk.
class WalkWorker {
public:
  WalkWorker(WalkState &State, unsigned Index)
      : State(State), Index(Index), Shown(*this) {
    Children.reserve(TreeVisitor::MaxEntries);
  }
  WalkWorker(const WalkWorker &) = delete;
  WalkWorker &operator=(const WalkWorker &) = delete;
  ~WalkWorker();

  /// Walks directories until no thread has any left.
  void work();

private:
  friend class headstart::WalkDirectory;

  /// Lists \p Node and queues the directories in it.
  void walk(DirectoryNode &Node);
  bool open(DirectoryNode &Node);
  std::error_code openOnce(DirectoryNode &Node, bool &MayBeMount);
  std::error_code openFromRoot(DirectoryNode &Node);
  os::LinkRule links() const;
  void enterScope(DirectoryNode &Node);
  bool isLoop(DirectoryNode &Node);
  std::chrono::steady_clock::time_point beginWatch();
  void watch(std::chrono::steady_clock::time_point Begin);
  void list(DirectoryNode &Node);
  /// Reduces \p Entries to those to show, and completes their status.
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
  /// The directory that was listed last, if it is not kept for its children. It
  /// stays open until the thread opens another directory.
  DirectoryNode *Last = nullptr;
  WalkDirectory Shown;
  DirectoryListing Listing;
  std::vector<DirectoryNode *> Children;
  /// The result of findChain.
  std::vector<const DirectoryNode *> Chain;
  std::string Path;    ///< the path of Current; empty until it is needed
  size_t FromRoot = 0; ///< the offset in Path after the root's path
  bool IsSlow = false; ///< whether the batch that was listed last took long
  std::optional<uint64_t> Waits; ///< of this thread, at the start of a batch
};

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_WALKSTATE_H
