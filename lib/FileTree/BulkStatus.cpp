//===- BulkStatus.cpp - Changes of many files -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/BulkStatus.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include <atomic>

using namespace llvm;

namespace headstart {

StringRef changeName(FileChange Change) {
  switch (Change) {
  case FileChange::Same:
    return "same";
  case FileChange::Changed:
    return "changed";
  case FileChange::Missing:
    return "missing";
  case FileChange::Unknown:
    return "unknown";
  }
  llvm_unreachable("unknown change");
}

namespace {

/// Files that one thread compares. They are in one directory unless IsMixed.
struct Share {
  StringRef Directory; ///< ends with a separator; "" is the current directory
  std::vector<uint32_t> Files;
  /// The files are in several directories, each with too few to open it.
  bool IsMixed = false;
};

class Comparison {
public:
  Comparison(ArrayRef<KnownFile> Files, const BulkOptions &Options)
      : Files(Files), Options(Options),
        Changes(Files.size(), FileChange::Unknown) {}

  std::vector<FileChange> run();

private:
  /// A stat by path costs 0.90 us, one relative to an open directory 0.70;
  /// opening and closing it costs as much as two (cached, ext4, four parts).
  static constexpr size_t WorthOpening = 8;
  /// The most files that one thread takes at a time.
  static constexpr size_t ShareFiles = 4096;

  void divide();
  void work();
  void compare(const Share &S);
  void compareIn(const os::DirectoryHandle &Directory, const Share &S);
  bool takeFromListing(os::DirectoryHandle &Directory, const Share &S);
  FileChange compareByPath(const KnownFile &File) const;
  StringRef nameOf(const KnownFile &File, const Share &S) const {
    return File.Path.drop_front(S.Directory.size());
  }

  ArrayRef<KnownFile> Files;
  const BulkOptions &Options;
  std::vector<FileChange> Changes; ///< one thread writes each element
  std::vector<Share> Shares;
  std::atomic<size_t> NextShare{0};
};

} // namespace

static FileChange changeFrom(std::error_code Error) {
  return os::isMissing(Error) ? FileChange::Missing : FileChange::Unknown;
}

static FileChange changeOf(const os::FileIdentity &Now, const KnownFile &File) {
  return Now == File.Identity ? FileChange::Same : FileChange::Changed;
}

FileChange Comparison::compareByPath(const KnownFile &File) const {
  std::error_code Error;
  os::FileStatus Status = os::statFile(File.Path.str(), Error);
  if (Error)
    return FileChange::Unknown;
  return Status.Kind == os::FileKind::Missing ? FileChange::Missing
                                              : changeOf(Status.Identity, File);
}

/// Makes shares of each directory with enough files, and mixed shares of all
/// other files, which are stat'ed by their paths.
void Comparison::divide() {
  MapVector<StringRef, std::vector<uint32_t>> ByDirectory;
  for (const auto &[Index, File] : enumerate(Files)) {
    size_t Name = File.Path.size();
    while (Name != 0 && !sys::path::is_separator(File.Path[Name - 1]))
      --Name;
    ByDirectory[File.Path.take_front(Name)].push_back(
        static_cast<uint32_t>(Index));
  }
  std::vector<uint32_t> Rest;
  for (auto &[Directory, Indices] : ByDirectory) {
    if (Indices.size() < WorthOpening) {
      Rest.insert(Rest.end(), Indices.begin(), Indices.end());
      continue;
    }
    for (ArrayRef<uint32_t> Left = Indices; !Left.empty();
         Left = Left.drop_front(std::min(ShareFiles, Left.size())))
      Shares.push_back({Directory, Left.take_front(ShareFiles).vec(), false});
  }
  // Small shares, so that there are enough for many threads.
  for (ArrayRef<uint32_t> Left = Rest; !Left.empty();
       Left = Left.drop_front(std::min<size_t>(64, Left.size())))
    Shares.push_back({"", Left.take_front(64).vec(), /*IsMixed=*/true});
}

/// Whether \p Name can be stat'ed relative to its directory. If it is no name
/// of an entry, or contains a zero, the whole path must be used.
static bool isPlainName(StringRef Name) {
  return SnapshotName(Name).isEntryName() && !Name.contains('\0');
}

void Comparison::compareIn(const os::DirectoryHandle &Directory,
                           const Share &S) {
  SmallString<256> Name;
  for (uint32_t Index : S.Files) {
    const KnownFile &File = Files[Index];
    Name = nameOf(File, S);
    if (!isPlainName(Name)) {
      Changes[Index] = compareByPath(File);
      continue;
    }
    os::DirectoryEntry Entry;
    Entry.Name = std::string_view(Name.c_str(), Name.size());
    std::error_code Error = Directory.addStatus(Entry, os::LinkRule::Follow);
    Changes[Index] = Error ? changeFrom(Error) : changeOf(Entry.Identity, File);
  }
}

/// Compares the files with a listing that contains sizes and times. If these
/// are unchanged and no hint (a listing of NTFS can be out of date), the file
/// is the same. All other files are stat'ed.
bool Comparison::takeFromListing(os::DirectoryHandle &Directory,
                                 const Share &S) {
  const SnapshotOptions &Reading = Options.Snapshot;
  DirectorySnapshot::Ptr Listing;
  os::DirectoryHandle Mine;
  if (Directory.openBelow(".", os::LinkRule::Follow, Mine) ||
      DirectorySnapshot::read(std::move(Mine), Reading, Listing))
    return false;
  Share Left{S.Directory, {}, false};
  Left.Files.reserve(S.Files.size());
  for (uint32_t Index : S.Files) {
    auto Entry = Listing->find(SnapshotName(nameOf(Files[Index], S)));
    // The status of a link is not that of its target.
    if (Entry && Entry->hasOwnStatus() && Entry->Type != os::EntryType::Link &&
        Entry->Identity == Files[Index].Identity)
      Changes[Index] = FileChange::Same;
    else
      Left.Files.push_back(Index);
  }
  compareIn(Directory, Left);
  return true;
}

void Comparison::compare(const Share &S) {
  os::DirectoryHandle Directory;
  if (S.IsMixed || os::DirectoryHandle::open(S.Directory.str(), Directory)) {
    for (uint32_t Index : S.Files)
      Changes[Index] = compareByPath(Files[Index]);
    return;
  }
  os::DirectoryTraits Traits = Options.Snapshot.Traits
                                   ? Options.Snapshot.Traits(Directory)
                                   : os::traitsOf(Directory);
  if (!Traits.ListsStatus || !takeFromListing(Directory, S))
    compareIn(Directory, S);
}

void Comparison::work() {
  for (size_t I; (I = NextShare.fetch_add(1)) < Shares.size();)
    compare(Shares[I]);
}

std::vector<FileChange> Comparison::run() {
  divide();
  os::Threads Workers;
  size_t Jobs = std::min<size_t>(Options.Jobs, Shares.size());
  for (size_t I = 1; I < Jobs; ++I)
    if (Workers.start([this] { work(); }))
      break;
  work();
  Workers.join();
  return std::move(Changes);
}

std::vector<FileChange> compareFiles(ArrayRef<KnownFile> Files,
                                     const BulkOptions &Options) {
  return Comparison(Files, Options).run();
}

} // namespace headstart
