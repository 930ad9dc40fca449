//===- DirectoryNode.h - A directory of a walk ------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
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
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_DIRECTORYNODE_H
#define HEADSTART_LIB_FILETREE_DIRECTORYNODE_H

#include "headstart/FileTree/IgnoreRules.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

namespace headstart::detail {

/// A node of a walk. Its name follows it in memory, with a zero at the end.
struct DirectoryNode final {
  DirectoryNode *Parent; ///< null for a root
  const uint32_t Depth;  ///< 0 for a root
  const uint32_t Root;   ///< the number of the root
  const uint32_t NameLength;
  bool Keeps = false;
  bool Begun = false;     ///< its listing has begun
  bool Postponed = false; ///< put back with an open handle, without `Keeps`
  bool MayLoop = false;   ///< below a mount point or a followed link
  /// Device and inode, from the parent's listing, or from the directory itself
  /// if the listing may be wrong.
  os::FileIdentity Identity;
  os::DirectoryHandle Handle;
  IgnoreScopePtr Scope;
  /// Counts its children, and itself until it is done.
  std::atomic<uint32_t> References = 1;
  /// Counts its children not opened yet, and itself until it is listed.
  std::atomic<uint32_t> Unopened = 1;

  /// Creates a node with one reference, and adds a reference to \p Parent.
  static DirectoryNode *create(DirectoryNode *Parent, llvm::StringRef Name,
                               uint32_t Root,
                               const os::FileIdentity &Identity) {
    void *Memory = ::operator new(sizeof(DirectoryNode) + Name.size() + 1);
    return new (Memory) DirectoryNode(Parent, Name, Root, Identity);
  }

  /// Drops a reference. Frees the node if it was the last one, and then also
  /// each ancestor without another reference.
  static void release(DirectoryNode *Node) {
    while (Node && Node->References.fetch_sub(1) == 1) {
      DirectoryNode *Above = Node->Parent;
      Node->~DirectoryNode();
      ::operator delete(Node);
      Node = Above;
    }
  }

  /// The name; for a root, the path that it was given.
  llvm::StringRef name() const { return {nameText(), NameLength}; }
  /// The name, with a zero at its end.
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
