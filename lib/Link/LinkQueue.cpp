//===- LinkQueue.cpp - Links that do not fit into memory together ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file's name is its number in the queue, what the link needs, and "run" or
/// "wait": 12-104857600-run.
///
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkQueue.h"
#include "headstart/LLVM.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <algorithm>
#include <chrono>

using namespace llvm;

namespace headstart {

struct LinkQueue::Place {
  uint64_t Number = 0;
  uint64_t NeedBytes = 0;
  bool Runs = false;
};

static std::string pathIn(const std::string &Folder, const Twine &Name) {
  SmallString<256> Path(Folder);
  sys::path::append(Path, Name);
  return Path.str().str();
}

/// Opens \p Path and locks it, waiting for \p Patience; -1 when it cannot be
/// had.
static int lock(const std::string &Path, sys::fs::CreationDisposition How,
                std::chrono::milliseconds Patience) {
  int File = -1;
  if (sys::fs::openFileForWrite(Path, File, How, sys::fs::OF_None))
    return -1;
  if (!sys::fs::tryLockFile(File, Patience))
    return File;
  (void)sys::Process::SafelyCloseFileDescriptor(File);
  return -1;
}

static void unlock(int &File) {
  if (File == -1)
    return;
  (void)sys::fs::unlockFile(File);
  (void)sys::Process::SafelyCloseFileDescriptor(File);
  File = -1;
}

LinkQueue::~LinkQueue() {
  if (!Name.empty())
    (void)sys::fs::remove(pathIn(Folder, Name));
  unlock(File);
}

/// The links that live, but for this one. The files of others are removed: of
/// ended ones nobody has the lock.
std::vector<LinkQueue::Place> LinkQueue::others() const {
  std::vector<Place> Others;
  std::error_code Error;
  for (sys::fs::directory_iterator It(Folder, Error), End; !Error && It != End;
       It.increment(Error)) {
    StringRef Found = sys::path::filename(It->path());
    SmallVector<StringRef, 3> Words;
    Found.split(Words, '-');
    Place Other;
    if (Found == Name || Words.size() != 3 ||
        Words[0].getAsInteger(10, Other.Number) ||
        Words[1].getAsInteger(10, Other.NeedBytes))
      continue;
    if (int Ended = lock(It->path(), sys::fs::CD_OpenExisting,
                         std::chrono::milliseconds(0));
        Ended != -1) {
      (void)sys::fs::remove(It->path());
      unlock(Ended);
      continue;
    }
    Other.Runs = Words[2] == "run";
    Others.push_back(Other);
  }
  return Others;
}

bool LinkQueue::enter(uint64_t NewNumber) {
  std::string New = (Twine(NewNumber) + "-" + Twine(NeedBytes) + "-wait").str();
  File = lock(pathIn(Folder, New), sys::fs::CD_CreateNew,
              std::chrono::milliseconds(0));
  if (File == -1)
    return false;
  Number = NewNumber;
  Name = std::move(New);
  return true;
}

LinkQueue::Answer LinkQueue::ask(uint64_t TotalBytes, uint64_t AvailableBytes) {
  if (sys::fs::create_directories(Folder))
    return Answer::None;
  int Gate = lock(pathIn(Folder, "lock"), sys::fs::CD_OpenAlways,
                  std::chrono::milliseconds(500));
  if (Gate == -1)
    return Answer::None;
  llvm::scope_exit Leave([&] { unlock(Gate); });

  std::vector<Place> Others = others();
  if (Name.empty()) {
    uint64_t Last = 0;
    for (const Place &Other : Others)
      Last = std::max(Last, Other.Number);
    if (!enter(Last + 1))
      return Answer::None;
  }
  uint64_t Needed = 0;
  Running = 0;
  bool IsFirst = true;
  for (const Place &Other : Others) {
    if (Other.Runs) {
      Needed += Other.NeedBytes;
      Running += Other.Number;
    } else {
      IsFirst &= Number < Other.Number;
    }
  }
  bool HasRoom =
      Needed + NeedBytes <= TotalBytes && NeedBytes <= AvailableBytes;
  if (!IsFirst || !(HasRoom || Running == 0))
    return Answer::Wait;
  std::string Runs = (Twine(Number) + "-" + Twine(NeedBytes) + "-run").str();
  if (sys::fs::rename(pathIn(Folder, Name), pathIn(Folder, Runs)))
    return Answer::None;
  Name = std::move(Runs);
  return Answer::Begin;
}

} // namespace headstart
