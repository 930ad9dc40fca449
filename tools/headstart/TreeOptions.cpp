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
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <chrono>

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

/// Parses the value \p Text of \p Option, a number up to \p Most.
static Expected<unsigned> parseCount(StringRef Option, StringRef Text,
                                     unsigned Most) {
  unsigned Count = 0;
  if (Text.getAsInteger(10, Count) || Count > Most)
    return createStringError(Option + "=" + Text +
                             ": expected a number up to " + Twine(Most));
  return Count;
}

static Error addTypes(StringRef Letters, TreeFilter &Filter) {
  for (char Letter : Letters) {
    if (Letter == 'f')
      Filter.addType(os::EntryType::Regular);
    else if (Letter == 'd')
      Filter.addType(os::EntryType::Directory);
    else if (Letter == 'l')
      Filter.addType(os::EntryType::Link);
    else
      return createStringError("--type=" + Letters +
                               ": expected letters of f, d and l");
  }
  return Error::success();
}

Expected<TreePlan> planTree(const TreeSelection &Selection,
                            const std::optional<std::string> &Jobs) {
  TreePlan Plan;
  Plan.Selection = Selection;
  for (const std::string &Glob : Selection.Globs)
    if (Error E = Plan.Filter.addGlob(Glob))
      return createStringError("--glob=" + toString(std::move(E)));
  if (Error E = addTypes(Selection.Types, Plan.Filter))
    return E;
  if (Jobs) {
    Expected<unsigned> Count =
        parseCount("--jobs", *Jobs, TreeWalker::MaxThreads);
    if (!Count)
      return Count.takeError();
    Plan.Jobs = *Count;
  }
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
  if (const auto Most = Arguments.value(OPT_max_depth_EQ)) {
    Expected<unsigned> Depth = parseCount("--max-depth", *Most, 1U << 30);
    if (!Depth)
      return Depth.takeError();
    Selection.MaxDepth = *Depth;
  }
  return planTree(Selection, Arguments.value(OPT_jobs_EQ));
}

TreeRoot::TreeRoot(StringRef Path) : Given(Path.empty() ? "." : Path) {
  if (Path.empty())
    return;
  StringRef Stem = Path.rtrim('/');
  Given = Stem.empty() ? "/" : Stem.str();
  Prefix = Stem.str() + "/";
}

TreeOperands classifyOperands(const std::vector<std::string> &Operands,
                              ProblemPrinter &Problems, DeadLinks Dead) {
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
    if (LeadsNowhere && Dead == DeadLinks::AreFiles &&
        sys::fs::is_symlink_file(Operand))
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

StringRef typeName(os::EntryType Type) {
  static constexpr std::array Names = {
      "unknown", "file",   "folder",       "link",
      "fifo",    "socket", "block device", "character device"};
  return Names.at(static_cast<size_t>(Type));
}

void appendTime(int64_t Nanoseconds, SmallVectorImpl<char> &Out) {
  using namespace std::chrono;
  // Nanoseconds cannot express the start of the first day that they reach.
  constexpr int64_t PerSecond = 1'000'000'000;
  const int64_t Rest = (Nanoseconds % PerSecond + PerSecond) % PerSecond;
  const sys_seconds Time(floor<seconds>(nanoseconds(Nanoseconds)));
  const auto Day = floor<days>(Time);
  const year_month_day Date(Day);
  const hh_mm_ss Clock(Time - Day);
  raw_svector_ostream(Out) << format(
      "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ", static_cast<int>(Date.year()),
      static_cast<unsigned>(Date.month()), static_cast<unsigned>(Date.day()),
      static_cast<int>(Clock.hours().count()),
      static_cast<int>(Clock.minutes().count()),
      static_cast<int>(Clock.seconds().count()), static_cast<int>(Rest));
}

void writePath(StringRef Path, json::OStream &J) {
  if (json::isUTF8(Path)) {
    J.attribute("path", Path);
    return;
  }
  J.attribute("path", json::fixUTF8(Path));
  J.attribute("path_base64", encodeBase64(Path));
}

} // namespace headstart
