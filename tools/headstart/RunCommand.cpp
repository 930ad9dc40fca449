//===- RunCommand.cpp - headstart run -------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a linker and meanwhile prefetches its inputs. If other links leave too
/// little memory, the linker waits for its turn; otherwise it starts before
/// anything is fetched. Threads of this process determine and fetch what the
/// linker reads, and one measures the linker's memory. The main thread only
/// waits for the linker to end and passes on signals. A failure of Headstart
/// never affects the linker, and only --prefetch-stats reports it.
///
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Link/ForeignCommand.h"
#include "headstart/Link/LinkTurn.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/LinkStats.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

using namespace llvm;

namespace headstart {

namespace {

/// The prefetcher that runs alongside a linker.
class Companion : public PrefetchRun {
public:
  Companion(const CommandArguments &Arguments, PrefetchSettings Settings,
            std::optional<Flavour> Forced)
      : PrefetchRun(std::move(Settings), Arguments.Origin),
        Arguments(Arguments), Forced(Forced) {
    beginTrace("headstart run");
  }

  /// Starts a thread that determines what the linker reads and fetches it, and
  /// one that measures the memory of the linker, the process \p Linker.
  void start(uint64_t Linker);
  /// Stops fetching and measuring. Does not block.
  void cancel();
  /// Detaches the threads that prefetch, because the process ends.
  void detach();
  /// Waits for the threads and writes the requested reports. \p LinkersUse is
  /// what the linker has read from disks.
  void report(std::optional<os::DiskUse> LinkersUse);
  /// The most memory that the linker's process, or one that it has started, was
  /// seen to use at once, if known.
  std::optional<uint64_t> linkersPeak() const {
    const uint64_t Seen = Peak.load();
    return Seen == 0 ? std::nullopt : std::optional(Seen);
  }

private:
  static constexpr std::chrono::milliseconds AtOnce{0};

  void prepare();
  void watch(uint64_t Linker);

  const CommandArguments &Arguments;
  std::optional<Flavour> Forced;
  std::string Kind;               ///< the linker's flavour, once it is known
  std::string Output;             ///< as on the linker's command line
  std::string WhyOff;             ///< for the report
  TraceClock::time_point Started; ///< just after the linker started
  std::atomic<bool> Ended{false};
  std::atomic<uint64_t> Peak{0}; ///< bytes; 0: not known
  std::mutex Mutex;
  os::Condition HasEnded;
  std::unique_ptr<PrefetchEngine> Engine; ///< guarded by Mutex
  os::Threads Preparing, Watching;
};

} // namespace

void Companion::start(uint64_t Linker) {
  Started = TraceClock::now();
  WhyOff = whyOff(Settings);
  if (!WhyOff.empty())
    return;
  if (std::error_code Error = Preparing.start([this] { prepare(); })) {
    WhyOff = "the system cannot start a thread";
    note("cannot start a thread: " + Error.message());
  }
  if (Settings.QueueBytes != 0)
    (void)Watching.start([this, Linker] { watch(Linker); });
}

void Companion::prepare() {
  ForeignCommand Foreign = readForeignCommand(Arguments.Linker, Forced, &Ended);
  for (std::string &Note : Foreign.Notes)
    note(std::move(Note));
  if (!Foreign.Problem.empty()) {
    WhyOff = Foreign.IsUnknown
                 ? std::move(Foreign.Problem)
                 : "the linker's inputs are unknown: " + Foreign.Problem;
    return;
  }
  const char *TooLate = "the linker finished before Headstart knew its inputs";
  if (!Foreign.Command || !Foreign.Command->Links) {
    WhyOff = Foreign.WasCancelled ? TooLate : "this command does not link";
    return;
  }
  LinkCommand Command = std::move(*Foreign.Command);
  Kind = Command.model().Name.str();
  Output = Command.image();
  EngineOptions Options = engineOptions(Command, /*HandOver=*/false);
  Options.TrimsHeaps = true;
  os::shareHeaps();
  // Creating and starting the engine makes system calls that may not return, so
  // it must not hold the lock, which `cancel` takes.
  auto Mine = std::make_unique<PrefetchEngine>(Options);
  PrefetchEngine &Started = *Mine;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Ended.load()) {
      WhyOff = TooLate;
      return;
    }
    Engine = std::move(Mine);
  }
  Started.start(std::move(Command));
}

/// Measures while the linker runs. mold and wild work in a process for which
/// the first one does not wait, so the kernel does not report its peak later.
void Companion::watch(uint64_t Linker) {
  using std::chrono::milliseconds;
  constexpr milliseconds MinPause(5), MaxPause(50);
  // What is missed at the end is less than ForeignTurn's tolerance.
  constexpr unsigned MaxMissedShare = 16;
  std::unique_lock<std::mutex> Lock(Mutex);
  while (!Ended.load()) {
    Lock.unlock();
    const std::optional<uint64_t> Seen = os::peakMemoryOf(Linker);
    Lock.lock();
    if (!Seen)
      return; // this system does not report it, or the linker has ended
    Peak = std::max(Peak.load(), *Seen);
    const auto Now = TraceClock::now();
    (void)HasEnded.waitUntil(
        Lock, Now + std::clamp<TraceClock::duration>(
                        (Now - Started) / MaxMissedShare, MinPause, MaxPause));
  }
}

void Companion::cancel() {
  Ended.store(true);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    HasEnded.notifyAll();
    if (Engine)
      Engine->cancel();
  }
  // This object is never destroyed, so the thread may use it afterwards.
  (void)Watching.join(AtOnce);
}

void Companion::detach() {
  if (Preparing.join(AtOnce) && Engine)
    (void)Engine->join(AtOnce);
}

void Companion::report(std::optional<os::DiskUse> LinkersUse) {
  TraceClock::time_point LinkerEnded = TraceClock::now();
  LinkStats Stats;
  Stats.LinkMs = milliseconds();
  Stats.Tool = "headstart run";
  // The linker has ended. A thread that waits for a file system that does not
  // respond is left, and its data is not read.
  constexpr std::chrono::seconds Timeout(1);
  if (!Preparing.join(Timeout)) {
    Stats.WhyOff = "the file system of the inputs does not respond";
    writeReports(Settings, Stats, nullptr, "headstart");
    return;
  }
  if (Engine)
    (void)Engine->join(Timeout);
  Stats.Flavour = Kind;
  Stats.Output = Output;
  Stats.On = Engine != nullptr;
  Stats.WhyOff = WhyOff;
  // Whatever the reason, no engine means no trace, as in the drop-in linkers.
  if (!Engine)
    Trace.reset();
  if (Trace)
    Trace->addLane("linker").add({"run", Started, LinkerEnded, ""});
  Stats.Problems = std::move(Problems);
  if (Engine) {
    Engine->addTo(Stats, Arguments.Origin);
    if (std::optional<os::DiskUse> Threads = Engine->diskUse();
        Threads && LinkersUse)
      addLinkersDiskUse(*LinkersUse, *Threads, Stats);
  }
  writeReports(Settings, Stats, Trace.get(), "headstart");
}

Exit runRun(const CommandArguments &Arguments) {
  std::optional<Flavour> Forced;
  Exit Status = checkLinkerCommandLine(Arguments, "run", Forced);
  if (Status != Exit::Done)
    return Status;
  PrefetchSettings Settings;
  // One variable serves all linkers, and lld-link accepts the most spellings of
  // the options.
  const std::string Warning = applyEnvironment(
      Flavour::COFF, CommandLineContext::fromProcess(), Settings);
  if (!Warning.empty())
    printMessage("headstart", Severity::Warning, Warning);
  if (Error E = applyOptions(Arguments.Prefetch, Settings))
    return fail(std::move(E), Exit::WrongUsage);

  const bool IsOn = whyOff(Settings).empty();
  bool Reports = Settings.Stats || (IsOn && !Settings.TraceFile.empty());
  if (!IsOn && !Reports)
    return cannotRun(Arguments.Linker.front(),
                     os::becomeProgram(Arguments.Linker));

  os::containFaults();

  // The objects are never destroyed, because their threads may not be joined.
  auto *Turn = new ForeignTurn(Arguments.Linker, Forced, Settings);
  auto *Prefetcher = new Companion(Arguments, std::move(Settings), Forced);
  std::string Note = Turn->wait();
  if (!Note.empty())
    Prefetcher->note(std::move(Note));
  os::ForegroundProgram Linker;
  if (std::error_code Error = Linker.start(Arguments.Linker))
    return cannotRun(Arguments.Linker.front(), Error);
  // A report may go to an inherited descriptor (--prefetch-stats=/dev/fd/3),
  // and a thread that waits for the cache may use one of its own.
  if (!Reports && !Turn->isStalled())
    os::detachDescriptors(Turn->descriptor());
  Prefetcher->start(Linker.id());
  os::ProgramEnd End = Linker.wait();
  if (os::hadFault()) // a stopped thread may hold a lock
    os::endLike(End);
  Prefetcher->cancel();
  Turn->end(!End.BySignal && End.Code == 0,
            std::max(Linker.peakMemory(), Prefetcher->linkersPeak()));
  if (Reports)
    Prefetcher->report(Linker.diskUse());
  else
    Prefetcher->detach();
  os::endLike(End);
}

} // namespace headstart
