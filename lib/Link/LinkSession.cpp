//===- LinkSession.cpp - One link and its prefetcher ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkSession.h"
#include "headstart/OS/SystemMemory.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace headstart {

LinkSession::LinkSession(std::string Tool, Flavour F, PrefetchSettings Settings,
                         std::vector<PrefetchOption> Final,
                         TraceClock::time_point Origin)
    : Tool(std::move(Tool)), Kind(F), Settings(std::move(Settings)),
      Final(std::move(Final)), Origin(Origin) {}

LinkSession::~LinkSession() { end(); }

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
    if (std::optional<std::string> Switch = Context.GetEnv("HEADSTART"))
      if (StringRef(*Switch).equals_insensitive("off"))
        Settings.On = false;
    if (Settings.Jobs == 0)
      Settings.On = false;
    if (!Settings.On)
      return;

    std::vector<CommandLineWord> Words;
    Words.reserve(Argv.size());
    for (const char *Word : ArrayRef(Argv).drop_front())
      Words.push_back({Word, "", ""});
    LinkCommand Command = parseCOFFCommandLine(Words, Context);
    if (!Command.Links) {
      Settings.On = false;
      return;
    }

    EngineOptions Options;
    Options.Jobs = Settings.Jobs;
    Options.BudgetBytes = Settings.budgetBytes(os::SystemMemory::read());
    Options.HandOver = Settings.HandOver;
    Options.Plan.ReadsCodeView = Command.ReadsCodeView;
    Options.Plan.ReadsDWARF = Command.ReadsDWARF;
    if (!Settings.TraceFile.empty()) {
      Trace = std::make_unique<TraceLog>(Origin);
      Options.Trace = Trace.get();
    }
    Engine = std::make_unique<PrefetchEngine>(Options);
    Engine->start(std::move(Command));
  });
  return Result;
}

std::unique_ptr<MemoryBuffer>
LinkSession::takeBuffer(StringRef Path, const BufferRequest &Request) {
  if (Engine)
    if (std::unique_ptr<MemoryBuffer> Buffer = Engine->take(Path, Request))
      return Buffer;
  FallenThrough.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void LinkSession::end() {
  std::call_once(Ended, [&] {
    if (Engine) {
      Engine->cancel();
      Engine->join();
    }
    writeReports();
  });
}

void LinkSession::writeReports() {
  auto WriteTo = [&](const std::string &File, auto Write) {
    if (Error E = writeToOutput(File, [&](raw_ostream &OS) {
          Write(OS);
          return Error::success();
        }))
      errs() << Tool << ": warning: cannot write '" << File
             << "': " << toString(std::move(E)) << "\n";
  };

  if (Settings.Stats) {
    LinkStats Stats;
    Stats.Tool = Tool;
    Stats.Flavour = flavourName(Kind).str();
    Stats.On = Settings.On;
    Stats.NotHandedOver = FallenThrough.load();
    Stats.LinkMs =
        std::chrono::duration<double, std::milli>(TraceClock::now() - Origin)
            .count();
    if (Engine)
      Engine->addTo(Stats, Origin);
    if (Settings.StatsFile.empty())
      writeStatsParagraph(Stats, errs());
    else
      WriteTo(Settings.StatsFile,
              [&](raw_ostream &OS) { writeStatsJSON(Stats, OS); });
  }
  if (Trace)
    WriteTo(Settings.TraceFile, [&](raw_ostream &OS) { Trace->write(OS); });
}

} // namespace headstart
