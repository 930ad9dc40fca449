//===- DirectoryNode.h - A directory of a walk ------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A directory that is to be walked, is being walked, or has directories in it
/// that are. Holds on to its parent, so that a path can be made from names
/// alone: whole paths would take memory by the square of the depth.
///
/// Its handle is what its children are opened with. `Keeps` is settled before
/// it has any: with it, the handle stays open until the last child has been
/// opened, by whoever opens that one (`Unopened` falls to 0). Without it (too
/// many are open already) only the thread that listed it may use the handle,
/// until that thread opens something else; everyone else goes by the path from
/// the root.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_FILETREE_DIRECTORYNODE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_FILETREE_DIRECTORYNODE_H

#include "headstart/FileTree/IgnoreJudge.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

namespace headstart::detail {

/// Its name stands behind it, with a zero.
struct DirectoryNode final {
  DirectoryNode *Parent; ///< null for a root
  const uint32_t Depth;  ///< 0 for a root
  const uint32_t Root;   ///< which of the roots it is in
  const uint32_t NameLength;
  bool Keeps = false;
  bool Begun = false;     ///< listed in part, and put back
  bool Postponed = false; ///< not kept, and open all the same since
  bool MayLoop = false;   ///< below a mount, or a link that was followed
  /// Device and inode. From the listing, or from the directory itself where
  /// that may be wrong.
  os::FileIdentity Identity;
  os::DirectoryHandle Handle;
  IgnoreScopePtr Scope;
  /// Its children, and itself until it is done.
  std::atomic<uint32_t> References = 1;
  /// Its children that are not opened yet, and itself until it is listed.
  std::atomic<uint32_t> Unopened = 1;

  /// Makes a node with one reference, and takes one of \p Parent.
  static DirectoryNode *create(DirectoryNode *Parent, llvm::StringRef Name,
                               uint32_t Root,
                               const os::FileIdentity &Identity) {
    void *Memory = ::operator new(sizeof(DirectoryNode) + Name.size() + 1);
    return new (Memory) DirectoryNode(Parent, Name, Root, Identity);
  }

  /// Gives back a reference; frees the node, and those above that nobody else
  /// holds.
  static void release(DirectoryNode *Node) {
    while (Node && Node->References.fetch_sub(1) == 1) {
      DirectoryNode *Above = Node->Parent;
      Node->~DirectoryNode();
      ::operator delete(Node);
      Node = Above;
    }
  }

  /// A root's is the path it was given.
  llvm::StringRef name() const { return {nameText(), NameLength}; }
  /// With a zero behind it.
  const char *nameText() const {
    return reinterpret_cast<const char *>(this + 1);
  }

private:
  DirectoryNode(DirectoryNode *Parent, llvm::StringRef Name, uint32_t Root,
                const os::FileIdentity &Identity)
      : Parent(Parent), Depth(Parent ? Parent->Depth + 1 : 0), Root(Root),
        NameLength(static_cast<uint32_t>(Name.size())), Identity(Identity) {
    char *Text = reinterpret_cast<char *>(this + 1);
    *std::copy(Name.begin(), Name.end(), Text) = '\0';
    if (Parent)
      Parent->References.fetch_add(1, std::memory_order_relaxed);
  }
  ~DirectoryNode() = default;
};

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_DIRECTORYNODE_H
