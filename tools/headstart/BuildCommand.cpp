//===- BuildCommand.cpp - headstart build ---------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a build, and meanwhile fetches what its links will read. The main
/// thread only waits for the build and passes on signals. One thread determines
/// which links will run and plans them; others fetch; one pauses them if the
/// build needs the disk or the memory, and writes the status. When the build
/// ends, the process ends, whatever its threads are doing.
///
/// With --step, the command is a step of a build that runs already. The first
/// step leaves a process that does the same until the build tool ends.
///
//===----------------------------------------------------------------------===//

#include "Build.h"
#include "Options.h"
#include "headstart/Link/LinkTurn.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/Tuning.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart {

namespace {

using std::chrono::milliseconds;

/// The number of threads that keep a disk busy; a link has more of its own.
constexpr unsigned FetchThreads = 4;

/// The time between two checks of the disk and the memory: while threads fetch,
/// directly after a pause and, doubled each time, later; and while they are
/// paused. Compilers read in bursts, so after one read others follow.
constexpr milliseconds FirstInterval(25), FetchInterval(250);
constexpr milliseconds PauseInterval(100);

class BuildCompanion {
public:
  /// \p Given, the option --directory, is absolute.
  BuildCompanion(std::vector<std::string> Command,
                 std::optional<std::string> Given, const MemoryLimit &Budget,
                 const os::SystemMemory &Memory = os::SystemMemory::read())
      : Command(std::move(Command)), Given(std::move(Given)),
        AvailableBytes(Memory.available()), BudgetBytes(Budget.on(Memory)),
        Fetcher(BudgetBytes, FetchThreads, AvailableBytes) {}

  void start();
  /// Fetches until \p Tool ends; returns at once if another process fetches for
  /// the same directory. Blocks.
  void runUntilEndOf(const os::Ancestor &Tool);
  /// Cancels the fetches when the build has ended. Does not block.
  void end();
  /// Prints how much was fetched; with \p Always, also that nothing was. Prints
  /// a warning instead if --directory does not exist even now.
  void report(bool Always) const;

private:
  /// Changes to the build directory and locks its status. Returns why this
  /// process does not fetch, or null.
  const char *whyNotBegun();
  void prepare();
  void watch();
  StringRef reasonToPause();
  void yieldToBuild();
  void noteBegun(ArrayRef<BuildLinkFigures> Links);
  void writeStatus(StringRef State, StringRef Why = "");

  const std::vector<std::string> Command;
  std::optional<std::string> Given; ///< --directory
  const uint64_t AvailableBytes;    ///< at the beginning
  const uint64_t BudgetBytes;
  BuildCommandLine Build;
  BuildFetcher Fetcher;
  BuildStatusFile File;
  std::vector<std::optional<os::FileIdentity>> Outputs; ///< at the beginning
  milliseconds Interval = FirstInterval; ///< between checks for the build
  std::atomic<bool> HasEnded{false};
  std::atomic<const char *> WhyNothing{"the build ended before its links were "
                                       "known"};
  os::Threads Preparing, Watching;
};

} // namespace

void BuildCompanion::start() {
  (void)Preparing.start([this] {
    os::enterBackground();
    if (const char *Why = whyNotBegun())
      return WhyNothing.store(Why);
    prepare();
  });
}

void BuildCompanion::runUntilEndOf(const os::Ancestor &Tool) {
  // Without a lock, each step would leave a process.
  if (whyNotBegun() == nullptr && File.isLocked() && !Preparing.start([this] {
        os::enterBackground();
        prepare();
        os::trimHeaps(); // ninja's answers may have many megabytes
      }))
    os::waitForEnd(Tool);
  if (!os::hadFault()) // a stopped thread may hold a lock
    end();
}

void BuildCompanion::end() {
  HasEnded.store(true);
  Fetcher.cancel();
  File.remove();
}

/// The output at \p Path, which is empty if there is none; nothing if it cannot
/// be queried.
static std::optional<os::FileIdentity> outputAt(const std::string &Path) {
  std::error_code Error;
  const os::FileStatus Status = os::statFile(Path, Error);
  if (Error)
    return std::nullopt;
  return Status.Identity;
}

const char *BuildCompanion::whyNotBegun() {
  Build = readBuildCommandLine(Command, Given);
  if (!Build.Builds)
    return "this command does not build";
  if (Build.Directory.empty())
    return "a preset names the build directory; repeat it with --directory=";
  // The links' paths are relative to this directory, on which no other thread
  // depends.
  if (sys::fs::set_current_path(Build.Directory))
    return "there is no build directory";
  if (!File.open(os::currentDirectory()))
    return "another headstart build fetches for this directory";
  return nullptr;
}

void BuildCompanion::prepare() {
  StringSet<> Written;
  const std::vector<UpcomingLink> Links =
      upcomingLinks(Build, Written, HasEnded);
  WhyNothing.store(Links.empty() ? "no link that will run is known"
                                 : "what the links will read was cached, or "
                                   "changed, or did not fit into memory");
  for (const UpcomingLink &Link : Links) {
    Fetcher.addLink(Link.Output);
    Outputs.push_back(outputAt(Link.Output));
  }
  if (Links.empty())
    return writeStatus("done", WhyNothing.load());
  Fetcher.pause(); // until the first check
  if (Watching.start([this] { watch(); }))
    return WhyNothing.store("the system cannot start a thread");
  Fetcher.start();
  for (size_t I = 0; I != Links.size() && Fetcher.enter(); ++I) {
    std::vector<FileRanges> Files = filesOf(Links[I], Written, HasEnded);
    Fetcher.leave();
    uint64_t Bytes = 0;
    for (const FileRanges &File : Files)
      Bytes += bytesOf(File.Ranges);
    Fetcher.add(I, std::move(Files),
                neededBytes(Links[I].Profile.get(), Bytes));
  }
  Fetcher.finish();
}

/// Returns the reason why the threads, which are paused during the check,
/// should stay paused; "" if there is none.
StringRef BuildCompanion::reasonToPause() {
  const os::SystemMemory Memory = os::SystemMemory::read();
  // Compilers have taken most of the memory. Fetched pages count as available.
  if (Memory.PressurePercent.value_or(0) >= Tuning().HighPressurePercent ||
      Memory.available() < AvailableBytes / 4)
    return "memory is short";
  // Our threads are paused, so any wait for a disk is another process's.
  constexpr milliseconds Sample(20);
  constexpr int MaxWaitPercent = 10;
  const auto Begin = std::chrono::steady_clock::now();
  const auto Before = os::diskStall();
  (void)Fetcher.waitFor(Sample);
  const auto After = os::diskStall();
  const auto Elapsed = std::chrono::steady_clock::now() - Begin;
  if (!Before || !After) { // unknown: the build gets half of the time
    (void)Fetcher.waitFor(Interval);
    return "";
  }
  return (*After - *Before) * 100 > Elapsed * MaxWaitPercent
             ? "the build waits for the disk"
             : "";
}

/// Pauses the threads while there is a reason. A reason that never ends, such
/// as a build that always waits for the disk, leaves them a tenth of the time.
void BuildCompanion::yieldToBuild() {
  constexpr unsigned MaxPauses = 20;
  Interval = std::min(2 * Interval, FetchInterval);
  Fetcher.pause();
  for (unsigned I = 0;; ++I) {
    if (I == MaxPauses) {
      Interval = FetchInterval;
      break;
    }
    const StringRef Why = reasonToPause();
    if (Why.empty() || HasEnded.load())
      break;
    Interval = FirstInterval;
    I -= Why == "memory is short"; // wait for memory without a limit
    writeStatus("paused", Why);
    if (Fetcher.waitFor(PauseInterval))
      break;
  }
  Fetcher.resume();
}

/// If the output of a link changes, the link has begun: leaves to it what is
/// not fetched yet. An output that is deleted shows nothing: cargo deletes it
/// before it compiles.
void BuildCompanion::noteBegun(ArrayRef<BuildLinkFigures> Links) {
  for (size_t I = 0; I != Links.size(); ++I) {
    if (Links[I].HasBegun || Links[I].isDone())
      continue;
    const std::optional<os::FileIdentity> Output = outputAt(Links[I].Output);
    if (Output && Outputs[I] && *Output != os::FileIdentity() &&
        (Output->Inode != Outputs[I]->Inode ||
         Output->version() != Outputs[I]->version()))
      Fetcher.linkHasBegun(I);
  }
}

void BuildCompanion::writeStatus(StringRef State, StringRef Why) {
  if (HasEnded.load())
    return;
  File.write(
      {Build.Directory, Command, BudgetBytes, State, Why, Fetcher.figures()});
}

void BuildCompanion::watch() {
  os::enterBackground();
  do { // check first: the build begins with compilers that may not be cached
    noteBegun(Fetcher.figures());
    yieldToBuild();
    writeStatus("fetching");
  } while (!Fetcher.waitFor(Interval));
  writeStatus("done");
}

void BuildCompanion::report(bool Always) const {
  if (Given && !sys::fs::is_directory(*Given))
    return printMessage("headstart", Severity::Warning,
                        "there is no directory '" + *Given + "' (--directory)");
  uint64_t Bytes = 0;
  size_t Links = 0;
  bool IsDone = true, IsLate = false;
  for (const BuildLinkFigures &Link : Fetcher.figures()) {
    Bytes += Link.FetchedBytes;
    Links += Link.FetchedBytes != 0;
    IsDone = IsDone && (Link.isDone() || Link.HasBegun);
    IsLate = IsLate || (Link.HasBegun && !Link.isDone());
  }
  if (Bytes != 0)
    note("fetched " + formatBytes(Bytes) + " for " + counted(Links, "link") +
         " during the build");
  else if (Always)
    note(Twine("fetched nothing: ") + (!IsDone  ? "the build ended first"
                                       : IsLate ? "the links began first"
                                                : WhyNothing.load()));
}

/// The build tools whose steps call `headstart build --step`. `cmake --build`
/// and meson run one of them.
static constexpr std::array<std::string_view, 6> BuildTools = {
    "ninja", "ninja-build", "samu", "make", "gmake", "cargo"};

/// Fetches for the build in \p Directory by \p Tool, and ends the process with
/// it.
[[noreturn]] static void fetchForTool(const os::Ancestor &Tool,
                                      std::string Directory,
                                      const MemoryLimit &Budget) {
  os::containFaults();
  std::vector<std::string> Command = Tool.Args;
  // The name may be relative to another directory.
  if (sys::path::filename(Tool.Program) == sys::path::filename(Command.front()))
    Command.front() = Tool.Program;
  auto *Companion =
      new BuildCompanion(std::move(Command), std::move(Directory), Budget);
  if (!sys::fs::set_current_path(Tool.Directory))
    Companion->runUntilEndOf(Tool);
  os::leaveAtOnce(EXIT_SUCCESS);
}

/// Runs \p Command, a step of a build, in place of this process. If no process
/// fetches for this build yet, leaves one that does.
static Exit runStep(const std::vector<std::string> &Command,
                    const std::optional<std::string> &Given,
                    const MemoryLimit &Budget) {
  const std::optional<os::Ancestor> Tool = os::findAncestor(BuildTools);
  SmallString<256> Directory;
  if (Tool && !Tool->Directory.empty() &&
      !sys::fs::real_path(Given.value_or(buildDirectoryOf(*Tool)), Directory) &&
      readBuildCommandLine(Tool->Args, std::string(Directory)).Builds &&
      !BuildStatusFile::isTaken(std::string(Directory)) &&
      os::continueDetached())
    fetchForTool(*Tool, std::string(Directory), Budget);
  return cannotRun(Command.front(), os::becomeProgram(Command));
}

Exit runBuild(const CommandArguments &Arguments) {
  const std::vector<std::string> &Command = Arguments.Linker;
  if (Arguments.has(OPT_build_status)) {
    if (Arguments.HasLinker)
      return fail("build takes a command or --status, not both",
                  Exit::WrongUsage);
    return showBuildStatus(Arguments.JSON);
  }
  if (Arguments.JSON)
    return fail("--json needs --status", Exit::WrongUsage);
  if (Command.empty())
    return fail("no command given; usage: headstart build [options] [--] "
                "COMMAND...",
                Exit::WrongUsage);
  std::optional<MemoryLimit> Limit;
  if (Error E = readMemoryLimit(Arguments, Limit))
    return fail(std::move(E), Exit::WrongUsage);
  const MemoryLimit Budget =
      Limit.value_or(MemoryLimit{/*Bytes=*/0, /*Percent=*/25});
  const bool IsOff = isSwitchedOff(CommandLineContext::fromProcess());
  if (IsOff && Arguments.has(OPT_verbose))
    note("fetches nothing: HEADSTART=off");
  if (IsOff)
    return cannotRun(Command.front(), os::becomeProgram(Command));

  std::optional<std::string> Given = Arguments.value(OPT_directory_EQ);
  if (Given && !Given->empty()) // the current directory will change
    Given = absolutePath(*Given);
  if (Arguments.has(OPT_build_step))
    return runStep(Command, Given, Budget);

  os::ForegroundProgram Program;
  if (std::error_code Error = Program.start(Command))
    return cannotRun(Command.front(), Error);
  os::containFaults();
  // The command has inherited the closed descriptors.
  os::holdStandardDescriptors();
  // The object is never destroyed, because its threads are not joined.
  auto *Companion = new BuildCompanion(Command, std::move(Given), Budget);
  Companion->start();
  const os::ProgramEnd End = Program.wait();
  if (!os::hadFault()) { // a stopped thread may hold a lock
    Companion->end();
    Companion->report(Arguments.has(OPT_verbose));
  }
  os::endLike(End);
}

} // namespace headstart
