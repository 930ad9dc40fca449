//===- DoctorMachine.cpp - The program and the machine --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Doctor.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/Abilities.h"
#include "headstart/OS/Machine.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>

using namespace llvm;

namespace headstart {

static constexpr StringLiteral NoPrefetch = "no link prefetches";

/// The environment as if \p Variable were all of it.
static CommandLineContext onlyWith(StringRef Variable) {
  CommandLineContext Context = CommandLineContext::fromProcess();
  Context.GetEnv = [Variable, All = Context.GetEnv](StringRef Name) {
    return Name == Variable ? All(Name) : std::nullopt;
  };
  return Context;
}

/// What each kind of linker says of \p Variable; one entry for each that
/// complains: its name and what it says.
static std::vector<std::pair<std::string, std::string>>
complaintsAbout(StringRef Variable) {
  std::vector<std::pair<std::string, std::string>> All;
  for (const Flavour F : {Flavour::ELF, Flavour::COFF, Flavour::MachO}) {
    PrefetchSettings Ignored;
    applyEnvironment(F, onlyWith(Variable), Ignored,
                     [&](const std::string &What) {
                       All.emplace_back(LinkerModel::of(F).Program.str(), What);
                     });
  }
  return All;
}

static void checkVariable(StringRef Variable, CheckGroup &Group) {
  const std::optional<std::string> Value =
      CommandLineContext::fromProcess().GetEnv(Variable);
  const std::string Name = Variable.str();
  Check &C = Group.add(Variable.lower(),
                       Value ? json::Value(json::fixUTF8(*Value))
                             : json::Value(nullptr),
                       Value ? Name + "=" + *Value : Name + " is not set");
  const auto Complaints = complaintsAbout(Variable);
  constexpr size_t Kinds = 3;
  if (!Complaints.empty()) {
    C.Text = Complaints.front().second;
    if (Complaints.size() == Kinds)
      return C.problem("no link prefetches, and each one warns",
                       "correct or unset " + Name);
    SmallVector<std::string, Kinds> Names;
    for (const auto &[Linker, What] : Complaints)
      Names.push_back(Linker);
    return C.note("links by " + join(Names, ", ") +
                      " do not prefetch, and each one warns",
                  "use options in " + Name + " that all linkers know");
  }
  PrefetchSettings Settings;
  const CommandLineContext Context = onlyWith(Variable);
  applyEnvironment(Flavour::ELF, Context, Settings, [](const std::string &) {});
  if (!whyOff(Settings, Context).empty())
    C.note(NoPrefetch.str(), "unset " + Name);
}

CheckGroup checkProgram(PrefetchSettings &Settings) {
  CheckGroup Group = {"program", "Program", "", {}};
  Group.add("version", versionText(), versionText());
  const std::string Path = os::programPath();
  Group.add(
      "program",
      Path.empty() ? json::Value(nullptr) : json::Value(json::fixUTF8(Path)),
      Path.empty() ? "the system does not tell where the program is" : Path);
  checkVariable("HEADSTART", Group);
  checkVariable("HEADSTART_FLAGS", Group);
  applyEnvironment(Flavour::ELF, CommandLineContext::fromProcess(), Settings,
                   [](const std::string &) {});
  const std::string Limit = os::limitInTheWay();
  Check &C = Group.add(
      "limits", Limit.empty() ? json::Value(nullptr) : json::Value(Limit),
      Limit.empty() ? "no limit (ulimit) is in the way" : Limit);
  if (!Limit.empty())
    C.problem("no link that is started from here prefetches",
              "raise that limit where links are started");
  return Group;
}

namespace {

/// What an ability is for, and what it costs to be without.
struct AbilityText {
  const char *Name; ///< in JSON
  const char *Purpose;
  const char *Costs;
  os::AbilityKind Kind;
  /// Another one that does the same; its own kind: none.
  os::AbilityKind Instead;
  /// Only some systems have such a call; elsewhere nothing is missing.
  bool IsExtra = false;
  Verdict WhenMissing = Verdict::Note;
};

using Kind = os::AbilityKind;
constexpr AbilityText AbilityTexts[] = {
    {"hint", "asks for ranges of files ahead",
     "files are read and copied instead: more processor time", Kind::Hint,
     Kind::Hint},
    {"large_pages", "fetches far files in large pages",
     "far files take four times the processor time", Kind::LargePages,
     Kind::LargePages, true},
    {"cachestat", "tells what is in memory of a file",
     "each file is mapped, to be asked about in another way", Kind::Cachestat,
     Kind::Mincore, true},
    {"mincore", "tells what is in memory of a mapping",
     "what is in memory already is fetched once more; residency, evict and "
     "bench cannot tell",
     Kind::Mincore, Kind::Cachestat},
    {"evict", "drops files from the page cache",
     "headstart evict fails, and bench makes no cold cache", Kind::Evict,
     Kind::Evict},
    {"cold", "says which pages can go first",
     "short of memory, pages that are done with stay longer", Kind::Cold,
     Kind::Cold, true},
    {"pagemap_scan", "tells what a link has touched, by ranges",
     "it is told page by page, at the end of a link", Kind::Scan, Kind::Pagemap,
     true},
    {"pagemap", "tells what a link has touched",
     "no records are kept: every link fetches as if it were the first",
     Kind::Pagemap, Kind::Scan},
    {"waits", "tells whether a thread waits for the disk",
     "headstart walk adds no threads on slow disks", Kind::Waits, Kind::Waits,
     true},
    {"threads", "starts the prefetcher's threads", "no link prefetches",
     Kind::Threads, Kind::Threads, false, Verdict::Problem},
};

} // namespace

/// What is missing, if \p Mine does not work; \p Other, which may be the same,
/// does its work then.
static void noteMissing(const AbilityText &T, const os::Ability &Mine,
                        const os::Ability &Other, Check &C) {
  C.Text = (Mine.Call.empty() ? "a call that " : Mine.Call + ", which ") +
           T.Purpose + ", does not work here";
  const bool IsReplaced = Other.Works && !T.IsExtra;
  C.Status = IsReplaced ? Verdict::Note : T.WhenMissing;
  C.Costs =
      IsReplaced ? "nothing: " + Other.Call + " is used instead" : T.Costs;
  C.Do = Mine.Call.empty() ? "nothing on this system"
         : Mine.Since.empty()
             ? "allow the call in the container or sandbox, if this is one"
             : "use " + Mine.Since +
                   " or later; in a container or sandbox allow the call";
}

CheckGroup checkSystem() {
  const std::vector<os::Ability> All = os::tryAbilities();
  const auto Find = [&](Kind K) -> const os::Ability & {
    return All[static_cast<size_t>(K)];
  };
  CheckGroup Group = {"system", "System", "", {}};
  const std::string System = os::readMachine().System;
  Group.add("system", textOrNull(System),
            System.empty() ? "the system does not tell its name" : System);
  for (const AbilityText &T : AbilityTexts) {
    const os::Ability &A = Find(T.Kind);
    if (A.Call.empty() && !A.Works && T.IsExtra)
      continue;
    Check &C = Group.add(T.Name, A.Works,
                         (A.Call.empty() ? "" : A.Call + ": ") + T.Purpose);
    if (!A.Works)
      noteMissing(T, A, Find(T.Instead), C);
  }
  return Group;
}

static json::Value numberOrNull(std::optional<uint64_t> Number) {
  return Number ? json::Value(*Number) : json::Value(nullptr);
}

/// Below that, links of large programs are short of memory: a debug build of
/// clang has 2 GB of inputs.
static constexpr uint64_t SmallBudget = uint64_t(1) << 30;

CheckGroup checkMemory(const PrefetchSettings &Settings) {
  CheckGroup Group = {"memory", "Memory", "", {}};
  const os::SystemMemory M = os::SystemMemory::read();
  if (M.TotalBytes == 0)
    Group.add("total_bytes", nullptr, "the system does not tell how much");
  else
    Group.add("total_bytes", M.TotalBytes,
              formatBytes(M.TotalBytes) + " in this machine");
  Group.add("limit_bytes", numberOrNull(M.CgroupLimitBytes),
            M.CgroupLimitBytes
                ? formatBytes(*M.CgroupLimitBytes) + " allowed by the control "
                                                     "group"
                : "no limit by a control group");
  if (M.available() != 0)
    Group.add("available_bytes", M.available(),
              formatBytes(M.available()) + " available now");
  const uint64_t Budget = Settings.budgetBytes(M);
  Check &C = Group.add("budget_bytes", Budget,
                       "a link fetches at most " + formatBytes(Budget) +
                           " ahead of the linker");
  if (M.available() != 0 && M.available() / 2 < SmallBudget)
    C.note("a link of more than " + formatBytes(M.available() / 2) +
               " of inputs is fetched only just ahead of the linker",
           M.CgroupAvailableBytes && *M.CgroupAvailableBytes < M.AvailableBytes
               ? "allow the control group (container, service) more memory"
               : "end programs that take memory, or run fewer links at a time");
  if (M.PressurePercent) {
    Check &P = Group.add(
        "pressure_percent", *M.PressurePercent,
        formatv("in {0:f1}% of the last 10 s a program waited for memory",
                *M.PressurePercent));
    if (*M.PressurePercent >= Tuning().HighPressurePercent)
      P.note("links that are short of memory fetch half as much ahead",
             "end programs that take memory, or run fewer links at a time");
  }
  return Group;
}

CheckGroup checkProcessors(const PrefetchSettings &Settings) {
  CheckGroup Group = {"processors", "Processors", "", {}};
  const os::Machine M = os::readMachine();
  Check &C = Group.add(
      "processors", M.Cores,
      std::to_string(M.Cores) + (M.Cores == 1 ? " processor" : " processors") +
          " for this process" +
          (M.Processor.empty() ? "" : " (" + M.Processor + ")"));
  Check &Q = Group.add(
      "quota", M.ProcessorQuota ? json::Value(*M.ProcessorQuota) : nullptr,
      M.ProcessorQuota
          ? formatv("the time of {0:f2} processors is allowed by the control "
                    "group",
                    *M.ProcessorQuota)
                .str()
          : "no quota by a control group");
  constexpr StringLiteral Shares =
      "the prefetcher takes turns with the linker: a link whose inputs are in "
      "memory may take longer";
  constexpr unsigned Enough = 2;
  if (M.ProcessorQuota && *M.ProcessorQuota < Enough)
    Q.note(Shares.str(), "allow the control group (container, service) more");
  else if (M.Cores < Enough)
    C.note(Shares.str(), "--no-prefetch-inputs where inputs are always in "
                         "memory");
  Group.add("jobs", Settings.Jobs,
            std::to_string(Settings.Jobs) + " threads prefetch in a link");
  Group.add("far_jobs", Settings.FarJobs,
            std::to_string(Settings.FarJobs) +
                " when its inputs are far away (network, FUSE)");
  return Group;
}

CheckGroup checkRecords(const PrefetchSettings &Settings) {
  CheckGroup Group = {"records", "Records of links", "", {}};
  constexpr StringLiteral Costs =
      "every link fetches as if it were the first: more bytes, and later";
  if (Settings.Profile != "auto") {
    Check &C = Group.add("setting", json::fixUTF8(Settings.Profile),
                         "HEADSTART_FLAGS says --prefetch-profile=" +
                             Settings.Profile);
    if (Settings.Profile == "none")
      C.note(Costs.str(), "take that out of HEADSTART_FLAGS");
  }
  const std::string Folder = profileFolder();
  if (Folder.empty()) {
    Group.add("folder", nullptr, "there is no folder for them")
        .problem(Costs.str(), "export XDG_CACHE_HOME=FOLDER, or set HOME");
    return Group;
  }
  Group.add("folder", json::fixUTF8(Folder), Folder);
  const bool CanKeep = canKeepProfiles(Folder);
  Check &C = Group.add("writable", CanKeep,
                       sys::fs::is_directory(Folder)
                           ? "can be written to"
                           : "can be made when there is a record to keep");
  if (!CanKeep) {
    C.Text = "cannot be written to, or made";
    C.problem(Costs.str(), "make it writable, or export XDG_CACHE_HOME=FOLDER "
                           "to keep them elsewhere");
  }
  uint64_t Bytes = 0;
  const std::vector<std::string> Paths = storedProfiles(Folder);
  for (const std::string &Path : Paths) {
    uint64_t Size = 0;
    if (!sys::fs::file_size(Path, Size))
      Bytes += Size;
  }
  Group.add("count", Paths.size(),
            std::to_string(Paths.size()) +
                (Paths.size() == 1 ? " record, " : " records, ") +
                formatBytes(Bytes));
  Group.add("bytes", Bytes, "");
  return Group;
}

} // namespace headstart
