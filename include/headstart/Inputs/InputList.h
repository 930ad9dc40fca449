//===- InputList.h - The inputs of a link, in order -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The list of a link's inputs in the order in which the linker opens them. It
/// decides where the dependencies of inputs belong in this order, and which
/// names are one file. The engine and `headstart inputs`, `plan` and `bench`
/// share it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_INPUTLIST_H
#define HEADSTART_INPUTS_INPUTLIST_H

#include "headstart/Inputs/InputResolver.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <cstdint>
#include <deque>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace headstart {

/// Each input has a number, which never changes. The input waits for its turn,
/// is taken, and is settled when its path is known. One thread at a time.
class InputList {
public:
  /// Lists the inputs that \p Command names. If two of them have the same name
  /// and search rule, they become one input that meets the needs of both.
  explicit InputList(const LinkCommand &Command);

  size_t size() const { return Items.size(); }
  /// The reference stays valid; the input does not change once it was taken.
  const NamedInput &operator[](uint32_t Number) const {
    return Items[Number].Named;
  }

  /// The next input in the linker's order; nullopt if all known inputs were
  /// taken.
  std::optional<uint32_t> next();
  /// Skips the next input, which can still be taken out of turn.
  void pass() { Waiting.pop_front(); }
  /// Takes \p Number, in or out of turn. Returns its place in the linker's
  /// order, counted from 1, as far as that order is known; 0 if it was taken
  /// before.
  uint32_t take(uint32_t Number);

  /// Adds the dependencies \p Found of \p By, in the turn of \p By
  /// (NamedInput::Turn). An input that waits for a later turn moves forward.
  void add(uint32_t By, std::vector<FoundInput> Found);

  /// Notes that \p Number was found at \p Found. Returns false if this is
  /// another name of an earlier input's file, which the linker skips.
  bool settle(uint32_t Number, const ResolvedInput &Found);

  /// The input that was found at \p Path, or else the input of that name.
  std::optional<uint32_t> find(llvm::StringRef Path) const;

private:
  struct Item {
    NamedInput Named;
    bool IsTaken = false;
    bool IsAtName = false; ///< whether it is settled and its path is its name
  };
  struct Turn {
    uint32_t Number;
    uint8_t Of;
  };

  std::pair<uint32_t, bool> make(NamedInput Named);
  bool isSkipped(const NamedInput &Input) const;

  const LinkerModel &Model;
  std::deque<Item> Items;   ///< by number
  std::deque<Turn> Waiting; ///< in order; an input that moved is in it twice
  uint32_t NumTaken = 0;
  llvm::StringMap<uint32_t> ByName;
  llvm::StringMap<uint32_t> ByPath;   ///< settled, but not at its name
  llvm::StringSet<> DefaultLibraries; ///< the taken ones, in lower case
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> Files; ///< the settled ones
};

/// An input of a link, with its path.
struct ListedInput {
  NamedInput Named;
  ResolvedInput Found;
  std::error_code Problem; ///< the reason why it cannot be opened
};

/// The files that the link of \p Command will read, in the linker's order and
/// each once: the inputs on the command line and their dependencies. Calls
/// \p Visit with each file that can be opened and is not empty, and with its
/// inspector. Reads the headers of the inputs, on the calling thread. Does not
/// scan members of archives: only the linker knows which of them it reads.
std::vector<ListedInput> listInputs(
    const LinkCommand &Command,
    llvm::function_ref<void(const ListedInput &, FileInspector &)> Visit =
        nullptr);

} // namespace headstart

#endif // HEADSTART_INPUTS_INPUTLIST_H
