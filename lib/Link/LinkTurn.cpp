//===- LinkTurn.cpp - A link that waits for its turn ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkTurn.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <thread>
#include <utility>

using namespace llvm;

namespace headstart {

/// The variable with the file of the queued link that has started this process.
static constexpr const char *TurnVariable = "HEADSTART_QUEUED";

/// The tool in the profiles that store the memory needs of other linkers.
static constexpr const char *ForeignTool = "headstart run";

bool runWithTimeout(std::function<void()> Work) {
  constexpr std::chrono::seconds Timeout(1);
  os::Threads Thread;
  return !Thread.start(std::move(Work)) && Thread.join(Timeout);
}

uint64_t expectedBytes(const LinkCommand &Command, const LinkProfile *Last) {
  uint64_t Bytes = 0, Samples = 0, Largest = 0;
  if (Last) {
    for (const RecordedFile &File : Last->Files)
      Bytes += File.Version.Size;
    return Bytes;
  }
  constexpr size_t MaxSamples = 64;
  constexpr std::chrono::milliseconds MaxTime(10); // for high-latency stores
  const size_t Count = Command.Inputs.size();
  const auto Begin = std::chrono::steady_clock::now();
  for (size_t I = 0; I < Count; I += Count / MaxSamples + 1) {
    // A library that the linker searches for rarely exists by its plain name.
    std::error_code Ignored;
    const uint64_t Size =
        os::statFile(Command.Inputs[I].Name, Ignored).Identity.Size;
    Bytes += Size;
    Largest = std::max(Largest, Size);
    ++Samples;
    if (std::chrono::steady_clock::now() - Begin > MaxTime)
      break;
  }
  // The largest one may be an archive among objects, so it counts once.
  return Samples < 2
             ? Bytes
             : Largest + (Bytes - Largest) / (Samples - 1) * (Count - 1);
}

uint64_t neededBytes(const LinkProfile *Last, uint64_t InputBytes) {
  if (!Last || Last->PeakBytes == 0)
    return InputBytes * 3 / 2;
  // A link never needs all of its inputs at once.
  return Last->PeakBytes - std::min(Last->PeakBytes, Last->touchedBytes() / 2);
}

static uint64_t totalBytes(const os::SystemMemory &Memory) {
  return std::min(Memory.TotalBytes,
                  Memory.CgroupLimitBytes.value_or(UINT64_MAX));
}

/// Whether a link that needs \p NeedBytes begins at once: it is small, or the
/// system does not report its memory (/proc is not mounted).
static bool hasNoTurn(const os::SystemMemory &Memory, uint64_t NeedBytes) {
  constexpr uint64_t SmallShare = 64;
  return Memory.AvailableBytes == 0 ||
         NeedBytes < totalBytes(Memory) / SmallShare;
}

std::string LinkTurn::wait(const PrefetchSettings &Settings, StringRef Tool,
                           const std::string &Output, uint64_t NeedBytes) {
  constexpr std::chrono::milliseconds Pause(50);
  const std::string Cache = profileDirectory();
  if (Settings.QueueBytes == 0 || Cache.empty())
    return "";
  bool HasReported = false;
  for (;;) {
    const os::SystemMemory Memory = os::SystemMemory::read();
    uint64_t Total = totalBytes(Memory), Free = Memory.available();
    if (Settings.QueueBytes)
      Total = Free = *Settings.QueueBytes;
    else if (hasNoTurn(Memory, NeedBytes))
      break;
    auto Answer = std::make_shared<LinkQueue::Answer>(LinkQueue::Answer::None);
    const bool IsFirst = Queue == nullptr;
    if (IsFirst)
      Queue = std::make_shared<LinkQueue>(
          queueDirectory(Cache, os::memoryName(), Settings.QueueBytes),
          NeedBytes, Output.empty() ? "" : absolutePath(Output), Limits);
    if (!runWithTimeout([Answer, IsFirst, Mine = Queue, Total, Free] {
          // A link that has its turn may have started this process.
          const auto File = sys::Process::GetEnv(TurnVariable);
          if (!IsFirst || !File || !isInQueue(*File))
            *Answer = Mine->poll(Total, Free);
        })) {
      IsStalled = true;
      Queue = nullptr; // the stalled thread leaves the queue
      return "";
    }
    if (*Answer == LinkQueue::Answer::Begin)
      return Queue->ignoresHungLink()
                 ? "the link began alongside links that do not fit into "
                   "memory with it, because they made no progress"
                 : "";
    if (*Answer == LinkQueue::Answer::None)
      break;
    if (!std::exchange(HasReported, true))
      errs() << Tool << ": waiting for other links: together they do not fit "
             << "in memory (--prefetch-queue=none never waits)\n";
    std::this_thread::sleep_for(Pause);
  }
  leave();
  return "";
}

void LinkTurn::pass() const {
  if (Queue)
    os::setVariable(TurnVariable, Queue->file());
}

void LinkTurn::leave() {
  if (Queue)
    (void)runWithTimeout([Mine = Queue] { Mine->leave(); });
  Queue = nullptr;
}

struct ForeignTurn::Guess {
  std::string Output;
  std::string ProfilePath; ///< empty: none is stored
  std::vector<uint64_t> Names;
  std::shared_ptr<const LinkProfile> Last; ///< null: none
  uint64_t NeedBytes = 0;
};

std::string ForeignTurn::wait() {
  if (!whyOff(Settings).empty() || Settings.QueueBytes == 0)
    return "";
  auto Found = std::make_shared<Guess>();
  if (!runWithTimeout([Found, Args = Args, Forced = Forced,
                       Setting = Settings.Profile] {
        const std::optional<LinkCommand> Command = guessLink(Args, Forced);
        if (!Command || !Command->Links)
          return;
        Found->Output = Command->image().str();
        Found->Names = namesOf(*Command);
        if (isProfileDirectory(Setting) && mayHaveProfile(Found->Output))
          Found->ProfilePath = profilePath(Setting, ForeignTool, Found->Output);
        if (!Found->ProfilePath.empty()) {
          // This link replaces an invalid one.
          auto Last = loadValidProfile(Found->ProfilePath);
          if (Last && isRecordOf(*Last, *Command))
            Found->Last = std::move(Last);
        }
        Found->NeedBytes =
            neededBytes(Found->Last.get(), expectedBytes(*Command, nullptr));
      })) {
    IsStalled = true;
    return "";
  }
  if (Found->Output.empty())
    return "";
  Known = std::move(Found);
  std::string Note =
      Turn.wait(Settings, "headstart", Known->Output, Known->NeedBytes);
  Turn.pass();
  return Note;
}

void ForeignTurn::end(bool Succeeded, std::optional<uint64_t> PeakBytes) {
  Turn.leave();
  if (!Known || Known->ProfilePath.empty() || !Succeeded || !PeakBytes)
    return;
  const uint64_t Last = Known->Last ? Known->Last->PeakBytes : 0;
  if (!Settings.QueueBytes && hasNoTurn(os::SystemMemory::read(),
                                        std::max(Known->NeedBytes, *PeakBytes)))
    return;
  // No two links of an output take exactly the same memory.
  constexpr uint64_t Tolerance = 16;
  const bool IsNew = AbsoluteDifference(Last, *PeakBytes) > Last / Tolerance;
  (void)runWithTimeout(
      [Known = Known, Peak = *PeakBytes, IsNew, Setting = Settings.Profile] {
        if (!IsNew)
          return renewProfile(Known->ProfilePath);
        LinkProfile New =
            newProfile(ForeignTool, recordedOutput(Setting, Known->Output), "");
        New.Names = Known->Names;
        New.PeakBytes = Peak;
        consumeError(saveProfile(Known->ProfilePath, New, /*Prune=*/true));
      });
}

} // namespace headstart
