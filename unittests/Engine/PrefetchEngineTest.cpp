//===- PrefetchEngineTest.cpp - Fetching and handing over -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineTestSupport.h"
#include "Formats/ArchiveTestSupport.h"
#include "Formats/COFFTestSupport.h"
#include "headstart/OS/PageTables.h"
#include "gmock/gmock.h"
#include <filesystem>
#include <sys/stat.h>
#include <thread>

using namespace headstart;
using namespace headstart::test;
using llvm::MemoryBuffer;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class PrefetchEngineTest : public testing::Test {
protected:
  TestDirectory Directory;
};

TEST_F(PrefetchEngineTest, FetchesUncachedFiles) {
  std::vector<std::string> Paths = writeFiles(Directory, 20, 300000);
  evict(Paths);
  LinkStats Stats = fetchInputs(Paths);
  for (const std::string &Path : Paths)
    EXPECT_TRUE(isResident(Path));
  EXPECT_EQ(Stats.Inputs, 20U);
  EXPECT_EQ(Stats.OpenedInputs, 20U);
  EXPECT_EQ(Stats.InputsBytes, 20 * 300000U);
  EXPECT_EQ(Stats.ResidentBytesBefore, 0U);
  EXPECT_EQ(Stats.UnknownBytesBefore, 0U);
  EXPECT_EQ(Stats.HintedBytes, 20 * 300000U);
  EXPECT_GE(Stats.HintCalls, 20U);
  EXPECT_TRUE(Stats.FirstHintMs.has_value());
  EXPECT_LE(*Stats.FirstHintMs, *Stats.LastHintMs);
  EXPECT_TRUE(Stats.Problems.empty());
  EXPECT_EQ(times(Stats, Decision::NotCached), 20U);
  EXPECT_EQ(times(Stats, Decision::WholeCheaper) +
                times(Stats, Decision::ByLayout),
            20U);
  // On a busy machine, a thread that waits for the disk then also waits for a
  // processor.
  EXPECT_GE(times(Stats, Decision::AnswerCounted) +
                times(Stats, Decision::AnswerUnscheduled),
            1U);
}

TEST_F(PrefetchEngineTest, SkipsCachedFiles) {
  std::vector<std::string> Paths = writeFiles(Directory, 20, 300000);
  EngineOptions Options;
  Options.Numbers.MaxDependencyScans = 12;
  LinkStats Stats = fetchInputs(Paths, Options);
  EXPECT_EQ(Stats.ResidentBytesBefore, 20 * 300000U);
  EXPECT_EQ(Stats.HintCalls, 0U);
  EXPECT_EQ(Stats.HintedBytes, 0U);
  EXPECT_FALSE(Stats.FirstHintMs.has_value());
  EXPECT_EQ(times(Stats, Decision::Cached), 20U);
  EXPECT_EQ(times(Stats, Decision::NotNeeded), 20U);
  EXPECT_EQ(times(Stats, Decision::Scanned), 12U);
  EXPECT_EQ(times(Stats, Decision::ScanSkippedEnough), 8U);
}

TEST_F(PrefetchEngineTest, HandsOverBytesUnderRequestedName) {
  std::string Large = Directory.write("large.obj", pattern(100000));
  std::string Small = Directory.write("small.obj", "tiny");
  waitUntilOld({Large, Small});
  PrefetchEngine Engine({});
  startFiles(Engine, {Large, Small});
  auto LargeBuffer = Engine.take(Large, likeLLD());
  auto SmallBuffer = Engine.take(Small, likeLLD());
  ASSERT_TRUE(LargeBuffer && SmallBuffer);
  EXPECT_EQ(LargeBuffer->getBuffer(), pattern(100000));
  EXPECT_EQ(LargeBuffer->getBufferIdentifier(), Large);
  EXPECT_EQ(LargeBuffer->getBufferKind(), MemoryBuffer::MemoryBuffer_MMap);
  EXPECT_EQ(SmallBuffer->getBuffer(), "tiny");
  EXPECT_EQ(SmallBuffer->getBufferKind(), MemoryBuffer::MemoryBuffer_Malloc);
  LinkStats Stats = statsOf(Engine);
  EXPECT_EQ(Stats.HandedOver, 2U);
  EXPECT_EQ(times(Stats, Decision::HandedOver), 2U);
  EXPECT_EQ(times(Stats, Decision::HeldMapping), 1U);
  EXPECT_EQ(times(Stats, Decision::HeldCopy), 1U);
}

/// The times of a file on a store of whole seconds do not change if the file is
/// written again in the same second. A copy of it may be old, then, but not a
/// mapping.
TEST_F(PrefetchEngineTest, DoesNotCopyRecentlyChangedFile) {
  std::string Large = Directory.write("large.obj", pattern(100000));
  std::string Small = Directory.write("small.obj", "tiny");
  for (const std::string &Path : {Large, Small})
    std::filesystem::last_write_time(
        Path, std::chrono::ceil<std::chrono::seconds>(
                  std::filesystem::file_time_type::clock::now() +
                  std::chrono::hours(1)));
  PrefetchEngine Engine({});
  startFiles(Engine, {Large, Small});
  EXPECT_TRUE(Engine.take(Large, likeLLD()));
  EXPECT_FALSE(Engine.take(Small, likeLLD()));
  LinkStats Stats = statsOf(Engine);
  EXPECT_EQ(times(Stats, Decision::JustChanged), 1U);
  EXPECT_EQ(times(Stats, Decision::HeldNothing), 1U);
  EXPECT_TRUE(Stats.Problems.empty());
}

TEST_F(PrefetchEngineTest, HandsOverFileTwice) {
  std::string Path = Directory.write("a.obj", pattern(50000));
  PrefetchEngine Engine({});
  startFiles(Engine, {Path, Path});
  EXPECT_EQ(statsOf(Engine).Inputs, 1U);
  auto First = Engine.take(Path, likeLLD());
  auto Second = Engine.take(Path, likeLLD());
  ASSERT_TRUE(First && Second);
  First.reset();
  EXPECT_EQ(Second->getBuffer(), pattern(50000));
}

TEST_F(PrefetchEngineTest, BuffersOutliveEngine) {
  std::string Large = Directory.write("large.obj", pattern(100000));
  std::string Small = Directory.write("small.obj", "tiny");
  waitUntilOld({Large, Small});
  std::unique_ptr<MemoryBuffer> A, B;
  {
    PrefetchEngine Engine({});
    startFiles(Engine, {Large, Small});
    A = Engine.take(Large, likeLLD());
    B = Engine.take(Small, likeLLD());
  }
  EXPECT_EQ(A->getBuffer(), pattern(100000));
  EXPECT_EQ(B->getBuffer(), "tiny");
}

TEST_F(PrefetchEngineTest, LeavesUnknownPathToCaller) {
  std::string Path = Directory.write("a.obj", pattern(50000));
  PrefetchEngine Engine({});
  startFiles(Engine, {Path});
  EXPECT_FALSE(Engine.take(Directory.path("b.obj"), likeLLD()));
  EXPECT_FALSE(Engine.take("", likeLLD()));
  EXPECT_EQ(statsOf(Engine).HandedOver, 0U);
}

TEST_F(PrefetchEngineTest, SkipsSpecialFiles) {
  std::string Fifo = Directory.path("fifo.obj");
  ASSERT_EQ(mkfifo(Fifo.c_str(), 0600), 0);
  std::string Missing = Directory.path("missing.obj");
  std::string Subdirectory = Directory.path("directory.obj");
  std::filesystem::create_directory(Subdirectory);
  std::string Empty = Directory.write("empty.obj", "");
  std::string Device = "/dev/zero";
  PrefetchEngine Engine({});
  startFiles(Engine, {Fifo, Missing, Subdirectory, Empty, Device});
  for (const std::string &Path : {Fifo, Missing, Subdirectory, Empty, Device})
    EXPECT_FALSE(Engine.take(Path, likeLLD())) << Path;
  Engine.join();
  LinkStats Stats = statsOf(Engine);
  EXPECT_EQ(Stats.Inputs, 5U);
  EXPECT_EQ(Stats.HandedOver, 0U);
  // Each kind of problem has one line, with a path and a count.
  ASSERT_EQ(Stats.Problems.size(), 2U);
  EXPECT_THAT(Stats.Problems[0].Message, HasSubstr("regular file"));
  EXPECT_EQ(Stats.Problems[0].Count, 3U);
  EXPECT_THAT(Stats.Problems[1].Message, HasSubstr(Missing));
  EXPECT_EQ(times(Stats, Decision::NotOpened), 5U);
}

TEST_F(PrefetchEngineTest, DoesNotHandOverChangedFile) {
  std::vector<std::string> Paths = writeFiles(Directory, 4, 50000);
  PrefetchEngine Engine({});
  startFiles(Engine, Paths);
  Engine.join(); // all files are opened
  std::filesystem::remove(Paths[0]);
  std::filesystem::rename(Directory.write("new", pattern(50000)), Paths[1]);
  std::filesystem::resize_file(Paths[2], 20000);
  EXPECT_FALSE(Engine.take(Paths[0], likeLLD()));
  EXPECT_FALSE(Engine.take(Paths[1], likeLLD()));
  EXPECT_FALSE(Engine.take(Paths[2], likeLLD()));
  EXPECT_TRUE(Engine.take(Paths[3], likeLLD()));
  LinkStats Stats = statsOf(Engine);
  ASSERT_EQ(Stats.Problems.size(), 1U);
  EXPECT_EQ(Stats.Problems[0].Count, 3U);
  EXPECT_EQ(times(Stats, Decision::ChangedSinceOpen), 3U);
}

TEST_F(PrefetchEngineTest, FetchesWithoutHandOver) {
  std::vector<std::string> Paths = writeFiles(Directory, 5, 300000);
  evict(Paths);
  EngineOptions Options;
  Options.HandOver = false;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  EXPECT_FALSE(Engine.take(Paths[0], likeLLD()));
  Engine.join();
  for (const std::string &Path : Paths)
    EXPECT_TRUE(isResident(Path));
}

TEST_F(PrefetchEngineTest, HandsOverWithoutThreads) {
  std::string Path = Directory.write("a.obj", pattern(50000));
  EngineOptions Options;
  Options.Jobs = 0;
  PrefetchEngine Engine(Options);
  startFiles(Engine, {Path});
  EXPECT_TRUE(Engine.take(Path, likeLLD()));
  EXPECT_EQ(times(statsOf(Engine), Decision::LinkerOpened), 1U);
}

/// A lazy member of an archive is opened only after the linker has requested
/// it, even if the engine has nothing left to do. The link's profile then has
/// the member, and the next link fetches it in time.
TEST_F(PrefetchEngineTest, HandsOverAfterEnd) {
  std::vector<std::string> Paths = writeFiles(Directory, 2, 300000);
  LinkCommand Command;
  Command.Inputs.resize(2);
  for (size_t I = 0; I != 2; ++I)
    Command.Inputs[I].Name = Paths[I];
  Command.Inputs[1].OnDemand = true;
  PrefetchEngine Engine({});
  Engine.start(std::move(Command));
  Engine.join();
  EXPECT_EQ(statsOf(Engine).InputsBytes, 300000U);
  std::unique_ptr<MemoryBuffer> Taken = Engine.take(Paths[1], likeLLD());
  ASSERT_TRUE(Taken);
  EXPECT_EQ(Taken->getBuffer()[0], 1);
  if (std::optional<std::vector<RecordedFile>> Touched = Engine.touched()) {
    ASSERT_EQ(Touched->size(), 1U);
    EXPECT_EQ(Touched->front().Path, Paths[1]);
  }
}

TEST_F(PrefetchEngineTest, ThreadsTakeConcurrently) {
  std::vector<std::string> Paths = writeFiles(Directory, 400, 20000);
  evict(Paths);
  EngineOptions Options;
  Options.Jobs = 16;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  std::vector<std::thread> Takers;
  std::atomic<unsigned> Right{0};
  for (int T = 0; T != 4; ++T)
    Takers.emplace_back([&, T] {
      for (size_t I = 0; I != Paths.size(); ++I) {
        // From both ends: some threads meet the engine, and some outrun it.
        size_t Which = T % 2 ? I : Paths.size() - 1 - I;
        auto Buffer = Engine.take(Paths[Which], likeLLD());
        if (Buffer && Buffer->getBufferSize() == 20000 &&
            Buffer->getBuffer()[0] == static_cast<char>(Which))
          ++Right;
      }
    });
  for (std::thread &T : Takers)
    T.join();
  Engine.join();
  EXPECT_EQ(Right, 4 * 400U);
}

/// Returns a COFF object with \p Part bytes each of code, CodeView symbols
/// (after a few that are read while parsing), types and, after \p Unused, a
/// symbol table.
std::string object(char Seed, uint32_t Part = 300000, uint32_t Unused = 0) {
  const uint32_t End = 2000 + 3 * Part + Unused;
  std::string Bytes = plainHead({{".text", 1000, Part},
                                 {".debug$S", 1000 + Part, 1000},
                                 {".debug$S", 2000 + Part, Part},
                                 {".debug$T", 2000 + 2 * Part, Part}},
                                /*SymbolTable=*/End, /*NumSymbols=*/0);
  Bytes.resize(End + Part, Seed);
  return Bytes;
}

/// The page cache has all of the object except a page in its middle. The
/// inspection reads what is cached, which shows nothing about the store, and
/// the rest is fetched.
TEST_F(PrefetchEngineTest, CacheHitsDoNotCountAsStoreTime) {
  std::string Path = Directory.write("a.obj", object('a'));
  evict({Path});
  const os::OpenFile File = openOrFail(Path);
  const os::PageCache Cache;
  const uint64_t Missing = 8 * Cache.pageSize();
  const uint64_t Rest = Missing + Cache.pageSize();
  (void)Cache.fetch(File, {0, Missing});
  (void)Cache.fetch(File, {Rest, File.size() - Rest});
  ASSERT_EQ(Cache.residency(File, {Missing, 1})->ResidentPages, 0U);
  EngineOptions Options;
  Options.Numbers = expensiveBytes();
  // Each answer that counts changes the prices.
  Options.Numbers.WindowRequests = 0;
  Options.Numbers.FirstWindowTime = Tuning::Seconds(0);
  LinkStats Stats = fetchInputs({Path}, Options);
  EXPECT_TRUE(isResident(Path));
  EXPECT_EQ(times(Stats, Decision::PartlyCached), 1U);
  // A thread rarely waits although the bytes are cached. The inspection's two
  // reads and the missing page are answers.
  const uint64_t FromCache = times(Stats, Decision::AnsweredFromCache);
  const uint64_t Counted = times(Stats, Decision::AnswerCounted) +
                           times(Stats, Decision::AnswerUnscheduled);
  EXPECT_GE(FromCache, 1U);
  EXPECT_EQ(FromCache + Counted, 3U);
  ASSERT_EQ(Stats.Stores.size(), 1U);
  EXPECT_EQ(Stats.Stores[0].Samples, Counted);
}

/// The thread waits after the first of three steps, and the second one is
/// cached when it continues.
TEST_F(PrefetchEngineTest, DoesNotRequestRangesCachedMeanwhile) {
  const std::string Path = Directory.write("a.obj", pattern(3 << 19));
  const ByteRange Middle{1 << 19, 1 << 19}, LastPage{(3 << 19) - 1, 1};
  const os::PageCache Cache;
  for (const bool IsPartlyCached : {false, true}) {
    evict({Path});
    const os::OpenFile File = openOrFail(Path);
    if (IsPartlyCached)
      (void)Cache.fetch(File, LastPage);
    EngineOptions Options;
    Options.BudgetBytes = 1;
    Options.HandOver = false; // else steps may be larger
    // A partly cached input is queried whatever a query costs.
    Options.Numbers.QuerySeconds = IsPartlyCached ? 1e6 : 0;
    PrefetchEngine Engine(Options);
    startFiles(Engine, {Path});
    while (Engine.waitingForMemory() == 0)
      std::this_thread::yield();
    ASSERT_EQ(Cache.fetch(File, Middle).Outcome, os::HintOutcome::Accepted);
    EXPECT_FALSE(Engine.take(Path, likeLLD()));
    Engine.join();
    EXPECT_TRUE(isResident(Path));
    LinkStats Stats = statsOf(Engine);
    EXPECT_EQ(times(Stats, Decision::AlreadyFetched), 1U);
    EXPECT_EQ(times(Stats, Decision::Stepwise), 2U);
    // Mostly the engine itself has read such bytes, with an inspection or in
    // large pages, so they count.
    EXPECT_EQ(Stats.HintedBytes, 3U << 19);
  }
}

/// With expensive requests, near ranges are one request. They stay apart in the
/// profile: requests of the next link may be cheap.
TEST_F(PrefetchEngineTest, ExpensiveRequestsCoalesceRanges) {
  // The whole file would be many requests. The symbols follow the unused bytes.
  constexpr uint32_t Part = 230000;
  std::string Path = Directory.write("a.obj", object('a', Part, 4 << 20));
  evict({Path});
  EngineOptions Options;
  Options.Jobs = Options.Processors = 1;
  Options.Numbers = expensiveBytes();
  Options.Numbers.RequestSeconds = 0.4;
  Options.Numbers.RequestBytes = 1 << 20;
  Options.Trace = std::make_shared<TraceLog>(TraceClock::now());
  PrefetchEngine Engine(Options);
  startFiles(Engine, {Path});
  Engine.join();
  LinkStats Stats = statsOf(Engine);
  EXPECT_EQ(times(Stats, Decision::ByLayout), 1U);
  EXPECT_EQ(times(Stats, Decision::RangesCombined), 1U);
  EXPECT_EQ(ReadTrace(*Options.Trace).names().count("prefetch 0/fetch"), 2U);
  EXPECT_TRUE(
      os::PageCache().residency(openOrFail(Path), {0, 3 * Part})->complete());
  std::unique_ptr<MemoryBuffer> Taken = Engine.take(Path, likeLLD());
  ASSERT_TRUE(Taken);
  EXPECT_GT(llvm::count(Taken->getBuffer(), 'a'), 300000); // touches all of it
  if (std::optional<std::vector<RecordedFile>> Touched = Engine.touched()) {
    ASSERT_EQ(Touched->size(), 1U);
    std::set<LinkStage> Stages;
    for (const PlannedRange &R : Touched->front().Plan)
      Stages.insert(R.Stage);
    EXPECT_THAT(Stages, testing::IsSupersetOf(
                            {LinkStage::Parse, LinkStage::Contents,
                             LinkStage::Types, LinkStage::DebugSymbols}));
  }
}

/// Large pages may be unavailable. Then the same bytes are fetched in others.
TEST_F(PrefetchEngineTest, FetchesInLargePagesIfTheyCostLess) {
  std::vector<std::string> Paths = writeFiles(Directory, 4, 4 << 20);
  evict(Paths);
  EngineOptions Options;
  // The first answer shows how long a request takes.
  Options.Numbers.WindowRequests = 0;
  Options.Numbers.FirstWindowTime = Tuning::Seconds(0);
  LinkStats Stats = fetchInputs(Paths, Options);
  EXPECT_GE(times(Stats, Decision::LargePages) +
                times(Stats, Decision::LargePagesFailed),
            1U);
  EXPECT_EQ(Stats.HintedBytes, 16U << 20);
  for (const std::string &Path : Paths)
    EXPECT_TRUE(isResident(Path));
}

TEST_F(PrefetchEngineTest, FetchesStageByStage) {
  std::vector<std::string> Paths = {Directory.write("a.obj", object('a')),
                                    Directory.write("b.obj", object('b'))};
  evict(Paths);
  auto Trace = std::make_shared<TraceLog>(TraceClock::now());
  EngineOptions Options;
  Options.Jobs = 1; // one thread has one order
  Options.Numbers = expensiveBytes();
  Options.Trace = Trace;
  LinkStats Stats = fetchInputs(Paths, Options);
  EXPECT_EQ(times(Stats, Decision::ByLayout), 2U);
  // No memory is short, so the linker's second reads find their bytes cached.
  EXPECT_EQ(times(Stats, Decision::StageBegun), NumFirstStages - 1);
  EXPECT_EQ(times(Stats, Decision::StageNotBegun), 1U);
  EXPECT_EQ(times(Stats, Decision::HeapsTrimmed), 0U);
  std::vector<std::string> Fetches;
  const ReadTrace Read(*Trace);
  for (const llvm::json::Object &O : Read.Events) {
    if (O.getString("name") != "fetch")
      continue;
    llvm::StringRef Path = *O.getObject("args")->getString("path");
    Fetches.push_back((Path.take_back(5).take_front(1) + " " +
                       *O.getObject("args")->getString("why"))
                          .str());
  }
  EXPECT_THAT(Fetches,
              ElementsAre("a headers", "a compiler information",
                          "a compiler information", "a symbols and strings",
                          "b headers", "b compiler information",
                          "b compiler information", "b symbols and strings",
                          "b section contents", "a section contents",
                          "b type records", "a type records", "a debug symbols",
                          "b debug symbols"));
  EXPECT_TRUE(isResident(Paths[0]));
  EXPECT_TRUE(isResident(Paths[1]));
}

TEST_F(PrefetchEngineTest, FetchesIndexOfArchive) {
  std::string Archive = "!<arch>\n" + memberHeader("/", 100000);
  Archive.resize(1000000, 'x');
  std::string Path = Directory.write("a.lib", Archive);
  for (bool Whole : {false, true}) {
    evict({Path});
    LinkCommand Command;
    Command.Inputs.resize(1);
    Command.Inputs[0].Name = Path;
    Command.Inputs[0].Whole = Whole;
    PrefetchEngine Engine({});
    Engine.start(Command);
    Engine.join();
    LinkStats Stats = statsOf(Engine);
    const uint64_t Index =
        llvm::alignTo(8 + 60 + 100000, os::PageCache().pageSize());
    EXPECT_EQ(Stats.HintedBytes, Whole ? 1000000U : Index);
    EXPECT_EQ(isResident(Path), Whole);
  }
}

TEST_F(PrefetchEngineTest, MemoryShortageFollowsLinker) {
  const std::string Bytes = object('a');
  std::string Path = Directory.write("a.obj", Bytes);
  if (!os::PageTables().present(Bytes))
    GTEST_SKIP() << "the system does not report page tables";
  evict({Path});
  EngineOptions Options;
  Options.Jobs = 1;
  std::atomic<unsigned> Queries{0};
  Options.ReadMemory = [&] {
    ++Queries;
    os::SystemMemory Memory;
    Memory.AvailableBytes = 700000; // less than twice the object
    return Memory;
  };
  PrefetchEngine Engine(Options);
  startFiles(Engine, {Path});
  os::OpenFile File = openOrFail(Path);
  os::PageCache Cache;
  auto WaitFor = [&](ByteRange Range) {
    while (!Cache.residency(File, Range)->complete())
      std::this_thread::yield();
  };
  // Parts that share no page with others.
  constexpr ByteRange Text{70000, 180000}, Types{660000, 180000},
      Symbols{330000, 250000}, Table{920000, 280000};
  auto Buffer = Engine.take(Path, likeLLD());
  ASSERT_TRUE(Buffer);
  WaitFor(Table);
  Engine.reached(LinkStage::Contents);
  WaitFor(Text);
  // The types, which come next, are not fetched until it has read these.
  while (Engine.waitingForMemory() != 1)
    std::this_thread::yield();
  EXPECT_EQ(Cache.residency(File, Types)->ResidentPages, 0U);
  auto Read = [&](ByteRange Range) {
    EXPECT_EQ(Buffer->getBuffer().substr(Range.Offset, Range.Length),
              Bytes.substr(Range.Offset, Range.Length));
  };
  Read(Text);
  WaitFor(Types);
  EXPECT_FALSE(Cache.residency(File, Symbols)->complete());
  Engine.reached(LinkStage::Types);
  Read(Types);
  Engine.reached(LinkStage::DebugSymbols);
  WaitFor(Symbols);
  Read(Symbols);
  Engine.reached(LinkStage::Commit);
  Read({0, File.size()});
  Engine.join();
  EXPECT_TRUE(Engine.wasShortOfMemory());
  EXPECT_GE(Queries.load(), 2U);
  LinkStats Stats = statsOf(Engine);
  EXPECT_TRUE(Stats.Problems.empty());
  EXPECT_GE(times(Stats, Decision::Released), 1U);
  EXPECT_GE(times(Stats, Decision::LinkerFollowed), 2U);
  EXPECT_GE(times(Stats, Decision::HeapsTrimmed), 1U);
  // The engine visited contents, symbols and debug symbols once more.
  EXPECT_GT(Stats.HintedBytes, File.size());
  EXPECT_EQ(Engine.wastedBytes({}), File.size());
}

TEST_F(PrefetchEngineTest, RequestOutOfTurnGoesFirst) {
  std::vector<std::string> Paths = writeFiles(Directory, 64, 1 << 20);
  evict(Paths);
  EngineOptions Options;
  Options.Jobs = 1;
  Options.BudgetBytes = 4 << 20; // the thread waits after about four files
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  while (statsOf(Engine).HintedBytes < Options.BudgetBytes)
    std::this_thread::yield();
  EXPECT_TRUE(Engine.take(Paths[60], likeLLD()));
  // Makes room for more files; Paths[60] is the first to use it.
  for (size_t I = 0; I != 4; ++I)
    EXPECT_TRUE(Engine.take(Paths[I], likeLLD()));
  while (!isResident(Paths[60]))
    std::this_thread::yield();
  EXPECT_FALSE(isResident(Paths[30]));
  for (const std::string &Path : Paths)
    EXPECT_TRUE(Engine.take(Path, likeLLD()));
  Engine.join();
  EXPECT_EQ(statsOf(Engine).HintedBytes, 64U << 20);
}

TEST_F(PrefetchEngineTest, OmitsUnneededRanges) {
  std::string Path = Directory.write("a.obj", object('a'));
  evict({Path});
  EngineOptions Options;
  Options.Plan.ReadsCodeView = false;
  LinkStats Stats = fetchInputs({Path}, Options);
  os::OpenFile File = openOrFail(Path);
  os::PageCache Cache;
  EXPECT_LT(Stats.HintedBytes, 692000U + 2 * Cache.pageSize());
  EXPECT_GE(Stats.HintedBytes, 600000U);
  EXPECT_TRUE(Cache.residency(File, {1000, 290000})->complete());
  EXPECT_FALSE(Cache.residency(File, {600000, 200000})->complete());
}

/// The profile of an object whose layout is unknown has only the touched
/// ranges, for example after a link with a warm cache.
TEST_F(PrefetchEngineTest, FetchesOnlyTouchedRangesOfProfile) {
  std::string Path = Directory.write("a.obj", object('a'));
  const os::PageCache Cache;
  const ByteRange Touched{8 * Cache.pageSize(), 4 * Cache.pageSize()};
  using Ranges = std::vector<PlannedRange>;
  const Ranges Plan{{Touched, LinkStage::Contents, PartKind::Contents}};
  for (auto [How, Planned, Numbers] :
       {std::tuple(Decision::ByTouchedRanges, Ranges(), Tuning()),
        {Decision::ByProfile, Plan, Tuning()},
        {Decision::ByLayoutAndProfile, Ranges(), expensiveBytes()}}) {
    const char *const Key = DecisionKeys.at(static_cast<size_t>(How));
    SCOPED_TRACE(Key);
    evict({Path});
    const os::OpenFile File = openOrFail(Path);
    auto Profile = std::make_shared<LinkProfile>();
    Profile->Files = {{Path, File.identity().version(), {Touched}, Planned}};
    // This changes the file's status, but not its contents.
    std::filesystem::create_hard_link(Path, Path + Key);
    EngineOptions Options;
    Options.Profile = std::move(Profile);
    Options.Processors = 1;
    Options.Numbers = Numbers;
    LinkStats Stats = fetchInputs({Path}, Options);
    EXPECT_EQ(times(Stats, How), 1U);
    EXPECT_EQ(times(Stats, Decision::ScanSkippedRecorded), 1U);
    EXPECT_EQ(Stats.HintedBytes, Touched.Length);
    EXPECT_TRUE(Cache.residency(File, Touched)->complete());
    EXPECT_EQ(Cache.residency(File, {900000, 300000})->ResidentPages, 0U);
  }
}

} // namespace
