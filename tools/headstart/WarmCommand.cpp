//===- WarmCommand.cpp - headstart warm -----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks trees and fetches their files at the same time. Threads: those of the
/// walk, those that fetch, and one that draws the progress and checks whether a
/// signal has arrived. The main thread walks and then waits.
///
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LineOutput.h"
#include "Options.h"
#include "TreeOptions.h"
#include "headstart/Engine/TreeFetcher.h"
#include "headstart/FileTree/Record.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/StopSignals.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

using namespace llvm;

namespace headstart {

/// Checks that a walk of \p Wanted shows no more files than one of \p Recorded.
/// Succeeds only if this is obvious. The error names the wider option.
static Error checkIsNoWider(const TreeSelection &Wanted,
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
    return With("--glob=" + join(Recorded.Globs, " --glob="));
  if (!Recorded.Types.empty() && !StringRef(Recorded.Types).contains('f'))
    return createStringError("the manifest was written with --type=" +
                             Recorded.Types + " and holds no files");
  return Error::success();
}

/// Checks that a walk shows no more files if it begins at \p Part, from which
/// its depth and globs count. Requires that `checkIsNoWider` has succeeded.
static Error checkIsNoWiderAt(const ManifestPart &Part,
                              const TreeSelection &Wanted) {
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

namespace {

/// The filter of --changed-since.
class ChangedSince {
public:
  /// Reads \p File: a manifest, or a file whose modification time counts.
  Error read(const std::string &File);

  /// Checks that a manifest covers \p Wanted. The error names an option.
  Error accept(const TreePlan &Wanted);
  /// Begins the next root of \p Wanted. The error says that the manifest does
  /// not contain it, or not enough of it. Must follow `accept`.
  Error enter(const std::string &Root, const TreePlan &Wanted);
  bool contains(StringRef DirectoryPath, const os::DirectoryEntry &Entry) const;
  /// Checks a file that an operand names. Blocks.
  bool contains(const std::string &File,
                const os::FileIdentity &Identity) const;

  /// Whether --changed-since was given.
  bool isSet() const { return NewerThan || Record; }

private:
  bool isNewer(const os::FileIdentity &Identity) const {
    return !NewerThan || Identity.ModifiedNs > *NewerThan;
  }

  std::optional<int64_t> NewerThan;
  std::optional<Manifest> Record;
  std::optional<TreePlan> RecordPlan; ///< the walk that wrote Record
  std::optional<ManifestPart> Part;   ///< of Record, for the current root
};

/// Passes the files that a walk shows to a fetcher.
class Feeder : public FilteringVisitor {
public:
  Feeder(const TreePlan &Plan, const ChangedSince &Changed,
         TreeFetcher &Fetcher, ProblemPrinter &Problems)
      : FilteringVisitor(Plan.Filter), Changed(Changed), Fetcher(Fetcher),
        Problems(Problems) {}

  void problem(StringRef Path, StringRef What) override {
    Problems.count(Path, What);
  }

private:
  void show(const WalkDirectory &Directory,
            ArrayRef<os::DirectoryEntry> Entries) override {
    std::vector<FileToFetch> Files;
    for (const os::DirectoryEntry &Entry : Entries)
      if (Entry.Type == os::EntryType::Regular && Entry.HasStatus &&
          Changed.contains(Directory.pathFromRoot(), Entry))
        Files.push_back({Directory.pathOf(Entry.Name), Entry.Identity.Size});
    if (!Files.empty())
      Fetcher.add(std::move(Files));
  }

  const ChangedSince &Changed;
  TreeFetcher &Fetcher;
  ProblemPrinter &Problems;
};

/// Draws the progress, and passes a signal on, on a thread of its own.
class Watcher {
public:
  Watcher(TreeWalker &Walker, TreeFetcher &Fetcher)
      : Walker(Walker), Fetcher(Fetcher) {}
  ~Watcher() { stop(); }

  void start() {
    // Without the thread no progress is drawn, and a signal waits for the end.
    (void)Thread.start([this] { watch(); });
  }
  /// Prints an error in place of the line, which is then drawn again. Any
  /// thread.
  void print(const std::string &Message) {
    std::lock_guard Lock(Mutex);
    Line.erase();
    fail(Message);
  }
  void walkIsOver() { IsComplete.store(true); }
  void stop() {
    {
      std::lock_guard Lock(Mutex);
      IsOver = true;
      Over.notify_all();
    }
    Thread.join();
  }

private:
  void watch() {
    std::unique_lock Lock(Mutex);
    // Short enough for smooth progress and a prompt reaction to Ctrl-C.
    constexpr std::chrono::milliseconds Interval(50);
    while (!Over.wait_for(Lock, Interval, [this] { return IsOver; })) {
      if (os::StopSignals::received() != 0) {
        Walker.cancel();
        Fetcher.cancel();
      }
      if (Line.isShown())
        Line.draw(Fetcher.figures(), IsComplete);
    }
    Line.erase();
  }

  TreeWalker &Walker;
  TreeFetcher &Fetcher;
  std::atomic<bool> IsComplete = false;
  std::mutex Mutex;  ///< guards standard error while the thread runs
  ProgressLine Line; ///< guarded by Mutex
  std::condition_variable Over;
  bool IsOver = false; ///< guarded by Mutex
  os::Threads Thread;
};

} // namespace

Error ChangedSince::read(const std::string &File) {
  std::error_code Error;
  os::FileStatus Status = os::statFile(File, Error);
  if (!Error && Status.Kind == os::FileKind::Missing)
    Error = std::make_error_code(std::errc::no_such_file_or_directory);
  if (Error)
    return createStringError(Error, File + ": " + Error.message());
  if (startsLikeRecord(File, ManifestStart)) {
    Expected<Manifest> M = Manifest::load(File);
    if (!M)
      return M.takeError();
    Record.emplace(std::move(*M));
  } else {
    NewerThan = Status.Identity.ModifiedNs;
  }
  return Error::success();
}

Error ChangedSince::accept(const TreePlan &Wanted) {
  if (!Record)
    return Error::success();
  Expected<TreePlan> Plan = planTree(Record->selection());
  if (!Plan)
    return Plan.takeError();
  RecordPlan.emplace(std::move(*Plan));
  return checkIsNoWider(Wanted.Selection, Record->selection());
}

Error ChangedSince::enter(const std::string &Root, const TreePlan &Wanted) {
  if (!Record)
    return Error::success();
  Expected<ManifestPart> Of = ManifestPart::of(*Record, Root);
  if (!Of)
    return Of.takeError();
  if (Error E = checkCovers(*Of, *RecordPlan))
    return E;
  if (Error E = checkIsNoWiderAt(*Of, Wanted.Selection))
    return E;
  Part.emplace(*Of);
  return Error::success();
}

bool ChangedSince::contains(const std::string &File,
                            const os::FileIdentity &Identity) const {
  if (!Record)
    return isNewer(Identity);
  Expected<ManifestPart> Of = ManifestPart::of(*Record, File);
  if (!Of) {
    consumeError(Of.takeError()); // the manifest does not contain it
    return true;
  }
  const ManifestEntry *Then = Of->entry();
  os::DirectoryEntry Now;
  Now.Type = os::EntryType::Regular; // other types are not fetched anyway
  Now.Identity = Identity;
  return !Then || differenceOf(*Then, Now) != SameEntry;
}

bool ChangedSince::contains(StringRef DirectoryPath,
                            const os::DirectoryEntry &Entry) const {
  if (!Part)
    return isNewer(Entry.Identity);
  const ManifestDirectory *Directory = Part->find(DirectoryPath);
  const ManifestEntry *Then =
      Directory ? Manifest::find(*Directory, StringRef(Entry.Name)) : nullptr;
  return !Then || differenceOf(*Then, Entry) != SameEntry;
}

static std::string countFiles(uint64_t Count) {
  return formatv(Count == 1 ? "{0:N} file" : "{0:N} files", Count);
}

static double secondsSince(TraceClock::time_point Origin) {
  return std::chrono::duration<double>(TraceClock::now() - Origin).count();
}

/// "1,234 files, 5.6 GB fetched in 2.1 s, 1.2 GB already cached, 4 files
/// (120 MB) skipped: the budget is 5.6 GB (--memory)".
static void writeText(const TreeFetchFigures &F, TraceClock::time_point Origin,
                      bool IsInterrupted) {
  if (IsInterrupted)
    outs() << "interrupted: ";
  outs() << countFiles(F.FetchedFiles) << ", " << formatBytes(F.FetchedBytes)
         << format(" fetched in %.1f s", secondsSince(Origin));
  if (F.UnknownFiles == 0 || F.ResidentBytes != 0)
    outs() << ", " << formatBytes(F.ResidentBytes) << " already cached";
  if (F.LeftOutFiles)
    outs() << ", " << countFiles(F.LeftOutFiles) << " ("
           << formatBytes(F.LeftOutBytes) << ") skipped: the budget is "
           << formatBytes(F.BudgetBytes) << " (--memory)";
  if (F.SkippedFiles)
    outs() << ", " << countFiles(F.SkippedFiles) << " skipped (not regular)";
  if (F.ChangedFiles)
    outs() << ", " << countFiles(F.ChangedFiles)
           << " removed or truncated meanwhile";
  if (F.FailedFiles)
    outs() << ", " << countFiles(F.FailedFiles) << " failed";
  if (F.UnknownFiles)
    outs() << "; for " << countFiles(F.UnknownFiles) << " ("
           << formatBytes(F.UnknownBytes)
           << ") the system does not report how much was already cached";
  outs() << "\n";
}

static void writeJSON(const TreeFetchFigures &F, TraceClock::time_point Origin,
                      bool IsInterrupted) {
  printJSON([&](json::OStream &J) {
    J.attribute("files", F.Files);
    J.attribute("bytes", F.Bytes);
    J.attribute("fetched_files", F.FetchedFiles);
    J.attribute("fetched_bytes", F.FetchedBytes);
    J.attribute("resident_files", F.ResidentFiles);
    J.attribute("resident_bytes", F.ResidentBytes);
    J.attribute("unknown_files", F.UnknownFiles);
    J.attribute("unknown_bytes", F.UnknownBytes);
    J.attribute("left_out_files", F.LeftOutFiles);
    J.attribute("left_out_bytes", F.LeftOutBytes);
    J.attribute("skipped_files", F.SkippedFiles);
    J.attribute("changed_files", F.ChangedFiles);
    J.attribute("failed_files", F.FailedFiles);
    J.attribute("same_files", F.SameFiles);
    J.attribute("budget_bytes", F.BudgetBytes);
    J.attribute("seconds", secondsSince(Origin));
    J.attribute("interrupted", IsInterrupted);
  });
}

/// Walks every directory and passes the files to \p Fetcher.
static void feed(const TreePlan &Plan, const TreeOperands &Operands,
                 ChangedSince &Changed, TreeWalker &Walker,
                 TreeFetcher &Fetcher, ProblemPrinter &Problems) {
  std::error_code Ignored;
  for (const std::string &File : Operands.Files) {
    const os::FileIdentity Identity = os::statFile(File, Ignored).Identity;
    if (Changed.contains(File, Identity))
      Fetcher.add({{File, Identity.Size}});
  }
  if (Plan.isTooDeep(0))
    return;
  for (const TreeRoot &Root : Operands.Directories) {
    if (Error E = Changed.enter(Root.Given, Plan)) {
      Problems.print(Root.Given, toString(std::move(E)));
      continue;
    }
    Feeder Visitor(Plan, Changed, Fetcher, Problems);
    Walker.walk({Root.Given}, Visitor);
  }
}

Exit runWarm(const CommandArguments &Arguments) {
  if (Arguments.Operands.empty())
    return fail("no path given; usage: headstart warm [options] PATH...",
                Exit::WrongUsage);
  Expected<TreePlan> Plan = planTree(Arguments);
  if (!Plan)
    return fail(Plan.takeError(), Exit::WrongUsage);
  PrefetchSettings Settings;
  if (Error E = readMemoryLimit(Arguments, Settings.Memory))
    return fail(std::move(E), Exit::WrongUsage);
  ChangedSince Changed;
  if (const auto File = Arguments.value(OPT_changed_since_EQ))
    if (Error E = Changed.read(*File))
      return fail(std::move(E));
  if (Error E = Changed.accept(*Plan))
    return fail(std::move(E), Exit::WrongUsage);

  const os::StopSignals Signals;
  ProblemPrinter Problems;
  const TreeOperands Operands = classifyOperands(Arguments.Operands, Problems);
  StringSet<> Given;
  Given.insert(Operands.Files.begin(), Operands.Files.end());
  TreeFetchOptions Options;
  Options.Jobs = Plan->Jobs ? Plan->Jobs : Settings.Jobs;
  Options.BudgetBytes = Settings.budgetBytes(os::SystemMemory::read());
  TreeFetcher Fetcher(Options,
                      [&](const std::string &Path, std::error_code Error) {
                        if (Given.contains(Path))
                          Problems.print(Path, Error.message());
                        else
                          Problems.count(Path, Error.message());
                      });
  WalkOptions Walking = Plan->walkOptions(/*WithStatus=*/true);
  Walking.HintsSuffice = !Changed.isSet(); // for the sizes in the figures
  TreeWalker Walker(Walking);
  Watcher Watch(Walker, Fetcher);
  Problems.setPrinter([&](const std::string &M) { Watch.print(M); });
  Fetcher.start();
  Watch.start();
  feed(*Plan, Operands, Changed, Walker, Fetcher, Problems);
  Watch.walkIsOver();
  Fetcher.finish();
  Fetcher.join();
  Problems.printCounted();
  Watch.stop();

  const int Signal = os::StopSignals::received();
  // Most projects' ignore files hide build outputs.
  if (Fetcher.figures().Files == 0 && !Problems.any() && Signal == 0 &&
      !Plan->isTooDeep(0) && !Changed.isSet() && !Arguments.has(OPT_glob_EQ) &&
      !Arguments.has(OPT_no_ignore))
    note("found no files to fetch; --no-ignore also fetches those that ignore "
         "files such as .gitignore hide");
  (Arguments.JSON ? writeJSON : writeText)(Fetcher.figures(), Arguments.Origin,
                                           Signal != 0);
  const Exit Status = finishOutput(Problems.any() ? Exit::Failed : Exit::Done);
  if (Signal != 0)
    os::endLike({/*BySignal=*/true, Signal});
  return Status;
}

} // namespace headstart
