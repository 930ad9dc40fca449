//===- InputList.cpp - The inputs of a link, in order ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputList.h"
#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

/// Whether two inputs of one name have the same search rule and therefore are
/// one file.
static bool haveOneRule(const NamedInput &A, const NamedInput &B) {
  return A.Search == B.Search && A.StaticOnly == B.StaticOnly &&
         (A.Search != SearchRule::ScriptInput ||
          sys::path::parent_path(A.From) == sys::path::parent_path(B.From));
}

InputList::InputList(const LinkCommand &Command) : Model(Command.model()) {
  for (const NamedInput &Named : Command.Inputs) {
    auto [Number, IsNew] = make(Named);
    if (IsNew) {
      Waiting.push_back({Number, Named.Turn});
      continue;
    }
    // `a.a --whole-archive a.a`
    NamedInput &Known = Items[Number].Named;
    Known.Whole |= Named.Whole;
    Known.Lazy &= Named.Lazy;
  }
}

/// Enters \p Named. Returns its number and whether it is new.
std::pair<uint32_t, bool> InputList::make(NamedInput Named) {
  auto Number = static_cast<uint32_t>(Items.size());
  // Two rules for one name (an input and a /defaultlib; scripts of two
  // directories) may find two files. The first keeps the name; find() knows the
  // others by their paths.
  if (auto It = ByName.find(Named.Name);
      It != ByName.end() && haveOneRule(Items[It->second].Named, Named))
    return {It->second, false};
  // In this order, no name is left without its item if an allocation fails.
  Items.push_back({std::move(Named)});
  ByName.try_emplace(Items.back().Named.Name, Number);
  return {Number, true};
}

/// lld 22 identifies default libraries by name: after `Foo` it does not search
/// for `foo` (COFF/Driver.cpp, visitedLibs).
static bool isDefaultLibrary(const NamedInput &Input) {
  return Input.Reason == InputReason::DefaultLibrary ||
         Input.Reason == InputReason::EmbeddedDefaultLibrary;
}

bool InputList::isSkipped(const NamedInput &Input) const {
  return Model.KnowsByIdentity && isDefaultLibrary(Input) &&
         DefaultLibraries.contains(StringRef(Input.Name).lower());
}

std::optional<uint32_t> InputList::next() {
  for (; !Waiting.empty(); Waiting.pop_front()) {
    uint32_t Number = Waiting.front().Number;
    if (!Items[Number].IsTaken && !isSkipped(Items[Number].Named))
      return Number;
  }
  return std::nullopt;
}

uint32_t InputList::take(uint32_t Number) {
  Item &I = Items[Number];
  if (std::exchange(I.IsTaken, true))
    return 0;
  if (Model.KnowsByIdentity && isDefaultLibrary(I.Named))
    DefaultLibraries.insert(StringRef(I.Named.Name).lower());
  return ++NumTaken;
}

void InputList::add(uint32_t By, std::vector<FoundInput> Found) {
  const uint8_t Of = Items[By].Named.Turn;
  std::vector<Turn> Next;
  for (FoundInput &F : Found) {
    F.Input.Turn = Of;
    auto [Number, IsNew] = make(F.Input);
    NamedInput &Known = Items[Number].Named;
    if (!IsNew && (Items[Number].IsTaken || (!F.Next && Known.Turn <= Of)))
      continue;
    if (!IsNew) {
      // The last link read it, so this one need not request it first.
      F.Input.OnDemand &= Known.Reason != InputReason::Recorded;
      Known = std::move(F.Input);
    }
    if (F.Next)
      Next.push_back({Number, Of});
    else
      Waiting.insert(
          llvm::upper_bound(Waiting, Of,
                            [](uint8_t Of, Turn T) { return Of < T.Of; }),
          {Number, Of});
  }
  // By is the first of its turn, unless the linker opens it out of order.
  Waiting.insert(llvm::lower_bound(
                     Waiting, Of, [](Turn T, uint8_t Of) { return T.Of < Of; }),
                 Next.begin(), Next.end());
}

bool InputList::settle(uint32_t Number, const ResolvedInput &Found) {
  const NamedInput &Named = Items[Number].Named;
  // lld-link identifies the files that it searches for by identity, not path.
  const os::FileIdentity &Identity = Found.Status.Identity;
  if (Model.KnowsByIdentity && Found.exists() &&
      (Named.Search == SearchRule::Object ||
       Named.Search == SearchRule::Library) &&
      !Files.insert({Identity.Device, Identity.Inode}).second)
    return false;
  if (auto It = ByName.find(Found.Path); It != ByName.end()) {
    Item &Other = Items[It->second];
    if (It->second == Number)
      return Other.IsAtName = !ByPath.contains(Found.Path);
    if (Other.IsAtName ||
        (Other.IsTaken && Other.Named.Search == SearchRule::Verbatim))
      return false;
  }
  return ByPath.try_emplace(Found.Path, Number).second;
}

std::optional<uint32_t> InputList::find(StringRef Path) const {
  const uint32_t Hash = StringMapImpl::hash(Path);
  for (const StringMap<uint32_t> *Map : {&ByPath, &ByName})
    if (auto It = Map->find(Path, Hash); It != Map->end())
      return It->second;
  return std::nullopt;
}

/// Why \p Found cannot be opened, as far as this is known without opening it.
static std::error_code whyNot(const ResolvedInput &Found) {
  std::error_code Error;
  if (Found.Status.Kind == os::FileKind::Directory)
    return std::make_error_code(std::errc::is_a_directory);
  if (Found.exists() ||
      os::statFile(Found.Path, Error).Kind != os::FileKind::Missing || Error)
    return Error;
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

std::vector<ListedInput>
listInputs(const LinkCommand &Command,
           function_ref<void(const ListedInput &, FileInspector &)> Visit) {
  InputResolver Resolver(Command);
  InputList List(Command);
  FileInspector Inspector;
  std::vector<ListedInput> Listed;
  while (std::optional<uint32_t> Number = List.next()) {
    List.take(*Number);
    const NamedInput &Named = List[*Number];
    ResolvedInput Found = Resolver.resolve(Named);
    if ((Named.Optional && !Found.exists()) || !List.settle(*Number, Found))
      continue;
    ListedInput &This =
        Listed.emplace_back(ListedInput{Named, std::move(Found), {}});
    This.Problem = whyNot(This.Found);
    os::OpenFile File;
    // Files of /proc and tracefs have a size of 0. Reading one may block or
    // have side effects.
    if (This.Found.Status.Kind != os::FileKind::Regular ||
        This.Found.Status.Identity.Size == 0)
      continue;
    This.Problem = os::OpenFile::open(This.Found.Path, This.Found.Status, File);
    if (This.Problem)
      continue;
    Inspector.open(File);
    if (Visit)
      Visit(This, Inspector);
    List.add(*Number, Resolver.scan(Named, This.Found.Path, Inspector));
  }
  return Listed;
}

} // namespace headstart
