//===- CacheFiles.cpp - The files of residency and evict ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"
#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

using namespace llvm;

namespace headstart {

/// The number of files that are inspected before they are shown.
static constexpr size_t BatchFiles = 4096;
/// The threads that inspect: a cold disk serves several requests at once, and
/// evict waits until dirty pages are written.
static constexpr size_t MaxThreads = 8;
/// A thread that inspects fewer files costs more than it helps.
static constexpr size_t FilesPerThread = 32;

namespace {

/// The regular files of a walk.
class FileCollector : public TreeVisitor {
public:
  explicit FileCollector(ProblemPrinter &Problems) : Problems(Problems) {}

  void visit(const WalkDirectory &Directory,
             ArrayRef<os::DirectoryEntry> Entries,
             Prune & /*Pruned*/) override {
    std::lock_guard Lock(Mutex);
    for (const os::DirectoryEntry &Entry : Entries)
      if (Entry.Type == os::EntryType::Regular)
        Files.push_back(Directory.pathOf(Entry.Name));
      else if (Entry.Type != os::EntryType::Directory)
        ++Others;
  }
  void problem(StringRef Path, StringRef What) override {
    Problems.count(Path, What);
  }

  /// Returns the paths, sorted by their bytes.
  std::vector<std::string> take() {
    llvm::sort(Files);
    return std::move(Files);
  }
  uint64_t others() const { return Others; }

private:
  ProblemPrinter &Problems;
  std::mutex Mutex;
  std::vector<std::string> Files; ///< guarded by Mutex, like Others
  uint64_t Others = 0;
};

} // namespace

void CacheFiles::flush(Inspect InspectFile, Show ShowOne) {
  std::atomic<size_t> Next = 0;
  auto Work = [&] {
    for (size_t I; (I = Next.fetch_add(1)) < Pending.size();) {
      CacheFile &One = Pending[I];
      os::OpenFile File;
      One.Error = os::OpenFile::open(One.Path, File);
      if (One.Error)
        continue;
      One.Identity = File.identity();
      One.Backing = os::backingOf(File);
      if (One.Backing != os::FileBacking::None)
        InspectFile(One, File);
    }
  };
  os::Threads Helpers;
  for (size_t I = 1; I < std::min(MaxThreads, Pending.size() / FilesPerThread);
       ++I)
    if (Helpers.start(Work))
      break; // continue with fewer threads
  Work();
  Helpers.join();
  llvm::for_each(Pending, ShowOne);
  Pending.clear();
}

void CacheFiles::add(std::string Path, size_t Operand, Inspect InspectFile,
                     Show ShowOne) {
  CacheFile One;
  One.Path = std::move(Path);
  One.Operand = Operand;
  Pending.push_back(std::move(One));
  if (Pending.size() == BatchFiles)
    flush(InspectFile, ShowOne);
}

void CacheFiles::fail(const CacheFile &File, StringRef Why) {
  if (isDirectory(File.Operand))
    Problems.count(File.Path, Why);
  else
    Problems.print(File.Path, Why);
}

Exit CacheFiles::finish() {
  Problems.printCounted();
  return Problems.any() ? Exit::Failed : Exit::Done;
}

void CacheFiles::forEach(Inspect InspectFile, Show ShowOne) {
  Directories.assign(Operands.size(), false);
  Skipped = 0;
  for (size_t I = 0; I != Operands.size(); ++I) {
    if (!sys::fs::is_directory(Operands[I])) {
      add(Operands[I], I, InspectFile, ShowOne);
      continue;
    }
    Directories[I] = true;
    FileCollector Collector(Problems);
    TreeWalker({}).walk({Operands[I]}, Collector);
    Skipped += Collector.others();
    for (std::string &Path : Collector.take())
      add(std::move(Path), I, InspectFile, ShowOne);
  }
  flush(InspectFile, ShowOne);
}

} // namespace headstart
