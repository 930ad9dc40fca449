//===- DoctorMachine.cpp - The program, the machine and its linkers -------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ForeignCommand.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/Capabilities.h"
#include "headstart/OS/Machine.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"

using namespace llvm;

namespace headstart {

/// Returns the environment of this process, reduced to \p Variable.
static CommandLineContext onlyWith(StringRef Variable) {
  CommandLineContext Context = CommandLineContext::fromProcess();
  Context.GetEnv = [Variable, All = Context.GetEnv](StringRef Name) {
    return Name == Variable ? All(Name) : std::nullopt;
  };
  return Context;
}

static void checkVariable(StringRef Variable, CheckGroup &Group) {
  const std::optional<std::string> Value =
      CommandLineContext::fromProcess().GetEnv(Variable);
  const std::string Name = Variable.str();
  Check &C = Group.add(Variable.lower(),
                       Value ? json::Value(json::fixUTF8(*Value))
                             : json::Value(nullptr),
                       Value ? Name + "=" + *Value : Name + " is not set");
  static constexpr Flavour Kinds[] = {Flavour::ELF, Flavour::COFF,
                                      Flavour::MachO};
  std::vector<std::string> Rejecting; // the linkers that reject it
  bool IsOff = false;
  for (const Flavour F : Kinds) {
    PrefetchSettings Settings;
    const std::string Warning =
        applyEnvironment(F, onlyWith(Variable), Settings);
    if (!Warning.empty() && Rejecting.empty())
      C.Text = Warning;
    if (!Warning.empty())
      Rejecting.push_back(LinkerModel::of(F).Program.str());
    IsOff |= F == Flavour::ELF && !whyOff(Settings).empty();
  }
  if (Rejecting.size() == std::size(Kinds))
    C.problem("no link prefetches, and each link prints a warning",
              "correct " + Name + ", or unset it");
  else if (!Rejecting.empty())
    C.note("links by " + join(Rejecting, ", ") +
               " do not prefetch, and each link prints a warning",
           "use only options in " + Name + " that all linkers accept");
  else if (IsOff)
    C.note("no link prefetches", "unset " + Name);
}

/// Checks the program and its environment variables, which set \p Settings as
/// in ld.lld.
static CheckGroup checkProgram(PrefetchSettings &Settings) {
  CheckGroup Group = {"program", "Program", "", {}};
  Group.add("version", versionText(), versionText());
  const std::string Path = os::programPath();
  Group.add("program", textOrNull(Path),
            Path.empty() ? "the system does not report the program's path"
                         : Path);
  checkVariable("HEADSTART", Group);
  checkVariable("HEADSTART_FLAGS", Group);
  (void)applyEnvironment(Flavour::ELF, CommandLineContext::fromProcess(),
                         Settings);
  const std::string Limit = os::blockingLimit();
  Check &C = Group.add("limits", textOrNull(Limit),
                       Limit.empty()
                           ? "no resource limit (ulimit) prevents prefetching"
                           : Limit);
  if (!Limit.empty())
    C.problem("links that this shell starts do not prefetch",
              "raise this limit before links are started");
  return Group;
}

namespace {

/// The purpose of a capability, and the effect if it is missing.
struct CapabilityText {
  const char *Name; ///< in JSON
  const char *Purpose;
  const char *Costs;
  os::CapabilityKind Kind;
  /// The capability that can replace it; its own kind: none.
  os::CapabilityKind Instead;
  /// Whether only some systems have the call; on others, nothing is missing.
  bool IsExtra = false;
  Finding WhenMissing = Finding::Note;
};

using Kind = os::CapabilityKind;
constexpr CapabilityText CapabilityTexts[] = {
    {"hint", "requests ranges of files in advance",
     "Headstart reads and copies files instead, which takes more processor "
     "time",
     Kind::Hint, Kind::Hint},
    {"large_pages", "fetches from high-latency stores in large pages",
     "fetching from high-latency stores takes four times the processor time",
     Kind::LargePages, Kind::LargePages, true},
    {"cachestat", "reports how much of a file is cached",
     "Headstart maps each file and queries the mapping instead",
     Kind::Cachestat, Kind::Mincore, true},
    {"mincore", "reports which pages of a mapping are cached",
     "links read samples of the inputs to find out what is cached; residency, "
     "evict and bench cannot report it",
     Kind::Mincore, Kind::Cachestat},
    {"evict", "evicts files from the page cache",
     "headstart evict fails, and headstart bench cannot measure cold links",
     Kind::Evict, Kind::Evict},
    {"cold", "marks pages that the kernel should reclaim first",
     "if memory is short, pages that a link no longer needs stay cached longer",
     Kind::Cold, Kind::Cold, true},
    {"pagemap_scan", "reports which ranges a link touched",
     "Headstart checks page by page at the end of a link", Kind::Scan,
     Kind::Pagemap, true},
    {"pagemap", "reports which pages a link touched",
     "Headstart stores no profiles: every link prefetches like a first link",
     Kind::Pagemap, Kind::Scan},
    {"waits", "reports whether a thread waits for the disk",
     "headstart walk does not add threads on slow disks", Kind::Waits,
     Kind::Waits, true},
    {"threads", "starts the prefetcher's threads", "no link prefetches",
     Kind::Threads, Kind::Threads, false, Finding::Problem},
};

} // namespace

/// "/proc and /sys are not mounted"; empty if nothing is missing.
static std::string unmounted(const os::Machine &M) {
  if (M.Unmounted.empty())
    return "";
  return join(M.Unmounted, " and ") +
         (M.Unmounted.size() == 1 ? " is" : " are") + " not mounted";
}

/// Whether \p System ("Linux 6.18.44-amd64") is \p First ("Linux 6.5") or
/// later.
static bool isSince(StringRef System, StringRef First) {
  const auto Version = [](StringRef Text) {
    VersionTuple Result;
    (void)Result.tryParse(Text.split(' ').second.take_while(
        [](char C) { return isDigit(C) || C == '.'; }));
    return Result;
  };
  return Version(First) <= Version(System);
}

/// Describes in \p C that \p Mine does not work, and whether \p Other, which
/// may be the same capability, replaces it.
static void noteMissing(const CapabilityText &T, const os::Capability &Mine,
                        const os::Capability &Other, const os::Machine &M,
                        Check &C) {
  const bool IsUnmounted = is_contained(M.Unmounted, Mine.Needs);
  C.Text = Mine.Call.empty()
               ? std::string("this system has no call that ") + T.Purpose
               : Mine.Call + ", which " + T.Purpose + ", does not work here" +
                     (IsUnmounted ? ": " + Mine.Needs + " is not mounted" : "");
  const bool IsReplaced = Other.Works && !T.IsExtra;
  C.Status = IsReplaced ? Finding::Note : T.WhenMissing;
  C.Costs =
      IsReplaced ? "none: Headstart uses " + Other.Call + " instead" : T.Costs;
  C.Do = Mine.Call.empty() ? "none on this system"
         : IsUnmounted     ? "mount " + Mine.Needs
         : isSince(M.System, Mine.Since)
             ? "in a container or sandbox, allow the call"
             : "use " + Mine.Since + " or later";
}

static CheckGroup checkSystem() {
  const std::vector<os::Capability> All = os::probeCapabilities();
  const auto Find = [&](Kind K) -> const os::Capability & {
    return All[static_cast<size_t>(K)];
  };
  CheckGroup Group = {"system", "System", "", {}};
  const os::Machine M = os::readMachine();
  Group.add("system", textOrNull(M.System),
            M.System.empty() ? "the system does not report its name"
                             : M.System);
  const std::string Places = join(M.Unmounted, " and ");
  Check &Mounts = Group.add("unmounted", textOrNull(Places), unmounted(M));
  if (!Places.empty())
    Mounts.note("Headstart cannot query memory, limits of control groups, or "
                "disks, and uses defaults",
                "mount " + Places);
  for (const CapabilityText &T : CapabilityTexts) {
    const os::Capability &A = Find(T.Kind);
    if (A.Call.empty() && !A.Works && T.IsExtra)
      continue;
    Check &C = Group.add(T.Name, A.Works,
                         (A.Call.empty() ? "" : A.Call + ": ") + T.Purpose);
    if (!A.Works)
      noteMissing(T, A, Find(T.Instead), M, C);
  }
  return Group;
}

/// With a smaller budget, links of large programs are short of memory: a debug
/// build of clang has 2 GB of inputs.
static constexpr uint64_t SmallBudget = uint64_t(1) << 30;

static CheckGroup checkMemory(const PrefetchSettings &Settings) {
  CheckGroup Group = {"memory", "Memory", "", {}};
  const os::SystemMemory M = os::SystemMemory::read();
  const std::string Unmounted = unmounted(os::readMachine());
  if (M.TotalBytes == 0)
    Group.add("total_bytes", nullptr,
              "the system does not report its memory size");
  else
    Group.add("total_bytes", M.TotalBytes,
              "this machine has " + formatBytes(M.TotalBytes));
  Group.add("limit_bytes", M.CgroupLimitBytes,
            M.CgroupLimitBytes
                ? "the control group allows " + formatBytes(*M.CgroupLimitBytes)
            : Unmounted.empty() ? "no control group limits the memory"
                                : "the memory limit of the control group is "
                                  "not known: " +
                                      Unmounted);
  if (M.available() != 0)
    Group.add("available_bytes", M.available(),
              formatBytes(M.available()) + " are available now");
  const uint64_t Budget = Settings.budgetBytes(M);
  Check &C = Group.add("budget_bytes", Budget,
                       "a link fetches at most " + formatBytes(Budget) +
                           " ahead of the linker");
  if (M.available() != 0 && M.available() / 2 < SmallBudget)
    C.note("if a link's inputs exceed " + formatBytes(M.available() / 2) +
               ", Headstart fetches them only shortly before the linker reads "
               "them",
           M.CgroupAvailableBytes && *M.CgroupAvailableBytes < M.AvailableBytes
               ? "allow the control group (container, service) more memory"
               : "end programs that use memory, or run fewer links at a time");
  return Group;
}

static CheckGroup checkProcessors(const PrefetchSettings &Settings) {
  CheckGroup Group = {"processors", "Processors", "", {}};
  const os::Machine M = os::readMachine();
  const unsigned Processors = os::usableProcessors();
  Check &C =
      Group.add("processors", Processors,
                "this process can use " + counted(Processors, "processor") +
                    (M.Processor.empty() ? "" : " (" + M.Processor + ")"));
  Check &Q = Group.add(
      "quota", M.ProcessorQuota,
      M.ProcessorQuota
          ? formatv("the control group allows the time of {0:f2} processors",
                    *M.ProcessorQuota)
                .str()
      : M.Unmounted.empty()
          ? "no control group limits the processor time"
          : "the control group's limit of processor time is not known: " +
                unmounted(M));
  constexpr StringLiteral Shares =
      "the prefetcher and the linker share one processor: a link whose inputs "
      "are cached may take longer";
  constexpr unsigned Enough = 2;
  if (M.ProcessorQuota && *M.ProcessorQuota < Enough)
    Q.note(Shares, "allow the control group (container, service) more "
                   "processor time");
  else if (Processors < Enough)
    C.note(Shares, "link with --no-prefetch-inputs if the inputs are "
                   "always cached");
  Group.add("jobs", Settings.Jobs,
            "a link prefetches with " + std::to_string(Settings.Jobs) +
                " threads");
  Group.add("far_jobs", Settings.HighLatencyJobs,
            "from a high-latency store (network, FUSE) it prefetches with " +
                std::to_string(Settings.HighLatencyJobs) + " threads");
  return Group;
}

static CheckGroup checkRecords(const PrefetchSettings &Settings) {
  CheckGroup Group = {"records", "Profiles", "", {}};
  constexpr StringLiteral Costs =
      "every link prefetches like a first link: it fetches more, and later";
  if (Settings.Profile != "auto") {
    Check &C = Group.add("setting", json::fixUTF8(Settings.Profile),
                         "HEADSTART_FLAGS sets --prefetch-profile=" +
                             Settings.Profile);
    if (Settings.Profile == "none")
      C.note(Costs, "remove this option from HEADSTART_FLAGS");
  }
  const std::string Directory = profileDirectory();
  if (Directory.empty()) {
    Group.add("folder", nullptr, "there is no directory for profiles")
        .problem(Costs, "export XDG_CACHE_HOME=DIRECTORY, or set HOME");
    return Group;
  }
  Group.add("folder", json::fixUTF8(Directory), Directory);
  const bool CanKeep = canKeepProfiles(Directory);
  Check &C = Group.add("writable", CanKeep,
                       sys::fs::is_directory(Directory)
                           ? "Headstart can write to this directory"
                           : "the first link creates this directory");
  if (!CanKeep) {
    C.Text =
        "Headstart cannot write to this directory, or create it: " + Directory;
    C.problem(Costs, "make it writable, or export "
                     "XDG_CACHE_HOME=DIRECTORY to store profiles "
                     "elsewhere");
  }
  uint64_t Bytes = 0;
  const std::vector<std::string> Paths = storedProfiles(Directory);
  for (const std::string &Path : Paths) {
    uint64_t Size = 0;
    if (!sys::fs::file_size(Path, Size))
      Bytes += Size;
  }
  Group.add("count", Paths.size(),
            counted(Paths.size(), "profile") + ", " + formatBytes(Bytes));
  Group.add("bytes", Bytes, "");
  return Group;
}

static constexpr StringLiteral DropIn = "ld.headstart";

namespace {

/// Checks the linkers and compilers on PATH. Queries each linker once.
class LinkerChecks {
public:
  CheckGroup run();

private:
  const LinkerVersion &query(const std::string &Path);
  std::string describe(const std::string &Path);
  void checkDropIn();
  void checkLinker(StringRef Name);
  void checkCompiler(StringRef Name);
  void checkVersionedClangs();
  std::string beside(StringRef Name);
  std::string adviceForClang();
  std::string adviceForGCC(StringRef Name);

  CheckGroup Group = {"linkers", "Linkers", "", {}};
  const std::string Self = os::programPath();
  StringMap<LinkerVersion> Answers; ///< keyed by path
  std::vector<std::string> Missing; ///< the names that are not on PATH
};

} // namespace

static std::string findOnPath(StringRef Name) {
  ErrorOr<std::string> Path = sys::findProgramByName(Name);
  return Path ? *Path : "";
}

const LinkerVersion &LinkerChecks::query(const std::string &Path) {
  const auto [Place, IsNew] = Answers.try_emplace(Path);
  if (IsNew)
    Place->second = versionOf(Path);
  return Place->second;
}

/// "/usr/bin/ld.lld, Debian LLD 22.1.8 (compatible with GNU linkers), stock".
std::string LinkerChecks::describe(const std::string &Path) {
  const LinkerVersion &Version = query(Path);
  if (Version.IsHeadstart)
    return Path + ", part of Headstart";
  if (Version.Line.empty())
    return Path + ", which reports no version";
  const bool IsLLD = StringRef(Version.Line).contains("LLD ");
  return Path + ", " + Version.Line + (IsLLD ? ", stock" : "");
}

/// The path of Headstart's linker \p Name, in this program's directory or in
/// that of the linkers that are installed with it; empty if it is in neither.
std::string LinkerChecks::beside(StringRef Name) {
  const StringRef Directory = sys::path::parent_path(Self);
  for (const StringRef Place :
       {StringRef(""), StringRef("../libexec/headstart")}) {
    SmallString<256> Path(Directory);
    sys::path::append(Path, Place, Name);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    // In /usr/bin, other programs have these names.
    if (!Self.empty() && sys::fs::can_execute(Path) &&
        query(std::string(Path)).IsHeadstart)
      return std::string(Path);
  }
  return "";
}

/// Returns the command that makes `-fuse-ld=headstart` work, or replaces it.
std::string LinkerChecks::adviceForClang() {
  const std::string Ours = beside(DropIn);
  if (!Ours.empty())
    return ("export PATH=" + sys::path::parent_path(Ours) + ":$PATH").str();
  const std::string Linker = beside("ld.lld");
  return Linker.empty()
             ? "install Headstart's linkers, or run: headstart run -- COMMAND"
             : "clang --ld-path=" + Linker;
}

/// Returns what makes \p Name, which rejects `-fuse-ld=headstart`, prefetch.
std::string LinkerChecks::adviceForGCC(StringRef Name) {
  for (const auto &[Linker, Selection] :
       {std::pair("ld", ""), std::pair("ld.lld", " -fuse-ld=lld")})
    if (const std::string Path = beside(Linker); !Path.empty())
      return (Name + " -B" + sys::path::parent_path(Path) + Selection).str();
  return ("install Headstart's linkers, or run: headstart run -- " + Name +
          " ARGS...")
      .str();
}

void LinkerChecks::checkDropIn() {
  const std::string Path = findOnPath(DropIn);
  Check &C = Group.add(
      DropIn, textOrNull(Path),
      DropIn + (Path.empty() ? " is not on PATH" : ": " + describe(Path)));
  if (Path.empty())
    C.note("clang -fuse-ld=headstart finds no linker", adviceForClang());
  else if (!query(Path).IsHeadstart)
    C.problem("clang -fuse-ld=headstart runs a program that is not part of "
              "Headstart",
              adviceForClang());
}

void LinkerChecks::checkLinker(StringRef Name) {
  const std::string Path = findOnPath(Name);
  Group.add(Name, textOrNull(Path),
            Path.empty() ? "" : Name + ": " + describe(Path));
  if (Path.empty())
    Missing.push_back(Name.str());
  else
    Group.add(Name + ".is_headstart", query(Path).IsHeadstart, "");
}

/// Checks which linker \p Name runs by default, and with -fuse-ld=headstart.
void LinkerChecks::checkCompiler(StringRef Name) {
  const std::string Path = findOnPath(Name);
  if (Path.empty()) {
    Group.add(Name, nullptr, "");
    Missing.push_back(Name.str());
    return;
  }
  // A driver that hangs is then asked nothing else.
  const std::string Version = versionOf(Path).Line;
  if (Version.empty()) {
    Group.add(Name, nullptr, Name + ": " + Path)
        .note("its links are not checked: it prints no version within 5 s",
              "check '" + Name + " --version'");
    return;
  }
  const std::string Default = linkerOf({Path, Self});
  const std::string Chosen = linkerOf({Path, Self, "-fuse-ld=headstart"});
  Check &C = Group.add(
      Name, textOrNull(Default),
      Name + " links with " +
          (Default.empty() ? "an unknown linker" : describe(Default)));
  if (!Chosen.empty() && query(Chosen).IsHeadstart) {
    C.Text += " by default; with -fuse-ld=headstart it runs Headstart";
    return;
  }
  if (!Default.empty() && query(Default).IsHeadstart)
    return;
  if (StringRef(Version).contains_insensitive("clang"))
    return C.note(
        Chosen.empty() || Chosen == Default
            ? "its links do not prefetch: -fuse-ld=headstart finds no linker"
            : "its links do not prefetch: -fuse-ld=headstart finds " + Chosen,
        adviceForClang());
  C.note("its links do not prefetch, and it rejects -fuse-ld=headstart",
         adviceForGCC(Name));
}

/// Checks the compilers with a version in their names: Debian installs clang
/// under names such as clang-22, and at most one of them is also clang.
void LinkerChecks::checkVersionedClangs() {
  constexpr unsigned Oldest = 11, Newest = LLVM_VERSION_MAJOR + 10;
  for (const StringRef Name : {"clang", "clang++"}) {
    SmallString<256> Unversioned, Versioned;
    (void)sys::fs::real_path(findOnPath(Name), Unversioned);
    for (unsigned Version = Newest; Version >= Oldest; --Version) {
      const std::string Full = (Name + "-" + Twine(Version)).str();
      const std::string Path = findOnPath(Full);
      if (!Path.empty() && !sys::fs::real_path(Path, Versioned) &&
          Versioned != Unversioned)
        checkCompiler(Full);
    }
  }
}

CheckGroup LinkerChecks::run() {
  checkDropIn();
  for (const StringRef Name :
       {"ld.lld", "lld-link", "ld64.lld", "ld", "mold", "wild"})
    checkLinker(Name);
  for (const StringRef Name : {"cc", "c++", "clang", "clang++"})
    checkCompiler(Name);
  checkVersionedClangs();
  if (!Missing.empty())
    Group.add("not_on_path", json::Array(Missing),
              "not on PATH: " + join(Missing, ", "));
  return std::move(Group);
}

void checkMachine(std::vector<CheckGroup> &Groups) {
  PrefetchSettings Settings;
  Groups.push_back(checkProgram(Settings));
  Groups.push_back(LinkerChecks().run());
  Groups.push_back(checkSystem());
  Groups.push_back(checkMemory(Settings));
  Groups.push_back(checkProcessors(Settings));
  Groups.push_back(checkRecords(Settings));
}

} // namespace headstart
