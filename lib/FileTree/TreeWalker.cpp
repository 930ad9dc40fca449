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
// Every directory is one item of work: a DirectoryNode in the WorkQueue. One
// thread takes it, lists it and shows its entries. During the listing it pushes
// the child directories.
//
// A walk begins with as many threads as there are processors, and doubles them
// each time that a thread waits for the disk: a listing took long, and the
// thread gave up its processor in it. That does not happen in a cached tree,
// for which more threads than processors are of no use. In an uncached tree, 8
// to 16 threads are four times as fast as 2 (27,000 directories: 1,370 ms with
// 2 threads, 440 with 16).
//
// When the queue is empty, or after `cancel`, every thread leaves `work` and
// the caller joins them. Then it frees the nodes that are left in the queue.
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

IgnorePresence IgnorePresence::in(const os::DirectoryHandle &Directory) {
  IgnorePresence Present;
  for (const char *Name : {".gitignore", ".ignore", ".git"}) {
    os::DirectoryEntry Entry;
    Entry.Name = Name;
    if (!Directory.addStatus(Entry))
      Present.note(Name);
  }
  return Present;
}

IgnorePresence DirectoryListing::peek(const os::DirectoryHandle &Directory) {
  IgnorePresence Present;
  do {
    size_t Count = Reader.read(Current, Failure);
    for (const os::DirectoryEntry &Entry : ArrayRef(Current).take_front(Count))
      Present.note({Entry.Name.data(), Entry.Name.size()});
    Ahead.insert(Ahead.end(), Current.begin(), Current.begin() + Count);
    if (Count == 0 || Failure)
      return Present;
  } while (!Reader.isAtBoundary());
  // The second system call replaces the names.
  size_t Bytes = 0;
  for (const os::DirectoryEntry &Entry : Ahead)
    Bytes += Entry.Name.size() + 1; // the zero
  Names.resize(Bytes);
  char *At = Names.data();
  for (os::DirectoryEntry &Entry : Ahead) {
    const size_t Length = Entry.Name.size();
    const char *From = std::exchange(Entry.Name, {At, Length}).data();
    At = std::copy_n(From, Length + 1, At);
  }
  size_t Count = Reader.read(Current, Failure);
  Ahead.insert(Ahead.end(), Current.begin(), Current.begin() + Count);
  return Count != 0 ? IgnorePresence::in(Directory) : Present;
}

MutableArrayRef<os::DirectoryEntry>
DirectoryListing::next(std::error_code &Error) {
  Error = {};
  if (Given != Ahead.size()) {
    size_t Count = std::min(Ahead.size() - Given, Current.size());
    MutableArrayRef Result(Ahead.data() + Given, Count);
    Given += Count;
    return Result;
  }
  if (Failure) {
    Error = Failure;
    return {};
  }
  return {Current.data(), Reader.read(Current, Error)};
}

namespace {
using Clock = std::chrono::steady_clock;

/// More threads than this gain nothing on a disk that answers in parallel.
constexpr unsigned EnoughThreads = 16;

/// If a listing takes longer, the walk checks whether the thread waited. A
/// directory of a thousand entries takes as long without a wait.
constexpr auto LongListing = std::chrono::microseconds(60);

/// A thread keeps the directory open that it lists, and perhaps the previous
/// one; meanwhile it opens two more (a repository's own excludes, a path from
/// the root).
constexpr unsigned HandlesPerThread = 4;
/// The handles for everything else in the process.
constexpr unsigned OtherHandles = 16;

unsigned threadsFor(const WalkOptions &Options) {
  uint64_t MaxThreads = std::max<uint64_t>(1, os::maxOpenFiles() / 8);
  unsigned Wish = Options.Jobs
                      ? Options.Jobs
                      : std::max(EnoughThreads, os::usableProcessors());
  return static_cast<unsigned>(std::min<uint64_t>(
      MaxThreads, std::min<unsigned>(Wish, TreeWalker::MaxThreads)));
}

unsigned keptFor(unsigned Threads) {
  constexpr uint64_t MaxKept = 4096;
  uint64_t Limit = os::maxOpenFiles();
  uint64_t Reserved = OtherHandles + uint64_t(HandlesPerThread) * Threads;
  // Use half of the rest, because the process may open other files.
  uint64_t Kept = Limit > Reserved ? (Limit - Reserved) / 2 : 0;
  return static_cast<unsigned>(std::clamp<uint64_t>(Kept, 1, MaxKept));
}
} // namespace

WalkState::WalkState(const WalkOptions &Options, TreeVisitor &Visitor,
                     const std::atomic<bool> &Cancelled)
    : Options(Options), Visitor(Visitor), Cancelled(Cancelled),
      MaxThreads(threadsFor(Options)), MaxKept(keptFor(MaxThreads)),
      Queue(MaxThreads) {
  Queue.Wanted = Options.Jobs
                     ? MaxThreads.load()
                     : std::min(MaxThreads.load(), os::usableProcessors());
}

WalkState::~WalkState() {
  for (DirectoryNode *Node : Queue.drain())
    DirectoryNode::release(Node);
}

// Doubles the threads: if one listing waits, most will, and a small tree would
// end before single threads could add up.
void WalkState::noteWait() {
  if (Options.Jobs)
    return;
  unsigned Now = Queue.Wanted;
  if (Now >= MaxThreads)
    return;
  if (Queue.Wanted.compare_exchange_strong(
          Now, std::min(2 * Now, MaxThreads.load())) &&
      Queue.hasWork())
    considerThread();
}

void WalkState::considerThread() {
  if (Queue.hasSleepers()) {
    Queue.wakeOne();
    return;
  }
  if (Queue.Started >= Queue.Wanted)
    return;
  std::lock_guard Lock(Starting);
  unsigned Next = Queue.Started;
  if (IsOver || Next >= Queue.Wanted || Next >= MaxThreads)
    return;
  // Count it first, so that the queue never has more sleepers than threads.
  ++Queue.Started;
  auto Work = [this, Next] {
    // Each thread starts the next one, so that the first can do its own work.
    if (Queue.hasWork())
      considerThread();
    WalkWorker(*this, Next).work();
  };
  if (Threads.start(Work)) { // The system has no more threads; use fewer.
    --Queue.Started;
    MaxThreads.store(Next);
    Queue.Wanted = Next;
  }
}

/// Stores \p Node and its ancestors in `Chain`, without the root, and returns
/// the root.
const DirectoryNode *WalkWorker::findChain(const DirectoryNode *Node) {
  Chain.clear();
  for (; Node->Parent; Node = Node->Parent)
    Chain.push_back(Node);
  return Node;
}

StringRef WalkDirectory::path() const {
  std::string &Path = Worker.Path;
  if (!Path.empty())
    return Path;
  StringRef Given = Worker.findChain(Worker.Current)->Name;
  if (Given.empty())
    Given = ".";
  while (Given.size() > 1 && Given.ends_with('/'))
    Given = Given.drop_back();
  Path = Given;
  Worker.FromRoot = Path.ends_with('/') ? Path.size() : Path.size() + 1;
  for (const DirectoryNode *Node : reverse(Worker.Chain)) {
    if (!Path.ends_with('/'))
      Path += '/';
    Path += Node->Name;
  }
  return Path;
}

StringRef WalkDirectory::pathFromRoot() const {
  return path().substr(Worker.FromRoot);
}

std::string WalkDirectory::pathOf(StringRef Name) const {
  std::string Result = path().str();
  if (!path().ends_with('/'))
    Result += '/';
  Result += Name;
  return Result;
}

size_t WalkDirectory::root() const { return Worker.Current->Root; }

unsigned WalkDirectory::thread() const { return Worker.Index; }

void WalkWorker::problem(StringRef Name, std::string_view What) {
  const std::string Full =
      Name.empty() ? Shown.path().str() : Shown.pathOf(Name);
  State.Visitor.problem(Full, What);
  State.Visitor.unknown(Current->Root, StringRef(Full).substr(FromRoot));
}

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

os::LinkRule WalkWorker::links() const {
  return State.Options.FollowLinks ? os::LinkRule::Follow
                                   : os::LinkRule::Refuse;
}

/// Opens \p Node and the directories above it, from the root on. If the walk
/// does not follow links, none is followed on the path either, so that it
/// cannot lead out of the tree.
std::error_code WalkWorker::openFromRoot(DirectoryNode &Node) {
  const DirectoryNode *Root = findChain(&Node);
  os::DirectoryHandle At;
  std::error_code Error = os::DirectoryHandle::open(Root->Name, At);
  for (const DirectoryNode *Each : reverse(Chain)) {
    bool MayBeMount = false;
    if (!Error)
      Error = At.openChild(Each->Name.c_str(), links(), At, MayBeMount);
  }
  Node.Handle = std::move(At);
  return Error;
}

std::error_code WalkWorker::openOnce(DirectoryNode &Node, bool &MayBeMount) {
  DirectoryNode *Parent = Node.Parent;
  MayBeMount = true;
  if (!Parent)
    return os::DirectoryHandle::open(Node.Name, Node.Handle);
  if (!Parent->Keeps && Parent != Last)
    return openFromRoot(Node);
  return Parent->Handle.openChild(Node.Name.c_str(), links(), Node.Handle,
                                  MayBeMount);
}

static bool isOutOfHandles(std::error_code Error) {
  return Error == std::errc::too_many_files_open ||
         Error == std::errc::too_many_files_open_in_system;
}

/// Whether an entry was removed or replaced since it was listed.
static bool isGone(std::error_code Error) {
  return os::isMissing(Error) ||
         Error == std::errc::too_many_symbolic_link_levels;
}

bool WalkWorker::open(DirectoryNode &Node) {
  Node.Keeps =
      State.Kept.fetch_add(1, std::memory_order_relaxed) < State.MaxKept;
  if (!Node.Keeps)
    State.Kept.fetch_sub(1, std::memory_order_relaxed);
  bool MayBeMount = true;
  std::error_code Error = openOnce(Node, MayBeMount);
  // Other parts of the process use the handles. The other threads of the walk
  // close theirs as they continue.
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
    if (!Node.Parent || !isGone(Error))
      problem("", Error.message());
    return false;
  }
  // For a mount point, a listing has the inode of the directory beneath.
  if (MayBeMount || State.Options.SameFileSystem || State.Options.FollowLinks)
    Error = Node.Handle.identity(Node.Identity);
  if (Error) {
    problem("", Error.message());
    return false;
  }
  if (!Node.Parent)
    return true;
  // A directory above the root of the walk may be mounted in it. Then the whole
  // tree may appear again anywhere below the mount point.
  Node.MayLoop =
      Node.Parent->MayLoop || MayBeMount || State.Options.FollowLinks;
  if (State.Options.SameFileSystem &&
      Node.Identity.Device != Node.Parent->Identity.Device)
    return false;
  return !Node.MayLoop || !isLoop(Node);
}

/// Whether \p Node is one of its own ancestors. Only followed links and mounts
/// can cause that.
bool WalkWorker::isLoop(DirectoryNode &Node) {
  for (const DirectoryNode *Above = Node.Parent; Above; Above = Above->Parent)
    if (Node.Identity.isSameFile(Above->Identity)) {
      problem("", "skipped: it is one of the directories that contain it");
      return true;
    }
  return false;
}

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
    walk(*Current);
    DirectoryNode::release(Current);
    State.Queue.done();
  }
}

void WalkWorker::walk(DirectoryNode &Node) {
  bool Opened = open(Node);
  if (Opened)
    list(Node);
  if (Node.Keeps) {
    childIsOpened(&Node); // The node itself is listed now; see Unopened.
  } else if (Opened) {
    Last = &Node;
    Node.References.fetch_add(1, std::memory_order_relaxed);
  }
}

void WalkWorker::enterScope(DirectoryNode &Node) {
  const IgnoreJudge *Rules = State.Options.Ignore;
  IgnoreScopePtr Above;
  if (Node.Parent)
    Above = Node.Parent->Scope;
  else
    Above = Rules->above(Node.Name, [&](StringRef File, StringRef What) {
      State.Visitor.problem(File, What);
    });
  IgnorePresence Present = Listing.peek(Node.Handle);
  if (!Present.any()) {
    Node.Scope = std::move(Above);
    return;
  }
  Node.Scope = Rules->enter(Above, Shown.pathFromRoot(), Node.Handle, Present,
                            [&](StringRef File, StringRef What) {
                              // The file is in this directory.
                              File.consume_front(Shown.pathFromRoot());
                              File.consume_front("/");
                              problem(File, What);
                            });
}

/// Begins to measure the listing of a batch.
Clock::time_point WalkWorker::beginWatch() {
  if (IsSlow)
    Waits = os::countWaits();
  return Clock::now();
}

/// Ends the measurement. A thread also waits for the queue or the visitor, so
/// its waits are counted before and after a batch. This begins only after a
/// slow batch, because counting costs as much as listing a small directory.
void WalkWorker::watch(Clock::time_point Begin) {
  bool WasSlow = std::exchange(IsSlow, Clock::now() - Begin > LongListing);
  if (IsSlow && WasSlow && os::countWaits() != Waits)
    State.noteWait();
}

void WalkWorker::list(DirectoryNode &Node) {
  Listing.start(Node.Handle);
  Clock::time_point Begin = beginWatch();
  if (State.Options.Ignore)
    enterScope(Node);
  std::error_code Error;
  // A batch without a system call says nothing about the disk, nor does the
  // read that finds the end. Skip the clock for them, since it costs a little.
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
      return;
    IsWatched = IsFull && (State.Options.WithStatus || Listing.isAtBoundary());
    if (IsWatched)
      Begin = beginWatch();
  } while (true);
  // The listing of a directory that is deleted ends with such an error.
  if (Error && (!Node.Parent || !isGone(Error)))
    problem("", Error.message());
}

/// Whether the status of \p Entry is that of a link's target.
static bool follows(const os::DirectoryEntry &Entry, const WalkOptions &O) {
  return O.FollowLinks && (Entry.Type == os::EntryType::Link ||
                           Entry.Type == os::EntryType::Unknown);
}

static bool isComplete(const os::DirectoryEntry &Entry, const WalkOptions &O) {
  return !follows(Entry, O) && Entry.Type != os::EntryType::Unknown &&
         (!O.WithStatus ||
          (O.HintsSuffice ? Entry.HasStatus : Entry.hasOwnStatus()));
}

/// Adds the type and status that the walk needs. False if \p Entry is gone.
bool WalkWorker::complete(os::DirectoryEntry &Entry, DirectoryNode &Node) {
  bool Follows = follows(Entry, State.Options);
  std::error_code Error = Node.Handle.addStatus(
      Entry, Follows ? os::LinkRule::Follow : os::LinkRule::Refuse);
  // A dangling link is shown as a link.
  if (Error && Follows)
    Error = Node.Handle.addStatus(Entry);
  if (!Error)
    return true;
  if (isGone(Error))
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
  StringRef DirectoryPath = Scope ? Shown.pathFromRoot() : StringRef();
  auto IsIgnored = [&](const os::DirectoryEntry &Entry) {
    return Scope && Options.Ignore->isIgnored(
                        *Scope, DirectoryPath, StringRef(Entry.Name),
                        Entry.Type == os::EntryType::Directory);
  };
  auto *Out = Entries.begin();
  for (os::DirectoryEntry &Entry : Entries) {
    if (Options.SkipHidden && Entry.Name.starts_with('.'))
      continue;
    // Do not stat ignored entries, except to find an unknown type. Rules judge
    // a link as a link. `complete` will meet an error again and report it.
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
    Children.push_back(
        new DirectoryNode(&Node, StringRef(Entry.Name), Node.Root, Identity));
  }
  if (Children.empty())
    return;
  Node.Unopened.fetch_add(static_cast<uint32_t>(Children.size()),
                          std::memory_order_relaxed);
  State.Queue.push(Index, Children);
  State.considerThread();
}

void TreeWalker::walk(ArrayRef<std::string> Roots, TreeVisitor &Visitor) {
  WalkState State(Options, Visitor, Cancelled);
  std::vector<DirectoryNode *> Nodes;
  for (size_t I = Roots.size(); I-- != 0;)
    Nodes.push_back(new DirectoryNode(
        nullptr, Roots[I], static_cast<uint32_t>(I), os::FileIdentity()));
  State.Queue.push(0, Nodes);
  if (Nodes.size() > 1)
    State.considerThread();
  WalkWorker(State, 0).work();
  {
    // After `cancel` other threads may still be working, and about to start
    // another one.
    std::lock_guard Lock(State.Starting);
    State.IsOver = true;
  }
  State.Threads.join();
}

} // namespace headstart
