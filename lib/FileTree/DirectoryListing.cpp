//===- DirectoryListing.cpp - Entries, directory by directory -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectoryListing.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

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

namespace detail {

IgnorePresence DirectoryListing::peek(os::DirectoryHandle &Directory) {
  IgnorePresence Present;
  HasPeeked = true;
  do {
    size_t Count = First.read(Current, Failure);
    for (const os::DirectoryEntry &Entry : ArrayRef(Current.data(), Count))
      Present.note({Entry.Name.data(), Entry.Name.size()});
    Ahead.insert(Ahead.end(), Current.begin(), Current.begin() + Count);
    if (Count == 0 || Failure)
      return Present;
  } while (!First.isAtBoundary());
  if (!Second)
    Second.emplace();
  Second->start(Directory);
  InCurrent = Second->read(Current, Failure);
  HasMore = InCurrent != 0;
  return HasMore ? IgnorePresence::in(Directory) : Present;
}

MutableArrayRef<os::DirectoryEntry>
DirectoryListing::next(std::error_code &Error) {
  Error = {};
  if (Given != Ahead.size()) {
    size_t Count = std::min(Ahead.size() - Given, Current.size());
    MutableArrayRef Result(Ahead.data() + Given, Count);
    Given += Count;
    if (Given == Ahead.size() && !HasMore)
      Error = Failure;
    return Result;
  }
  if (InCurrent != 0) {
    Error = Failure;
    return {Current.data(), std::exchange(InCurrent, 0)};
  }
  if (HasMore)
    return {Current.data(), Second->read(Current, Error)};
  if (HasPeeked) { // `peek` has read the whole directory.
    if (Ahead.empty())
      Error = Failure;
    return {};
  }
  return {Current.data(), First.read(Current, Error)};
}

} // namespace detail

} // namespace headstart
