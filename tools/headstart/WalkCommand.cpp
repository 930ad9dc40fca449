//===- WalkCommand.cpp - headstart walk, headstart status -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LineOutput.h"
#include "Options.h"
#include "TreeOptions.h"
#include "headstart/FileTree/Record.h"
#include "headstart/FileTree/TreeListing.h"
#include "headstart/Link/PrefetchSettings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <array>
#include <chrono>
#include <ctime>
#include <mutex>

using namespace llvm;

namespace headstart {

static StringRef typeName(os::EntryType Type) {
  static constexpr std::array Names = {
      "unknown", "file",   "folder",       "link",
      "fifo",    "socket", "block device", "character device"};
  return Names.at(static_cast<size_t>(Type));
}

/// Appends "2026-11-21T20:20:07.123456789Z".
static void appendTime(int64_t Nanoseconds, SmallVectorImpl<char> &Out) {
  using namespace std::chrono;
  // Nanoseconds cannot express the start of the first day that they reach.
  constexpr int64_t PerSecond = 1'000'000'000;
  const int64_t Rest = (Nanoseconds % PerSecond + PerSecond) % PerSecond;
  const sys_seconds Time(floor<seconds>(nanoseconds(Nanoseconds)));
  const auto Day = floor<days>(Time);
  const year_month_day Date(Day);
  const hh_mm_ss Clock(Time - Day);
  raw_svector_ostream(Out) << format(
      "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ", static_cast<int>(Date.year()),
      static_cast<unsigned>(Date.month()), static_cast<unsigned>(Date.day()),
      static_cast<int>(Clock.hours().count()),
      static_cast<int>(Clock.minutes().count()),
      static_cast<int>(Clock.seconds().count()), static_cast<int>(Rest));
}

namespace {

/// Writes entries as text or as JSON.
class EntryWriter {
public:
  EntryWriter(const CommandArguments &Arguments)
      : AsJSON(Arguments.JSON), WithStatus(Arguments.has(OPT_stat)),
        End(Arguments.has(OPT_null) ? '\0' : '\n') {}

  /// Appends the entry \p Name of the directory whose paths begin with
  /// \p Prefix.
  void append(StringRef Prefix, StringRef Name, const os::DirectoryEntry &Entry,
              SmallVectorImpl<char> &Out) const {
    if (AsJSON)
      return appendJSON(Prefix, Name, Entry, Out);
    if (WithStatus && Entry.HasStatus) {
      raw_svector_ostream(Out) << Entry.Identity.Size << '\t';
      appendTime(Entry.Identity.ModifiedNs, Out);
      Out.push_back('\t');
    } else if (WithStatus) {
      raw_svector_ostream(Out) << "-\t-\t";
    }
    Out.append(Prefix.begin(), Prefix.end());
    Out.append(Name.begin(), Name.end());
    Out.push_back(End);
  }

private:
  void appendJSON(StringRef Prefix, StringRef Name,
                  const os::DirectoryEntry &Entry,
                  SmallVectorImpl<char> &Out) const {
    raw_svector_ostream OS(Out);
    OS << LineOutput::JSONSeparator;
    json::OStream J(OS);
    J.object([&] {
      writePath((Prefix + Name).str(), J);
      J.attribute("type", typeName(Entry.Type));
      if (!WithStatus || !Entry.HasStatus)
        return;
      SmallString<32> Time;
      appendTime(Entry.Identity.ModifiedNs, Time);
      J.attribute("size", Entry.Identity.Size);
      J.attribute("mtime", Time.str());
    });
  }

  bool AsJSON;
  bool WithStatus;
  char End;
};

/// The places that a walk could not read or stat: roots and paths from there.
using UnknownPlaces = std::vector<std::pair<size_t, std::string>>;

/// Returns the beginning of the paths of the entries of \p Directory, a path
/// from \p Root.
std::string prefixOf(const TreeRoot &Root, StringRef Directory) {
  return (Root.Prefix + Directory + (Directory.empty() ? "" : "/")).str();
}

/// Keeps the entries, or writes them at once.
class Lister : public FilteringVisitor {
public:
  /// With \p Unknown, keeps only entries that have their own status.
  Lister(const TreePlan &Plan, const TreeOperands &Operands,
         const EntryWriter &Writer, LineOutput &Output,
         ProblemPrinter &Problems, TreeListing *Keep, UnknownPlaces *Unknown)
      : FilteringVisitor(Plan.Filter), Operands(Operands), Writer(Writer),
        Output(Output), Problems(Problems), Keep(Keep), Unknown(Unknown) {}

  void problem(StringRef Path, StringRef What) override {
    Problems.print(Path, What);
  }
  void unknown(size_t Root, StringRef PathFromRoot) override {
    std::lock_guard Lock(Mutex);
    if (Unknown)
      Unknown->emplace_back(Root, PathFromRoot);
  }

private:
  void keep(const WalkDirectory &Directory,
            ArrayRef<os::DirectoryEntry> Entries) {
    SmallVector<os::DirectoryEntry, MaxEntries> Kept;
    SmallString<256> Path;
    for (const os::DirectoryEntry &Entry : Entries)
      if (!Unknown || Entry.hasOwnStatus())
        Kept.push_back(Entry);
      else
        unknown(Directory.root(), joinTreePath(Directory.pathFromRoot(),
                                               StringRef(Entry.Name), Path));
    Keep->add(Directory.thread(), Directory.root(), Directory.pathFromRoot(),
              Kept);
  }

  void show(const WalkDirectory &Directory,
            ArrayRef<os::DirectoryEntry> Entries) override {
    if (Keep)
      return keep(Directory, Entries);
    const unsigned Thread = Directory.thread();
    const std::string Prefix = prefixOf(Operands.Directories[Directory.root()],
                                        Directory.pathFromRoot());
    for (const os::DirectoryEntry &Entry : Entries)
      Writer.append(Prefix, StringRef(Entry.Name), Entry,
                    Output.buffer(Thread));
    Output.mayWrite(Thread);
  }

  const TreeOperands &Operands;
  const EntryWriter &Writer;
  LineOutput &Output;
  ProblemPrinter &Problems;
  TreeListing *Keep;
  std::mutex Mutex;
  UnknownPlaces *Unknown; ///< guarded by Mutex; null: they do not matter
};

} // namespace

static os::EntryType typeOf(sys::fs::file_type Type) {
  using sys::fs::file_type;
  static constexpr std::pair<file_type, os::EntryType> Types[] = {
      {file_type::regular_file, os::EntryType::Regular},
      {file_type::directory_file, os::EntryType::Directory},
      {file_type::symlink_file, os::EntryType::Link},
      {file_type::fifo_file, os::EntryType::Fifo},
      {file_type::socket_file, os::EntryType::Socket},
      {file_type::block_file, os::EntryType::BlockDevice},
      {file_type::character_file, os::EntryType::CharacterDevice}};
  for (const auto &[Theirs, Ours] : Types)
    if (Theirs == Type)
      return Ours;
  return os::EntryType::Unknown;
}

/// The entry of a file that an operand names; a link only if it leads nowhere.
/// Does not open its directory, for which the user may lack permission.
static os::DirectoryEntry entryOf(const std::string &Path) {
  os::DirectoryEntry Entry;
  Entry.Name = sys::path::filename(Path);
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) &&
      sys::fs::status(Path, Status, /*Follow=*/false))
    return Entry;
  Entry.Type = typeOf(Status.type());
  Entry.Identity.Size = Status.getSize();
  Entry.Identity.ModifiedNs =
      Status.getLastModificationTime().time_since_epoch().count();
  Entry.HasStatus = true;
  return Entry;
}

/// Returns why --manifest conflicts with other arguments, or nothing.
static std::string conflictOf(const CommandArguments &Arguments, StringRef File,
                              const TreeOperands &Operands) {
  if (Arguments.JSON || Arguments.has(OPT_null) || Arguments.has(OPT_stat))
    return "--manifest cannot be combined with --json, --stat or -0";
  // In `--manifest --stat`, the user forgot the file.
  if (File.empty() || File.starts_with("--"))
    return "--manifest: expected a file, but got '" + File.str() + "'";
  if (File == "-" && sys::Process::StandardOutIsDisplayed())
    return "a manifest is binary and would garble the terminal: give "
           "--manifest FILE";
  if (sys::fs::is_directory(File))
    return "--manifest: '" + File.str() +
           "' is a directory: give the file to write first, then the "
           "directories, or - "
           "for standard output";
  if (!Operands.Files.empty())
    return "'" + Operands.Files.front() +
           "': a manifest describes directories, not files";
  return "";
}

static Exit writeManifest(const TreePlan &Plan, const TreeOperands &Operands,
                          const std::string &File, const TreeListing &Listing,
                          const UnknownPlaces &Unknown, LineOutput &Output) {
  std::vector<ManifestRoot> Roots;
  for (const TreeRoot &Root : Operands.Directories) {
    SmallString<256> Absolute;
    if (std::error_code Error = sys::fs::real_path(Root.Given, Absolute))
      return fail(Root.Given + ": " + Error.message());
    Roots.push_back(
        {Root.Prefix.empty() ? "" : Root.Given, Absolute.str().str()});
  }
  std::string Bytes = serializeManifest(
      Plan.Selection, Roots, std::time(nullptr), Listing.directories(),
      map_to_vector(Unknown, [](const auto &Place) {
        return TreePlace{Place.first, Place.second};
      }));
  const auto Write = [&](raw_ostream &OS) { OS << Bytes; };
  std::error_code Error;
  if (File == "-")
    Output.writeText(Bytes);
  else if (sys::fs::is_symlink_file(File) && !sys::fs::exists(File))
    Error = writeFile(File, Write); // creates the link's target
  else
    Error = errorToErrorCode(replaceFile(File, Write));
  return Error ? fail(File + ": " + Error.message()) : Exit::Done;
}

static void writeSorted(const TreeListing &Listing,
                        const TreeOperands &Operands, const EntryWriter &Writer,
                        LineOutput &Output) {
  Listing.forEach(
      [&](const ListedDirectory &Directory, const os::DirectoryEntry &Entry) {
        Writer.append(
            prefixOf(Operands.Directories[Directory.Root], Directory.Path),
            StringRef(Entry.Name), Entry, Output.buffer(0));
        Output.mayWrite(0);
      });
}

Exit runWalk(const CommandArguments &Arguments) {
  Expected<TreePlan> Plan = planTree(Arguments);
  if (!Plan)
    return fail(Plan.takeError(), Exit::WrongUsage);
  ProblemPrinter Problems;
  const TreeOperands Operands = classifyOperands(Arguments.Operands, Problems,
                                                 /*DeadLinksAreFiles=*/true);
  const auto ManifestFile = Arguments.value(OPT_manifest_EQ);
  if (ManifestFile) {
    if (std::string Conflict = conflictOf(Arguments, *ManifestFile, Operands);
        !Conflict.empty())
      return fail(Conflict, Exit::WrongUsage);
    if (*ManifestFile != "-" && !mayReplaceRecord(*ManifestFile, ManifestStart))
      return fail(*ManifestFile + ": this file is not a manifest, so headstart "
                                  "walk does not replace it");
  }

  WalkOptions Options =
      Plan->walkOptions(Arguments.has(OPT_stat) || ManifestFile.has_value());
  Options.HintsSuffice = !ManifestFile; // a manifest is compared later
  TreeWalker Walker(Options);
  LineOutput Output(TreeWalker::MaxThreads, [&] { Walker.cancel(); });
  const EntryWriter Writer(Arguments);
  if (Arguments.JSON)
    Output.beginJSON("entries");
  for (const std::string &File : Operands.Files) {
    const os::DirectoryEntry Entry = entryOf(File);
    if (Plan->Filter.judge("", StringRef(Entry.Name), Entry.Type).Show)
      Writer.append("", File, Entry, Output.buffer(0));
  }

  UnknownPlaces Unknown;
  std::optional<TreeListing> Listing;
  if (Arguments.has(OPT_sort) || ManifestFile)
    Listing.emplace(TreeWalker::MaxThreads);
  if (!Plan->isTooDeep(0)) {
    Lister Visitor(*Plan, Operands, Writer, Output, Problems,
                   Listing ? &*Listing : nullptr,
                   ManifestFile ? &Unknown : nullptr);
    Walker.walk(map_to_vector(Operands.Directories,
                              [](const TreeRoot &Root) { return Root.Given; }),
                Visitor);
  }
  Exit Status = Exit::Done;
  if (Listing) {
    Listing->sort();
    if (ManifestFile)
      Status = writeManifest(*Plan, Operands, *ManifestFile, *Listing, Unknown,
                             Output);
    else
      writeSorted(*Listing, Operands, Writer, Output);
  }
  if (Arguments.JSON)
    Output.writeText("\n]}\n");
  if (Exit Written = Output.finish(); Written != Exit::Done)
    return Written;
  return Problems.any() ? Exit::Failed : Status;
}

namespace {

/// A directory, and its part of the manifest.
struct Comparison {
  TreeRoot Root;
  ManifestPart Part;
};

/// By ChangeKind.
constexpr std::array<StringRef, 3> ChangeNames = {"added", "removed",
                                                  "modified"};
constexpr std::pair<unsigned, StringRef> Differences[] = {
    {TypeDiffers, "type"},
    {SizeDiffers, "size"},
    {TimeDiffers, "mtime"},
    {IdDiffers, "id"}};

/// Writes changes and counts them.
class ChangeWriter {
public:
  ChangeWriter(const CommandArguments &Arguments, LineOutput &Output)
      : AsJSON(Arguments.JSON), End(Arguments.has(OPT_null) ? '\0' : '\n'),
        Output(Output) {}

  void write(StringRef Prefix, const TreeChange &Change) {
    ++Counts.at(static_cast<size_t>(Change.Kind));
    raw_svector_ostream OS(Output.buffer(0));
    if (AsJSON) {
      OS << LineOutput::JSONSeparator;
      json::OStream J(OS);
      J.object([&] {
        J.attribute("change", ChangeNames.at(static_cast<size_t>(Change.Kind)));
        writePath((Prefix + Change.Path).str(), J);
        J.attribute("type", typeName(Change.Type));
        if (Change.Difference != SameEntry)
          J.attributeArray("what", [&] {
            for (auto [Bit, Name] : Differences)
              if (Change.Difference & Bit)
                J.value(Name);
          });
      });
    } else {
      OS << "ADM"[static_cast<size_t>(Change.Kind)] << ' ' << Prefix
         << Change.Path << (Change.Type == os::EntryType::Directory ? "/" : "")
         << End;
    }
    Output.mayWrite(0);
  }

  std::array<uint64_t, 3> Counts{}; ///< by ChangeKind

private:
  bool AsJSON;
  char End;
  LineOutput &Output;
};

} // namespace

/// Returns the manifest's roots with their given names, or, if these lead
/// elsewhere from the current directory, with their absolute paths.
static std::vector<Comparison> allRoots(const Manifest &M) {
  std::vector<Comparison> Result;
  for (auto [I, Root] : enumerate(M.roots())) {
    SmallString<256> Here;
    StringRef Given = Root.Given;
    if (sys::fs::real_path(Given.empty() ? "." : Given, Here) ||
        Here != Root.Absolute)
      Given = Root.Absolute;
    Result.push_back({TreeRoot(Given), ManifestPart(M, I)});
  }
  return Result;
}

static Exit comparisonsOf(const CommandArguments &Arguments, const Manifest &M,
                          const TreePlan &Plan,
                          std::vector<Comparison> &Result) {
  if (Arguments.Operands.empty()) {
    Result = allRoots(M);
    return Exit::Done;
  }
  Exit Status = Exit::Done;
  for (const std::string &Path : Arguments.Operands) {
    Expected<ManifestPart> Part =
        sys::fs::exists(Path) && !sys::fs::is_directory(Path)
            ? createStringError(Path + ": PATH must be a directory")
            : coveredPart(M, Path, Plan);
    if (Part)
      Result.push_back({TreeRoot(Path), *Part});
    else
      Status = fail(Part.takeError());
  }
  return Status;
}

static void writeSummary(const ChangeWriter &Changes, int64_t Recorded) {
  SmallString<32> Time;
  appendTime(Recorded * 1000000000, Time);
  ListSeparator Comma;
  for (const auto &[Name, Count] : zip_equal(ChangeNames, Changes.Counts))
    errs() << Comma << Count << ' ' << Name;
  errs() << " since " << Time.str().take_front(19) << "Z\n";
}

Exit runStatus(const CommandArguments &Arguments) {
  const std::string Since = Arguments.value(OPT_since_EQ).value_or("");
  if (Since.empty())
    return fail("no manifest given; usage: headstart status --since=MANIFEST "
                "[PATH...]",
                Exit::WrongUsage);
  Expected<Manifest> M = Manifest::load(Since);
  if (!M)
    return fail(M.takeError());
  Expected<TreePlan> Plan = planTree(M->selection(), Arguments);
  if (!Plan)
    return fail(Plan.takeError(), Exit::WrongUsage);
  std::vector<Comparison> Comparisons;
  Exit Status = comparisonsOf(Arguments, *M, *Plan, Comparisons);

  ProblemPrinter Problems;
  LineOutput Output(1);
  ChangeWriter Changes(Arguments, Output);
  if (Arguments.JSON)
    Output.beginJSON("changes");
  std::error_code Ignored;
  const os::FileIdentity Self = os::statFile(Since, Ignored).Identity;
  for (const Comparison &C : Comparisons) {
    unsigned Above = C.Part.depth();
    ChangeFinder Visitor(
        C.Part, Plan->Filter,
        [&](StringRef Path, StringRef What) { Problems.print(Path, What); });
    if (C.Part.isRemoved()) {
      if (const ManifestEntry *Removed = C.Part.entry())
        Changes.write(C.Root.Given,
                      {ChangeKind::Removed, Removed->Type, SameEntry, ""});
    } else if (!Plan->isTooDeep(Above)) {
      Visitor.leaveOut(Self);
      TreeWalker(Plan->walkOptions(/*WithStatus=*/true, Above))
          .walk({C.Root.Given}, Visitor);
    }
    for (const TreeChange &Change : Visitor.finish())
      Changes.write(C.Root.Prefix, Change);
  }
  if (Arguments.JSON) {
    std::string Tail = "\n]";
    for (const auto &[Name, Count] : zip_equal(ChangeNames, Changes.Counts))
      Tail += (",\"" + Name + "\":" + Twine(Count)).str();
    Output.writeText(Tail + "}\n");
  }
  if (Exit Written = Output.finish(); Written != Exit::Done)
    return Written;
  if (Arguments.has(OPT_summary) ||
      (!Arguments.JSON && sys::Process::StandardOutIsDisplayed()))
    writeSummary(Changes, M->recorded());
  if (Status != Exit::Done || Problems.any())
    return Exit::Failed;
  return Arguments.has(OPT_exit_code) &&
                 any_of(Changes.Counts, [](uint64_t C) { return C; })
             ? Exit::Changed
             : Exit::Done;
}

} // namespace headstart
