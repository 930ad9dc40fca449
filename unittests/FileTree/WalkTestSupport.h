//===- WalkTestSupport.h - Visitors that record a walk ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FILETREE_WALKTESTSUPPORT_H
#define HEADSTART_UNITTESTS_FILETREE_WALKTESTSUPPORT_H

#include "../OS/TestFiles.h"
#include "headstart/FileTree/TreeWalker.h"
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace headstart::test {

using os::test::TestDirectory;

/// Records each visited path and how often it was visited.
class Recorder : public TreeVisitor {
public:
  void visit(const WalkDirectory &Directory,
             llvm::ArrayRef<os::DirectoryEntry> Entries,
             Prune &Pruned) override {
    std::lock_guard Lock(Mutex);
    Threads = std::max(Threads, Directory.thread() + 1);
    std::string Prefix = Directory.pathFromRoot().str();
    if (!Prefix.empty())
      Prefix += '/';
    for (size_t I = 0; I != Entries.size(); ++I) {
      std::string Path = Prefix + std::string(Entries[I].Name);
      ++Seen[Path];
      Types[Path] = Entries[I].Type;
      Identities[Path] = Entries[I].Identity;
      if (PrunedPaths.count(Path))
        Pruned.set(I);
    }
  }
  void problem(llvm::StringRef Path, llvm::StringRef What) override {
    std::lock_guard Lock(Mutex);
    Problems.push_back(Path.str() + ": " + What.str());
  }

  std::set<std::string> paths() const {
    std::set<std::string> Result;
    for (const auto &[Path, Times] : Seen)
      Result.insert(Path);
    return Result;
  }
  bool sawDuplicates() const {
    for (const auto &[Path, Times] : Seen)
      if (Times != 1)
        return true;
    return false;
  }

  std::set<std::string> PrunedPaths;
  std::map<std::string, unsigned> Seen;
  std::map<std::string, os::EntryType> Types;
  std::map<std::string, os::FileIdentity> Identities;
  std::vector<std::string> Problems;
  unsigned Threads = 0; ///< that can have shown entries

private:
  std::mutex Mutex;
};

/// Counts entries only.
class Counter : public TreeVisitor {
public:
  void visit(const WalkDirectory & /*Directory*/,
             llvm::ArrayRef<os::DirectoryEntry> Entries,
             Prune & /*Pruned*/) override {
    Shown += Entries.size();
    for (const os::DirectoryEntry &Entry : Entries)
      NameBytes += Entry.Name.size();
  }
  void problem(llvm::StringRef /*Path*/, llvm::StringRef /*What*/) override {
    ++Problems;
  }
  std::atomic<uint64_t> Shown = 0; ///< entries
  std::atomic<uint64_t> NameBytes = 0;
  std::atomic<unsigned> Problems = 0;
};

inline void walk(const std::string &Root, TreeVisitor &Visitor,
                 const WalkOptions &Options = {}) {
  TreeWalker(Options).walk({Root}, Visitor);
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FILETREE_WALKTESTSUPPORT_H
