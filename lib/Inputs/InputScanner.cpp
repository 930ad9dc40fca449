//===- InputScanner.cpp - What inputs name --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputScanner.h"
#include "ScanInside.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>
#include <deque>

using namespace llvm;

namespace headstart {

/// Enough for the magic numbers of all formats, and for the headers of most.
static constexpr size_t HeadBytes = 64;

bool InputScanner::isObject(const os::OpenFile &File) {
  std::array<char, HeadBytes> Bytes;
  std::error_code Error;
  size_t Read = File.readAt(0, Bytes, Error);
  return !Error && isObject(StringRef(Bytes.data(), Read));
}

bool InputScanner::isObject(StringRef Head) {
  switch (identify_magic(Head)) {
  case file_magic::bitcode:
  case file_magic::coff_object:
  case file_magic::elf_relocatable:
  case file_magic::macho_object:
    return true;
  default:
    return false;
  }
}

file_magic kindOf(ByteSource &Bytes) {
  std::optional<ArrayRef<char>> Head = Bytes.head(HeadBytes);
  return Head ? identify_magic(StringRef(Head->data(), Head->size()))
              : file_magic(file_magic::unknown);
}

std::vector<FoundInput> InputScanner::scan(const NamedInput &Named,
                                           StringRef Path,
                                           const os::OpenFile &File) const {
  FileBytes Bytes(File);
  if (Bytes.size() == 0)
    return {};
  ScanRequest Request{Resolver, Named, Path, File.identity(), Bytes};
  switch (Resolver.command().Kind) {
  case Flavour::COFF:
    return coff::scan(Request);
  case Flavour::ELF:
    return elf::scan(Request);
  case Flavour::MachO:
    return macho::scan(Request);
  }
  llvm_unreachable("unknown flavour");
}

namespace {
/// Which inputs of a link have come before.
class Listing {
public:
  explicit Listing(const LinkCommand &Command) : Command(Command) {}

  /// Whether the linker passes over \p Input without a search.
  bool skips(const NamedInput &Input) {
    // Default libraries are known by their names as written: of `Foo` and
    // `foo` lld 22 searches for the first only (COFF/Driver.cpp, visitedLibs).
    return Command.Kind == Flavour::COFF &&
           (Input.Reason == InputReason::DefaultLibrary ||
            Input.Reason == InputReason::DefaultInside) &&
           !Libraries.insert(StringRef(Input.Name).lower()).second;
  }
  bool isNew(const NamedInput &Input, const ResolvedInput &Found) {
    // What lld-link searches for it knows by identity, whatever the path.
    bool ByIdentity = Command.Kind == Flavour::COFF && Found.exists() &&
                      (Input.Search == SearchRule::Object ||
                       Input.Search == SearchRule::Library);
    const os::FileIdentity &Identity = Found.Status.Identity;
    if (ByIdentity && !Files.insert({Identity.Device, Identity.Inode}).second)
      return false;
    return Paths.insert(Found.Path).second;
  }

private:
  const LinkCommand &Command;
  StringSet<> Libraries;
  StringSet<> Paths;
  DenseSet<std::pair<uint64_t, uint64_t>> Files;
};
} // namespace

std::vector<ListedInput> listInputs(const LinkCommand &Command) {
  InputResolver Resolver(Command);
  InputScanner Scanner(Resolver);
  std::deque<NamedInput> Left(Command.Inputs.begin(), Command.Inputs.end());
  std::vector<ListedInput> Listed;
  Listing Before(Command);
  while (!Left.empty()) {
    NamedInput Named = std::move(Left.front());
    Left.pop_front();
    if (Before.skips(Named))
      continue;
    ResolvedInput Found = Resolver.resolve(Named);
    if ((Named.Optional && !Found.exists()) || !Before.isNew(Named, Found))
      continue;
    Listed.push_back({std::move(Named), std::move(Found)});
    const ListedInput &This = Listed.back();
    os::OpenFile File;
    // The files of /proc and tracefs say that they are empty; reading them may
    // wait, or do something.
    if (This.Found.Status.Kind != os::FileKind::Regular ||
        This.Found.Status.Identity.Size == 0 ||
        os::OpenFile::open(This.Found.Path, File))
      continue;
    std::vector<FoundInput> Inside =
        Scanner.scan(This.Named, This.Found.Path, File);
    uint8_t Turn = This.Named.Turn;
    for (FoundInput &F : Inside)
      F.Input.Turn = Turn;
    // Backwards, so that what stands first comes first.
    for (FoundInput &F : reverse(Inside))
      if (F.Next)
        Left.push_front(std::move(F.Input));
    auto Later = [](uint8_t Turn, const NamedInput &I) {
      return Turn < I.Turn;
    };
    for (FoundInput &F : Inside)
      if (!F.Next)
        Left.insert(llvm::upper_bound(Left, Turn, Later), std::move(F.Input));
  }
  return Listed;
}

} // namespace headstart
