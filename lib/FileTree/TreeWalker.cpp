//===- TreeWalker.cpp - Walk whole trees with many threads ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol.
//
// Every directory is one piece of work: a DirectoryNode in the WorkQueue, taken
// by one thread, listed, shown and done; what directories it has are pushed
// while it is listed. A directory that has more than one system call gives,
// while a thread has plenty to do already, is put back behind everything else,
// where others may go on with it: so that what is pending is bounded by the
// depth of a tree, not by the size of its directories.
//
// How many threads: as many as there are processors, and twice as many each
// time that a thread is seen to wait for the disk: a listing that took long,
// and in which the thread gave up its processor. Warm, that does not happen,
// and a walk in the cache has no use for more threads than processors; cold, 8
// to 16 threads are four times as fast as 2 (27,000 directories: 1,370 ms with
// 2 threads, 440 with 16).
//
// The end: the queue gives nothing any more, every thread leaves `work`, the
// caller joins them. After `cancel` likewise, and what is left in the queue is
// freed by the caller.
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeWalker.h"
#include "WalkState.h"
#include "headstart/OS/SystemMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <chrono>

using namespace llvm;

namespace headstart {

using namespace detail;

IgnoreJudge::~IgnoreJudge() = default;
TreeVisitor::~TreeVisitor() = default;
void TreeVisitor::finished(const WalkDirectory & /*Directory*/) {}

StringRef WalkDirectory::path() const { return Worker.path(); }
StringRef WalkDirectory::pathFromRoot() const { return Worker.pathFromRoot(); }
std::string WalkDirectory::pathOf(StringRef Name) const {
  return Worker.pathOf(Name);
}
unsigned WalkDirectory::depth() const { return Worker.directory().Depth; }
size_t WalkDirectory::root() const { return Worker.directory().Root; }
const os::FileIdentity &WalkDirectory::identity() const {
  return Worker.directory().Identity;
}
const os::DirectoryHandle &WalkDirectory::handle() const {
  return Worker.directory().Handle;
}
unsigned WalkDirectory::thread() const { return Worker.index(); }

namespace {
using Clock = std::chrono::steady_clock;

/// Where more threads buy nothing any more, on a disk that answers in parallel.
constexpr unsigned EnoughThreads = 16;

/// A listing that takes longer is worth a look at whether it waited. A
/// directory of a thousand entries takes as long without.
constexpr auto LongListing = std::chrono::microseconds(60);

/// How many directories one thread has pending before it puts back what is not
/// listed to its end: several buffers' worth.
constexpr size_t PlentyPending = 4096;

/// A thread has one directory open that it lists, may have the one before, and
/// opens two more on the way (a repository's own excludes, a path from the
/// root). Every fourth may have put one back.
constexpr unsigned HandlesPerThread = 4;
constexpr unsigned ThreadsPerPostponed = 4;
/// For everything else in the process.
constexpr unsigned OtherHandles = 16;

unsigned threadsFor(const WalkOptions &Options) {
  uint64_t MaxThreads = std::max<uint64_t>(1, os::maxOpenFiles() / 8);
  unsigned Wish = Options.Jobs
                      ? Options.Jobs
                      : std::max(EnoughThreads, os::usableProcessors());
  return static_cast<unsigned>(std::min<uint64_t>(
      MaxThreads, std::min<unsigned>(Wish, TreeWalker::MaxThreads)));
}

unsigned keptFor(const WalkOptions &Options, unsigned Threads) {
  if (Options.MaxOpenDirectories)
    return Options.MaxOpenDirectories;
  constexpr uint64_t MaxKept = 4096;
  uint64_t Limit = os::maxOpenFiles();
  uint64_t Reserved = OtherHandles + uint64_t(HandlesPerThread) * Threads;
  // Half of the rest: the process may want some too.
  uint64_t Kept = Limit > Reserved ? (Limit - Reserved) / 2 : 0;
  return static_cast<unsigned>(std::clamp<uint64_t>(Kept, 1, MaxKept));
}
} // namespace

WalkState::WalkState(const WalkOptions &Options, TreeVisitor &Visitor,
                     const std::atomic<bool> &Cancelled)
    : Options(Options), Visitor(Visitor), Cancelled(Cancelled),
      MaxThreads(threadsFor(Options)), MaxKept(keptFor(Options, MaxThreads)),
      MaxPostponed(1 + MaxThreads / ThreadsPerPostponed), Queue(MaxThreads) {
  Queue.setWanted(Options.Jobs
                      ? MaxThreads.load()
                      : std::min(MaxThreads.load(), os::usableProcessors()));
}

WalkState::~WalkState() {
  for (DirectoryNode *Node : Queue.drain())
    DirectoryNode::release(Node);
}

// Doubled: where one listing waits, most will, and a small tree is over before
// threads have come one by one.
void WalkState::noteWait() {
  if (Options.Jobs)
    return;
  unsigned Now = Queue.wanted();
  if (Now >= MaxThreads)
    return;
  if (Queue.changeWanted(Now, std::min(2 * Now, MaxThreads.load())) &&
      Queue.hasWork())
    considerThread();
}

void WalkState::considerThread() {
  if (Queue.hasSleepers()) {
    Queue.wakeOne();
    return;
  }
  if (Queue.threads() >= Queue.wanted())
    return;
  std::lock_guard Lock(Starting);
  unsigned Next = Queue.threads();
  if (IsOver || Next >= Queue.wanted() || Next >= MaxThreads)
    return;
  // Counted first, so that the queue never sees more sleepers than threads.
  Queue.addThread();
  auto Work = [this, Next] {
    // One starts the next: the first goes on with its own work.
    if (Queue.hasWork())
      considerThread();
    run(Next);
  };
  if (Threads.start(Work)) { // no more to be had: make do
    Queue.removeThread();
    MaxThreads.store(Next);
    Queue.setWanted(Next);
  }
}

void WalkState::run(unsigned ThreadIndex) {
  WalkWorker Worker(*this, ThreadIndex);
  Worker.work();
  std::lock_guard Lock(Starting);
  Figures.Directories += Worker.Figures.Directories;
  Figures.Entries += Worker.Figures.Entries;
  Figures.Problems += Worker.Figures.Problems;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Puts \p Node and what it is in into `Chain`, without the root, which it
/// gives back.
const DirectoryNode *WalkWorker::findChain(const DirectoryNode *Node) {
  Chain.clear();
  for (; Node->Parent; Node = Node->Parent)
    Chain.push_back(Node);
  return Node;
}

StringRef WalkWorker::path() {
  if (!Path.empty())
    return Path;
  StringRef Given = findChain(Current)->name();
  if (Given.empty())
    Given = ".";
  while (Given.size() > 1 && Given.ends_with('/'))
    Given = Given.drop_back();
  Path = Given;
  FromRoot = Path.ends_with('/') ? Path.size() : Path.size() + 1;
  for (const DirectoryNode *Node : reverse(Chain)) {
    if (!Path.ends_with('/'))
      Path += '/';
    Path += Node->name();
  }
  return Path;
}

StringRef WalkWorker::pathFromRoot() { return path().substr(FromRoot); }

std::string WalkWorker::pathOf(StringRef Name) {
  std::string Result = path().str();
  if (!path().ends_with('/'))
    Result += '/';
  Result += Name;
  return Result;
}

void WalkWorker::problem(StringRef Name, std::string_view What) {
  ++Figures.Problems;
  State.Visitor.problem(Name.empty() ? path().str() : pathOf(Name), What);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

void WalkWorker::closeLast() {
  if (!Last)
    return;
  Last->Handle.close();
  DirectoryNode::release(Last);
  Last = nullptr;
}

void WalkWorker::childIsOpened(DirectoryNode *Parent) {
  if (!Parent || Parent->Unopened.fetch_sub(1) != 1 || !Parent->Keeps)
    return;
  Parent->Handle.close();
  State.Kept.fetch_sub(1, std::memory_order_relaxed);
}

/// By the path from the root, in pieces that a system call takes. Where links
/// are not followed none is followed on the way either, so that this cannot
/// lead out of the tree.
std::error_code WalkWorker::openFromRoot(DirectoryNode &Node) {
  constexpr size_t MaxPieceLength = 2048; // bytes; PATH_MAX is 4096
  os::LinkRule Links =
      State.Options.FollowLinks ? os::LinkRule::Follow : os::LinkRule::Refuse;
  const DirectoryNode *Root = findChain(&Node);
  os::DirectoryHandle At;
  std::error_code Error = os::DirectoryHandle::open(Root->name().str(), At);
  std::string Piece;
  auto TakeName = [this] {
    StringRef Name = Chain.back()->name();
    Chain.pop_back();
    return Name;
  };
  while (!Error && !Chain.empty()) {
    Piece = TakeName();
    while (!Chain.empty() &&
           Piece.size() + Chain.back()->NameLength < MaxPieceLength) {
      Piece += '/';
      Piece += TakeName();
    }
    Error = At.openBelow(Piece.c_str(), Links, At);
  }
  if (!Error)
    Node.Handle = std::move(At);
  return Error;
}

std::error_code WalkWorker::openOnce(DirectoryNode &Node, bool &MayBeMount) {
  DirectoryNode *Parent = Node.Parent;
  MayBeMount = true;
  if (!Parent)
    return os::DirectoryHandle::open(Node.name().str(), Node.Handle);
  if (!Parent->Keeps && Parent != Last)
    return openFromRoot(Node);
  return Parent->Handle.openChild(
      Node.nameText(),
      State.Options.FollowLinks ? os::LinkRule::Follow : os::LinkRule::Refuse,
      Node.Handle, MayBeMount);
}

static bool isOutOfHandles(std::error_code Error) {
  return Error == std::errc::too_many_files_open ||
         Error == std::errc::too_many_files_open_in_system;
}

/// What has gone, or become something else, since it was listed.
static bool isMissing(std::error_code Error) {
  return Error == std::errc::no_such_file_or_directory ||
         Error == std::errc::not_a_directory ||
         Error == std::errc::too_many_symbolic_link_levels;
}

bool WalkWorker::open(DirectoryNode &Node) {
  if (Node.Begun)
    return true;
  Node.Keeps =
      State.Kept.fetch_add(1, std::memory_order_relaxed) < State.MaxKept;
  if (!Node.Keeps)
    State.Kept.fetch_sub(1, std::memory_order_relaxed);
  bool MayBeMount = true;
  std::error_code Error = openOnce(Node, MayBeMount);
  // Somebody else in the process has them; the other threads give theirs back
  // as they go on.
  for (unsigned Try = 0; Error && isOutOfHandles(Error) && Try != 100; ++Try) {
    if (Last)
      closeLast();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Error = openOnce(Node, MayBeMount);
  }
  closeLast();
  childIsOpened(Node.Parent);
  if (Error) {
    if (!Node.Parent || !isMissing(Error))
      problem("", Error.message());
    return false;
  }
  // A listing tells the inode of the directory on which something is mounted.
  if (MayBeMount || State.Options.SameFileSystem || State.Options.FollowLinks)
    Error = Node.Handle.identity(Node.Identity);
  if (Error) {
    problem("", Error.message());
    return false;
  }
  if (!Node.Parent)
    return true;
  // Below a mount everything above may come again, the directory that was
  // mounted not being the root of the walk but one above it.
  Node.MayLoop =
      Node.Parent->MayLoop || MayBeMount || State.Options.FollowLinks;
  if (State.Options.SameFileSystem &&
      Node.Identity.Device != Node.Parent->Identity.Device)
    return false;
  return !Node.MayLoop || !isLoop(Node);
}

/// Whether \p Node is one of the directories that it is in. Only a followed
/// link and a mount can do that.
bool WalkWorker::isLoop(DirectoryNode &Node) {
  for (const DirectoryNode *Above = Node.Parent; Above; Above = Above->Parent)
    if (Above->Identity.Device == Node.Identity.Device &&
        Above->Identity.Inode == Node.Identity.Inode) {
      problem("", "skipped: it is one of the directories that contain it");
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Listing
//===----------------------------------------------------------------------===//

WalkWorker::~WalkWorker() { closeLast(); }

void WalkWorker::work() {
  while (std::optional<DirectoryNode *> Next = State.Queue.take(Index)) {
    if (State.Cancelled.load(std::memory_order_relaxed)) {
      State.Queue.stop();
      DirectoryNode::release(*Next);
      return;
    }
    Current = *Next;
    Path.clear();
    if (!walk(*Current))
      continue;
    DirectoryNode::release(Current);
    State.Queue.done();
  }
}

bool WalkWorker::walk(DirectoryNode &Node) {
  bool Opened = open(Node);
  if (Opened && !list(Node))
    return false;
  if (Node.Keeps) {
    childIsOpened(&Node); // its own part of the count
  } else if (Opened) {
    if (Node.Postponed)
      State.Postponed.fetch_sub(1, std::memory_order_relaxed);
    Last = &Node;
    Node.References.fetch_add(1, std::memory_order_relaxed);
  }
  return true;
}

void WalkWorker::enterScope(DirectoryNode &Node) {
  const IgnoreJudge *Rules = State.Options.Ignore;
  std::vector<std::string> Problems;
  IgnoreScopePtr Above =
      Node.Parent ? Node.Parent->Scope : Rules->above(Node.name(), &Problems);
  for (const std::string &P : Problems) {
    ++Figures.Problems;
    State.Visitor.problem("", P);
  }
  IgnorePresence Present = Listing.peek(Node.Handle);
  if (!Present.any()) {
    Node.Scope = std::move(Above);
    return;
  }
  Problems.clear();
  Node.Scope =
      Rules->enter(Above, pathFromRoot(), Node.Handle, Present, Problems);
  // Of files in this directory, whose names have no colon.
  for (StringRef P : Problems) {
    if (P.consume_front(pathFromRoot()))
      P.consume_front("/");
    // Not StringRef::split: that is in libLLVM.
    const std::string_view Text = P;
    const size_t Colon = std::min(Text.find(": "), Text.size());
    problem(Text.substr(0, Colon),
            Text.substr(std::min(Colon + 2, Text.size())));
  }
}

/// Whether \p Node may stay open while others go first. One that is not kept
/// for its children takes one of the handles that are set aside for that.
bool WalkWorker::mayPostpone(DirectoryNode &Node) {
  if (Node.Keeps || Node.Postponed)
    return true;
  if (State.Postponed.fetch_add(1, std::memory_order_relaxed) >=
      State.MaxPostponed) {
    State.Postponed.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  return Node.Postponed = true;
}

/// Begins to measure a piece of listing.
Clock::time_point WalkWorker::beginWatch() {
  if (IsSlow)
    Waits = os::countWaits();
  return Clock::now();
}

/// Ends it. A thread also waits for what is no disk: the queue, the visitor. So
/// how often it did is asked on both sides of a piece; but only once a piece
/// has been slow, since to ask costs as much as to list a small directory.
void WalkWorker::watch(Clock::time_point Begin) {
  bool WasSlow = std::exchange(IsSlow, Clock::now() - Begin > LongListing);
  if (IsSlow && WasSlow && os::countWaits() != Waits)
    State.noteWait();
}

bool WalkWorker::list(DirectoryNode &Node) {
  Listing.start(Node.Handle);
  Clock::time_point Begin = beginWatch();
  if (State.Options.Ignore && !Node.Begun)
    enterScope(Node);
  Node.Begun = true;
  std::error_code Error;
  // Pieces that ask the system for nothing say nothing about the disk; nor does
  // the read that finds the end. The clock costs a little.
  bool IsWatched = true;
  do {
    MutableArrayRef<os::DirectoryEntry> Entries = Listing.next(Error);
    bool IsLast = Entries.empty() || Error;
    bool IsFull = Entries.size() == TreeVisitor::MaxEntries;
    if (State.Options.Listed)
      State.Options.Listed(Entries);
    if (!Entries.empty())
      prepare(Node, Entries);
    if (!IsLast && IsWatched)
      watch(Begin);
    if (!Entries.empty())
      show(Node, Entries);
    if (IsLast)
      break;
    if (State.Cancelled.load(std::memory_order_relaxed))
      return true;
    if (Listing.isAtBoundary() && State.Queue.pending(Index) > PlentyPending &&
        mayPostpone(Node)) {
      State.Queue.postpone(Index, &Node);
      return false;
    }
    IsWatched = IsFull && (State.Options.WithStatus || Listing.isAtBoundary());
    if (IsWatched)
      Begin = beginWatch();
  } while (true);
  // A directory that is deleted while it is listed ends so.
  if (Error && (!Node.Parent || !isMissing(Error)))
    problem("", Error.message());
  ++Figures.Directories;
  State.Visitor.finished(Shown);
  return true;
}

/// Whether \p Entry is looked at through what it leads to.
static bool follows(const os::DirectoryEntry &Entry, const WalkOptions &O) {
  return O.FollowLinks && (Entry.Type == os::EntryType::Link ||
                           Entry.Type == os::EntryType::Unknown);
}

static bool isComplete(const os::DirectoryEntry &Entry, const WalkOptions &O) {
  return !follows(Entry, O) && Entry.Type != os::EntryType::Unknown &&
         (!O.WithStatus ||
          (O.HintsSuffice ? Entry.HasStatus : Entry.hasOwnStatus()));
}

/// Fills in what was asked for. False if the entry has gone meanwhile.
bool WalkWorker::complete(os::DirectoryEntry &Entry, DirectoryNode &Node) {
  bool Follows = follows(Entry, State.Options);
  std::error_code Error = Node.Handle.addStatus(
      Entry, Follows ? os::LinkRule::Follow : os::LinkRule::Refuse);
  // A link to nowhere is shown as the link that it is.
  if (Error && Follows)
    Error = Node.Handle.addStatus(Entry);
  if (!Error)
    return true;
  if (isMissing(Error))
    return false;
  if (State.Options.WithStatus)
    Entry.dropHint();
  problem(StringRef(Entry.Name), Error.message());
  return true;
}

void WalkWorker::prepare(DirectoryNode &Node,
                         MutableArrayRef<os::DirectoryEntry> &Entries) {
  const WalkOptions &Options = State.Options;
  const IgnoreScope *Scope = Options.Ignore ? Node.Scope.get() : nullptr;
  StringRef DirectoryPath = Scope ? pathFromRoot() : StringRef();
  auto IsIgnored = [&](const os::DirectoryEntry &Entry) {
    return Scope && Options.Ignore->isIgnored(
                        *Scope, DirectoryPath, StringRef(Entry.Name),
                        Entry.Type == os::EntryType::Directory);
  };
  auto *Out = Entries.begin();
  for (os::DirectoryEntry &Entry : Entries) {
    if (Options.SkipHidden && Entry.Name.starts_with('.'))
      continue;
    // What is ignored is not looked at, unless only a look tells what it is: a
    // link is judged as a link. An error is met again.
    bool IsUnknown = Entry.Type == os::EntryType::Unknown;
    if (IsUnknown && Scope && Options.FollowLinks)
      IsUnknown = bool(Node.Handle.addStatus(Entry));
    if (!IsUnknown && IsIgnored(Entry))
      continue;
    if (!isComplete(Entry, Options) && !complete(Entry, Node))
      continue;
    if (IsUnknown && IsIgnored(Entry))
      continue;
    if (Out != &Entry)
      *Out = Entry;
    ++Out;
  }
  Entries = Entries.take_front(static_cast<size_t>(Out - Entries.begin()));
}

void WalkWorker::show(DirectoryNode &Node,
                      ArrayRef<os::DirectoryEntry> Entries) {
  if (Entries.empty())
    return;
  TreeVisitor::Prune Pruned;
  Figures.Entries += Entries.size();
  State.Visitor.visit(Shown, Entries, Pruned);
  if (Node.Depth >= State.Options.MaxDepth)
    return;
  Children.clear();
  for (size_t I = 0; I != Entries.size(); ++I) {
    const os::DirectoryEntry &Entry = Entries[I];
    if (Entry.Type != os::EntryType::Directory || Pruned[I])
      continue;
    os::FileIdentity Identity;
    Identity.Device = Node.Identity.Device;
    Identity.Inode = Entry.Identity.Inode;
    Children.push_back(DirectoryNode::create(&Node, StringRef(Entry.Name),
                                             Node.Root, Identity));
  }
  if (Children.empty())
    return;
  Node.Unopened.fetch_add(static_cast<uint32_t>(Children.size()),
                          std::memory_order_relaxed);
  State.Queue.push(Index, Children);
  State.considerThread();
}

//===----------------------------------------------------------------------===//

WalkFigures TreeWalker::walk(ArrayRef<std::string> Roots,
                             TreeVisitor &Visitor) {
  WalkState State(Options, Visitor, Cancelled);
  std::vector<DirectoryNode *> Nodes;
  for (size_t I = Roots.size(); I-- != 0;)
    Nodes.push_back(DirectoryNode::create(
        nullptr, Roots[I], static_cast<uint32_t>(I), os::FileIdentity()));
  State.Queue.push(0, Nodes);
  if (Nodes.size() > 1)
    State.considerThread();
  State.run(0);
  {
    // After `cancel` others may be in the middle of something, and about to
    // start one more.
    std::lock_guard Lock(State.Starting);
    State.IsOver = true;
  }
  State.Threads.join();
  State.Figures.Threads = State.Queue.threads();
  return State.Figures;
}

} // namespace headstart
