//===- LinkSession.cpp - One link and its prefetcher ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkSession.h"
#include "headstart/Engine/FilePlanner.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/Link/Reports.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace headstart {

LinkSession::LinkSession(std::string Tool, Flavour F, PrefetchSettings Settings,
                         std::vector<PrefetchOption> Final,
                         TraceClock::time_point Origin)
    : Tool(std::move(Tool)), Kind(F), Settings(std::move(Settings)),
      Final(std::move(Final)), Origin(Origin) {
  if (this->Settings.On && this->Settings.Profile == "auto")
    Program.ask();
}

LinkSession::~LinkSession() { end(/*Succeeded=*/false); }

Error LinkSession::begin(SmallVectorImpl<const char *> &Argv,
                         const CommandLineContext &Context) {
  std::vector<PrefetchOption> Options = takePrefetchOptions(Kind, Argv);
  Error Result = Error::success();
  std::call_once(Begun, [&] {
    Options.insert(Options.end(), Final.begin(), Final.end());
    if (Error E = applyOptions(Options, Settings)) {
      Settings.On = false;
      Result = joinErrors(std::move(Result), std::move(E));
      return;
    }
    // "off" in the environment has the last word: it is what one sets when
    // the command lines cannot be changed.
    WhyOff = whyOff(Settings, Context);
    Settings.On = WhyOff.empty();
    if (!Settings.On)
      return;

    std::vector<CommandLineWord> Words;
    Words.reserve(Argv.size());
    for (const char *Word : ArrayRef(Argv).drop_front())
      Words.push_back({Word, "", ""});
    LinkCommand Command = parseCommandLine(Kind, Words, Context);
    LinkedAs = Command.Kind;
    if (!Command.Links) {
      Settings.On = false;
      WhyOff = "there is no link";
      return;
    }

    startEngine(std::move(Command));
  });
  return Result;
}

void LinkSession::startEngine(LinkCommand Command) {
  EngineOptions Options;
  Options.Jobs = Settings.Jobs;
  Options.BudgetBytes = Settings.budgetBytes(os::SystemMemory::read());
  Options.HandOver = Settings.HandOver;
  Options.Plan = planOptionsOf(Command);
  useProfile(Command, Options);
  if (!Settings.TraceFile.empty()) {
    Trace = std::make_unique<TraceLog>(Origin, Tool + " and its prefetcher");
    TimeTraceFile = Command.TimeTrace;
    Options.Trace = Trace.get();
    Stages = {{LinkStage::Parse, TraceClock::now()}};
  }
  if (Settings.Stats)
    UseBefore = os::diskUse(os::DiskUser::Process);
  Engine = std::make_unique<PrefetchEngine>(Options);
  Engine->start(std::move(Command));
}

/// Finds the record of this output's last link. One that cannot be read is
/// reported, and none.
void LinkSession::useProfile(const LinkCommand &Command,
                             EngineOptions &Options) {
  if (Command.Outputs.empty())
    return;
  Output = Command.Outputs.front();
  ProfileSettings = std::string(Command.ReadsCodeView ? "codeview " : "") +
                    (Command.ReadsDWARF ? "dwarf " : "") +
                    (Command.DropsUnreferenced ? "ref " : "");
  ProfilePath = profilePath(Settings.Profile, Tool, Output);
  if (ProfilePath.empty())
    return;
  Expected<std::shared_ptr<const LinkProfile>> Loaded =
      loadProfile(ProfilePath);
  if (!Loaded) {
    ProfileState = "stale";
    Problems.push_back({toString(Loaded.takeError()), 1});
    if (!mayReplaceProfile(ProfilePath))
      ProfilePath.clear();
    return;
  }
  Profile = std::move(*Loaded);
  // A record of other kinds of bytes than this link reads would keep the rest
  // from being fetched.
  if (Profile && Profile->Settings == ProfileSettings)
    Options.Profile = Profile;
}

/// Keeps what this link touched for the next one, unless the record that it
/// began with still holds for every file.
void LinkSession::keepProfile(bool Succeeded) {
  bool Holds = false;
  if (Profile) {
    PrefetchEngine::ProfileUse Use = Engine->profileUse();
    Holds = Use.Matched != 0 && Use.Changed == 0;
    ProfileState = Holds || Use.Matched > Use.Changed ? "used" : "stale";
  }
  // A link that was short of memory no longer knows what it touched.
  bool MayRecord = Succeeded && !Engine->wasShortOfMemory();
  if (MayRecord && Settings.Profile == "auto")
    if (Error E = Program.keep())
      Problems.push_back({toString(std::move(E)), 1});
  bool Record = MayRecord && !ProfilePath.empty() && !Holds;
  if (!Record && !Settings.Stats)
    return;
  Touched = Engine->touched();
  if (!Record || !Touched || Touched->empty())
    return;
  LinkProfile New = newProfile(Tool, Output, ProfileSettings);
  New.Files = *Touched;
  // The link itself may have made a file of that name.
  if (!mayReplaceProfile(ProfilePath)) {
    Problems.push_back(
        {"profile '" + ProfilePath + "': is something else, and is left", 1});
    return;
  }
  if (Error E = saveProfile(ProfilePath, New)) {
    Problems.push_back({toString(std::move(E)), 1});
    return;
  }
  if (StringRef(ProfileState) == "none")
    ProfileState = "recorded";
  if (Settings.Profile == "auto")
    pruneProfiles(profileFolder(), /*Now=*/false);
}

std::unique_ptr<MemoryBuffer>
LinkSession::takeBuffer(StringRef Path, const BufferRequest &Request) {
  if (Engine)
    if (std::unique_ptr<MemoryBuffer> Buffer = Engine->take(Path, Request))
      return Buffer;
  FallenThrough.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

/// lld's stages by the names of its timers (COFF/COFFLinkerContext.cpp), which
/// /time prints.
static std::optional<LinkStage> stageNamed(StringRef Name) {
  return StringSwitch<std::optional<LinkStage>>(Name)
      .Cases({"GC", "ICF", "Code Layout"}, LinkStage::Contents)
      .Cases({"Type Merging", "Global Type Hashing"}, LinkStage::Types)
      .Case("Symbol Merging", LinkStage::DebugSymbols)
      .Case("Publics Stream Layout", LinkStage::Names)
      .Case("Commit to Disk", LinkStage::Commit)
      .Default(std::nullopt);
}

void LinkSession::reached(StringRef Name) {
  if (std::optional<LinkStage> Stage = stageNamed(Name))
    reached(*Stage);
}

void LinkSession::reached(LinkStage Stage) {
  if (Engine)
    Engine->reached(Stage);
  if (Stage >= LinkStage::Contents)
    IsBeyondParsing.store(true, std::memory_order_relaxed);
  if (!Trace)
    return;
  std::lock_guard<std::mutex> Lock(StagesMutex);
  if (!Stages.empty() && Stage > Stages.back().first)
    Stages.emplace_back(Stage, TraceClock::now());
}

/// The linker's own lane: each stage until the next, the last until now.
void LinkSession::traceStages() {
  std::lock_guard<std::mutex> Lock(StagesMutex);
  TraceLane &Lane = Trace->addLane("linker");
  for (size_t I = 0; I != Stages.size(); ++I) {
    TraceEvent Event;
    Event.Name = linkStageName(Stages[I].first);
    Event.Begin = Stages[I].second;
    Event.End =
        I + 1 != Stages.size() ? Stages[I + 1].second : TraceClock::now();
    Lane.add(std::move(Event));
  }
}

/// lld has written its own trace before it leaves, also of some links that
/// failed.
void LinkSession::mergeTimeTrace(bool Succeeded) {
  if (TimeTraceFile.empty())
    return;
  Error E = addTimeTrace(*Trace, TimeTraceFile);
  if (E && Succeeded)
    Problems.push_back({toString(std::move(E)), 1});
  else
    consumeError(std::move(E));
}

void LinkSession::writing() {
  // lld's COFF driver has timers, and comes back to its inputs after this. Its
  // ELF driver tries whether it can write before it reads anything.
  if (LinkedAs != Flavour::COFF &&
      IsBeyondParsing.load(std::memory_order_relaxed))
    reached(LinkStage::Contributions);
}

void LinkSession::end(bool Succeeded) {
  std::call_once(Ended, [&] {
    if (Engine) {
      Engine->cancel();
      Engine->join();
      // What keeping a record reads is not the link's.
      if (Settings.Stats)
        UseAfter = os::diskUse(os::DiskUser::Process);
      keepProfile(Succeeded);
    }
    if (Trace) {
      traceStages();
      mergeTimeTrace(Succeeded);
    }
    writeReports();
  });
}

void LinkSession::writeReports() {
  LinkStats Stats;
  if (Settings.Stats) {
    Stats.Tool = Tool;
    Stats.Flavour = flavourName(LinkedAs).str();
    Stats.On = Engine != nullptr;
    if (!Engine)
      Stats.WhyOff = WhyOff.empty() ? "there was no link" : WhyOff;
    Stats.NotHandedOver = FallenThrough.load();
    Stats.LinkMs =
        std::chrono::duration<double, std::milli>(TraceClock::now() - Origin)
            .count();
    if (Engine) {
      Engine->addTo(Stats, Origin);
      if (UseBefore && UseAfter)
        addLinkersDiskUse(*UseAfter - *UseBefore, Engine->diskUse(), Stats);
    }
    Stats.Profile = ProfileState;
    for (const CountedProblem &P : Problems)
      Stats.Problems.push_back(P);
    if (Touched) {
      Stats.TouchedBytes = 0;
      for (const RecordedFile &File : *Touched)
        *Stats.TouchedBytes += File.touchedBytes();
      Stats.WastedBytes = Engine->wastedBytes(*Touched);
    }
  }
  headstart::writeReports(Settings, Stats, Trace.get(), Tool);
}

} // namespace headstart
