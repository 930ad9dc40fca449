//===- InputResolver.cpp - From names to paths ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectorySearch.h"
#include "Private.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

std::string joined(StringRef Directory, const Twine &A, const Twine &B,
                   const Twine &C) {
  SmallString<256> Path = Directory;
  sys::path::append(Path, A, B, C);
  return Path.str().str();
}

ResolvedInput statInput(StringRef Path) {
  ResolvedInput Result{Path.str(), {}};
  // An error (a loop of links, a directory without search permission) affects
  // lld as well, which then reports it.
  std::error_code Ignored;
  Result.Status = os::statFile(Result.Path, Ignored);
  return Result;
}

std::optional<std::string> readText(const std::string &Path,
                                    uint64_t MaxBytes) {
  os::OpenFile File;
  if (os::OpenFile::open(Path, File) || File.size() > MaxBytes)
    return std::nullopt;
  std::string Text(File.size(), '\0');
  std::error_code Ignored;
  Text.resize(File.readAt(0, Text, Ignored));
  return Text;
}

InputResolver::InputResolver(const LinkCommand &Command)
    : Command(Command),
      Directories(std::make_unique<DirectorySearch>(Command)) {}

InputResolver::~InputResolver() = default;

bool InputResolver::isFirstScan(const os::FileIdentity &File) const {
  std::lock_guard Lock(Mutex);
  return Scanned.emplace(File.Device, File.Inode).second;
}

ResolvedInput InputResolver::resolve(const NamedInput &Input) const {
  return Command.model().resolve(Input, *this);
}

std::vector<FoundInput> InputResolver::scan(const NamedInput &Named,
                                            StringRef Path,
                                            FileInspector &Inspector) const {
  if (Inspector.bytes().size() == 0)
    return {};
  return Command.model().scan({*this, Named, Path, Inspector});
}

} // namespace headstart
