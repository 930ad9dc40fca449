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
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

using namespace llvm;

namespace headstart {

namespace {

/// The file of --changed-since; without it, a file that is older than all.
struct ChangedSince {
  os::FileIdentity File = {.ModifiedNs = INT64_MIN};
  std::optional<Manifest> Record; ///< if the file is a manifest
};

/// Passes the files that a walk shows to a fetcher.
class Feeder : public FilteringVisitor {
public:
  Feeder(const TreePlan &Plan, int64_t NewerThan, TreeFetcher &Fetcher,
         ProblemPrinter &Problems)
      : FilteringVisitor(Plan.Filter), NewerThan(NewerThan), Fetcher(Fetcher),
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
          Entry.Identity.ModifiedNs > NewerThan)
        Files.push_back({Directory.pathOf(Entry.Name), Entry.Identity.Size});
    if (!Files.empty())
      Fetcher.add(std::move(Files));
  }

  int64_t NewerThan;
  TreeFetcher &Fetcher;
  ProblemPrinter &Problems;
};

/// Draws the progress, and passes a signal on, on a thread of its own.
class Watcher {
public:
  explicit Watcher(TreeFetcher &Fetcher) : Fetcher(Fetcher) {}
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
  /// Walks \p Root until a signal arrives.
  void walk(const WalkOptions &Options, const std::string &Root,
            TreeVisitor &Visitor) {
    if (os::StopSignals::received() != 0)
      return;
    TreeWalker Now(Options);
    setWalker(&Now);
    Now.walk({Root}, Visitor);
    setWalker(nullptr);
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
  void setWalker(TreeWalker *Now) {
    std::lock_guard Lock(Mutex);
    Walker = Now;
  }
  void watch() {
    std::unique_lock Lock(Mutex);
    // Short enough for smooth progress and a prompt reaction to Ctrl-C.
    constexpr std::chrono::milliseconds Interval(50);
    while (!Over.wait_for(Lock, Interval, [this] { return IsOver; })) {
      if (os::StopSignals::received() != 0) {
        if (Walker)
          Walker->cancel();
        Fetcher.cancel();
      }
      if (Line.isShown())
        Line.draw(Fetcher.figures(), IsComplete);
    }
    Line.erase();
  }

  TreeFetcher &Fetcher;
  std::atomic<bool> IsComplete = false;
  std::mutex Mutex;             ///< guards standard error while the thread runs
  ProgressLine Line;            ///< guarded by Mutex
  TreeWalker *Walker = nullptr; ///< guarded by Mutex; null: no walk
  std::condition_variable Over;
  bool IsOver = false; ///< guarded by Mutex
  os::Threads Thread;
};

} // namespace

static Expected<ChangedSince> readChangedSince(const std::string &File) {
  ChangedSince Since;
  std::error_code Error;
  os::FileStatus Status = os::statFile(File, Error);
  if (!Error && Status.Kind == os::FileKind::Missing)
    Error = std::make_error_code(std::errc::no_such_file_or_directory);
  if (Error)
    return createStringError(Error, File + ": " + Error.message());
  Since.File = Status.Identity;
  if (startsLikeRecord(File, ManifestStart)) {
    Expected<Manifest> M = Manifest::load(File);
    if (!M)
      return M.takeError();
    Since.Record.emplace(std::move(*M));
  }
  return Since;
}

/// Whether \p File, which an operand names, is to be fetched. Blocks.
static bool hasChanged(const std::string &File,
                       const os::FileIdentity &Identity,
                       const ChangedSince &Since) {
  if (!Since.Record)
    return Identity.ModifiedNs > Since.File.ModifiedNs;
  Expected<ManifestPart> Part = ManifestPart::of(*Since.Record, File);
  if (!Part) {
    consumeError(Part.takeError()); // the manifest does not contain it
    return true;
  }
  const ManifestEntry *Then = Part->entry();
  os::DirectoryEntry Now;
  Now.Type = os::EntryType::Regular; // other types are not fetched anyway
  Now.Identity = Identity;
  return !Then || differenceOf(*Then, Now) != SameEntry;
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

/// Passes the selected files of \p Operands to \p Fetcher.
static void feed(const TreePlan &Plan, const TreeOperands &Operands,
                 const ChangedSince &Since, Watcher &Watch,
                 TreeFetcher &Fetcher, ProblemPrinter &Problems) {
  std::error_code Ignored;
  for (const std::string &File : Operands.Files) {
    const os::FileIdentity Identity = os::statFile(File, Ignored).Identity;
    if (hasChanged(File, Identity, Since))
      Fetcher.add({{File, Identity.Size}});
  }
  for (const TreeRoot &Root : Operands.Directories) {
    if (!Since.Record) {
      Feeder Visitor(Plan, Since.File.ModifiedNs, Fetcher, Problems);
      WalkOptions Options = Plan.walkOptions(/*WithStatus=*/true);
      // Sizes are only for the figures.
      Options.HintsSuffice = Since.File.ModifiedNs == INT64_MIN;
      if (!Plan.isTooDeep(0))
        Watch.walk(Options, Root.Given, Visitor);
      continue;
    }
    Expected<ManifestPart> Part = coveredPart(*Since.Record, Root.Given, Plan);
    if (!Part) {
      Problems.print(toString(Part.takeError()));
      continue;
    }
    ChangeFinder Visitor(
        *Part, Plan.Filter,
        [&](StringRef Path, StringRef What) { Problems.count(Path, What); });
    Visitor.leaveOut(Since.File);
    if (!Plan.isTooDeep(Part->depth()))
      Watch.walk(Plan.walkOptions(/*WithStatus=*/true, Part->depth()),
                 Root.Given, Visitor);
    for (const TreeChange &Change : Visitor.finish()) {
      const std::string Path = Root.Prefix + Change.Path;
      if (Change.Kind != ChangeKind::Removed &&
          Change.Type == os::EntryType::Regular)
        Fetcher.add({{Path, os::statFile(Path, Ignored).Identity.Size}});
    }
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
  const auto SinceFile = Arguments.value(OPT_changed_since_EQ);
  Expected<ChangedSince> Since =
      SinceFile ? readChangedSince(*SinceFile) : ChangedSince();
  if (!Since)
    return fail(Since.takeError());
  if (Since->Record) {
    if (Plan->Selection != TreeSelection())
      return fail("--changed-since=" + *SinceFile +
                      " selects files by the options of the walk that wrote "
                      "this manifest: give no others",
                  Exit::WrongUsage);
    Plan = planTree(Since->Record->selection(), Arguments);
    if (!Plan)
      return fail(Plan.takeError(), Exit::WrongUsage);
  }

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
  Watcher Watch(Fetcher);
  Problems.setPrinter([&](const std::string &M) { Watch.print(M); });
  Fetcher.start();
  Watch.start();
  feed(*Plan, Operands, *Since, Watch, Fetcher, Problems);
  Watch.walkIsOver();
  Fetcher.finish();
  Fetcher.join();
  Problems.printCounted();
  Watch.stop();

  const int Signal = os::StopSignals::received();
  // Most projects' ignore files hide build outputs.
  if (Fetcher.figures().Files == 0 && !Problems.any() && Signal == 0 &&
      !Plan->isTooDeep(0) && !SinceFile && !Arguments.has(OPT_glob_EQ) &&
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
