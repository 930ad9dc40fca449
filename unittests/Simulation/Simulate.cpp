//===- Simulate.cpp - Links on a played system, one for each seed ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// simulate [SEEDS] [--first SEED]: each seed is a whole link, with inputs, a
/// linker, a disk, memory and faults that are drawn from it. What must hold,
/// whatever is drawn:
///
///  - it ends, and no step of the linker takes much longer than the disk;
///  - what is fetched ahead of the linker stays within the budget;
///  - nothing is handed over that is not at its path any more;
///  - no step of a file is fetched twice for one stage;
///  - what the linker asks for is begun before what it has not asked for;
///  - without faults, each input is opened once and its headers are read once,
///    and all is fetched that the linker will read.
///
/// The first seed that fails is told, with the reason; it fails again alone,
/// and is then told event by event.
///
//===----------------------------------------------------------------------===//

#include "PlayedInputs.h"
#include "PlayedSystem.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace headstart;
using namespace headstart::played;
using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr uint64_t MaxStepBytes = 2 << 20;
constexpr Nanoseconds Second = 1'000'000'000;

/// One link.
class Link {
public:
  explicit Link(uint64_t Seed);
  /// What was wrong; empty: nothing.
  std::string run();
  void tell();

private:
  void drawSystem();
  void drawOptions();
  void drawProfile();
  void linker();
  void parse();
  void comeTo(LinkStage Now);
  void readStage(LinkStage Now);
  void askFor(const PlayedInput &Input);
  void change();
  void onFetch(File &Of, ByteRange Range);
  void onBegin(File &Of);
  void judgeReads();
  void judgeWhole(LinkStage Until);

  World W;
  Dice &Chance = W.Chance;
  PlayedLink Played;
  EngineOptions Options;
  std::unique_ptr<PrefetchEngine> Engine;
  bool HasFaults = false, HasChanges = false;
  bool HasAskedForAll = true; ///< that the command line names; there is no more
  bool IsIdle = false; ///< the linker asks for its inputs, and reads nothing
  LinkStage Stage = LinkStage::Parse;
  std::map<const File *, uint64_t> ParseAhead; ///< not asked for yet
  std::map<LinkStage, uint64_t> StageAhead;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Buffers;
  const File *Wanted = nullptr; ///< asked for, and not begun
  /// How many others than that each thread has begun since. The first may have
  /// been its work before; who begins a second has been told that somebody has
  /// the wanted one, who would begin with that: so not all threads can.
  std::map<size_t, unsigned> BegunSince;
};

} // namespace

Link::Link(uint64_t Seed) : W(Seed) {
  drawSystem();
  Played.draw(W);
  drawOptions();
}

void Link::drawSystem() {
  W.Store.Latency = static_cast<Nanoseconds>(Chance.between(1, 20)) *
                    (Chance.onceIn(2) ? 10'000 : 1'000'000);
  W.Store.NanosecondsPerByte = Chance.onceIn(2) ? 0.5 : 10;
  W.Store.Channels = static_cast<unsigned>(Chance.between(1, 16));
  W.TellsResidency = !Chance.onceIn(8);
  if (Chance.onceIn(8))
    W.FreeDescriptors = Chance.between(34, 60);
  IsIdle = Chance.onceIn(4);
  HasFaults = Chance.onceIn(2);
  if (!HasFaults)
    return;
  for (uint64_t *Fault :
       {&W.Wrong.Open, &W.Wrong.Read, &W.Wrong.Map, &W.Wrong.Fetch,
        &W.Wrong.Thread, &W.Wrong.Memory, &W.Wrong.Stall})
    if (Chance.onceIn(4))
      *Fault = Chance.onceIn(4) ? 3 : Chance.between(20, 2000);
  HasChanges = Chance.onceIn(2);
}

void Link::drawOptions() {
  Options.Jobs = static_cast<unsigned>(Chance.between(1, 8));
  Options.HandOver = !Chance.onceIn(8);
  Options.Plan.Kind = Played.Command.Kind;
  if (Chance.onceIn(3))
    Options.BudgetBytes = Chance.between(1, 8) << 20;
  if (Chance.onceIn(4))
    W.MemoryBytes = std::max<uint64_t>(Played.Bytes * Chance.between(1, 4),
                                       uint64_t(4) << 20);
  if (Chance.onceIn(8))
    Options.MaxMappings = Chance.between(1, 4);
  if (Chance.onceIn(4))
    drawProfile();
  W.OnFetch = [this](File &Of, ByteRange Range) { onFetch(Of, Range); };
  W.OnBegin = [this](File &Of) { onBegin(Of); };
}

/// A record of an earlier link, of some files not of this state.
void Link::drawProfile() {
  auto Profile = std::make_shared<LinkProfile>();
  for (const PlayedInput &Input : Played.Inputs) {
    if (Chance.onceIn(4))
      continue;
    RecordedFile &Record = Profile->Files.emplace_back();
    Record.Path = Input.Path;
    Record.Identity = W.Files[Input.Path]->Identity;
    if (Chance.onceIn(8))
      ++Record.Identity.ModifiedNs;
    for (const auto &[Range, When] : Input.Parts)
      if (!Chance.onceIn(3))
        Record.Touched.push_back(Range);
  }
  Options.Profile = std::move(Profile);
}

/// Somebody writes an input while the link runs.
void Link::change() {
  if (HasChanges && Chance.onceIn(8))
    W.replace(Played.Inputs[Chance.below(Played.Inputs.size())].Path);
}

void Link::onBegin(File &Of) {
  if (&Of == Wanted)
    Wanted = nullptr;
  else if (Wanted && !HasFaults && ++BegunSince[W.thread()] == 2 &&
           llvm::count_if(BegunSince, [](auto &Of) {
             return Of.second >= 2;
           }) == Options.Jobs)
    W.fail("an input that the linker asked for came behind others");
}

void Link::onFetch(File &Of, ByteRange Range) {
  if (!W.isOwn())
    return;
  bool IsShort = Engine->wasShortOfMemory();
  unsigned Times = ++Of.FetchedAt[Range.Offset];
  if (Times > (IsShort ? 2U : 1U) && !HasFaults)
    W.fail("a step was fetched twice for one stage");
  const PlayedInput *Input = Played.find(W, Of);
  // Replaced meanwhile; or planned without what it says of itself.
  if (!Input || W.Wrong.Read != 0)
    return;
  LinkStage When = Input->stageOf(Range.Offset, Options.Plan);
  if (When == LinkStage::Parse && !Input->IsAsked && Stage == LinkStage::Parse)
    ParseAhead[&Of] += Range.Length;
  else if (When > Stage)
    StageAhead[When] += Range.Length;
  uint64_t Ahead = 0;
  for (const auto &[Each, Bytes] : ParseAhead)
    Ahead += Bytes;
  for (const auto &[Each, Bytes] : StageAhead)
    Ahead += Bytes;
  if (!IsShort && Ahead > Options.BudgetBytes &&
      Ahead - Options.BudgetBytes > Options.Jobs * MaxStepBytes)
    W.fail(("more is ahead than the budget allows: " + Twine(Ahead)).str());
}

/// The linker asks for \p Input, and opens it itself when that is in vain.
void Link::askFor(const PlayedInput &Input) {
  W.tell("ask", Input.Path);
  const Nanoseconds Begin = W.now();
  File *Of = W.Files[Input.Path].get();
  // A small one that the linker has read itself nobody comes to any more.
  Wanted = Input.CanBeUrgent && !Of->IsBegun && Input.Bytes >= MinMappedBytes
               ? Of
               : nullptr;
  BegunSince.clear();
  Input.IsAsked = true;
  ParseAhead.erase(Of);
  std::unique_ptr<llvm::MemoryBuffer> Buffer = Engine->take(
      Input.Path, {/*RequiresNullTerminator=*/false, false, std::nullopt});
  // An open, a look and a small file's bytes; and what waits for the disk.
  const Nanoseconds Patience =
      2 * Second + 100 * W.Store.Latency +
      static_cast<Nanoseconds>(64.0 * MaxStepBytes *
                               W.Store.NanosecondsPerByte);
  if (W.now() - Begin > Patience)
    W.fail("the linker waited too long for " + Input.Path);
  if (!Buffer)
    return;
  if (!Options.HandOver)
    W.fail("something was handed over");
  if (Buffer->getBufferIdentifier() != Input.Path ||
      Buffer->getBufferSize() != W.Files[Input.Path]->Identity.Size)
    W.fail("another file was handed over");
  if (Buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap) {
    uint64_t Offset = 1;
    std::shared_ptr<File> Mapped = W.mappedAt(Buffer->getBufferStart(), Offset);
    if (Offset != 0 || Mapped != W.Files[Input.Path])
      W.fail("a file that has been replaced was handed over");
  }
  Buffers.push_back(std::move(Buffer));
}

void Link::parse() {
  for (const PlayedInput &Input : Played.Inputs) {
    HasAskedForAll &= Input.CanBeUrgent;
    if (Input.IsOnDemand && !Chance.onceIn(3))
      continue;
    if (Chance.onceIn(16)) { // it does not need it after all
      HasAskedForAll = false;
      continue;
    }
    change();
    askFor(Input);
    for (const auto &[Range, When] : Input.Parts)
      if (When == LinkStage::Parse && !IsIdle)
        W.load(*W.Files[Input.Path], Range);
    if (Chance.onceIn(4))
      W.sleep(static_cast<Nanoseconds>(Chance.below(5'000'000)));
    if (W.isFailed())
      return;
  }
}

void Link::comeTo(LinkStage Now) {
  W.tell("stage", linkStageName(Now));
  Engine->reached(Now);
  Stage = Now;
  ParseAhead.clear();
  for (auto It = StageAhead.begin(); It != StageAhead.end();)
    It = It->first <= Now ? StageAhead.erase(It) : std::next(It);
}

void Link::readStage(LinkStage Now) {
  comeTo(Now);
  for (const PlayedInput &Input : Played.Inputs)
    for (const auto &[Range, When] : Input.Parts)
      if (When == Now && !IsIdle)
        W.load(*W.Files[Input.Path], Range);
}

void Link::linker() {
  Engine = std::make_unique<PrefetchEngine>(Options);
  Engine->start(Played.Command);
  bool Leaves = Chance.onceIn(8); // with an error, somewhere
  parse();
  // One thread comes to the second stage when it is done with the first, for
  // which there is room when all was asked for.
  if (Options.Jobs == 1 && HasAskedForAll) {
    W.sleep(1000 * Second);
    judgeWhole(LinkStage::Parse);
  }
  for (LinkStage Next :
       {LinkStage::Contents, LinkStage::Types, LinkStage::DebugSymbols,
        LinkStage::Contributions, LinkStage::Names, LinkStage::Commit}) {
    if (Leaves && Chance.onceIn(4))
      break;
    readStage(Next);
  }
  if (Chance.onceIn(2) && W.Wrong.Stall == 0) {
    // A link whose threads are waited for: `headstart warm` and its like.
    const bool IsCut = Chance.onceIn(2);
    if (IsCut)
      Engine->cancel();
    comeTo(LinkStage::Commit);
    for (const PlayedInput &Input : Played.Inputs)
      if (!Input.IsOnDemand)
        askFor(Input);
    Engine->join();
    if (!HasFaults && !HasChanges)
      judgeReads();
    if (!IsCut)
      judgeWhole(LinkStage::Commit);
  }
  const Nanoseconds Middle = W.now();
  Engine = nullptr;
  if (W.now() - Middle > Second + Second / 10)
    W.fail("the end of the engine took too long");
}

/// Without faults each input is opened once, and its headers are read once.
void Link::judgeReads() {
  // Short of memory the linker's second reading needs them once more.
  if (W.FreeDescriptors < 400 || Engine->wasShortOfMemory())
    return;
  for (const PlayedInput &Input : Played.Inputs) {
    const File &Of = *W.Files[Input.Path];
    if (Of.WasResident)
      continue; // its symbols may be asked for at a later time
    if (Of.Opens > 1)
      W.fail(Input.Path + " was opened " + llvm::utostr(Of.Opens) + " times");
    if (Options.Profile)
      continue; // the same: of what the record names all may be in memory
    for (ByteRange Header : Input.Headers) {
      uint64_t Bytes = 0;
      for (ByteRange Read : Of.LookedAt) {
        uint64_t Begin = std::max(Read.Offset, Header.Offset);
        uint64_t End = std::min(Read.end(), Header.end());
        Bytes += End > Begin ? End - Begin : 0;
      }
      if (Bytes > Header.Length)
        W.fail(Input.Path + ": the headers at " + llvm::utostr(Header.Offset) +
               " were read twice");
    }
  }
}

/// All that the linker will read of an input up to \p Until is fetched.
void Link::judgeWhole(LinkStage Until) {
  if (!IsIdle || HasFaults || Options.Profile || W.MemoryBytes != UINT64_MAX)
    return;
  for (const PlayedInput &Input : Played.Inputs) {
    const File &Of = *W.Files[Input.Path];
    if (Input.IsOnDemand || !Of.IsBegun)
      continue;
    for (const auto &[Range, When] : Input.Parts)
      for (uint64_t At = Range.Offset; At < Range.end(); At += World::PageBytes)
        if (!Of.IsResident[At / World::PageBytes] &&
            (When == LinkStage::Parse || (Input.IsReadWhole && When <= Until)))
          W.fail(Input.Path + ": what is at " + llvm::utostr(At) +
                 " was not fetched");
  }
}

void Link::tell() {
  W.IsTold = true;
  llvm::errs() << "jobs " << Options.Jobs << ", budget " << Options.BudgetBytes
               << ", memory " << W.MemoryBytes << ", inputs " << Played.Bytes
               << (Options.Profile ? ", a record" : "")
               << (HasFaults ? ", faults" : "") << "\n";
  for (const PlayedInput &Input : Played.Inputs) {
    llvm::errs() << Input.Path << " " << Input.Bytes << ":";
    for (const auto &[Range, When] : Input.Parts)
      llvm::errs() << " " << linkStageName(When) << " " << Range.Offset << "+"
                   << Range.Length;
    llvm::errs() << "\n";
  }
}

std::string Link::run() {
  W.start([this] { linker(); }, /*IsOwn=*/false);
  std::string Failure = W.run();
  if (!Failure.empty())
    return Failure;
  Buffers.clear();
  return W.NumOpen != 0 ? "a descriptor was left open" : "";
}

int main(int Count, char **Words) {
  uint64_t Seeds = 10000, First = 1;
  for (int I = 1; I != Count; ++I) {
    StringRef Word = Words[I];
    bool IsFirst = Word == "--first" && I + 1 != Count;
    if (IsFirst)
      Word = Words[++I];
    if (Word.getAsInteger(10, IsFirst ? First : Seeds)) {
      llvm::errs() << "usage: simulate [SEEDS] [--first SEED]\n";
      return 2;
    }
  }
  for (uint64_t Seed = First; Seed != First + Seeds; ++Seed) {
    // Made on the heap and left there when it fails: its threads are not done.
    auto *One = new Link(Seed);
    if (Seeds == 1)
      One->tell();
    std::string Failure = One->run();
    if (!Failure.empty()) {
      llvm::errs() << "seed " << Seed << ": " << Failure
                   << "\nagain: simulate 1 --first " << Seed << "\n";
      std::_Exit(1);
    }
    delete One;
  }
  llvm::outs() << Seeds << " links were played, from seed " << First << " on\n";
  return 0;
}
