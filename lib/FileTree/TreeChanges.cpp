//===- TreeChanges.cpp - Changes of a tree --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeChanges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;

namespace headstart {

unsigned differenceOf(const ManifestEntry &Then,
                      const os::DirectoryEntry &Now) {
  unsigned Difference = SameEntry;
  if (Then.Type != Now.Type)
    Difference |= TypeDiffers;
  // The device is not compared. A network, layered or btrfs file system gets
  // another one with each mount. Git does not compare it either unless it is
  // built with USE_STDEV (Makefile; Documentation/technical/racy-git.txt).
  if (Then.Inode != Now.Identity.Inode)
    Difference |= IdDiffers;
  if (Then.Type == os::EntryType::Directory &&
      Now.Type == os::EntryType::Directory)
    return Difference;
  if (Then.Size != Now.Identity.Size)
    Difference |= SizeDiffers;
  if (Then.ModifiedNs != Now.Identity.ModifiedNs)
    Difference |= TimeDiffers;
  return Difference;
}

ManifestPart::ManifestPart(const Manifest &M, size_t Root, StringRef Prefix)
    : M(&M), Root(Root), Prefix(Prefix) {
  // The part's directories are consecutive.
  const auto *First =
      llvm::lower_bound(M.directories(), TreePlace{Root, Prefix});
  Directories = ArrayRef(First, M.directories().end())
                    .take_while([&](const ManifestDirectory &F) {
                      return F.Root == Root && pathWithin(Prefix, F.Path);
                    });
}

/// Returns the real path of \p Path. If it does not exist, the existing part of
/// it is resolved, and the rest is appended as written.
static std::error_code resolve(StringRef Path, SmallVectorImpl<char> &Absolute,
                               bool &IsRemoved) {
  const std::error_code Error = sys::fs::real_path(Path, Absolute);
  // A dangling link does exist.
  StringRef Above = Path.rtrim('/');
  sys::fs::file_status Status;
  if (!os::isMissing(Error) ||
      !sys::fs::status(Above, Status, /*Follow=*/false))
    return Error;
  SmallVector<StringRef, 16> Vanished;
  std::error_code AboveError = Error;
  while (os::isMissing(AboveError) && !Above.empty()) {
    StringRef Part = sys::path::filename(Above);
    if (Part == "..") // Its target depends on the missing directory.
      return Error;
    if (Part != ".")
      Vanished.push_back(Part);
    Above = sys::path::parent_path(Above);
    AboveError = sys::fs::real_path(Above.empty() ? "." : Above, Absolute);
  }
  if (AboveError)
    return Error;
  for (StringRef Part : reverse(Vanished))
    sys::path::append(Absolute, Part);
  IsRemoved = true;
  return {};
}

Expected<ManifestPart> ManifestPart::of(const Manifest &M,
                                        const std::string &Path) {
  SmallString<256> Absolute;
  bool IsRemoved = false;
  if (std::error_code Error = resolve(Path, Absolute, IsRemoved))
    return createStringError(Path + ": " + Error.message());
  std::optional<size_t> Best;
  auto Stem = [](StringRef Directory) {
    return Directory == "/" ? "" : Directory;
  };
  for (auto [I, Root] : enumerate(M.roots()))
    if (pathWithin(Stem(Root.Absolute), Absolute) && !Root.Absolute.empty() &&
        (!Best || M.roots()[*Best].Absolute.size() < Root.Absolute.size()))
      Best = I;
  if (!Best)
    return createStringError(
        Path + ": this path is not in the manifest, which describes '" +
        (M.roots().empty() ? std::string() : M.roots().front().Absolute) + "'");
  StringRef Prefix = Absolute;
  Prefix.consume_front(Stem(M.roots()[*Best].Absolute));
  Prefix.consume_front("/");
  ManifestPart Part(M, *Best, Prefix);
  Part.IsRemoved = IsRemoved;
  // A missing root may be on a file system that is not mounted.
  if (IsRemoved &&
      (Prefix.empty() || (!Part.entry() && Part.directories().empty())))
    return createStringError(
        Path + (Prefix.empty() ? ": No such file or directory"
                               : ": neither the tree nor the manifest has it"));
  return Part;
}

const ManifestEntry *ManifestPart::entry() const {
  auto [Above, Name] = StringRef(Prefix).rsplit('/');
  if (!StringRef(Prefix).contains('/'))
    std::swap(Above, Name);
  const ManifestDirectory *Directory = M->find(Root, Above);
  return Directory ? Manifest::find(*Directory, Name) : nullptr;
}

unsigned ManifestPart::depth() const {
  return Prefix.empty()
             ? 0
             : static_cast<unsigned>(StringRef(Prefix).count('/')) + 1;
}

const ManifestDirectory *ManifestPart::find(StringRef FromHere) const {
  SmallString<256> Storage;
  return M->find(Root, joinTreePath(Prefix, FromHere, Storage));
}

bool ManifestPart::isUnknown(StringRef FromHere) const {
  SmallString<256> Storage;
  return M->isUnknown(Root, joinTreePath(Prefix, FromHere, Storage));
}

ChangeFinder::ChangeFinder(const ManifestPart &Part, const TreeFilter &Filter,
                           std::function<void(StringRef, StringRef)> Report)
    : FilteringVisitor(Filter, Part.prefix()), Part(Part),
      Report(std::move(Report)) {
  if (Part.directories().empty())
    return;
  FirstEntry = Part.directories().front().Entries.begin();
  Seen.resize(static_cast<size_t>(Part.directories().back().Entries.end() -
                                  FirstEntry));
}

void ChangeFinder::show(const WalkDirectory &Directory,
                        ArrayRef<os::DirectoryEntry> Entries) {
  StringRef Path = Directory.pathFromRoot();
  const ManifestDirectory *Then = Part.find(Path);
  auto Note = [&](const os::DirectoryEntry &E, ChangeKind Kind,
                  unsigned Difference) {
    SmallString<256> Storage;
    StringRef EntryPath = joinTreePath(Path, StringRef(E.Name), Storage);
    if (Kind == ChangeKind::Added && Part.isUnknown(EntryPath))
      return;
    Found.at(Directory.thread())
        .push_back({Kind, E.Type, Difference, EntryPath.str()});
  };
  for (const os::DirectoryEntry &E : Entries) {
    const ManifestEntry *Record =
        Then ? Manifest::find(*Then, StringRef(E.Name)) : nullptr;
    if (Record)
      Seen[static_cast<size_t>(Record - FirstEntry)] = 1;
    const bool IsLeftOut = LeftOut.isSameFile(E.Identity);
    // If the status is missing, the problem has been reported. A hint may be
    // out of date.
    if (IsLeftOut || !E.hasOwnStatus())
      continue;
    if (!Record)
      Note(E, ChangeKind::Added, SameEntry);
    else if (unsigned Difference = differenceOf(*Record, E))
      Note(E, ChangeKind::Modified, Difference);
  }
}

void ChangeFinder::unknown(size_t /*Root*/, StringRef PathFromRoot) {
  std::lock_guard Lock(Mutex);
  Unknown.insert(PathFromRoot);
}

std::vector<TreeChange> ChangeFinder::finish() {
  std::vector<TreeChange> Changes;
  for (std::vector<TreeChange> &OfThread : Found) {
    llvm::append_range(Changes, OfThread);
    OfThread.clear();
  }
  // The place or a directory above it could not be read now.
  const auto IsUnknown = [this](StringRef Path) {
    for (; !Unknown.contains(Path); Path = sys::path::parent_path(Path))
      if (Path.empty())
        return false;
    return true;
  };
  for (const ManifestDirectory &F : Part.directories()) {
    const StringRef FromHere = *pathWithin(Part.prefix(), F.Path);
    if (IsUnknown(FromHere))
      continue;
    SmallString<256> Storage;
    for (const ManifestEntry &E : F.Entries) {
      StringRef Path = joinTreePath(FromHere, E.Name, Storage);
      if (!Seen[static_cast<size_t>(&E - FirstEntry)] &&
          !Unknown.contains(Path))
        Changes.push_back({ChangeKind::Removed, E.Type, SameEntry, Path.str()});
    }
  }
  llvm::sort(Changes, [](const TreeChange &A, const TreeChange &B) {
    return compareTreePaths(A.Path, B.Path) < 0;
  });
  return Changes;
}

} // namespace headstart
