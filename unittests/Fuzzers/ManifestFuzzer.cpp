//===- ManifestFuzzer.cpp - Any bytes as a manifest -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost.h"
#include "headstart/FileTree/Manifest.h"
#include "headstart/FileTree/Record.h"
#include <cstdint>
#include <cstdlib>

using namespace headstart;

static constexpr fuzz::CostLimits Limits = {
    .Read = {0, 0},
    .Allocated = {192, 16 << 10},
    .Steps = {128, 20000},
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  fuzz::Cost Cost(Size, Limits);
  // Without a valid checksum, no input would get further.
  std::string Bytes = "headstart manifest 2\n";
  Bytes.append(reinterpret_cast<const char *>(Data), Size);
  addChecksum(Bytes);

  llvm::Expected<Manifest> M =
      Manifest::parse(llvm::MemoryBuffer::getMemBufferCopy(Bytes));
  if (!M) {
    llvm::consumeError(M.takeError());
    return 0;
  }
  for (const TreePlace &P : M->unknown())
    if (!M->isUnknown(P.Root, P.Path))
      abort();
  // Each entry can be found, serialized and parsed again.
  TreeListing Listing(1);
  for (const ManifestDirectory &F : M->directories()) {
    if (M->find(F.Root, F.Path) != &F)
      abort();
    std::vector<os::DirectoryEntry> Entries;
    for (const ManifestEntry &E : F.Entries) {
      if (Manifest::find(F, E.Name) != &E)
        abort();
      os::DirectoryEntry Entry;
      Entry.Name = std::string_view(E.Name.data(), E.Name.size());
      Entry.Type = E.Type;
      Entry.Identity = {0, E.Inode, E.Size, E.ModifiedNs, 0};
      Entries.push_back(Entry);
    }
    Listing.add(0, F.Root, F.Path, Entries);
  }
  Listing.sort();
  if (Listing.directories().size() != M->directories().size())
    abort();
  std::string Again =
      serializeManifest(M->selection(), M->roots(), M->recorded(),
                        Listing.directories(), M->unknown());
  llvm::Expected<Manifest> Second =
      Manifest::parse(llvm::MemoryBuffer::getMemBufferCopy(Again));
  if (!Second || Second->directories().size() != M->directories().size() ||
      Second->unknown() != M->unknown())
    abort();
  return 0;
}
