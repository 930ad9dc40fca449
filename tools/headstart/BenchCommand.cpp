//===- BenchCommand.cpp - headstart bench ---------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LineOutput.h"
#include "Options.h"
#include "headstart/Bench/Bench.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/StopSignals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace headstart {

/// The text that marks a page of this program, near the page's beginning.
static constexpr StringRef BenchPageMark = "content=\"headstart bench\"";

static Error readOptions(const CommandArguments &Given, BenchOptions &Options) {
  constexpr unsigned MaxRounds = 1000;
  unsigned &Cold = Options.Rounds[CacheState::Cold];
  unsigned &Warm = Options.Rounds[CacheState::Warm];
  if (Error E = readNumber(Given, OPT_rounds_EQ, 1, MaxRounds, Cold))
    return E;
  Warm = Cold;
  if (Error E = readNumber(Given, OPT_cold_rounds_EQ, 0, MaxRounds, Cold))
    return E;
  if (Error E = readNumber(Given, OPT_warm_rounds_EQ, 0, MaxRounds, Warm))
    return E;
  if (Cold == 0 && Warm == 0)
    return createStringError(
        "--cold-rounds=0 and --warm-rounds=0 leave nothing to run");
  if (const auto Wanted = Given.value(OPT_variants_EQ))
    for (StringRef Name : llvm::split(*Wanted, ',')) {
      if (llvm::none_of(BenchVariants,
                        [&](const char *Known) { return Name == Known; }))
        return createStringError("--variants=" + *Wanted +
                                 ": unknown variant '" + Name + "'; expected " +
                                 join(ArrayRef(BenchVariants), ", "));
      if (is_contained(Options.Variants, Name))
        return createStringError("--variants=" + *Wanted + ": '" + Name +
                                 "' is repeated");
      Options.Variants.push_back(Name.str());
    }
  if (const auto Name = Given.value(OPT_stock_EQ)) {
    // The search comes before the first link, which may take minutes.
    const ErrorOr<std::string> Stock = sys::findProgramByName(*Name);
    if (!Stock || !sys::fs::can_execute(*Stock))
      return createStringError("--stock=" + *Name + ": not a program");
    Options.Stock = *Stock;
  }
  const auto JSONFile = Given.value(OPT_json_EQ),
             HTML = Given.value(OPT_html_EQ);
  if (HTML && Given.has(OPT_no_html))
    return createStringError("--html=" + *HTML + " contradicts --no-html");
  if (HTML && JSONFile && absolutePath(*HTML) == absolutePath(*JSONFile))
    return createStringError("--html and --json both name '" + *HTML + "'");
  Options.Prepare = Given.value(OPT_prepare_EQ).value_or("");
  return Error::success();
}

/// Whether \p Path is a page that this program wrote.
static bool isPage(const std::string &Path) {
  os::OpenFile File;
  if (os::OpenFile::open(Path, File))
    return false;
  constexpr size_t HeadBytes = 65536; // the page's policy precedes the mark
  std::string Head(HeadBytes, '\0');
  std::error_code Failure;
  Head.resize(File.readAt(0, Head, Failure));
  return StringRef(Head).contains(BenchPageMark);
}

/// Writes the file \p Path; prints the reason if that fails.
static Exit writeOrFail(const std::string &Path,
                        function_ref<void(raw_ostream &)> Write) {
  const std::error_code Error = writeFile(Path, Write);
  return Error ? fail("cannot write '" + Path + "': " + Error.message())
               : Exit::Done;
}

/// Returns the URL of \p Path; a slash precedes a drive.
static std::string urlOf(StringRef Path) {
  SmallString<256> Absolute = Path;
  (void)sys::fs::make_absolute(Absolute);
  const std::string Slashes = sys::path::convert_to_slash(Absolute);
  return (StringRef(Slashes).starts_with("/") ? "file://" : "file:///") +
         Slashes;
}

/// Writes the page of \p Report, which is JSON, to \p Path and prints its URL.
static Exit writePage(const std::string &Path, StringRef Report) {
  const Exit Status =
      writeOrFail(Path, [&](raw_ostream &OS) { writeBenchPage(Report, OS); });
  if (Status == Exit::Done)
    errs() << "page: " << urlOf(Path) << "\n";
  return Status;
}

/// Creates and removes \p Path, which does not exist. access() is not enough,
/// because it also allows root to create files in /proc.
static std::error_code tryToCreate(const Twine &Path) {
  int File = -1;
  if (std::error_code Error = sys::fs::openFileForWrite(
          Path, File, sys::fs::CD_CreateNew, sys::fs::OF_None))
    return Error;
  (void)sys::Process::SafelyCloseFileDescriptor(File);
  return sys::fs::remove(Path);
}

/// Checks before a long measurement that its result can be written to \p Path,
/// which may be a report that begins with \p Start; empty: a page.
static Error checkPlace(const std::optional<std::string> &Path,
                        StringRef Start) {
  if (!Path)
    return Error::success();
  std::error_code Why;
  if (sys::fs::is_directory(*Path))
    Why = std::make_error_code(std::errc::is_a_directory);
  else if (sys::fs::exists(*Path))
    Why = sys::fs::access(*Path, sys::fs::AccessMode::Write);
  else
    Why = tryToCreate(*Path);
  if (Why)
    return createStringError("cannot write '" + *Path + "': " + Why.message());
  const bool IsPage = Start.empty();
  if (!mayReplaceReport(*Path, Start) && !(IsPage && isPage(*Path)))
    return createStringError(
        "'" + *Path +
        "' is not a report of headstart bench, so bench does not replace it");
  if (IsPage && !hasBenchPage())
    return createStringError(
        "cannot write '" + *Path +
        "': this headstart was built without D3, which draws the page");
  return Error::success();
}

/// headstart bench --from: writes the page of the report in \p Path.
static Exit renderAgain(const CommandArguments &Arguments,
                        const std::string &Path) {
  const auto HTML = Arguments.value(OPT_html_EQ);
  if (!Arguments.Linker.empty() || !HTML)
    return fail("--from=REPORT requires --html=FILE and takes no linker",
                Exit::WrongUsage);
  if (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path))
    return fail("cannot read '" + Path + "': not a regular file");
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return fail("cannot read '" + Path + "': " + Buffer.getError().message());
  const std::string NoReport =
      "'" + Path + "' is not a report that headstart bench --json=FILE wrote";
  Expected<json::Value> Report = json::parse((*Buffer)->getBuffer());
  if (!Report) {
    // "[LINE:COLUMN, byte=OFFSET]: REASON", of which only the place is useful.
    const std::string Message = toString(Report.takeError());
    const auto [Line, Column] =
        StringRef(Message).drop_front().split(',').first.split(':');
    return fail(Twine(NoReport) + ": line " + Line + ", column " + Column +
                " is not valid JSON");
  }
  const json::Object *Object = Report->getAsObject();
  if (!Object || Object->getInteger("version") != 1 ||
      !Object->getArray("variants") || !Object->getObject("machine"))
    return fail(NoReport);
  if (Error E = checkPlace(HTML, ""))
    return fail(std::move(E));
  return writePage(*HTML, (*Buffer)->getBuffer());
}

static Exit finish(const CommandArguments &Arguments,
                   const BenchReport &Report) {
  const auto JSONFile = Arguments.value(OPT_json_EQ);
  const auto HTML = Arguments.value(OPT_html_EQ);
  std::string Text;
  raw_string_ostream OS(Text);
  writeBenchJSON(Report, OS);
  Exit Status = Exit::Done;
  auto Add = [&](Exit Other) {
    if (Status == Exit::Done)
      Status = Other;
  };
  // Files come first, because printing to a closed pipe ends the process.
  if (JSONFile)
    Add(writeOrFail(*JSONFile, [&](raw_ostream &File) { File << Text; }));
  if (HTML)
    Add(writePage(*HTML, Text));
  if (Arguments.JSON)
    outs() << Text;
  else
    writeBenchText(Report, outs());
  if (!HTML && !JSONFile && !Arguments.has(OPT_no_html) && hasBenchPage())
    note("--html=FILE writes these results as a page with plots");
  Add(finishOutput(Exit::Done));
  if (Report.SameOutputs && !*Report.SameOutputs)
    Add(Exit::Failed);
  // A requested series without a valid round is a failure.
  for (const CacheState State : CacheStates)
    for (const BenchVariant &Variant : Report.Variants) {
      const BenchSeries &Series = Variant.Series[State];
      if (!Series.Rounds.empty() && Series.numValid() == 0)
        Add(Exit::Failed);
    }
  return Status;
}

/// "[12/44] cold round 3 of 5, on; 0:45 left".
static void drawProgress(ProgressLine &Line, const BenchProgress &Now) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Now.Total != 0)
    OS << "[" << std::min(Now.Done + 1, Now.Total) << "/" << Now.Total << "] ";
  OS << Now.What;
  if (Now.SecondsLeft)
    OS << "; " << formatSeconds(*Now.SecondsLeft) << " left";
  Line.show(Text);
}

Exit runBenchCommand(const CommandArguments &Arguments) {
  if (const auto From = Arguments.value(OPT_from_EQ))
    return renderAgain(Arguments, *From);
  BenchOptions Options;
  Exit Status = checkLinkerCommandLine(Arguments, "bench", Options.Forced);
  if (Status != Exit::Done)
    return Status;
  if (Error E = readOptions(Arguments, Options))
    return fail(std::move(E), Exit::WrongUsage);
  for (const auto &[Id, Start] :
       {std::pair<unsigned, StringRef>(OPT_json_EQ, BenchJSONStart),
        {OPT_html_EQ, ""}})
    if (Error E = checkPlace(Arguments.value(Id), Start))
      return fail(std::move(E));
  Options.Args = Arguments.Linker;
  Options.Self = os::programPath();
  // Only the page and the JSON contain what the observed links show.
  Options.Watch = !Arguments.has(OPT_no_watch) &&
                  (Arguments.JSON || Arguments.has(OPT_html_EQ) ||
                   Arguments.has(OPT_json_EQ));
  ProgressLine Line;
  Options.Progress = [&](StringRef Text) {
    Line.erase();
    errs() << "headstart bench: " << Text << "\n";
  };
  Options.Step = [&](const BenchProgress &Now) { drawProgress(Line, Now); };
  Options.Stopped = [] { return os::StopSignals::received() != 0; };

  Expected<BenchReport> Report = [&] {
    const os::StopSignals Signals(os::NextSignal::Waits);
    return runBench(Options);
  }();
  Line.erase();
  if (const int Signal = os::StopSignals::received()) {
    if (!Report)
      consumeError(Report.takeError());
    errs() << "headstart: interrupted by a signal\n";
    os::endLike({/*BySignal=*/true, Signal});
  }
  if (!Report) {
    Error E = Report.takeError();
    const bool IsUsage = E.isA<BenchUsageError>();
    return fail(std::move(E), IsUsage ? Exit::WrongUsage : Exit::Failed);
  }
  Report->Program = versionText();
  return finish(Arguments, *Report);
}

} // namespace headstart
