//===- Manifest.cpp - The record of a tree --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Record.h describes the format of every record. The inode and time of an
/// entry are stored as differences from the previous entry, so that an entry
/// takes about 20 bytes plus its name.
///
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/Manifest.h"
#include "headstart/FileTree/Record.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <iterator>

using namespace llvm;

namespace headstart {

static constexpr StringRef Magic = "headstart manifest 2\n";

/// The options that are bits of a number, from the lowest bit.
static constexpr bool TreeSelection::*Flags[] = {
    &TreeSelection::Hidden, &TreeSelection::NoIgnore,
    &TreeSelection::FollowLinks, &TreeSelection::SameFileSystem};

static constexpr auto LastType =
    static_cast<unsigned>(os::EntryType::CharacterDevice);

/// One byte for each of type, inode, size, time, name length and a letter.
static constexpr uint64_t MinEntryBytes = 6;

/// The numbers from which the next entry's differ. Differences wrap around.
struct LastEntry {
  uint64_t Inode = 0;
  uint64_t ModifiedNs = 0;
};

static void writeEntry(const os::DirectoryEntry &E, LastEntry &Last,
                       raw_ostream &OS) {
  const os::FileIdentity &Id = E.Identity;
  encodeULEB128(static_cast<unsigned>(E.Type), OS);
  auto Modified = static_cast<uint64_t>(Id.ModifiedNs);
  writeSigned(static_cast<int64_t>(Id.Inode - Last.Inode), OS);
  encodeULEB128(Id.Size, OS);
  writeSigned(static_cast<int64_t>(Modified - Last.ModifiedNs), OS);
  writeString(E.Name, OS);
  Last = {Id.Inode, Modified};
}

/// Whether \p Inner is the place \p Outer or lies in it.
static bool contains(const TreePlace &Outer, const TreePlace &Inner) {
  return Outer.Root == Inner.Root && pathWithin(Outer.Path, Inner.Path);
}

static void writeUnknown(ArrayRef<TreePlace> Given, raw_ostream &OS) {
  std::vector<TreePlace> Sorted = Given.vec();
  llvm::sort(Sorted);
  std::vector<TreePlace> Outermost;
  for (const TreePlace &P : Sorted)
    if (Outermost.empty() || !contains(Outermost.back(), P))
      Outermost.push_back(P);
  encodeULEB128(Outermost.size(), OS);
  for (const TreePlace &P : Outermost) {
    encodeULEB128(P.Root, OS);
    writeString(P.Path, OS);
  }
}

std::string serializeManifest(const TreeSelection &Selection,
                              ArrayRef<ManifestRoot> Roots, int64_t Recorded,
                              ArrayRef<ListedDirectory> Directories,
                              ArrayRef<TreePlace> Unknown) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  OS << Magic;
  uint64_t Bits = 0;
  for (auto [I, Flag] : enumerate(Flags))
    Bits |= uint64_t(Selection.*Flag) << I;
  encodeULEB128(Bits, OS);
  encodeULEB128(Selection.MaxDepth ? uint64_t(*Selection.MaxDepth) + 1 : 0, OS);
  writeString(Selection.Types, OS);
  encodeULEB128(Selection.Globs.size(), OS);
  for (const std::string &Glob : Selection.Globs)
    writeString(Glob, OS);
  writeSigned(Recorded, OS);
  encodeULEB128(Roots.size(), OS);
  for (const ManifestRoot &Root : Roots) {
    writeString(Root.Given, OS);
    writeString(Root.Absolute, OS);
  }
  writeUnknown(Unknown, OS);
  uint64_t Count = 0;
  for (const ListedDirectory &F : Directories)
    Count += F.Entries.size();
  encodeULEB128(Count, OS);
  encodeULEB128(Directories.size(), OS);
  LastEntry Last;
  for (const ListedDirectory &F : Directories) {
    encodeULEB128(F.Root, OS);
    writeString(F.Path, OS);
    encodeULEB128(F.Entries.size(), OS);
    for (const os::DirectoryEntry &E : F.Entries)
      writeEntry(E, Last, OS);
  }
  addChecksum(Bytes);
  return Bytes;
}

/// Whether a file can have the name \p Name.
static bool isName(StringRef Name) {
  return !Name.empty() && Name != "." && Name != ".." && !Name.contains('/') &&
         !Name.contains('\0');
}

/// Whether \p Path is a path from a root to a place in its tree.
static bool isPathFromRoot(StringRef Path) {
  return Path.empty() || all_of(split(Path, '/'), isName);
}

static void readSelection(RecordReader &R, TreeSelection &Selection) {
  uint64_t Bits = R.number();
  if (Bits >> std::size(Flags))
    return R.fail("an unknown option");
  for (auto [I, Flag] : enumerate(Flags))
    Selection.*Flag = Bits >> I & 1;
  uint64_t Depth = R.number();
  if (Depth > uint64_t(UINT32_MAX) + 1)
    return R.fail("a depth that is too large");
  if (Depth != 0)
    Selection.MaxDepth = static_cast<unsigned>(Depth - 1);
  Selection.Types = R.string().str();
  if (Selection.Types.find_first_not_of("fdl") != std::string::npos)
    return R.fail("an unknown type");
  uint64_t Globs = R.count(1, "more globs than bytes");
  for (uint64_t I = 0; I != Globs && !R.failed(); ++I)
    Selection.Globs.push_back(R.string().str());
}

static ManifestEntry readEntry(RecordReader &R, LastEntry &Last) {
  ManifestEntry E;
  uint64_t Type = R.number();
  if (Type > LastType)
    R.fail("an entry of unknown type");
  else
    E.Type = static_cast<os::EntryType>(Type);
  Last.Inode += static_cast<uint64_t>(R.signedNumber());
  E.Inode = Last.Inode;
  E.Size = R.number();
  Last.ModifiedNs += static_cast<uint64_t>(R.signedNumber());
  E.ModifiedNs = static_cast<int64_t>(Last.ModifiedNs);
  E.Name = R.string();
  if (!isName(E.Name))
    R.fail("a name that no file can have");
  return E;
}

// Only the first failure counts, and all that is read after it is 0 or "".
Error Manifest::read(StringRef Content) {
  RecordReader R(Content);
  readSelection(R, Selection);
  Recorded = R.signedNumber();
  uint64_t RootCount = R.count(2, "more roots than possible");
  for (uint64_t I = 0; I != RootCount && !R.failed(); ++I) {
    std::string Given = R.string().str();
    Roots.push_back({std::move(Given), R.string().str()});
  }
  uint64_t UnknownCount = R.count(2, "more unreadable places than possible");
  for (uint64_t I = 0; I != UnknownCount && !R.failed(); ++I) {
    TreePlace P;
    P.Root = R.number();
    P.Path = R.string();
    if (P.Root >= Roots.size() || !isPathFromRoot(P.Path))
      R.fail("an unreadable place outside of the tree");
    else if (!Unknown.empty() &&
             (!(Unknown.back() < P) || contains(Unknown.back(), P)))
      R.fail("the unreadable places are out of order");
    Unknown.push_back(P);
  }
  uint64_t EntryCount = R.count(MinEntryBytes, "more entries than possible");
  // A directory has a root, a path, a count, and at least one entry.
  uint64_t DirectoryCount =
      R.count(3 + MinEntryBytes, "more directories than possible");
  if (!R.failed()) {
    // Directories point into Entries, which therefore must not be reallocated.
    Entries.reserve(EntryCount);
    Directories.reserve(DirectoryCount);
  }
  LastEntry Last;
  for (uint64_t I = 0; I != DirectoryCount && !R.failed(); ++I) {
    ManifestDirectory F;
    F.Root = R.number();
    F.Path = R.string();
    uint64_t Count = R.number();
    if (F.Root >= Roots.size() || !isPathFromRoot(F.Path))
      R.fail("a directory outside of the tree");
    else if (!Directories.empty() && !(Directories.back() < F))
      R.fail("the directories are out of order");
    else if (Count == 0 || Count > EntryCount - Entries.size())
      R.fail("a wrong number of entries");
    size_t First = Entries.size();
    StringRef Before;
    for (uint64_t J = 0; J != Count && !R.failed(); ++J) {
      Entries.push_back(readEntry(R, Last));
      if (Entries.back().Name <= Before)
        R.fail("the entries are out of order");
      Before = Entries.back().Name;
    }
    F.Entries = ArrayRef(Entries).drop_front(First);
    Directories.push_back(F);
  }
  if (Entries.size() != EntryCount)
    R.fail("a wrong number of entries");
  if (R.remaining() != 0)
    R.fail("bytes after the last directory");
  if (R.failed())
    return createStringError(R.problem());
  return Error::success();
}

Expected<Manifest> Manifest::parse(std::unique_ptr<MemoryBuffer> Bytes) {
  Expected<StringRef> Content =
      recordContent(Bytes->getBuffer(), Magic, "manifest");
  if (!Content)
    return Content.takeError();
  Manifest M;
  if (Error E = M.read(*Content))
    return E;
  M.Bytes = std::move(Bytes);
  return M;
}

Expected<Manifest> Manifest::load(const std::string &Path) {
  constexpr uint64_t MaxBytes = uint64_t(1) << 32;
  Expected<std::unique_ptr<MemoryBuffer>> Bytes =
      readRecordFile(Path, MaxBytes, "manifest");
  Expected<Manifest> M =
      Bytes ? parse(std::move(*Bytes)) : Expected<Manifest>(Bytes.takeError());
  if (!M)
    return createStringError("manifest '" + Path +
                             "': " + toString(M.takeError()));
  return M;
}

const ManifestDirectory *Manifest::find(size_t Root, StringRef Path) const {
  const TreePlace Place{Root, Path};
  const auto *At = llvm::lower_bound(directories(), Place);
  return At != directories().end() && *At == Place ? At : nullptr;
}

bool Manifest::isUnknown(size_t Root, StringRef Path) const {
  // No unknown place is in another, so only the last one up to Place can
  // contain it.
  const TreePlace Place{Root, Path};
  const auto Next = llvm::upper_bound(Unknown, Place);
  return Next != Unknown.begin() && contains(*std::prev(Next), Place);
}

const ManifestEntry *Manifest::find(const ManifestDirectory &Directory,
                                    StringRef Name) {
  const auto *At = llvm::lower_bound(
      Directory.Entries, Name,
      [](const ManifestEntry &E, StringRef N) { return E.Name < N; });
  return At != Directory.Entries.end() && At->Name == Name ? At : nullptr;
}

} // namespace headstart
