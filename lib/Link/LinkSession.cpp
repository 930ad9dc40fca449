//===- LinkSession.cpp - One link and its prefetcher ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkSession.h"
#include "headstart/Link/LinkQueue.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/Link/Reports.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/FilePlanner.h"
#include "headstart/Report/Message.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace llvm;

namespace headstart {

/// LLVM ends the program when memory is missing. What is ours ends alone; all
/// else is what LLVM does by itself (Support/ErrorHandling.cpp).
static void onBadAlloc(void *, const char *Reason, bool) {
  if (os::survivesBadAlloc())
    os::throwBadAlloc();
  // No stream: those allocate.
  for (const char *Part : {"LLVM ERROR: out of memory\n", Reason, "\n"})
    std::fputs(Part, stderr);
  std::abort();
}

LinkSession::LinkSession(std::string Tool, Flavour F, PrefetchSettings Settings,
                         std::vector<PrefetchOption> Final,
                         TraceClock::time_point Origin)
    : PrefetchRun(std::move(Settings), Origin), Tool(std::move(Tool)), Kind(F),
      Final(std::move(Final)) {
  std::string Limit = os::limitInTheWay();
  if (this->Settings.On && !Limit.empty()) {
    this->Settings.On = false;
    WhyOff = std::move(Limit);
  }
  if (this->Settings.On && this->Settings.Profile == "auto") {
    Program = ProgramPages::ofThisProcess(this->Tool);
    Program->ask();
  }
}

/// The most that a link waits for the folder of records, which may be on a file
/// system that does not answer.
static constexpr std::chrono::seconds StorePatience(1);

/// The most that it waits for threads to end for the sake of a report.
static constexpr std::chrono::milliseconds ReportPatience(2000);

/// Does \p Work on a thread, where no signal comes (a file that grows past
/// `ulimit -f` is an error there), and waits for it for StorePatience. False
/// when it has not ended: it must own what it uses.
static bool doAside(std::function<void()> Work) {
  os::Threads Thread;
  return !Thread.start(std::move(Work)) && Thread.join(StorePatience);
}

/// Adds the processor time that the calling thread takes for \p Work to \p Sum,
/// in nanoseconds, where somebody asks for that.
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

/// `doAside` for what reads or keeps a record.
bool LinkSession::doForRecord(std::function<void()> Work) const {
  return doAside([Time = RecordTime, Work = std::move(Work)] {
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
      Settings.On = false;
      Result = joinErrors(std::move(Result), std::move(E));
      return;
    }
    // "off" in the environment has the last word: it is what one sets when
    // the command lines cannot be changed.
    if (WhyOff.empty())
      WhyOff = whyOff(Settings, Context);
    Settings.On = WhyOff.empty();
    if (!Settings.On)
      return;

    std::vector<CommandLineWord> Words;
    Words.reserve(Argv.size());
    for (const char *Word : ArrayRef(Argv).drop_front())
      Words.push_back({Word, "", ""});
    LinkCommand Command = LinkerModel::of(Kind).parse(Words, Context);
    LinkedAs = Command.Kind;
    if (!Command.Links) {
      Settings.On = false;
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

/// About how many bytes the inputs of \p Command have: as in the record \p
/// Last, or, when that is null, by a sample of them.
static uint64_t expectedBytes(const LinkCommand &Command,
                              const LinkProfile *Last) {
  uint64_t Bytes = 0, Looks = 0;
  if (Last) {
    for (const RecordedFile &File : Last->Files)
      Bytes += File.Identity.Size;
    return Bytes;
  }
  constexpr size_t MaxLooks = 64;
  constexpr std::chrono::milliseconds MaxTime(10); // they may be far away
  const size_t Count = Command.Inputs.size();
  const auto Begin = std::chrono::steady_clock::now();
  for (size_t I = 0; I < Count; I += Count / MaxLooks + 1) {
    // What is searched for is mostly not there by its name, and a library.
    std::error_code Ignored;
    Bytes += os::lookAt(Command.Inputs[I].Name, Ignored).Identity.Size;
    ++Looks;
    if (std::chrono::steady_clock::now() - Begin > MaxTime)
      break;
  }
  return Looks == 0 ? 0 : Bytes / Looks * Count;
}

void LinkSession::startEngine(LinkCommand Command) {
  beginTrace(Tool + " and its prefetcher");
  EngineOptions Options = engineOptions(Command, Settings.HandOver);
  if (Settings.Stats)
    RecordTime = std::make_shared<std::atomic<int64_t>>(0);
  useProfile(Command, Options);
  Options.ExpectedBytes = expectedBytes(Command, Options.Profile.get());
  waitForTurn(Options.ExpectedBytes);
  if (Trace)
    Stages = {{LinkStage::Parse, TraceClock::now()}};
  if (Settings.Stats)
    UseBefore = os::diskUse(os::DiskUser::Process);
  Engine = std::make_unique<PrefetchEngine>(Options);
  os::onThreadShortage(std::make_shared<const std::function<bool()>>(
      [this] { return giveThreadsBack(); }));
  Engine->start(std::move(Command));
}

/// Waits until the links that run leave room for this one, whose inputs have
/// about \p InputBytes.
void LinkSession::waitForTurn(uint64_t InputBytes) {
  constexpr uint64_t SmallShare = 64; // of all memory: not worth a look
  constexpr std::chrono::milliseconds Pause(50);
  // Of one that is stopped nobody knows for how long.
  constexpr std::chrono::minutes MaxPause(1);
  const std::string Folder = profileFolder();
  if (Settings.QueueBytes == 0 || Folder.empty())
    return;
  const uint64_t Need = Profile && Profile->PeakBytes != 0 ? Profile->PeakBytes
                                                           : InputBytes * 3 / 2;
  bool HasSaid = false;
  uint64_t Running = 0;
  auto Since = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - Since < MaxPause) {
    os::SystemMemory Memory = os::SystemMemory::read();
    uint64_t Total = std::min(Memory.TotalBytes,
                              Memory.CgroupLimitBytes.value_or(UINT64_MAX));
    uint64_t Free = Memory.available();
    if (Settings.QueueBytes)
      Total = Free = *Settings.QueueBytes;
    else if (Need < Total / SmallShare)
      return;
    if (!Queue)
      Queue = std::make_shared<LinkQueue>(
          queueDirectory(Folder, os::memoryName(), Settings.QueueBytes), Need);
    auto Answer = std::make_shared<LinkQueue::Answer>(LinkQueue::Answer::None);
    bool InTime = doAside([Answer, Mine = Queue, Total, Free] {
      *Answer = Mine->ask(Total, Free);
    });
    if (!InTime)
      Queue = nullptr; // the thread that has not come back leaves the queue
    else if (*Answer == LinkQueue::Answer::Begin)
      return;
    if (!InTime || *Answer == LinkQueue::Answer::None)
      break;
    if (!std::exchange(HasSaid, true))
      errs() << Tool << ": waiting for other links: together they do not fit "
             << "in memory (--prefetch-queue=none never waits)\n";
    if (std::exchange(Running, Queue->running()) != Running)
      Since = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(Pause);
  }
  leaveQueue();
}

/// The cache may be on a file system that stopped to answer, for which no link
/// waits at its end.
void LinkSession::leaveQueue() {
  if (Queue)
    (void)doAside([Mine = Queue] { Mine->leave(); });
  Queue = nullptr;
}

/// Finds the record of this output's last link. One that cannot be read is
/// reported, and none.
void LinkSession::useProfile(const LinkCommand &Command,
                             EngineOptions &Options) {
  if (Command.Outputs.empty())
    return;
  Output = Command.image();
  Names = namesOf(Command);
  // /dev/null is the output of many links.
  std::error_code Ignored;
  os::FileKind Kind = os::lookAt(Output, Ignored).Kind;
  if (Kind != os::FileKind::Regular && Kind != os::FileKind::Missing)
    return;
  ProfileSettings = std::string(Command.ReadsCodeView ? "codeview " : "") +
                    (Command.ReadsDWARF ? "dwarf " : "") +
                    (Command.DropsUnreferenced ? "ref " : "");
  ProfilePath = profilePath(Settings.Profile, Tool, Output);
  if (ProfilePath.empty())
    return;
  struct Read {
    std::shared_ptr<const LinkProfile> Profile;
    std::string Problem;
    bool MayReplace = true;
  };
  auto Result = std::make_shared<Read>();
  bool InTime = doForRecord([Result, Path = ProfilePath,
                             IsPruned = isProfileFolder(Settings.Profile)] {
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
  // A record of other kinds of bytes than this link reads would keep the rest
  // from being fetched.
  if (Profile && Profile->Settings == ProfileSettings &&
      isRecordOf(*Profile, Command)) {
    Options.Profile = Profile;
    Options.IsProfileElsewhere = Settings.Profile != "auto";
  }
}

/// Notes \p Problem of the profile. If the user has named its file, and this
/// link stores none in it, a warning says so as well.
void LinkSession::noteProfile(std::string Problem, bool IsLost) {
  if (IsLost && Settings.Profile != "auto")
    printMessage(Tool, Severity::Warning, Problem);
  note(std::move(Problem));
}

/// Says what the record that the link began with was worth.
void LinkSession::noteProfileUse() {
  if (!Profile)
    return;
  PrefetchEngine::ProfileUse Use = Engine->profileUse();
  ProfileHolds = Use.Matched != 0 && Use.Changed == 0 && Use.Refined == 0;
  ProfileState = ProfileHolds || Use.Matched > Use.Changed ? "used" : "stale";
}

/// Keeps \p New at \p Path, in the place of an older record. What went wrong;
/// empty: nothing.
static std::string keep(const std::string &Path, const LinkProfile &New,
                        bool Prune) {
  // The link itself may have made a file of that name.
  if (!mayReplaceProfile(Path))
    return "'" + Path + "' is not a profile, so Headstart does not replace it";
  const bool IsOneMore = !sys::fs::exists(Path);
  if (Error E = saveProfile(Path, New))
    return toString(std::move(E));
  if (Prune && IsOneMore)
    pruneProfiles(sys::path::parent_path(Path).str());
  return "";
}

/// Keeps what this link touched for the next one, unless the record that it
/// began with still holds for every file.
void LinkSession::keepProfile(bool Succeeded) {
  noteProfileUse();
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
    // Of its inputs a link never needs all at once.
    uint64_t Peak = os::peakMemory().value_or(0);
    New->PeakBytes = Peak - std::min(Peak, New->touchedBytes() / 2);
  }
  // The options may have come after the program's pages were asked for.
  std::shared_ptr<ProgramPages> Pages =
      MayRecord && Settings.Profile == "auto" ? Program : nullptr;
  if (!New && !Pages)
    return;

  auto Failures = std::make_shared<std::vector<std::string>>();
  bool InTime = doForRecord([Failures, Pages, New, Path = ProfilePath,
                             Prune = isProfileFolder(Settings.Profile)] {
    if (New)
      Failures->push_back(keep(Path, *New, Prune));
    if (Pages)
      Failures->push_back(toString(Pages->keep()));
  });
  if (!InTime)
    Failures = std::make_shared<std::vector<std::string>>(
        1, "writing the profile '" + ProfilePath + "' took too long");
  bool Failed = false;
  // Both fail for the same reason: the directory. One message is enough.
  for (std::string &Failure : *Failures)
    if (!Failure.empty() && !std::exchange(Failed, true))
      noteProfile(std::move(Failure), /*IsLost=*/true);
  if (New && !Failed && StringRef(ProfileState) == "none")
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

/// lld's stages by the names of its timers (COFF/COFFLinkerContext.cpp), which
/// /time prints.
static std::optional<LinkStage> stageNamed(StringRef Name) {
  return StringSwitch<std::optional<LinkStage>>(Name)
      .Case("GC", LinkStage::Contents)
      .Case("ICF", LinkStage::Contents)
      .Case("Code Layout", LinkStage::Contents)
      .Case("Type Merging", LinkStage::Types)
      .Case("Global Type Hashing", LinkStage::Types)
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

void LinkSession::writing() {
  // lld's COFF driver has timers, and comes back to its inputs after this. Its
  // ELF driver tries whether it can write before it reads anything.
  if (LinkedAs != Flavour::COFF &&
      IsBeyondParsing.load(std::memory_order_relaxed))
    reached(LinkStage::Contributions);
}

void LinkSession::end(bool Succeeded, bool Leaves) {
  std::call_once(Ended, [&] {
    IsEnding.store(true);
    if (Engine) {
      Engine->cancel();
      // Only reports tell what the threads have done to the last; and only what
      // goes on in this process could meet them.
      HasJoined = joinEngine(Settings.Stats || Trace || !Leaves
                                 ? ReportPatience
                                 : std::chrono::milliseconds(0));
      // What keeping a record reads is not the link's.
      if (Settings.Stats)
        UseAfter = os::diskUse(os::DiskUser::Process);
      measure(RecordTime.get(), [&] {
        if (!os::hasMemoryFor([&] { keepProfile(Succeeded); }))
          note("too little memory for a profile");
      });
    }
    if (Trace) {
      traceStages();
      // lld has written its own before it leaves, also in some links that
      // failed.
      mergeTimeTrace(Succeeded);
    }
    writeReports();
    leaveQueue();
    Program = nullptr; // and its thread, if that has not ended
  });
}

void LinkSession::endAtExit() {
  // A fatal error of LLVM's on a thread of ours is not the link's: the thread
  // stops here, and whoever waits for it goes on after a while.
  while (os::Threads::isOwn())
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (!IsEnding.load())
    end(/*Succeeded=*/false);
}

bool LinkSession::giveThreadsBack() {
  if (!Engine)
    return false;
  // Whoever comes later waits for the first; then there is room for all.
  Engine->cancel();
  (void)joinEngine(StorePatience);
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
      if (UseBefore && UseAfter)
        addLinkersDiskUse(*UseAfter - *UseBefore, Engine->diskUse(), Stats);
    }
    Stats.Profile = ProfileState;
    for (const CountedProblem &P : Problems)
      Stats.Problems.push_back(P);
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
