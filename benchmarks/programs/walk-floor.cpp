//===- walk-floor.cpp - The bare floor of walking a tree ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The least that a walk of a tree can do with getdents64(2): what the
/// benchmarks of the walker are measured against. Names are looked at where the
/// kernel put them, and nothing is kept, shown or checked.
///
/// Protocol. Each thread has a stack of directories (Chase and Lev's deque,
/// with the orderings of Lê, Pop, Cohen and Zappa Nardelli, PPoPP 2013): the
/// owner pushes and takes at one end, idle threads steal at the other. A
/// directory is opened relative to its parent, whose descriptor is closed by
/// whoever opens its last child. A thread that finds nothing to steal sleeps;
/// whoever pushes and sees a sleeper wakes one. Only a thread that is awake
/// pushes, so when the last one lies down, all is done.
///
//===----------------------------------------------------------------------===//

#include "WalkReport.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace headstart::bench;

namespace {

constexpr size_t BufferBytes = size_t(64) << 10;

[[noreturn]] void die(const char *What, const char *Name) {
  std::fprintf(stderr, "walk-floor: %s: %s: %s\n", Name, What,
               std::strerror(errno));
  std::_Exit(1);
}

/// A directory that is open, or to be opened. Its name lies behind it.
struct Directory {
  Directory *Parent;
  int Descriptor;
  /// Children that are not open yet, and one while it is being read.
  std::atomic<uint32_t> Users;

  char *name() { return reinterpret_cast<char *>(this + 1); }
  void release() {
    if (Users.fetch_sub(1, std::memory_order_acq_rel) == 1)
      ::close(Descriptor);
  }
};

/// Memory for directories, given back by the end of the program only.
class Arena {
public:
  Directory *makeDirectory(Directory *Parent, const char *Name, size_t Length) {
    size_t Bytes = (sizeof(Directory) + Length + 8) & ~size_t(7);
    if (Bytes > Left) {
      Left = std::max(ChunkBytes, Bytes);
      At = static_cast<char *>(std::malloc(Left));
    }
    auto *Result = new (At) Directory{Parent, -1, 1};
    At += Bytes;
    Left -= Bytes;
    std::memcpy(Result->name(), Name, Length + 1);
    return Result;
  }

private:
  static constexpr size_t ChunkBytes = size_t(256) << 10;
  char *At = nullptr;
  size_t Left = 0;
};

/// Chase and Lev's deque, of a size that is enough for these trees: memory that
/// is never touched costs nothing.
class Deque {
public:
  Deque() {
    void *Memory = ::mmap(nullptr, Slots * sizeof(Slot), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Memory == MAP_FAILED)
      die("no memory", "deque");
    Items = static_cast<Slot *>(Memory);
  }

  /// The owner's. Visible to thieves after `publish`.
  void push(Directory *Item) {
    if (Next - Top.load(std::memory_order_acquire) >= int64_t(Slots))
      die("too many folders at a time", Item->name());
    Items[Next++ % Slots].store(Item, std::memory_order_relaxed);
  }
  void publish() { Bottom.store(Next, std::memory_order_release); }

  Directory *take() {
    int64_t B = Next - 1;
    Bottom.store(B, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    int64_t T = Top.load(std::memory_order_relaxed);
    if (T < B) {
      Next = B;
      return Items[B % Slots].load(std::memory_order_relaxed);
    }
    Directory *Result = nullptr;
    if (T == B &&
        Top.compare_exchange_strong(T, T + 1, std::memory_order_seq_cst,
                                    std::memory_order_relaxed))
      Result = Items[B % Slots].load(std::memory_order_relaxed);
    Bottom.store(Next, std::memory_order_relaxed);
    return Result;
  }

  Directory *steal() {
    int64_t T = Top.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (T >= Bottom.load(std::memory_order_acquire))
      return nullptr;
    Directory *Result = Items[T % Slots].load(std::memory_order_relaxed);
    return Top.compare_exchange_strong(T, T + 1, std::memory_order_seq_cst,
                                       std::memory_order_relaxed)
               ? Result
               : nullptr;
  }

  bool looksEmpty() const {
    return Top.load(std::memory_order_relaxed) >=
           Bottom.load(std::memory_order_relaxed);
  }

private:
  using Slot = std::atomic<Directory *>;
  static constexpr size_t Slots = size_t(1) << 22;
  alignas(128) std::atomic<int64_t> Top = 0;
  alignas(128) std::atomic<int64_t> Bottom = 0;
  int64_t Next = 0; ///< Bottom as the owner knows it
  Slot *Items;
};

struct Worker {
  Deque Ready;
  Arena Directories;
  std::unique_ptr<char[]> Buffer = std::make_unique<char[]>(BufferBytes);
  WalkCounts Counts;
};

class Walk {
public:
  Walk(unsigned Threads, bool Status) : Status(Status) {
    for (unsigned I = 0; I < Threads; ++I)
      Workers.push_back(std::make_unique<Worker>());
  }

  WalkCounts run(const char *Root) {
    Worker &First = *Workers.front();
    First.Ready.push(
        First.Directories.makeDirectory(nullptr, Root, strlen(Root)));
    First.Ready.publish();
    std::vector<std::thread> Threads;
    for (size_t I = 1; I < Workers.size(); ++I)
      Threads.emplace_back([this, I] { work(I); });
    work(0);
    for (std::thread &T : Threads)
      T.join();
    WalkCounts Result;
    for (auto &W : Workers)
      Result.add(W->Counts);
    return Result;
  }

private:
  void work(size_t Number) {
    Worker &Self = *Workers[Number];
    do {
      while (Directory *Item = Self.Ready.take())
        read(Self, *Item);
      while (Directory *Item = stealFor(Number)) {
        read(Self, *Item);
        while ((Item = Self.Ready.take()))
          read(Self, *Item);
      }
    } while (sleep());
  }

  Directory *stealFor(size_t Number) {
    for (size_t I = 1; I < Workers.size(); ++I) {
      Deque &Victim = Workers[(Number + I) % Workers.size()]->Ready;
      while (!Victim.looksEmpty())
        if (Directory *Result = Victim.steal()) {
          // One was woken for several directories: it wakes the next.
          if (!Victim.looksEmpty())
            wakeOne();
          return Result;
        }
    }
    return nullptr;
  }

  void wakeOne() {
    if (Sleepers.load(std::memory_order_relaxed) == 0)
      return;
    std::lock_guard Lock(Mutex);
    Wake.notify_one();
  }

  /// Whether there is more to do.
  bool sleep() {
    std::unique_lock Lock(Mutex);
    unsigned Now = Sleepers.load(std::memory_order_relaxed) + 1;
    Sleepers.store(Now, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (Now == Workers.size()) {
      Done = true;
      Wake.notify_all();
      return false;
    }
    bool Work = false;
    for (auto &W : Workers)
      Work |= !W->Ready.looksEmpty();
    if (!Work)
      Wake.wait(Lock);
    Sleepers.store(Sleepers.load(std::memory_order_relaxed) - 1,
                   std::memory_order_relaxed);
    return !Done;
  }

  void read(Worker &Self, Directory &Item) {
    Directory *Parent = Item.Parent;
    int FD = ::openat(Parent ? Parent->Descriptor : AT_FDCWD, Item.name(),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC |
                          (Parent ? O_NOFOLLOW : 0));
    if (FD < 0)
      die("open", Item.name());
    Item.Descriptor = FD;
    if (Parent)
      Parent->release();
    WalkCounts &Counts = Self.Counts;
    char *Buffer = Self.Buffer.get();
    ssize_t Filled;
    while ((Filled = ::getdents64(FD, Buffer, BufferBytes)) > 0) {
      uint32_t Children = 0;
      for (ssize_t At = 0; At < Filled;) {
        auto *Entry = reinterpret_cast<dirent64 *>(Buffer + At);
        At += Entry->d_reclen;
        const char *Name = Entry->d_name;
        if (Name[0] == '.' &&
            (Name[1] == 0 || (Name[1] == '.' && Name[2] == 0)))
          continue;
        size_t Length = std::strlen(Name);
        ++Counts.Entries;
        Counts.NameBytes += Length;
        if (Status || Entry->d_type == DT_UNKNOWN) {
          struct stat S;
          if (::fstatat(FD, Name, &S, AT_SYMLINK_NOFOLLOW) != 0)
            die("fstatat", Name);
          if (S_ISDIR(S.st_mode))
            Entry->d_type = DT_DIR;
          else
            Counts.SizeBytes += static_cast<uint64_t>(S.st_size);
          Counts.Times += static_cast<uint64_t>(S.st_mtim.tv_sec);
        }
        if (Entry->d_type == DT_DIR) {
          ++Children;
          Self.Ready.push(Self.Directories.makeDirectory(&Item, Name, Length));
        }
      }
      if (Children == 0)
        continue;
      Counts.Directories += Children;
      Item.Users.fetch_add(Children, std::memory_order_relaxed);
      Self.Ready.publish();
      std::atomic_thread_fence(std::memory_order_seq_cst);
      wakeOne();
    }
    if (Filled < 0)
      die("getdents64", Item.name());
    Item.release();
  }

  const bool Status;
  std::vector<std::unique_ptr<Worker>> Workers;
  std::mutex Mutex;
  std::condition_variable Wake;
  std::atomic<unsigned> Sleepers = 0; ///< written under Mutex
  bool Done = false;                  ///< under Mutex
};

} // namespace

int main(int Argc, char **Argv) {
  WalkArguments Arguments(Argc, Argv);
  unsigned Threads =
      Arguments.Jobs ? Arguments.Jobs : std::thread::hardware_concurrency();
  rlimit Limit;
  if (::getrlimit(RLIMIT_NOFILE, &Limit) == 0) {
    Limit.rlim_cur = Limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &Limit);
  }
  auto Start = std::chrono::steady_clock::now();
  Walk TheWalk(Threads, Arguments.Status);
  WalkCounts Counts = TheWalk.run(Arguments.Directory);
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  report(Counts, Threads, Took.count());
  return 0;
}
