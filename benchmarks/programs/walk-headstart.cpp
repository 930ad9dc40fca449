//===- walk-headstart.cpp - A tree with Headstart's walker ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WalkReport.h"
#include "headstart/FileTree/TreeWalker.h"
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

using namespace headstart;
using namespace headstart::bench;

namespace {
/// Counts calls of malloc and its kin while `Counting`.
std::atomic<bool> Counting = false;
std::atomic<uint64_t> Allocations = 0;

void countAllocation() {
  if (Counting.load(std::memory_order_relaxed))
    Allocations.fetch_add(1, std::memory_order_relaxed);
}
} // namespace

// A program's own malloc goes before glibc's, for operator new and for LLVM's
// containers alike; these are glibc's own under names that it exports.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void *malloc(size_t Size) noexcept {
  countAllocation();
  return __libc_malloc(Size);
}
void *calloc(size_t Count, size_t Size) noexcept {
  countAllocation();
  return __libc_calloc(Count, Size);
}
void *realloc(void *Old, size_t Size) noexcept {
  countAllocation();
  return __libc_realloc(Old, Size);
}
void *aligned_alloc(size_t Alignment, size_t Size) noexcept {
  countAllocation();
  return __libc_memalign(Alignment, Size);
}
}

namespace {
class CountingVisitor final : public TreeVisitor {
public:
  explicit CountingVisitor(bool Status) : Status(Status) {}

  void visit(const WalkDirectory &Directory,
             llvm::ArrayRef<os::DirectoryEntry> Entries, Prune &) override {
    WalkCounts &Counts = PerThread[Directory.thread()];
    Counts.Entries += Entries.size();
    for (const os::DirectoryEntry &Entry : Entries) {
      bool IsDirectory = Entry.Type == os::EntryType::Directory;
      Counts.NameBytes += Entry.Name.size();
      Counts.Directories += IsDirectory;
      if (!Status)
        continue;
      Counts.SizeBytes += IsDirectory ? 0 : Entry.Identity.Size;
      Counts.Times +=
          static_cast<uint64_t>(Entry.Identity.ModifiedNs / 1'000'000'000);
    }
  }

  void problem(llvm::StringRef Path, llvm::StringRef What) override {
    std::fprintf(stderr, "walk-headstart: %.*s: %.*s\n",
                 static_cast<int>(Path.size()), Path.data(),
                 static_cast<int>(What.size()), What.data());
  }

  WalkCounts counts() const {
    WalkCounts Result;
    for (const WalkCounts &Counts : PerThread)
      Result.add(Counts);
    return Result;
  }

private:
  const bool Status;
  std::array<WalkCounts, TreeWalker::MaxThreads> PerThread;
};
} // namespace

int main(int Argc, char **Argv) {
  WalkArguments Arguments(Argc, Argv);
  WalkOptions Options;
  Options.Jobs = Arguments.Jobs;
  Options.WithStatus = Arguments.Status;
  CountingVisitor Visitor(Arguments.Status);
  Counting = Arguments.Counted;
  auto Start = std::chrono::steady_clock::now();
  TreeWalker Walker(Options);
  WalkFigures Figures = Walker.walk({Arguments.Directory}, Visitor);
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  Counting = false;
  uint64_t Counted = Allocations;
  report(Visitor.counts(), Figures.Threads, Took.count(),
         Arguments.Counted ? &Counted : nullptr);
  return Figures.Problems ? 1 : 0;
}
