//===- IgnoreOracle.cpp - Lists unignored files ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For utils/check-ignore.py: lists a tree with plain loops, except what
// IgnoreRules hides. Prints each path from the root with a zero after it, and a
// '/' after a directory; skips `.git`, as git does. Each setting on the command
// line is inverted. Problems go to standard error.
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/IgnoreRules.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace headstart;

static void list(const IgnoreRules &Rules, IgnoreScopePtr Scope,
                 os::DirectoryHandle Directory, const std::string &Path,
                 IgnoreProblem Report) {
  os::DirectoryReader Reader(4096);
  os::DirectoryEntry Entries[64];
  std::vector<std::pair<std::string, bool>> Names;
  IgnorePresence Present;
  std::error_code Error;
  Reader.start(Directory);
  while (size_t Count = Reader.read(Entries, Error))
    for (const os::DirectoryEntry &Entry : llvm::ArrayRef(Entries, Count)) {
      Present.note(Entry.Name);
      Names.emplace_back(Entry.Name, Entry.Type == os::EntryType::Directory);
    }
  Scope = Rules.enter(Scope, Path, Directory, Present, Report);
  for (const auto &[Name, IsDirectory] : Names) {
    if (Name == ".git" || Rules.isIgnored(*Scope, Path, Name, IsDirectory))
      continue;
    std::string Child = Path;
    Child.append(Path.empty() ? "" : "/").append(Name);
    llvm::outs() << Child << (IsDirectory ? "/" : "") << '\0';
    os::DirectoryHandle Below;
    bool MayBeMount = false;
    if (IsDirectory && !Directory.openChild(Name.c_str(), os::LinkRule::Refuse,
                                            Below, MayBeMount))
      list(Rules, Scope, std::move(Below), Child, Report);
  }
}

int main(int ArgCount, char **Args) {
  os::DirectoryHandle Root;
  if (ArgCount != 2 || os::DirectoryHandle::open(Args[1], Root)) {
    llvm::errs() << "usage: ignore-oracle DIRECTORY\n";
    return 2;
  }
  const auto Report = [](llvm::StringRef Path, llvm::StringRef What) {
    llvm::errs() << Path << ": " << What << '\n';
  };
  IgnoreRules Rules(Report);
  IgnoreScopePtr Above = Rules.above(Args[1], Report);
  list(Rules, std::move(Above), std::move(Root), "", Report);
  return 0;
}
