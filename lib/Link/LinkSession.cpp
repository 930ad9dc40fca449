//===- LinkSession.cpp - One link and its prefetcher ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkSession.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Report/Message.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace llvm;

namespace headstart {

/// If an allocation of Headstart's own work fails, only that work ends. For all
/// other code, this ends the program like LLVM (Support/ErrorHandling.cpp).
static void onBadAlloc(void *, const char *Reason, bool) {
  if (os::survivesBadAlloc())
    os::throwBadAlloc();
  // A stream would allocate.
  for (const char *Part : {"LLVM ERROR: out of memory\n", Reason, "\n"})
    std::fputs(Part, stderr);
  std::abort();
}

LinkSession::LinkSession(Flavour F, PrefetchSettings Settings,
                         std::vector<PrefetchOption> Final,
                         TraceClock::time_point Origin)
    : PrefetchRun(std::move(Settings), Origin),
      Tool(LinkerModel::of(F).Program.str()), Kind(F), Final(std::move(Final)) {
  if (this->Settings.IsSwitchedOff)
    return;
  // A later option may switch prefetching on.
  WhyOff = os::blockingLimit();
  if (WhyOff.empty() && whyOff(this->Settings).empty() &&
      this->Settings.Profile == "auto") {
    Program = ProgramPages::ofThisProcess(Tool);
    Program->request();
  }
}

/// Runs \p Work, and adds its processor time on the calling thread to \p Sum
/// (may be null), in nanoseconds.
template <class Function>
static void measure(std::atomic<int64_t> *Sum, const Function &Work) {
  if (!Sum)
    return Work();
  std::optional<std::chrono::nanoseconds> Begin = os::processorTime();
  Work();
  if (std::optional<std::chrono::nanoseconds> End = os::processorTime();
      Begin && End)
    Sum->fetch_add((*End - *Begin).count());
}

/// `runWithTimeout` for work that reads or stores a profile.
bool LinkSession::runForProfile(std::function<void()> Work) const {
  return runWithTimeout([Time = RecordTime, Work = std::move(Work)] {
    measure(Time.get(), Work);
  });
}

LinkSession::~LinkSession() {
  os::onThreadShortage(nullptr);
  end(/*Succeeded=*/false);
}

Error LinkSession::begin(SmallVectorImpl<const char *> &Argv,
                         const CommandLineContext &Context) {
  std::vector<PrefetchOption> Options =
      LinkerModel::of(Kind).takePrefetchOptions(Argv);
  Error Result = Error::success();
  std::call_once(Begun, [&] {
    Options.insert(Options.end(), Final.begin(), Final.end());
    if (Error E = applyOptions(Options, Settings)) {
      Result = joinErrors(std::move(Result), std::move(E));
      return;
    }
    // "off" in the environment overrides all options: users set it if they
    // cannot change the command lines.
    if (WhyOff.empty())
      WhyOff = whyOff(Settings);
    if (!WhyOff.empty())
      return;

    std::vector<CommandLineArg> Args;
    Args.reserve(Argv.size());
    for (const char *Arg : ArrayRef(Argv).drop_front())
      Args.push_back({Arg, "", ""});
    LinkCommand Command = LinkerModel::of(Kind).parse(Args, Context);
    LinkedAs = Command.Kind;
    if (!Command.Links) {
      WhyOff = "this command does not link";
      return;
    }

    static const bool Installed =
        HEADSTART_UNWINDS &&
        (install_bad_alloc_error_handler(onBadAlloc), true);
    (void)Installed;
    if (!os::hasMemoryFor([&] { startEngine(std::move(Command)); })) {
      Engine = nullptr;
      WhyOff = "too little memory is available";
    }
  });
  return Result;
}

void LinkSession::startEngine(LinkCommand Command) {
  beginTrace(Tool + " and its prefetcher");
  EngineOptions Options = engineOptions(Command, Settings.HandOver);
  if (Settings.Stats)
    RecordTime = std::make_shared<std::atomic<int64_t>>(0);
  useProfile(Command, Options);
  Options.ExpectedBytes = expectedBytes(Command, Options.Profile.get());
  std::string Note =
      Turn.wait(Settings, Tool, Command.image().str(),
                neededBytes(Profile.get(), Options.ExpectedBytes));
  if (!Note.empty())
    note(std::move(Note));
  if (Trace)
    Stages = {{LinkStage::Parse, TraceClock::now()}};
  if (Settings.Stats)
    UseBefore = os::diskUse(os::DiskUser::Process);
  // A link must not take more memory than stock's.
  os::shareHeaps();
  Engine = std::make_unique<PrefetchEngine>(Options);
  os::onThreadShortage(std::make_shared<const std::function<bool()>>(
      [this] { return releaseThreads(); }));
  Engine->start(std::move(Command));
}

/// Reads the profile of this output's last link. If it cannot be read, reports
/// this, and uses none.
void LinkSession::useProfile(const LinkCommand &Command,
                             EngineOptions &Options) {
  if (Command.Outputs.empty())
    return;
  Output = Command.image();
  Names = namesOf(Command);
  if (!mayHaveProfile(Output))
    return;
  ProfileSettings = std::string(Command.ReadsCodeView ? "codeview " : "") +
                    (Command.ReadsDWARF ? "dwarf " : "") +
                    (Command.DropsUnreferenced ? "ref " : "") +
                    (Command.FoldsContents ? "icf " : "") +
                    (Command.HasOneThread ? "one-thread " : "") +
                    (Command.HasLTOCache ? "lto-cache " : "");
  ProfilePath = profilePath(Settings.Profile, Tool, Output);
  if (ProfilePath.empty())
    return;
  struct Read {
    std::shared_ptr<const LinkProfile> Profile;
    std::string Problem;
    bool MayReplace = true;
  };
  auto Result = std::make_shared<Read>();
  bool InTime =
      runForProfile([Result, Path = ProfilePath,
                     IsPruned = isProfileDirectory(Settings.Profile)] {
        Expected<std::shared_ptr<const LinkProfile>> Loaded = loadProfile(Path);
        if (Loaded) {
          Result->Profile = std::move(*Loaded);
          if (Result->Profile && IsPruned)
            renewProfile(Path);
          return;
        }
        Result->Problem = toString(Loaded.takeError());
        Result->MayReplace = mayReplaceProfile(Path);
        if (!Result->MayReplace)
          Result->Problem += ", so Headstart does not replace it";
      });
  if (!InTime) {
    noteProfile("reading the profile '" + ProfilePath + "' took too long",
                /*IsLost=*/true);
    ProfilePath.clear();
    Program = nullptr; // by default, its pages are there, too
    return;
  }
  if (!Result->Problem.empty()) {
    ProfileState = "stale";
    noteProfile(std::move(Result->Problem), /*IsLost=*/!Result->MayReplace);
    if (!Result->MayReplace)
      ProfilePath.clear();
    return;
  }
  Profile = std::move(Result->Profile);
  // If the profile has other kinds of bytes than this link reads, the engine
  // would not fetch the rest.
  if (Profile && Profile->Settings == ProfileSettings &&
      isRecordOf(*Profile, Command)) {
    Options.Profile = Profile;
    Options.IsProfileElsewhere = Settings.Profile != "auto";
  }
}

/// Notes \p Problem with the profile. If the user has named its file, and this
/// link stores no profile in it, prints a warning, too.
void LinkSession::noteProfile(std::string Problem, bool IsLost) {
  if (IsLost && Settings.Profile != "auto")
    printMessage(Tool, Severity::Warning, Problem);
  note(std::move(Problem));
}

/// Determines how well the profile with which the link began still matches.
/// Returns its files of which this link learned nothing.
std::vector<const RecordedFile *> LinkSession::noteProfileUse() {
  if (!Profile)
    return {};
  PrefetchEngine::ProfileUse Use = Engine->profileUse();
  const uint64_t Valid = Use.Matched + Use.Left.size();
  ProfileHolds = Valid != 0 && Use.Changed == 0 && Use.Refined == 0;
  ProfileState = ProfileHolds || Valid > Use.Changed ? "used" : "stale";
  return std::move(Use.Left);
}

/// Stores the touched pages of this link for the next one, unless the profile
/// with which it began still matches every file.
void LinkSession::keepProfile(bool Succeeded) {
  const std::vector<const RecordedFile *> Left = noteProfileUse();
  // A link that was short of memory no longer knows what it touched.
  bool MayRecord = Succeeded && !Engine->wasShortOfMemory();
  bool Record = MayRecord && !ProfilePath.empty() && !ProfileHolds;
  if (Record || Settings.Stats)
    Touched = Engine->touched();
  std::shared_ptr<LinkProfile> New;
  if (Record && Touched && !Touched->empty()) {
    New = std::make_shared<LinkProfile>(newProfile(
        Tool, recordedOutput(Settings.Profile, Output), ProfileSettings));
    New->Names = Names;
    New->Files = *Touched;
    append_range(New->Files, make_pointee_range(Left));
    New->PeakBytes = os::peakMemory().value_or(0);
  }
  // An option may have changed the setting after the constructor requested the
  // program's pages.
  std::shared_ptr<ProgramPages> Pages =
      MayRecord && Settings.Profile == "auto" ? Program : nullptr;
  if (!New && !Pages)
    return;

  auto Failure = std::make_shared<std::string>();
  bool InTime = runForProfile([Failure, Pages, New, Path = ProfilePath,
                               Prune = isProfileDirectory(Settings.Profile)] {
    if (New)
      *Failure = toString(saveProfile(Path, *New, Prune));
    std::string OfPages = Pages ? toString(Pages->keep()) : "";
    // Both fail because of the directory, so one message is enough.
    if (Failure->empty())
      *Failure = std::move(OfPages);
  });
  if (!InTime)
    Failure = std::make_shared<std::string>(
        New ? "writing the profile '" + ProfilePath + "' took too long"
            : "storing the linker's own pages took too long");
  if (!Failure->empty())
    noteProfile(std::move(*Failure), /*IsLost=*/true);
  else if (New && StringRef(ProfileState) == "none")
    ProfileState = "recorded";
}

std::unique_ptr<MemoryBuffer>
LinkSession::takeBuffer(StringRef Path, const BufferRequest &Request) {
  if (Engine)
    if (std::unique_ptr<MemoryBuffer> Buffer = Engine->take(Path, Request))
      return Buffer;
  FallenThrough.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void LinkSession::reached(StringRef Name) {
  // The stage that begins with the timer, or right after it. The names, which
  // /time prints, are in COFF/COFFLinkerContext.cpp.
  const auto Stage =
      StringSwitch<std::optional<LinkStage>>(Name)
          .Case("GC", LinkStage::Contents)
          .Case("ICF", LinkStage::Contents)
          .Case("Code Layout", LinkStage::Contents)
          .Case("Type Merging", LinkStage::Types)
          .Case("Global Type Hashing", LinkStage::Types)
          .Case("Symbol Merging", LinkStage::DebugSymbols)
          .Case("TPI Stream Layout", LinkStage::Contributions) // they come next
          .Case("Publics Stream Layout", LinkStage::Names)
          .Case("Commit to Disk", LinkStage::Commit)
          .Default(std::nullopt);
  if (Stage)
    reached(*Stage);
}

void LinkSession::reached(LinkStage Stage) {
  if (Engine)
    Engine->reached(Stage);
  if (Stage >= LinkStage::Contents)
    IsBeyondParsing.store(true, std::memory_order_relaxed);
  noteStage(Stage);
}

/// Notes the beginning of \p Stage for the trace.
void LinkSession::noteStage(LinkStage Stage) {
  if (!Trace)
    return;
  std::lock_guard<std::mutex> Lock(StagesMutex);
  if (!Stages.empty() && Stage > Stages.back().first)
    Stages.emplace_back(Stage, TraceClock::now());
}

/// Adds the linker's lane: a stage lasts until the next, the last until now.
void LinkSession::traceStages() {
  std::lock_guard<std::mutex> Lock(StagesMutex);
  TraceLane &Lane = Trace->addLane("linker");
  for (size_t I = 0; I != Stages.size(); ++I) {
    TraceEvent Event;
    Event.Name = LinkerModel::of(LinkedAs).stageName(Stages[I].first);
    Event.Begin = Stages[I].second;
    Event.End =
        I + 1 != Stages.size() ? Stages[I + 1].second : TraceClock::now();
    Lane.add(std::move(Event));
  }
}

void LinkSession::writing() {
  // lld's COFF driver has timers, and reads its inputs again after this. Its
  // ELF driver tests whether it can write before it reads anything.
  if (LinkedAs == Flavour::COFF ||
      !IsBeyondParsing.load(std::memory_order_relaxed))
    return;
  // ld64.lld copies the contents from now on. To the engine, they would be
  // consumed.
  if (LinkedAs == Flavour::MachO)
    noteStage(LinkStage::Contributions);
  else
    reached(LinkStage::Contributions);
}

void LinkSession::end(bool Succeeded, bool Leaves) {
  std::call_once(Ended, [&] {
    IsEnding.store(true);
    if (Engine) {
      Engine->cancel();
      // Only reports need the final state of the threads, and the threads can
      // only disturb a process that goes on.
      constexpr std::chrono::seconds Timeout(2), AtOnce(0);
      HasJoined =
          joinEngine(Settings.Stats || Trace || !Leaves ? Timeout : AtOnce);
      // The bytes that storing a profile reads are not the link's.
      if (Settings.Stats)
        UseAfter = os::diskUse(os::DiskUser::Process);
      measure(RecordTime.get(), [&] {
        if (!os::hasMemoryFor([&] { keepProfile(Succeeded); }))
          note("too little memory for a profile");
      });
    }
    if (Trace)
      traceStages();
    writeReports();
    Turn.leave();
    Program = nullptr; // leaves its thread if that has not ended
  });
}

void LinkSession::endAtExit() {
  // A fatal error of LLVM on one of Headstart's threads must not end the link:
  // the thread sleeps here, and a caller that waits for it times out.
  while (os::Threads::isOwn())
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (!IsEnding.load())
    end(/*Succeeded=*/false);
}

bool LinkSession::releaseThreads() {
  if (!Engine)
    return false;
  // A later caller waits for the first one; then all can start their threads.
  Engine->cancel();
  constexpr std::chrono::seconds Timeout(1);
  (void)joinEngine(Timeout);
  return true;
}

bool LinkSession::joinEngine(std::chrono::milliseconds MaxWait) {
  std::lock_guard<std::mutex> Lock(JoinMutex);
  return Engine->join(MaxWait);
}

void LinkSession::writeReports() {
  LinkStats Stats;
  if (Settings.Stats) {
    Stats.Tool = Tool;
    Stats.Flavour = LinkerModel::of(LinkedAs).Name.str();
    Stats.Output = Output;
    Stats.On = Engine != nullptr;
    if (!Engine)
      Stats.WhyOff = WhyOff.empty() ? "the link did not begin" : WhyOff;
    Stats.NotHandedOver = FallenThrough.load();
    Stats.LinkMs = milliseconds();
    if (Engine) {
      Engine->addTo(Stats, Origin);
      if (Stats.ProcessorMs && RecordTime)
        Stats.ProcessorMs->at(static_cast<size_t>(PrefetchWork::Record)) +=
            static_cast<double>(RecordTime->load()) * 1e-6;
      const std::optional<os::DiskUse> Threads = Engine->diskUse();
      if (UseBefore && UseAfter && Threads)
        addLinkersDiskUse(*UseAfter - *UseBefore - *Threads, *Threads, Stats);
    }
    Stats.Profile = ProfileState;
    append_range(Stats.Problems, Problems);
    if (Touched) {
      Stats.TouchedBytes = Engine->copiedBytes();
      for (const RecordedFile &File : *Touched)
        *Stats.TouchedBytes += File.touchedBytes();
      if (HasJoined)
        Stats.WastedBytes = Engine->wastedBytes(*Touched);
    }
  }
  headstart::writeReports(Settings, Stats, Trace.get(), Tool);
}

} // namespace headstart
