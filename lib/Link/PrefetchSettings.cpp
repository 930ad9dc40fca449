//===- PrefetchSettings.cpp - The user's settings and reports -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/PrefetchSettings.h"
#include "headstart/FileTree/Record.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Plan/FilePlanner.h"
#include "headstart/Report/Message.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"
#include <chrono>

using namespace llvm;

namespace headstart {

/// More threads than this gained nothing on any store that was measured, and
/// each costs a descriptor and a stack.
static constexpr unsigned MaxJobs = 256;

/// The assumed available memory if the system does not report it.
static constexpr uint64_t CarefulBytes = uint64_t(2) << 30;

static uint64_t availableBytes(const os::SystemMemory &Memory) {
  return Memory.AvailableBytes == 0 ? CarefulBytes : Memory.available();
}

uint64_t MemoryLimit::on(const os::SystemMemory &Memory) const {
  return Percent == 0 ? Bytes : availableBytes(Memory) / 100 * Percent;
}

uint64_t PrefetchSettings::budgetBytes(const os::SystemMemory &M) const {
  return Memory ? Memory->on(M) : availableBytes(M) / 2;
}

/// Reads a number of bytes. Returns nothing for other texts and for numbers of
/// more than 64 bits.
static std::optional<uint64_t> parseBytes(StringRef Text) {
  uint64_t Unit = 1, Number = 0;
  Text.consume_back_insensitive("b");
  if (!Text.empty() && !isDigit(Text.back())) {
    const size_t Power = StringRef("kmgt").find(toLower(Text.back()));
    for (size_t I = 0; Power != StringRef::npos && I <= Power; ++I)
      Unit *= 1024;
    Text = Text.drop_back(Power != StringRef::npos);
  }
  if (Text.getAsInteger(10, Number) || Number > UINT64_MAX / Unit)
    return std::nullopt;
  return Number * Unit;
}

Expected<MemoryLimit> parseMemoryLimit(StringRef Text) {
  MemoryLimit Limit;
  StringRef Digits = Text;
  const std::optional<uint64_t> Bytes = parseBytes(Text);
  const bool IsShare = Digits.consume_back("%") &&
                       !Digits.getAsInteger(10, Limit.Percent) &&
                       Limit.Percent != 0 && Limit.Percent <= 100;
  if (!Bytes && !IsShare)
    return createStringError(
        "expected a size such as 2G, 512M or 50%, but got '" + Text + "'");
  Limit.Bytes = Bytes.value_or(0);
  return Limit;
}

static Error bad(const PrefetchOption &O, const Twine &What) {
  return createStringError(O.Spelling + ": " + What);
}

static Error unexpected(const PrefetchOption &O, const Twine &Expected) {
  return bad(O, "expected " + Expected + ", but got '" + O.Value + "'");
}

static Error applyJobs(const PrefetchOption &O, PrefetchSettings &Settings) {
  unsigned Jobs = 0;
  if (StringRef(O.Value).getAsInteger(10, Jobs) || Jobs > MaxJobs)
    return unexpected(O, "a number of threads from 0 to " + Twine(MaxJobs));
  Settings.Jobs = Settings.HighLatencyJobs = Jobs;
  return Error::success();
}

static Error applyMemory(const PrefetchOption &O, PrefetchSettings &Settings) {
  Expected<MemoryLimit> Limit = parseMemoryLimit(O.Value);
  if (!Limit)
    return bad(O, toString(Limit.takeError()));
  Settings.Memory = *Limit;
  return Error::success();
}

static Error applyQueue(const PrefetchOption &O, PrefetchSettings &Settings) {
  Settings.QueueBytes = std::nullopt;
  if (O.Value == "auto")
    return Error::success();
  Settings.QueueBytes = 0;
  if (O.Value == "none")
    return Error::success();
  Expected<MemoryLimit> Limit = parseMemoryLimit(O.Value);
  if (!Limit || Limit->Percent != 0) {
    consumeError(Limit.takeError());
    return unexpected(O, "'auto', 'none' or a size such as 2G");
  }
  Settings.QueueBytes = Limit->Bytes;
  return Error::success();
}

/// Returns "auto" or "none" if \p Value is almost one of them; empty if it is
/// one of them, or a file.
static StringRef likelyProfile(StringRef Value) {
  const std::string Name = Value.lower();
  if (Value == "auto" || Value == "none" ||
      Value.find_first_of("/\\.:") != StringRef::npos)
    return "";
  if (is_contained({"off", "no", "0", "false"}, Name))
    return "none";
  if (is_contained({"on", "yes", "1", "true"}, Name))
    return "auto";
  std::string Letters = Name;
  llvm::sort(Letters);
  if (StringRef(Name).edit_distance("auto") < 2 || Letters == "aotu")
    return "auto";
  if (StringRef(Name).edit_distance("none") < 2 || Letters == "enno")
    return "none";
  return "";
}

static Error applyProfile(const PrefetchOption &O, PrefetchSettings &Settings) {
  if (const StringRef Likely = likelyProfile(O.Value); !Likely.empty())
    return bad(O, "did you mean '" + Likely + "'? (a file of that name is ./" +
                      O.Value + ")");
  Settings.Profile = O.Value;
  return Error::success();
}

static Error applyOption(const PrefetchOption &O, PrefetchSettings &Settings) {
  if (O.Name == "prefetch-inputs") {
    Settings.OffBecause = O.HasValue ? "--no-prefetch-inputs" : "";
    return Error::success();
  }
  if (O.Name == "prefetch-stats") {
    if (O.HasValue && O.Value.empty())
      return bad(O, "this option requires a file name");
    Settings.Stats = true;
    Settings.StatsFile = O.Value;
    return Error::success();
  }
  if (!O.HasValue || O.Value.empty()) {
    const StringRef Option = StringRef(O.Spelling).rtrim("=:");
    return createStringError(Option + (Option.starts_with("/") ? ":" : "=") +
                             "VALUE: the value is missing");
  }
  if (O.Name == "prefetch-jobs")
    return applyJobs(O, Settings);
  if (O.Name == "prefetch-memory")
    return applyMemory(O, Settings);
  if (O.Name == "prefetch-queue")
    return applyQueue(O, Settings);
  if (O.Name == "prefetch-profile")
    return applyProfile(O, Settings);
  if (O.Name == "prefetch-trace") {
    Settings.TraceFile = O.Value;
    return Error::success();
  }
  if (O.Name == "prefetch-tuning") {
    const auto [Name, Value] = StringRef(O.Value).split('=');
    if (!setTuning(Settings.Numbers, Name, Value))
      return unexpected(O, "a number of Tuning.def and its value");
    return Error::success();
  }
  if (O.Name == "prefetch-handover") {
    if (O.Value != "all" && O.Value != "none")
      return unexpected(O, "'all' or 'none'");
    Settings.HandOver = O.Value == "all";
    return Error::success();
  }
  return bad(O, "not a prefetching option");
}

Error applyOptions(ArrayRef<PrefetchOption> Options,
                   PrefetchSettings &Settings) {
  for (const PrefetchOption &O : Options)
    if (Error E = applyOption(O, Settings)) {
      if (!Settings.IsSwitchedOff)
        return E;
      consumeError(std::move(E));
    }
  return Error::success();
}

bool isSwitchedOff(const CommandLineContext &Context) {
  const std::string Switch =
      StringRef(Context.GetEnv("HEADSTART").value_or("")).lower();
  return is_contained({"off", "0", "no", "false"}, Switch);
}

std::string whyOff(const PrefetchSettings &Settings) {
  if (Settings.IsSwitchedOff)
    return "HEADSTART=off";
  if (Settings.Jobs == 0)
    return "--prefetch-jobs=0";
  return Settings.OffBecause;
}

/// Returns the quote that \p Text opens and does not close, if it is split like
/// in TokenizeGNUCommandLine; 0 if there is none.
static char openQuote(StringRef Text) {
  char Open = 0;
  for (size_t I = 0; I < Text.size(); ++I)
    if (Text[I] == '\\')
      ++I;
    else if (Open ? Text[I] == Open : Text[I] == '"' || Text[I] == '\'')
      Open = Open ? 0 : Text[I];
  return Open;
}

/// After an error, \p Variable is the environment variable that caused it.
static Error readEnvironment(Flavour F, const CommandLineContext &Context,
                             PrefetchSettings &Settings, StringRef &Variable) {
  Variable = "HEADSTART";
  const std::string Switch = Context.GetEnv("HEADSTART").value_or("");
  if (!Settings.IsSwitchedOff &&
      !is_contained({"", "on", "1", "yes", "true"}, StringRef(Switch).lower()))
    return createStringError("HEADSTART: expected 'on' or 'off', but got '" +
                             Switch + "'");
  Variable = "HEADSTART_FLAGS";
  if (std::optional<std::string> Flags = Context.GetEnv("HEADSTART_FLAGS")) {
    if (const char Quote = openQuote(*Flags); Quote && !Settings.IsSwitchedOff)
      return createStringError(Twine("HEADSTART_FLAGS: the quote ") +
                               Twine(Quote) + " is not closed");
    BumpPtrAllocator Allocator;
    StringSaver Saver(Allocator);
    SmallVector<const char *, 8> Args = {"HEADSTART_FLAGS"};
    cl::TokenizeGNUCommandLine(*Flags, Saver, Args);
    std::vector<PrefetchOption> Options =
        LinkerModel::of(F).takePrefetchOptions(Args);
    // The rest is not Headstart's, and a linker's options here would be lost.
    if (Args.size() > 1 && !Settings.IsSwitchedOff)
      return createStringError(Twine("HEADSTART_FLAGS: '") + Args[1] +
                               "' is not a prefetching option");
    if (Error E = applyOptions(Options, Settings))
      return createStringError("HEADSTART_FLAGS: " + toString(std::move(E)));
  }
  return Error::success();
}

std::string applyEnvironment(Flavour F, const CommandLineContext &Context,
                             PrefetchSettings &Settings) {
  StringRef Variable;
  Settings.IsSwitchedOff = isSwitchedOff(Context);
  if (Error E = readEnvironment(F, Context, Settings, Variable)) {
    Settings = PrefetchSettings();
    Settings.OffBecause = (Variable + " has an invalid value").str();
    return toString(std::move(E)) + "; prefetching is off";
  }
  return "";
}

/// Returns the descriptor that \p File stands for, which may have a regular
/// file that was opened to append; -1 for other names.
static int descriptorOf(StringRef File) {
  int Descriptor = -1;
  if (File == "-" || File == "/dev/stdout")
    return 1;
  if (File == "/dev/stderr")
    return 2;
  if (File.consume_front("/dev/fd/") && !File.getAsInteger(10, Descriptor))
    return Descriptor;
  return -1;
}

/// Whether the file \p New, which gets the permissions of \p Target, may
/// replace that: it may be written and is of the same user, and no other name
/// stands for it.
static bool mayTakePlaceOf(const Twine &Target, StringRef New) {
  sys::fs::file_status Old, Mine;
  if (sys::fs::status(Target, Old))
    return Old.type() == sys::fs::file_type::file_not_found;
  return !sys::fs::access(Target, sys::fs::AccessMode::Write) &&
         !sys::fs::status(New, Mine) && Mine.getUser() == Old.getUser() &&
         Old.getLinkCount() == 1 &&
         !sys::fs::setPermissions(New, Old.permissions());
}

std::error_code writeInPlace(const std::string &File,
                             function_ref<void(raw_ostream &)> Write) {
  std::error_code Error;
  const int Descriptor = descriptorOf(File);
  auto OS = Descriptor < 0 ? raw_fd_ostream(File, Error, sys::fs::OF_None)
                           : raw_fd_ostream(Descriptor, /*shouldClose=*/false);
  if (Error)
    return Error;
  Write(OS);
  OS.flush();
  // If the destructor could not close the stream, it would end the program.
  if (Descriptor < 0)
    OS.close();
  Error = OS.error();
  OS.clear_error();
  return Error;
}

std::error_code writeFile(const std::string &File,
                          function_ref<void(raw_ostream &)> Write) {
  std::error_code Error;
  const os::FileKind Kind = os::statFile(File, Error).Kind;
  // A missing target of a link is created by writing through the link.
  if (descriptorOf(File) >= 0 ||
      !(Kind == os::FileKind::Regular ||
        (Kind == os::FileKind::Missing && !sys::fs::is_symlink_file(File))))
    return writeInPlace(File, Write);
  Error = errorToErrorCode(replaceFile(
      File, Write, [&](StringRef New) { return mayTakePlaceOf(File, New); }));
  // The directory or a program that uses the file may forbid another one.
  for (const std::errc Forbids :
       {std::errc::operation_not_permitted, std::errc::permission_denied,
        std::errc::read_only_file_system, std::errc::filename_too_long})
    if (Error == Forbids)
      return writeInPlace(File, Write);
  return Error;
}

bool mayReplaceReport(const std::string &File, StringRef Start) {
  std::error_code Error;
  return descriptorOf(File) >= 0 ||
         os::statFile(File, Error).Kind != os::FileKind::Regular ||
         (!Start.empty() && mayReplaceRecord(File, Start));
}

/// Writes a report, which may replace a file that begins with \p Start.
/// A full disk costs the report, not the link.
static void writeTo(const std::string &File, StringRef Tool, StringRef Start,
                    function_ref<void(raw_ostream &)> Write) {
  const auto Warn = [&](const Twine &Why) {
    printMessage(Tool, Severity::Warning,
                 "cannot write '" + File + "': " + Why);
  };
  const auto IsOther = [&](StringRef Other) {
    return startsLikeRecord(File, Other);
  };
  if (!mayReplaceReport(File, Start))
    Warn(any_of(ArrayRef<StringRef>{StatsStart, TraceStart, ProfileStart},
                IsOther)
             ? "it contains another report of Headstart; each report needs a "
               "file of its own"
             : "this file is not a report of Headstart, so Headstart does not "
               "replace it");
  else if (const std::error_code Error = writeFile(File, Write))
    Warn(Error.message());
}

PrefetchRun::PrefetchRun(PrefetchSettings Settings,
                         TraceClock::time_point Origin)
    : Settings(std::move(Settings)), Origin(Origin) {
  if (whyOff(this->Settings).empty())
    os::reserveDescriptors();
}

void PrefetchRun::beginTrace(const std::string &Program) {
  if (!Settings.TraceFile.empty())
    Trace = std::make_shared<TraceLog>(Origin, Program);
}

EngineOptions PrefetchRun::engineOptions(const LinkCommand &Command,
                                         bool HandOver) {
  EngineOptions Options;
  Options.Jobs = Settings.Jobs;
  Options.HighLatencyJobs = Settings.HighLatencyJobs;
  Options.BudgetBytes = Settings.budgetBytes(os::SystemMemory::read());
  Options.HandOver = HandOver;
  Options.Plan = planOptionsOf(Command);
  Options.Numbers = Settings.Numbers;
  Options.Trace = Trace;
  Options.MeasuresProcessor = Settings.Stats;
  return Options;
}

double PrefetchRun::milliseconds() const {
  return std::chrono::duration<double, std::milli>(TraceClock::now() - Origin)
      .count();
}

void addLinkersDiskUse(const os::DiskUse &Linkers, const os::DiskUse &Threads,
                       LinkStats &Stats) {
  // If the system does not even count the fetched bytes, the rest is unknown.
  if (Stats.HintedBytes != 0 && Threads.Bytes == 0 && Linkers.Bytes == 0)
    return;
  Stats.LinkerReadBytes = Linkers.Bytes;
  Stats.LinkerStops = Linkers.Stops;
}

/// The file for the figures: \p Name, or, if that is a directory (or ends like
/// one), a new file in it, so that the links of a build do not replace each
/// other's figures.
static std::string statsFile(const std::string &Name, StringRef Tool) {
  std::error_code Error;
  if (sys::path::is_separator(Name.back()))
    // An error is reported when the file cannot be written.
    (void)sys::fs::create_directories(Name);
  else if (os::statFile(Name, Error).Kind != os::FileKind::Directory)
    return Name;
  // The sorted names are in the order of time.
  return joined(
      Name, Twine(std::chrono::system_clock::now().time_since_epoch().count()) +
                "-" + Twine(sys::Process::getProcessId()) + "-" + Tool +
                ".json");
}

void writeReports(const PrefetchSettings &Settings, const LinkStats &Stats,
                  const TraceLog *Trace, StringRef Tool) {
  if (!Trace && !Settings.Stats)
    return;
  // Without signals, a file that grows past `ulimit -f` is an error, and does
  // not end the linker.
  os::runWithoutSignals([&] {
    if (Trace)
      writeTo(Settings.TraceFile, Tool, TraceStart,
              [&](raw_ostream &OS) { Trace->write(OS); });
    if (Settings.Stats && Settings.StatsFile.empty())
      writeStatsParagraph(Stats, errs());
    else if (Settings.Stats)
      writeTo(statsFile(Settings.StatsFile, Tool), Tool, StatsStart,
              [&](raw_ostream &OS) { writeStatsJSON(Stats, OS); });
  });
}

} // namespace headstart
