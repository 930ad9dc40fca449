//===- TreeListing.cpp - All that a walk has shown, in order --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeListing.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>
#include <memory>

using namespace llvm;

namespace headstart {

int compareTreePaths(StringRef A, StringRef B) {
  size_t Common = std::min(A.size(), B.size());
  auto [InA, InB] = std::mismatch(A.begin(), A.begin() + Common, B.begin());
  if (InA == A.begin() + Common)
    return A.size() < B.size() ? -1 : A.size() > B.size() ? 1 : 0;
  // The end of a part precedes every byte of a name; no name contains a zero.
  auto Rank = [](char C) { return C == '/' ? 0U : static_cast<uint8_t>(C); };
  return Rank(*InA) < Rank(*InB) ? -1 : 1;
}

std::optional<StringRef> pathWithin(StringRef Above, StringRef Path) {
  if (Above.empty())
    return Path;
  if (!Path.consume_front(Above) || (!Path.empty() && !Path.consume_front("/")))
    return std::nullopt;
  return Path;
}

static bool hasLowerName(const os::DirectoryEntry &A,
                         const os::DirectoryEntry &B) {
  return A.Name < B.Name;
}

void TreeListing::add(unsigned Thread, size_t Root, StringRef Path,
                      ArrayRef<os::DirectoryEntry> Entries) {
  if (Entries.empty())
    return;
  Part &P = Parts[Thread];
  auto *Copy = P.Memory.Allocate<os::DirectoryEntry>(Entries.size());
  std::uninitialized_copy(Entries.begin(), Entries.end(), Copy);
  size_t Bytes = Path.size();
  for (const os::DirectoryEntry &E : Entries)
    Bytes += E.Name.size();
  char *Text = P.Memory.Allocate<char>(Bytes);
  auto Keep = [&Text](StringRef S) {
    StringRef Kept(Text, S.size());
    std::memcpy(Text, S.data(), S.size());
    Text += S.size();
    return Kept;
  };
  Path = Keep(Path);
  MutableArrayRef<os::DirectoryEntry> Kept(Copy, Entries.size());
  for (os::DirectoryEntry &E : Kept)
    E.Name = Keep(E.Name);
  // Sort here, where many threads do it in parallel.
  llvm::sort(Kept, hasLowerName);
  P.Directories.push_back({{Root, Path}, Kept});
}

/// Joins the pieces of one directory.
static ListedDirectory joinPieces(ArrayRef<ListedDirectory> Pieces,
                                  BumpPtrAllocator &Memory) {
  ListedDirectory Whole = Pieces.front();
  if (Pieces.size() != 1) {
    size_t Count = 0;
    for (const ListedDirectory &Piece : Pieces)
      Count += Piece.Entries.size();
    auto *At = Memory.Allocate<os::DirectoryEntry>(Count);
    Whole.Entries = {At, Count};
    for (const ListedDirectory &Piece : Pieces)
      At = std::uninitialized_copy(Piece.Entries.begin(), Piece.Entries.end(),
                                   At);
    llvm::sort(Whole.Entries, hasLowerName);
  }
  auto *End = std::unique(
      Whole.Entries.begin(), Whole.Entries.end(),
      [](const auto &A, const auto &B) { return A.Name == B.Name; });
  Whole.Entries = Whole.Entries.take_front(
      static_cast<size_t>(End - Whole.Entries.begin()));
  return Whole;
}

void TreeListing::sort() {
  std::vector<ListedDirectory> Pieces;
  for (const Part &P : Parts)
    llvm::append_range(Pieces, P.Directories);
  llvm::sort(Pieces);
  Directories.reserve(Pieces.size());
  for (ArrayRef<ListedDirectory> Rest = Pieces; !Rest.empty();) {
    const ListedDirectory &First = Rest.front();
    ArrayRef<ListedDirectory> Same =
        Rest.take_while([&](const ListedDirectory &F) { return F == First; });
    Directories.push_back(joinPieces(Same, Parts.front().Memory));
    Rest = Rest.drop_front(Same.size());
  }
}

void TreeListing::forEach(
    function_ref<void(const ListedDirectory &, const os::DirectoryEntry &)>
        Visit) const {
  struct Level {
    const ListedDirectory *Directory;
    ArrayRef<os::DirectoryEntry> Rest;
  };
  std::vector<Level> Stack;
  auto Next = Directories.begin();
  while (Next != Directories.end() || !Stack.empty()) {
    if (Stack.empty()) {
      Stack.push_back({&*Next, Next->Entries});
      ++Next;
      continue;
    }
    // The directories are in the order of the visit. The next one is either
    // inside the current one, or the current one ends before it.
    Level &Top = Stack.back();
    std::optional<StringRef> Within;
    if (Next != Directories.end() && Next->Root == Top.Directory->Root)
      Within = pathWithin(Top.Directory->Path, Next->Path);
    // The next directory's own entry, if it was shown, precedes its contents.
    StringRef Part = Within ? Within->split('/').first : StringRef();
    if (!Top.Rest.empty() &&
        (!Within || StringRef(Top.Rest.front().Name) <= Part)) {
      Visit(*Top.Directory, Top.Rest.front());
      Top.Rest = Top.Rest.drop_front();
    } else if (Within) {
      Stack.push_back({&*Next, Next->Entries});
      ++Next;
    } else {
      Stack.pop_back();
    }
  }
}

} // namespace headstart
