//===- InputList.h - The inputs of a link, in order -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The one list of a link's inputs: in which order the linker asks for them,
/// where in it comes what inputs name, and which names are one file. The engine
/// and `headstart inputs`, `plan` and `bench` all go by it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_INPUTLIST_H
#define HEADSTART_INPUTS_INPUTLIST_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/MappedFile.h"
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

/// An input is known by its number, which it keeps. It waits for its turn, is
/// taken, and settled when its path is known. One thread at a time.
class InputList {
public:
  /// All that \p Command names. A name that comes twice under the same rule is
  /// one input, of which is read what its names need together.
  explicit InputList(const LinkCommand &Command);

  size_t size() const { return Items.size(); }
  /// Stays where it is; not changed any more when the input was taken.
  const NamedInput &operator[](uint32_t Number) const {
    return Items[Number].Named;
  }

  /// The next in the linker's order; nothing when all that are known were
  /// taken.
  std::optional<uint32_t> next();
  /// Skips the next, which stays to be taken out of its turn.
  void pass() { Waiting.pop_front(); }
  /// Takes \p Number, in its turn or out of it; false when it was taken before.
  bool take(uint32_t Number);
  bool isTaken(uint32_t Number) const { return Items[Number].Place != 0; }
  /// How many inputs were taken before \p Number and with it: its place in the
  /// linker's order, as far as that is known.
  uint32_t place(uint32_t Number) const { return Items[Number].Place; }

  /// Adds what \p By names inside itself, in its turn (NamedInput::Turn). What
  /// was known and waits for a later turn comes earlier.
  void add(uint32_t By, std::vector<FoundInput> Found);

  /// \p Number was found at \p Found. False when that is another name for a
  /// file that has come before: the linker skips it.
  bool settle(uint32_t Number, const ResolvedInput &Found);

  /// The input that was found at \p Path; else the one of that name.
  std::optional<uint32_t> find(llvm::StringRef Path) const;

private:
  struct Item {
    NamedInput Named;
    uint32_t Place = 0;    ///< from 1; 0: waits
    bool IsAtName = false; ///< settled, and its path is its name
  };
  struct Turn {
    uint32_t Number;
    uint8_t Of;
  };

  std::pair<uint32_t, bool> make(NamedInput Named);
  bool isSkipped(const NamedInput &Input) const;

  const LinkerModel &Model;
  std::deque<Item> Items;   ///< by number
  std::deque<Turn> Waiting; ///< in order; who came earlier is there twice
  uint32_t NumTaken = 0;
  llvm::StringMap<uint32_t> ByName;
  llvm::StringMap<uint32_t> ByPath;   ///< settled elsewhere than at the name
  llvm::StringSet<> DefaultLibraries; ///< taken, in lower case
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> Files; ///< settled
};

/// An input of a link with its path settled.
struct ListedInput {
  NamedInput Named;
  ResolvedInput Found;
  std::error_code Problem; ///< why it cannot be opened
};

/// All that the link of \p Command will read, in the order in which the linker
/// asks for it, each file once: what the command line names and what is found
/// inside that. Calls \p Visit with each that can be opened and is not empty,
/// and with its inspector. Reads the inputs' headers, on the calling thread.
/// Members of archives are not scanned, since which of them will be read
/// only the linker knows.
std::vector<ListedInput> listInputs(
    const LinkCommand &Command,
    llvm::function_ref<void(const ListedInput &, FileInspector &)> Visit =
        nullptr);

} // namespace headstart

#endif // HEADSTART_INPUTS_INPUTLIST_H
