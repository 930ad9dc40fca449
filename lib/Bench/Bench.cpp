//===- Bench.cpp - The comparison of headstart bench ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variants run in turn, A B C A B C, since the other load of a machine changes
// from minute to minute. Each round first queries the page cache. If the inputs
// are not in the required state, the round does not run, and is reported.
//
//===----------------------------------------------------------------------===//

#include "headstart/Bench/Bench.h"
#include "BenchRun.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/Machine.h"
#include "headstart/OS/MeasuredProgram.h"
#include "headstart/OS/StopSignals.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/Message.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <ctime>
#include <functional>
#include <thread>
#include <utility>

using namespace llvm;

namespace headstart {

char BenchUsageError::ID = 0;

static constexpr double MaxOfCold = 0.01; ///< the cached share of the inputs
static constexpr double MinOfWarm = 0.99;
static constexpr unsigned Attempts = 3; ///< for one round of one variant

static std::string text(const std::string &File) {
  auto Buffer = MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

Error Bench::readCommand() {
  ForeignCommand Link =
      readForeignCommand(Options.Args, Options.Forced, /*Cancelled=*/nullptr);
  if (Link.IsUnknown)
    return make_error<BenchUsageError>(Link.Problem);
  if (!Link.Problem.empty())
    return createStringError(Link.Problem);
  for (const std::string &Note : Link.Notes)
    note(Note);
  if (!Link.Command)
    return createStringError(linksNothing(Options.Args.front()));
  if (!Link.Command->Links || Link.Command->Outputs.empty() ||
      Link.Command->Inputs.empty())
    return createStringError("'" + Options.Args.front() +
                             "': this command line names no inputs");
  if (Error E = Place.make(Link.Command->image().str()))
    return E;
  if (!Place.isNextToOutput())
    note("cannot create a directory beside the output; links write to '" +
         Place.outputs() + "' instead");
  Expected<RedirectedLink> Moved =
      redirect(Options.Args, Link, Options.Forced, Place.outputs());
  if (!Moved)
    return Moved.takeError();
  for (const char *Option : {"/Brepro", "--no-insert-timestamp"})
    if (llvm::is_contained(Moved->Args, Option) &&
        !llvm::is_contained(Options.Args, Option))
      note(Twine(Option) +
           " is added to the link: without it, no two outputs are identical");
  Facts.Args = std::move(Moved->Args);
  Facts.Forced = Options.Forced;
  Facts.Style = Link.Style;
  Facts.Driver = Link.Driver;
  Facts.HasOwnOptions = !Moved->Command.PrefetchOptions.empty();
  Facts.Self = Options.Self;
  Report.Flavour = Moved->Command.model().Name.str();
  Command = std::move(Moved->Command);
  Inputs.emplace(*Command);
  if (Inputs->files().empty())
    return createStringError("none of the inputs exists; the first is '" +
                             Command->Inputs.front().Name + "'");
  return Error::success();
}

/// Checks before the first link whether its inputs can be made cold at all,
/// unless a command of the user's does that: only running it shows its effect.
Error Bench::checkCold() {
  if (Options.Rounds[CacheState::Cold] == 0 || !Options.Prepare.empty())
    return Error::success();
  std::string Why;
  if (prepare(CacheState::Cold, Why))
    return Error::success();
  if (Options.Stopped())
    return stopped();
  return createStringError(
      "cannot measure cold links: " + Why +
      "\n--cold-rounds=0 measures warm links only; --prepare=COMMAND runs "
      "COMMAND, which must empty the page cache, before each cold link");
}

/// Runs one uncounted link, which shows whether the command links, and whether
/// the linker is Headstart's, which then stores a profile.
Error Bench::linkFirst() {
  say("running one uncounted link to find out which variants apply; outputs "
      "go to '" +
      Place.outputs() + "'");
  step("first link");
  Facts.IsHeadstart = true; // sets the environment as for Headstart's linkers
  LinkVariant Variant;
  Variant.Prefetches = true;
  ReportFiles Files;
  Files.Profile = Place.file("profile");
  Files.Stats = Place.file("stats.json");
  // Link cold, since a warm link's profile has more than the link touched.
  Inputs->evict(Options.Stopped);
  Expected<os::ProgramUsage> Usage =
      link(startOf(Facts, Variant, Files), /*Watch=*/nullptr);
  if (!Usage)
    return Usage.takeError();
  FirstSeconds = Usage->Seconds;
  Facts.IsHeadstart = sys::fs::exists(Files.Stats);
  Expected<OutputFiles> Outputs = Place.readOutputs();
  if (!Outputs)
    return Outputs.takeError();
  for (const auto &[Name, File] : *Outputs)
    Report.Outputs.emplace_back(Name, File.Bytes);
  if (Report.Outputs.empty())
    return createStringError("the link wrote nothing to '" + Place.outputs() +
                             "'");
  return Error::success();
}

Error Bench::chooseVariants() {
  if (!Facts.Driver && !Facts.IsHeadstart && !Options.Forced)
    Facts.Version = versionOf(Facts.Args.front()).Line;
  if (Error E = findStock(Options.Stock, Facts, Report.Notes))
    return E;
  Variants = variantsOf(Facts, Options.Variants, Report.Notes);
  if (Variants.empty())
    return make_error<BenchUsageError>(
        "this linker supports none of the variants: " +
        join(Report.Notes, "; "));
  if (llvm::any_of(Variants,
                   [](const LinkVariant &W) { return W.UsesProfile; }) &&
      !sys::fs::exists(Place.file("profile")))
    note("the first link stored no profile: 'on+profile' runs without one");
  Written.resize(Variants.size());
  for (const LinkVariant &Variant : Variants) {
    BenchVariant Reported;
    Reported.Name = Variant.Name;
    Reported.Title = Variant.Title;
    os::ProgramStart Start = unwatched(Variant);
    Reported.Command = std::move(Start.Args);
    if (!Start.Program.empty())
      Reported.Command.front() = Start.Program;
    Reported.Environment = std::move(Start.Environment);
    Report.Variants.push_back(std::move(Reported));
  }
  return Error::success();
}

Expected<os::ProgramUsage> Bench::link(os::ProgramStart Start,
                                       LinkWatch *Watch) {
  if (Error E = Place.clearOutputs())
    return std::move(E);
  Start.Output = Place.file("messages");
  // The kernel must not write back the last link's outputs during this one.
  os::writeBack(Place.outputs());
  os::MeasuredProgram Program;
  const auto Begin = std::chrono::steady_clock::now();
  if (std::error_code Error = Program.start(Start))
    return createStringError(
        "cannot run '" +
        (Start.Program.empty() ? Start.Args.front() : Start.Program) +
        "': " + Error.message());
  constexpr std::chrono::milliseconds Often{10};
  constexpr std::chrono::milliseconds Seldom{200};
  constexpr std::chrono::seconds Pause{1};
  std::optional<os::ProgramUsage> Usage;
  Paused = 0;
  while (!Usage) {
    if (Options.Stopped())
      return stopped(); // the destructor of Program kills it
    const auto Before = std::chrono::steady_clock::now();
    if (Watch)
      Watch->sample(Program.id(), Begin);
    Usage = Program.wait(Watch ? Often : Seldom);
    // Ctrl-Z suspended this process, or the machine slept.
    const auto Elapsed = std::chrono::steady_clock::now() - Before;
    if (Elapsed > Pause)
      Paused += std::chrono::duration<double>(Elapsed).count();
  }
  if (Usage->End.BySignal || Usage->End.Code != 0) {
    std::string How = Usage->End.BySignal ? "was killed by signal "
                                          : "failed with exit status ";
    return createStringError("the link " + How +
                             std::to_string(Usage->End.Code) + ":\n" +
                             StringRef(text(Start.Output)).rtrim());
  }
  return *Usage;
}

os::ProgramStart Bench::unwatched(const LinkVariant &Variant) const {
  ReportFiles Files;
  if (Variant.UsesProfile)
    Files.Profile = Place.file("profile");
  return startOf(Facts, Variant, Files);
}

std::optional<ResidentPart> Bench::prepare(CacheState State, std::string &Why) {
  constexpr unsigned Tries = 4;
  constexpr std::chrono::milliseconds Pause{150};
  const bool HasPrepare = !Options.Prepare.empty();
  ResidentPart Part;
  for (unsigned Try = 0; Try != Tries && !Options.Stopped(); ++Try) {
    if (Try != 0)
      std::this_thread::sleep_for(Pause);
    const bool IsCold = State == CacheState::Cold;
    if (IsCold)
      Inputs->evict(Options.Stopped);
    if (IsCold && HasPrepare &&
        os::StopSignals::runInShell(Options.Prepare) != 0) {
      Why = "'" + Options.Prepare + "' failed";
      return std::nullopt;
    }
    Part = Inputs->residency(/*WithLibraries=*/!IsCold);
    if (IsCold ? Part.Known != 0 ? Part.share() <= MaxOfCold : HasPrepare
               : Part.share() >= MinOfWarm || Part.Known == 0)
      return Part;
    if (!IsCold)
      Inputs->fetch(Options.Stopped);
  }
  if (State == CacheState::Warm)
    Why =
        formatv("only {0:F0}% of the inputs stayed cached", Part.share() * 100);
  else
    Why = Inputs->whyNotCold(Part);
  return std::nullopt;
}

Error Bench::runRound(CacheState State, size_t Variant, unsigned Number) {
  const StringRef StateText = stateName(State);
  BenchSeries &Series = Report.Variants[Variant].Series[State];
  for (unsigned Attempt = 0; Attempt != Attempts; ++Attempt) {
    BenchRound Round;
    Round.Number = Number;
    const std::optional<ResidentPart> Before = prepare(State, Round.Note);
    if (Options.Stopped())
      return stopped();
    if (Before) {
      if (Before->Known != 0)
        Round.ResidentBefore = Before->Resident;
      step(formatv("{0} round {1} of {2}, {3}", StateText, Number,
                   Options.Rounds[State], Variants[Variant].Name)
               .str());
      Expected<os::ProgramUsage> Usage =
          link(unwatched(Variants[Variant]), /*Watch=*/nullptr);
      if (!Usage)
        return Usage.takeError();
      Round.Seconds = Usage->Seconds;
      Round.UserSeconds = Usage->UserSeconds;
      Round.SystemSeconds = Usage->SystemSeconds;
      Round.MajorFaults = Usage->MajorFaults;
      Round.ReadBytes = Usage->ReadBytes;
      Round.PeakMemoryBytes = Usage->PeakMemoryBytes;
      if (Paused != 0)
        Round.Note = formatv("headstart was suspended for {0:F1} s", Paused);
    }
    Round.IsValid = Round.Note.empty();
    Series.Rounds.push_back(Round);
    if (Round.IsValid) {
      ++Done;
      return keepOutputs(Variant);
    }
    say(StateText + " round " + Twine(Number) + ", " + Variants[Variant].Name +
        ": discarded, " + Round.Note);
  }
  ++Done;
  return Error::success();
}

Error Bench::runRounds(CacheState State) {
  const unsigned Rounds = Options.Rounds[State];
  if (Rounds == 0)
    return Error::success();
  // The first links after cold ones still change how the inputs' pages are laid
  // out in memory.
  if (State == CacheState::Warm)
    for (size_t Variant = 0; Variant != Variants.size(); ++Variant, ++Done) {
      step("warming up, " + Twine(Variants[Variant].Name));
      if (Error E = linkForOutputs(Variant))
        return E;
    }
  for (unsigned Number = 1; Number <= Rounds; ++Number)
    for (size_t Variant = 0; Variant != Variants.size(); ++Variant)
      if (Error E = runRound(State, Variant, Number))
        return E;
  summarizeAndCompare(Report.Variants, State);
  return Options.Watch ? watch(State) : Error::success();
}

Error Bench::watch(CacheState State) {
  for (size_t I = 0; I != Variants.size(); ++I, ++Done) {
    const LinkVariant &Variant = Variants[I];
    step("observed " + stateName(State) + " link, " + Variant.Name);
    ReportFiles Files;
    if (Variant.Prefetches) {
      // Without an old profile, the link stores a new one.
      Files.Profile =
          Place.file(Variant.UsesProfile ? "profile" : "watched-profile");
      Files.Stats = Place.file("watched-stats.json");
      Files.Trace = Place.file("watched-trace.json");
      if (!Variant.UsesProfile)
        (void)sys::fs::remove(Files.Profile);
    }
    std::string Why;
    std::optional<ResidentPart> Before = prepare(State, Why);
    if (Options.Stopped())
      return stopped();
    if (!Before) {
      note("the " + stateName(State) + " link of '" + Variant.Name +
           "' was not observed: " + Why);
      continue;
    }
    LinkWatch Watch(*Inputs);
    Expected<os::ProgramUsage> Usage =
        link(startOf(Facts, Variant, Files), &Watch);
    if (!Usage)
      return Usage.takeError();
    Report.Variants[I].Watched[State] =
        Watch.finish(*Usage, *Before, text(Files.Trace),
                     loadValidProfile(Files.Profile).get());
    Report.Variants[I].Watched[State]->StatsJSON = text(Files.Stats);
  }
  return Error::success();
}

/// Reports how many links of which kinds follow, and estimates their time: each
/// takes about as long as the first.
void Bench::announce() {
  const unsigned Cold = Options.Rounds[CacheState::Cold];
  const unsigned Warm = Options.Rounds[CacheState::Warm];
  const unsigned States = (Cold != 0) + (Warm != 0);
  // Before the warm rounds, each variant links once to warm up.
  Total = Variants.size() *
          (Cold + Warm + (Warm != 0) + (Options.Watch ? States : 0));
  Begin = std::chrono::steady_clock::now();
  constexpr double Minute = 60;
  const double Seconds = FirstSeconds * Total;
  const std::string Time =
      Seconds < 2 * Minute
          ? formatv(" (about {0:F0} s)", std::max(1.0, Seconds)).str()
          : formatv(" (about {0:F0} min)", Seconds / Minute).str();
  const auto Names = map_range(Variants, std::mem_fn(&LinkVariant::Name));
  say(Twine(Total) + " links follow" + Time + ": " +
      counted(Cold, "cold round") + " and " + counted(Warm, "warm round") +
      " of " + join(Names, ", "));
}

void Bench::step(const Twine &What) const {
  BenchProgress Now;
  Now.What = What.str();
  Now.Done = Done;
  Now.Total = Total;
  const std::chrono::duration<double> Elapsed =
      std::chrono::steady_clock::now() - Begin;
  if (Done != 0 && Done < Total)
    Now.SecondsLeft = Elapsed.count() / Done * (Total - Done);
  Options.Step(Now);
}

void Bench::describe() {
  const os::Machine M = os::readMachine();
  const os::Disk D = os::readDisk(Inputs->files().front().Path);
  Report.Machine = {.System = M.System,
                    .Processor = M.Processor,
                    .Disk = D.Name,
                    .FileSystem = D.FileSystem,
                    .Cores = os::usableProcessors(),
                    .MemoryBytes = os::SystemMemory::read().TotalBytes,
                    .ReadaheadBytes = D.ReadaheadBytes};
  Report.Date =
      formatv("{0:%Y-%m-%dT%H:%M:%SZ}", sys::toUtcTime(std::time(nullptr)));
  SmallString<256> Directory;
  (void)sys::fs::current_path(Directory);
  Report.Directory = std::string(Directory);
  Report.Command = Options.Args;
  Report.LinkerName = sys::path::filename(Options.Args.front()).str();
  Report.IsHeadstart = Facts.IsHeadstart;
  Report.Stock = Facts.Stock;
  Report.Rounds = Options.Rounds;
  Report.Inputs = Inputs->files();
  const ResidentPart Now = Inputs->residency(/*WithLibraries=*/false);
  if (Now.InUse != 0)
    note(formatBytes(Now.InUse) +
         " of the inputs are shared libraries that other programs use, so they "
         "stay cached in cold rounds as well");
  if (Now.Unknown != 0)
    note("Headstart cannot check whether " + formatBytes(Now.Unknown) +
         " of the inputs are cold: " + Inputs->whyUnknown(Now));
}

Expected<BenchReport> Bench::run() {
  for (auto Step : {&Bench::readCommand, &Bench::checkCold, &Bench::linkFirst,
                    &Bench::chooseVariants})
    if (Error E = (this->*Step)())
      return std::move(E);
  describe();
  announce();
  for (const CacheState State : CacheStates)
    if (Error E = runRounds(State))
      return std::move(E);
  if (Error E = compareOutputs())
    return std::move(E);
  return std::move(Report);
}

Expected<BenchReport> runBench(const BenchOptions &Options) {
  return Bench(Options).run();
}

} // namespace headstart
