//===- TreeOptions.cpp - Options for trees --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TreeOptions.h"
#include "Options.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace headstart {

WalkOptions TreePlan::walkOptions(bool WithStatus, unsigned Above) const {
  WalkOptions Options;
  Options.Jobs = Jobs;
  Options.WithStatus = WithStatus;
  Options.FollowLinks = Selection.FollowLinks;
  Options.SameFileSystem = Selection.SameFileSystem;
  Options.SkipHidden = !Selection.Hidden;
  if (Selection.MaxDepth)
    Options.MaxDepth = *Selection.MaxDepth - Above - 1;
  Options.Ignore = Ignore.get();
  return Options;
}

static Error addTypes(StringRef Letters, TreeFilter &Filter) {
  static constexpr os::EntryType Types[] = {
      os::EntryType::Regular, os::EntryType::Directory, os::EntryType::Link};
  for (char Letter : Letters) {
    const size_t Type = StringRef("fdl").find(Letter);
    if (Type == StringRef::npos)
      return createStringError("--type=" + Letters +
                               ": expected letters of f, d and l");
    Filter.addType(Types[Type]);
  }
  return Error::success();
}

Expected<TreePlan> planTree(const TreeSelection &Selection,
                            const CommandArguments &Arguments) {
  TreePlan Plan;
  Plan.Selection = Selection;
  for (const std::string &Glob : Selection.Globs)
    if (Error E = Plan.Filter.addGlob(Glob))
      return createStringError("--glob=" + toString(std::move(E)));
  if (Error E = addTypes(Selection.Types, Plan.Filter))
    return E;
  if (Error E = readNumber(Arguments, OPT_jobs_EQ, 0, TreeWalker::MaxThreads,
                           Plan.Jobs))
    return E;
  if (!Selection.NoIgnore)
    Plan.Ignore = std::make_shared<const IgnoreRules>();
  return Plan;
}

Expected<TreePlan> planTree(const CommandArguments &Arguments) {
  TreeSelection Selection;
  Selection.Hidden = Arguments.has(OPT_hidden);
  Selection.NoIgnore = Arguments.has(OPT_no_ignore);
  Selection.FollowLinks = Arguments.has(OPT_follow);
  Selection.SameFileSystem = Arguments.has(OPT_one_file_system);
  Selection.Globs = Arguments.Options.getAllArgValues(OPT_glob_EQ);
  if (const auto Types = Arguments.value(OPT_type_EQ)) {
    Selection.Types = *Types;
    if (Selection.Types.empty())
      return createStringError("--type=: expected letters of f, d and l");
  }
  if (Arguments.has(OPT_max_depth_EQ))
    if (Error E = readNumber(Arguments, OPT_max_depth_EQ, 0, 1U << 30,
                             Selection.MaxDepth.emplace()))
      return E;
  return planTree(Selection, Arguments);
}

TreeRoot::TreeRoot(StringRef Path) : Given(Path.empty() ? "." : Path) {
  if (Path.empty())
    return;
  StringRef Stem = Path.rtrim('/');
  Given = Stem.empty() ? "/" : Stem.str();
  Prefix = Stem.str() + "/";
}

TreeOperands classifyOperands(const std::vector<std::string> &Operands,
                              ProblemPrinter &Problems,
                              bool DeadLinksAreFiles) {
  TreeOperands Result;
  if (Operands.empty())
    Result.Directories.emplace_back("");
  for (const std::string &Operand : Operands) {
    std::error_code Error;
    os::FileStatus Status = os::statFile(Operand, Error);
    if (!Error && Status.Kind == os::FileKind::Missing)
      Error = std::make_error_code(std::errc::no_such_file_or_directory);
    bool LeadsNowhere = Error == std::errc::no_such_file_or_directory ||
                        Error == std::errc::too_many_symbolic_link_levels;
    if (LeadsNowhere && DeadLinksAreFiles && sys::fs::is_symlink_file(Operand))
      Error.clear();
    if (Error)
      Problems.print(Operand, Error.message());
    else if (Status.Kind == os::FileKind::Directory)
      Result.Directories.emplace_back(Operand);
    else
      Result.Files.push_back(Operand);
  }
  return Result;
}

namespace {

/// A directory on the path down to the part, and the ignore rules in it.
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

static Error checkCovers(const ManifestPart &Part, const TreePlan &Plan) {
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
    bool MayBeMount = false;
    if (std::error_code Error = Enter(At.Directory.openChild(
            Name.c_str(), os::LinkRule::Refuse, At.Directory, MayBeMount)))
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

Expected<ManifestPart> coveredPart(const Manifest &M, const std::string &Path,
                                   const TreePlan &Plan) {
  Expected<ManifestPart> Part = ManifestPart::of(M, Path);
  if (Part)
    if (Error E = checkCovers(*Part, Plan))
      return std::move(E);
  return Part;
}

void writePath(StringRef Path, json::OStream &J, StringRef Key) {
  J.attribute(Key, json::fixUTF8(Path));
  if (!json::isUTF8(Path))
    J.attribute((Key + "_base64").str(), encodeBase64(Path));
}

} // namespace headstart
