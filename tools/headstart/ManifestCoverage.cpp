//===- ManifestCoverage.cpp - The trees in a manifest ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestCoverage.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace headstart {

/// A directory on the path down to the part, and the ignore rules in it.
namespace {
struct Place {
  os::DirectoryHandle Directory;
  os::FileIdentity Identity;
  IgnoreScopePtr Scope;
};
} // namespace

/// Returns the reason why the manifest's walk did not enter the directory
/// \p Name of \p At, whose path from the root is \p Path; "" if it did.
static StringRef reasonAgainst(Place &At, StringRef Path, StringRef Name,
                               const TreePlan &Plan) {
  if (!Plan.Selection.Hidden && Name.starts_with("."))
    return "its name begins with a dot, and walk had no --hidden";
  if (!Plan.Filter.judge(Path, Name, os::EntryType::Directory).Enter)
    return "a --glob excludes it";
  if (Plan.Ignore) {
    // The walk reports the problems.
    At.Scope = Plan.Ignore->enter(At.Scope, Path, At.Directory,
                                  IgnorePresence::in(At.Directory));
    if (Plan.Ignore->isIgnored(*At.Scope, Path, Name, /*IsDirectory=*/true))
      return "an ignore file hides it, and walk had no --no-ignore";
  }
  return "";
}

Error checkCovers(const ManifestPart &Part, const TreePlan &Plan) {
  StringRef Prefix = Part.prefix();
  const std::string &Root = Part.root().Absolute;
  if (Prefix.empty() || Part.isRemoved())
    return Error::success();
  auto LeftOut = [&](size_t End, const Twine &Why) {
    return createStringError(Root + (Root == "/" ? "" : "/") +
                             Prefix.take_front(End) +
                             ": this path is not in the manifest: " + Why);
  };
  Place At;
  auto Enter = [&](std::error_code Error) {
    return Error ? Error : At.Directory.identity(At.Identity);
  };
  if (std::error_code Error =
          Enter(os::DirectoryHandle::open(Root, At.Directory)))
    return createStringError(Root + ": " + Error.message());
  if (Plan.Ignore)
    At.Scope = Plan.Ignore->above(Root);
  const uint64_t Device = At.Identity.Device;
  for (size_t Begin = 0; Begin < Prefix.size();) {
    size_t End = std::min(Prefix.find('/', Begin), Prefix.size());
    const std::string Name = Prefix.slice(Begin, End).str();
    StringRef Path = Prefix.take_front(Begin).rtrim('/');
    if (StringRef Why = reasonAgainst(At, Path, Name, Plan); !Why.empty())
      return LeftOut(End, Why);
    if (std::error_code Error = Enter(At.Directory.openBelow(
            Name.c_str(), os::LinkRule::Refuse, At.Directory)))
      return createStringError(Root + "/" + Prefix.take_front(End) + ": " +
                               Error.message());
    if (Plan.Selection.SameFileSystem && At.Identity.Device != Device)
      return LeftOut(End, "it is on another file system, and walk had "
                          "--one-file-system");
    Begin = End + 1;
  }
  if (Plan.isTooDeep(Part.depth()))
    return LeftOut(Prefix.size(), "the manifest ends at --max-depth=" +
                                      Twine(*Plan.Selection.MaxDepth));
  if (Part.isUnknown(""))
    return LeftOut(Prefix.size(), "it could not be read");
  return Error::success();
}

Error checkIsNoWider(const TreeSelection &Wanted,
                     const TreeSelection &Recorded) {
  auto Without = [](const Twine &Option) {
    return createStringError(
        Option +
        ": the manifest was written without this option, so all that it "
        "adds would count as changed");
  };
  auto With = [](const Twine &Option) {
    return createStringError(
        "the manifest was written with " + Option +
        ", so all that it omits would count as changed: give the same "
        "option");
  };
  if (Wanted.Hidden && !Recorded.Hidden)
    return Without("--hidden");
  if (Wanted.NoIgnore && !Recorded.NoIgnore)
    return Without("--no-ignore");
  if (Wanted.FollowLinks && !Recorded.FollowLinks)
    return Without("--follow");
  if (!Wanted.SameFileSystem && Recorded.SameFileSystem)
    return With("--one-file-system");
  if (Recorded.MaxDepth &&
      (!Wanted.MaxDepth || *Wanted.MaxDepth > *Recorded.MaxDepth))
    return With("--max-depth=" + Twine(*Recorded.MaxDepth));
  // The globs must be equal, because it is hard to decide which list is wider.
  if (!Recorded.Globs.empty() && Wanted.Globs != Recorded.Globs)
    return With("--glob=" + llvm::join(Recorded.Globs, " --glob="));
  if (!Recorded.Types.empty() && !StringRef(Recorded.Types).contains('f'))
    return createStringError("the manifest was written with --type=" +
                             Recorded.Types + " and holds no files");
  return Error::success();
}

Error checkIsNoWiderAt(const ManifestPart &Part, const TreeSelection &Wanted) {
  const TreeSelection &Recorded = Part.manifest().selection();
  auto Wider = [](const Twine &Option) {
    return createStringError(
        Option + " counts from here, but the manifest's option counts "
                 "from a directory above");
  };
  if (Recorded.MaxDepth &&
      uint64_t(*Wanted.MaxDepth) + Part.depth() > *Recorded.MaxDepth)
    return Wider("--max-depth=" + Twine(*Wanted.MaxDepth));
  if (Part.depth() != 0)
    for (StringRef Glob : Recorded.Globs)
      if (Glob.contains('/'))
        return Wider("--glob=" + Glob);
  return Error::success();
}

} // namespace headstart
