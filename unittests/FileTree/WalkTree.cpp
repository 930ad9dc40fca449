//===- WalkTree.cpp - Lists a tree ----------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `walk-tree DIRECTORY [JOBS]` prints a line for each entry below, unordered:
// its type as a letter, its size (of files), and its path from the directory.
// utils/check-walk.py compares this with another program's output.
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeWalker.h"
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

using namespace headstart;

namespace {

class Printer : public TreeVisitor {
public:
  void visit(const WalkDirectory &Directory,
             llvm::ArrayRef<os::DirectoryEntry> Entries,
             Prune & /*Pruned*/) override {
    std::string Text;
    for (const os::DirectoryEntry &Entry : Entries) {
      const bool IsFile = Entry.Type == os::EntryType::Regular;
      Text += IsFile                                   ? 'f'
              : Entry.Type == os::EntryType::Directory ? 'd'
              : Entry.Type == os::EntryType::Link      ? 'l'
                                                       : '?';
      Text += '\t';
      Text += IsFile ? std::to_string(Entry.Identity.Size) : "-";
      Text += '\t';
      Text += Directory.pathFromRoot();
      if (!Directory.pathFromRoot().empty())
        Text += '/';
      Text += Entry.Name;
      Text += '\n';
    }
    const std::lock_guard Lock(Mutex);
    std::fwrite(Text.data(), 1, Text.size(), stdout);
  }
  void problem(llvm::StringRef Path, llvm::StringRef What) override {
    const std::lock_guard Lock(Mutex);
    HasProblem = true;
    std::fprintf(stderr, "%s: %s\n", Path.str().c_str(), What.str().c_str());
  }

  bool HasProblem = false;

private:
  std::mutex Mutex;
};

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 2) {
    std::fprintf(stderr, "usage: walk-tree DIRECTORY [JOBS]\n");
    return 2;
  }
  WalkOptions Options;
  Options.WithStatus = true;
  Options.Jobs =
      Argc > 2 ? static_cast<unsigned>(std::strtoul(Argv[2], nullptr, 10)) : 0;
  Printer Shown;
  TreeWalker(Options).walk({std::string(Argv[1])}, Shown);
  return Shown.HasProblem ? 1 : 0;
}
