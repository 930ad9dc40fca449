//===- LinkQueue.cpp - Links that do not fit into memory together ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file's name has the link's number in the queue, its needed bytes, and
/// "run" or "wait": 12-104857600-run. "lock" is the directory's lock. Contents:
///
///   pid 4711
///   space 4026531836
///   memory 8589934592
///   output app
///
/// LLVM takes the locks. On POSIX, these are fcntl's, which work across a
/// network file system, and only between processes. A test whether another
/// link's file is locked tries a read lock, which needs no write permission: a
/// file of another user (root) gives none.
///
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkQueue.h"
#include "headstart/Inputs/InputResolver.h"
#include "headstart/LLVM.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/ProcessActivity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <thread>

using namespace llvm;

namespace headstart {

using std::chrono::milliseconds;

static constexpr StringLiteral DirectoryPrefix = "links-";
static constexpr StringLiteral GateName = "lock";

/// The age at which a file that cannot be opened, or a queue without a link,
/// counts as left behind.
static constexpr std::chrono::hours MaxAge(24);

/// The most time that a link waits for the directory's lock: its holder may be
/// stopped.
static constexpr milliseconds MaxGateWait(500);

std::string queueDirectory(StringRef Cache, StringRef MemoryName,
                           std::optional<uint64_t> SizeBytes) {
  std::string Key = MemoryName.str();
  if (SizeBytes)
    Key += "\n" + std::to_string(*SizeBytes);
  return hashedPath(Cache, DirectoryPrefix, Key);
}

/// Opens \p Path as \p File and locks it; see lockFile.
static std::error_code lock(const std::string &Path,
                            sys::fs::CreationDisposition How,
                            milliseconds Timeout, int &File) {
  if (std::error_code Error =
          sys::fs::openFileForWrite(Path, File, How, sys::fs::OF_None))
    return Error;
  errno = 0;
  std::error_code Error = sys::fs::tryLockFile(File, Timeout);
  if (!Error)
    return Error;
  // LLVM also returns this code if another process holds the lock, but then
  // fcntl has failed with another number.
  if (Error == std::errc::no_lock_available && errno == ENOLCK)
    Error = std::make_error_code(std::errc::not_supported);
  (void)sys::Process::SafelyCloseFileDescriptor(File);
  File = -1;
  return Error;
}

static void unlock(int &File) {
  if (File == -1)
    return;
  (void)sys::fs::unlockFile(File);
  (void)sys::Process::SafelyCloseFileDescriptor(File);
  File = -1;
}

/// Whether \p Path is still the file that is open as \p File.
static bool isFile(const std::string &Path, int File) {
  sys::fs::file_status Open, There;
  return !sys::fs::status(File, Open) && !sys::fs::status(Path, There) &&
         Open.getUniqueID() == There.getUniqueID();
}

std::error_code lockFile(const std::string &Path, milliseconds Timeout,
                         int &File) {
  // The process that had the lock may have removed the file. A lock on a
  // removed file excludes no other process. On a file system whose numbers
  // change, `isFile` never returns true.
  for (unsigned MoreTries = 8;; --MoreTries) {
    if (std::error_code Error =
            lock(Path, sys::fs::CD_OpenAlways, Timeout, File))
      return Error;
    if (MoreTries == 0 || isFile(Path, File))
      return {};
    unlock(File);
  }
}

/// Locks \p Directory, and creates it if it is missing. Returns -1 if it cannot
/// be used, or is locked for all of \p Timeout.
static int lockDirectory(const std::string &Directory, milliseconds Timeout) {
  // The last link of the queue may remove the directory at each of these steps.
  constexpr unsigned MaxTries = 8;
  const std::string Gate = joined(Directory, GateName);
  for (unsigned Try = 0; Try != MaxTries; ++Try) {
    if (Try != 0)
      std::this_thread::sleep_for(milliseconds(1));
    if (sys::fs::create_directories(Directory))
      return -1;
    int File = -1;
    const std::error_code Error = lockFile(Gate, Timeout, File);
    if (!Error)
      return File;
    // Windows refuses to open a file that is being removed.
    if (Error != std::errc::no_such_file_or_directory &&
        Error != std::errc::permission_denied)
      return -1;
  }
  return -1;
}

namespace {

enum class PlaceState : uint8_t { Lives, Ended, Unknown };

} // namespace

/// Whether the link whose file is \p Path still holds the lock on it.
static PlaceState stateOf(const std::string &Path) {
  int File = -1;
  if (sys::fs::openFile(Path, File, sys::fs::CD_OpenExisting,
                        HEADSTART_LOCK_PROBE_ACCESS, sys::fs::OF_None))
    return PlaceState::Unknown;
  std::error_code Error =
      sys::fs::tryLockFile(File, milliseconds(0) HEADSTART_LOCK_PROBE_KIND);
  if (Error) {
    (void)sys::Process::SafelyCloseFileDescriptor(File);
    return Error == std::errc::no_lock_available ? PlaceState::Lives
                                                 : PlaceState::Unknown;
  }
  unlock(File);
  return PlaceState::Ended;
}

static bool isOld(const std::string &Path) {
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) &&
         std::chrono::system_clock::now() - Status.getLastModificationTime() >
             MaxAge;
}

/// Completes \p Link from its file and from the activity of its process.
static void inspect(QueuedLink &Link) {
  sys::fs::file_status Status;
  if (!sys::fs::status(Link.File, Status))
    Link.Since = Status.getLastModificationTime();
  constexpr size_t MaxBytes = 16384; // an output's path is shorter
  std::string Text(MaxBytes, '\0');
  os::OpenFile File;
  std::error_code Error;
  if (os::OpenFile::open(Link.File, File))
    return;
  Text.resize(File.readAt(0, Text, Error));
  // On Windows, another process's lock refuses reads, but not those of a
  // mapping (LockFileEx).
  os::MappedFile Mapping;
  if (Error == std::errc::no_lock_available &&
      !os::MappedFile::map(File, Mapping))
    Text.assign(Mapping.data(), std::min(Mapping.size(), MaxBytes));
  StringRef Space;
  for (StringRef Line : split(Text, '\n')) {
    const auto [Key, Value] = Line.split(' ');
    uint64_t Number = 0;
    const bool IsNumber = !Value.getAsInteger(10, Number);
    if (Key == "pid" && IsNumber)
      Link.Process = Number;
    else if (Key == "memory" && IsNumber)
      Link.TotalBytes = Number;
    else if (Key == "space")
      Space = Value;
    else if (Key == "output")
      Link.Output = Value.str();
  }
  if (!Link.Process || Space != os::processSpace())
    return;
  if (const auto Activity = os::activityOf(*Link.Process)) {
    Link.IsIdle = Activity->IsIdle;
    Link.Progress = Activity->Progress;
  }
}

/// Returns the links in \p Directory except the one with the file \p Except. If
/// \p Removes, removes the files of ended links, whose locks no process holds;
/// the caller must then hold the directory's lock.
static std::vector<QueuedLink> placesIn(const std::string &Directory,
                                        StringRef Except, bool Removes = true) {
  std::vector<QueuedLink> Places;
  std::error_code Error;
  for (sys::fs::directory_iterator It(Directory, Error), End;
       !Error && It != End; It.increment(Error)) {
    StringRef Found = sys::path::filename(It->path());
    SmallVector<StringRef, 3> Fields;
    Found.split(Fields, '-');
    QueuedLink Other;
    if (Found == Except || Fields.size() != 3 ||
        Fields[0].getAsInteger(10, Other.Number) ||
        Fields[1].getAsInteger(10, Other.NeedBytes))
      continue;
    PlaceState State = stateOf(It->path());
    // A file that cannot be opened never shows that its link has ended. Its
    // number counts, since its name is taken.
    if (State == PlaceState::Ended ||
        (State == PlaceState::Unknown && isOld(It->path()))) {
      if (Removes)
        (void)sys::fs::remove(It->path());
      continue;
    }
    Other.Lives = State == PlaceState::Lives;
    Other.File = It->path();
    Other.Runs = Fields[2] == "run";
    Places.push_back(Other);
  }
  return Places;
}

/// Removes the queue in \p Directory if no link is in it; returns whether it
/// did. Takes over the directory's lock \p Gate, and releases it.
static bool removeUnused(const std::string &Directory, int Gate) {
  const bool IsUnused =
      none_of(placesIn(Directory, ""), [](const auto &P) { return P.Lives; });
  // Links that wait for the lock notice that its file is gone (`isFile`).
  if (IsUnused)
    (void)sys::fs::remove(joined(Directory, GateName));
  unlock(Gate);
  // Windows removes a file only after all processes have closed it. The removal
  // fails if a link has entered since.
  return IsUnused && !sys::fs::remove(Directory);
}

/// Removes the other queues of the cache of \p Directory that killed links have
/// left, and those of machines that have restarted since.
static void removeLeftQueues(const std::string &Directory) {
  for (const std::string &Path :
       queueDirectories(sys::path::parent_path(Directory).str())) {
    if (Path == Directory || !isOld(Path))
      continue;
    int Gate = lockDirectory(Path, milliseconds(0));
    if (Gate != -1)
      removeUnused(Path, Gate);
  }
}

std::vector<std::string> queueDirectories(const std::string &Cache) {
  return pathsIn(Cache, DirectoryPrefix);
}

std::vector<QueuedLink> linksInQueue(const std::string &Directory) {
  // Without the lock, a file may belong to a link that has not locked it yet.
  const int Gate = lockDirectory(Directory, MaxGateWait);
  std::vector<QueuedLink> Links = placesIn(Directory, "", Gate != -1);
  if (Gate != -1)
    removeUnused(Directory, Gate);
  llvm::erase_if(Links, [](const QueuedLink &Link) { return !Link.Lives; });
  std::ranges::sort(Links, {}, &QueuedLink::Number);
  llvm::for_each(Links, inspect);
  return Links;
}

bool isInQueue(const std::string &File) {
  return stateOf(File) == PlaceState::Lives;
}

void LinkQueue::leave() {
  if (!std::exchange(HasPolled, false))
    return;
  int Gate = lockDirectory(Directory, milliseconds(100));
  if (!Name.empty())
    (void)sys::fs::remove(joined(Directory, Name));
  Name.clear();
  unlock(File);
  if (Gate != -1 && removeUnused(Directory, Gate))
    removeLeftQueues(Directory);
}

std::string LinkQueue::file() const {
  return Name.empty() ? "" : joined(Directory, Name);
}

bool LinkQueue::enter(uint64_t NewNumber, uint64_t TotalBytes) {
  std::string New = (Twine(NewNumber) + "-" + Twine(NeedBytes) + "-wait").str();
  if (lock(joined(Directory, New), sys::fs::CD_CreateNew, milliseconds(0),
           File))
    return false;
  Number = NewNumber;
  Name = std::move(New);
  std::string Output = this->Output;
  std::ranges::replace(Output, '\n', ' ');
  raw_fd_ostream OS(File, /*shouldClose=*/false, /*unbuffered=*/false);
  OS << "pid " << sys::Process::getProcessId() << "\nspace "
     << os::processSpace() << "\nmemory " << TotalBytes << "\noutput " << Output
     << "\n";
  OS.flush();
  OS.clear_error(); // the disk is full: other links read no values
  return true;
}

/// Whether this link waits for \p Other.
bool LinkQueue::counts(QueuedLink &Other) {
  inspect(Other);
  if (Other.IsIdle)
    return false;
  Observed &Before = Others[Other.File];
  if (Before.Progress != Other.Progress)
    Before = {Other.Progress, 0};
  const bool Hangs =
      Before.Polls++ >= (Other.Progress ? Limits.Polls : Limits.UnknownPolls);
  IgnoresHungLink |= Hangs;
  return !Hangs;
}

LinkQueue::Answer LinkQueue::poll(uint64_t TotalBytes,
                                  uint64_t AvailableBytes) {
  int Gate = lockDirectory(Directory, MaxGateWait);
  if (Gate == -1)
    return Answer::None;
  HasPolled = true;
  llvm::scope_exit Leave([&] { unlock(Gate); });

  std::vector<QueuedLink> Places = placesIn(Directory, Name);
  if (Name.empty()) {
    uint64_t Last = 0;
    for (const QueuedLink &Other : Places)
      Last = std::max(Last, Other.Number);
    if (!enter(Last + 1, TotalBytes))
      return Answer::None;
  }
  llvm::erase_if(Places, [](const QueuedLink &Other) { return !Other.Lives; });
  uint64_t Needed = 0;
  bool IsAlone = true;
  IgnoresHungLink = false;
  for (QueuedLink &Other : Places) {
    if (!Other.Runs || !counts(Other))
      continue;
    Needed += Other.NeedBytes;
    IsAlone = false;
  }
  const bool HasRoom =
      Needed + NeedBytes <= TotalBytes && NeedBytes <= AvailableBytes;
  if (!HasRoom && !IsAlone)
    return Answer::Wait;
  // Inspects no more links than needed: many may wait, and each of them polls.
  if (llvm::any_of(Places, [&](QueuedLink &Other) {
        return !Other.Runs && Other.Number < Number && counts(Other);
      }))
    return Answer::Wait;
  std::string Runs = (Twine(Number) + "-" + Twine(NeedBytes) + "-run").str();
  if (sys::fs::rename(joined(Directory, Name), joined(Directory, Runs)))
    return Answer::None;
  Name = std::move(Runs);
  // `headstart queue` reports this time.
  (void)sys::fs::setLastAccessAndModificationTime(
      File, std::chrono::system_clock::now());
  return Answer::Begin;
}

} // namespace headstart
