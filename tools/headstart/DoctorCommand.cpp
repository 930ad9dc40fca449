//===- DoctorCommand.cpp - headstart doctor, and its check of directories -===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "Options.h"
#include "headstart/Bench/Bench.h"
#include "headstart/FileTree/Record.h"
#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/Machine.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <array>
#include <chrono>
#include <memory>

using namespace llvm;

namespace headstart {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

namespace {

/// The facts about a directory. A thread, which may never end, stores them.
struct DirectoryFacts {
  std::string Path;
  std::error_code Error;
  os::Disk Disk;
  Milliseconds Lookup{0};
  bool BelievesListings = false;
  // A sample of its files:
  unsigned Files = 0;     ///< files that could be opened and are not empty
  unsigned Refused = 0;   ///< files that this user may not read
  unsigned Reported = 0;  ///< files whose residency the system reports
  unsigned Diskless = 0;  ///< files that are not stored on a disk
  unsigned Evictable = 0; ///< files on a disk, if the system can evict files

  void find();

private:
  void sample(const std::string &File, const os::PageCache &Cache);
  void sampleFiles();
};

} // namespace

/// Returns the median time of a few lookups of names that do not exist in
/// \p Directory. The names are random: the kernel remembers a name that it has
/// looked up.
static Milliseconds timeOfLookup(StringRef Directory) {
  std::vector<double> Times(5);
  for (double &Time : Times) {
    const std::string Name = withUniqueEnd(Directory + "/headstart-doctor-");
    const Clock::time_point Begin = Clock::now();
    std::error_code Ignored;
    (void)os::statFile(Name, Ignored);
    Time = Milliseconds(Clock::now() - Begin).count();
  }
  return Milliseconds(medianOf(Times));
}

void DirectoryFacts::sample(const std::string &File,
                            const os::PageCache &Cache) {
  os::OpenFile Open;
  if (std::error_code E = os::OpenFile::open(File, Open)) {
    Refused += E == std::errc::permission_denied;
    return;
  }
  if (Open.size() == 0) // an empty file has no pages
    return;
  ++Files;
  const bool HasDisk = os::backingOf(Open) == os::FileBacking::Disk;
  Diskless += !HasDisk;
  Evictable += HasDisk && Cache.capabilities().Evict;
  Reported += Cache.residency(Open, {0, Open.size()}).has_value();
}

/// Samples a few files in and below the directory, briefly; skips hidden names.
void DirectoryFacts::sampleFiles() {
  constexpr unsigned MaxEntries = 2000, MaxFiles = 16;
  constexpr std::chrono::milliseconds MaxTime(500);
  const os::PageCache Cache;
  const Clock::time_point Begin = Clock::now();
  std::error_code Ended;
  sys::fs::recursive_directory_iterator Entry(Path, Ended,
                                              /*follow_symlinks=*/false);
  for (unsigned I = 0; !Ended && I != MaxEntries &&
                       Entry != sys::fs::recursive_directory_iterator();
       ++I, Entry.increment(Ended)) {
    if (sys::path::filename(Entry->path()).starts_with("."))
      Entry.no_push();
    else if (Entry->type() == sys::fs::file_type::regular_file)
      sample(Entry->path(), Cache);
    if (Files + Refused >= MaxFiles || Clock::now() - Begin > MaxTime)
      break;
  }
}

void DirectoryFacts::find() {
  os::DirectoryHandle Open;
  Error = os::DirectoryHandle::open(Path, Open);
  if (Error)
    return;
  Disk = os::readDisk(Path);
  BelievesListings = os::traitsOf(Open).ReportsChanges;
  sampleFiles();
  Lookup = timeOfLookup(Path);
}

static StringRef nameOf(os::StorageKind Kind) {
  static constexpr std::array Names = {"unknown", "disk", "memory", "network",
                                       "user space"};
  return Names.at(static_cast<size_t>(Kind));
}

/// "ext4, on the disk vda".
static std::string describe(const os::Disk &D) {
  const std::string Name =
      D.FileSystem.empty() ? "a file system without a name" : D.FileSystem;
  switch (D.Kind) {
  case os::StorageKind::Unknown:
    return Name + "; the system does not report its disk";
  case os::StorageKind::Disk:
    return Name + ", on " + (D.Name.empty() ? "a disk" : "the disk " + D.Name) +
           " of this machine";
  case os::StorageKind::Memory:
    return Name + ", in memory";
  case os::StorageKind::Network:
    return Name + ", on the network";
  case os::StorageKind::UserSpace:
    return Name + ", served by a program (FUSE)";
  }
  llvm_unreachable("a kind of storage");
}

static void checkDistance(const DirectoryFacts &Facts, CheckGroup &Group) {
  const os::Disk &D = Facts.Disk;
  const double Elapsed = Facts.Lookup.count();
  const bool MayBeHighLatency = D.Kind == os::StorageKind::Network ||
                                D.Kind == os::StorageKind::UserSpace;
  const bool IsHighLatency =
      Facts.Lookup >= Tuning::Seconds(Tuning().slowName());
  Check &C =
      Group.add("lookup_ms", Elapsed,
                formatv("a lookup of a path takes {0:f3} ms: {1}", Elapsed,
                        IsHighLatency      ? "high latency"
                        : MayBeHighLatency ? "low latency, if reads are as fast"
                                           : "low latency"));
  if (IsHighLatency)
    C.note("each lookup and each read takes a round trip; links fetch with "
           "more threads and in larger requests",
           "store the inputs on a local disk if possible");
  constexpr uint64_t HighLatencyReadahead = 1024 * 1024;
  Check &R =
      Group.add("readahead_bytes", D.ReadaheadBytes,
                D.ReadaheadBytes ? "the kernel reads at most " +
                                       formatBytes(*D.ReadaheadBytes) + " ahead"
                                 : "");
  if (MayBeHighLatency && D.ReadaheadBytes &&
      *D.ReadaheadBytes < HighLatencyReadahead)
    R.note("requests have at most this size, so a link needs more round trips",
           "run as root: echo 1024 > " + D.ReadaheadFile);
  Check &L = Group.add("listings_believed", Facts.BelievesListings,
                       "a directory listing shows reliably which files do not "
                       "exist");
  if (!Facts.BelievesListings) {
    L.Text = "a directory listing does not show reliably which files do not "
             "exist";
    L.note("each library (-l) is looked up in one directory after another",
           "name few such directories with -L, or give libraries by path");
  }
}

static void checkSample(const DirectoryFacts &S, CheckGroup &Group) {
  const unsigned All = S.Files + S.Refused;
  const std::string Of = " of " + counted(All, "file") + " here";
  Group.add("files_looked_at", All,
            All == 0 ? "there are no files here to inspect" : "");
  Check &R = Group.add("files_refused", S.Refused, "");
  if (S.Refused != 0) {
    R.Text = std::to_string(S.Refused) + Of + " cannot be opened";
    R.note("Headstart cannot fetch them, and the linker cannot read them",
           "make them readable for the user who links");
  }
  Check &T = Group.add("files_told", S.Reported, "");
  Check &E = Group.add("files_evictable", S.Evictable, "");
  if (S.Files == 0)
    return;
  if (S.Diskless == S.Files) {
    E.Text = "the files here are not stored on a disk: there is nothing to "
             "prefetch";
    return;
  }
  T.Text = "the system reports what is cached for " +
           std::to_string(S.Reported) + Of;
  if (S.Reported < S.Files)
    T.note("links read samples of the others to find out whether they are "
           "cached, and headstart bench cannot measure cold links",
           "make the user who links the owner of the files, or let this user "
           "write to them");
  E.Text =
      std::to_string(S.Evictable) + Of + " can be evicted from the page cache";
}

/// Checks the directory \p Path and its file system. \p Problem is
/// the reason why it cannot be inspected, or empty.
static CheckGroup checkDirectory(const std::string &Path,
                                 std::string &Problem) {
  // A server may not respond; the thread that waits for it is then left.
  constexpr std::chrono::seconds Timeout(5);
  auto Facts = std::make_shared<DirectoryFacts>();
  Facts->Path = Path;
  os::Threads Thread;
  bool Answers = true;
  if (Thread.start([Facts] { Facts->find(); }))
    Facts->find();
  else
    Answers = Thread.join(Timeout);
  if (!Answers)
    // The thread may still write to its facts, so they must not be read.
    Problem = "the file system did not respond within 5 s";
  else if (Facts->Error)
    Problem = Facts->Error.message();
  CheckGroup Group = {"folder", Path, Path, {}};
  if (Path == ".")
    Group.Heading = "Current directory: " + os::currentDirectory();
  if (!Problem.empty()) {
    Group.add("file_system", nullptr, Problem)
        .problem("Headstart cannot inspect it",
                 Answers ? "give the path of an existing, readable directory"
                         : "check whether its server responds");
    return Group;
  }
  Group.add("file_system", textOrNull(Facts->Disk.FileSystem),
            describe(Facts->Disk));
  Group.add("storage", nameOf(Facts->Disk.Kind), "");
  Group.add("device", textOrNull(Facts->Disk.Name), "");
  checkDistance(*Facts, Group);
  checkSample(*Facts, Group);
  return Group;
}

static StringRef nameOf(Finding V) {
  static constexpr std::array Names = {"ok", "note", "problem"};
  return Names.at(static_cast<size_t>(V));
}

/// The number of checks with the result \p V. Those that passed count if they
/// have a text.
static size_t countOf(ArrayRef<CheckGroup> Groups, Finding V) {
  size_t Sum = 0;
  for (const CheckGroup &Group : Groups)
    Sum += llvm::count_if(Group.Checks, [V](const Check &C) {
      return C.Status == V && (V != Finding::Ok || !C.Text.empty());
    });
  return Sum;
}

/// Prints the checks of \p Group that found something; with \p Verbose, all.
static void printGroup(const CheckGroup &Group, bool Verbose) {
  SmallVector<const Check *> Shown;
  for (const Check &C : Group.Checks)
    if (!C.Text.empty() && (C.Status != Finding::Ok || Verbose))
      Shown.push_back(&C);
  if (Shown.empty())
    return;
  outs() << Group.Heading << "\n";
  for (size_t I = 0; I != Shown.size(); ++I) {
    const Check &C = *Shown[I];
    outs() << "  ";
    if (C.Status == Finding::Ok)
      outs() << "ok     ";
    else
      printColoured(
          C.Status == Finding::Note ? "note   " : "problem",
          C.Status == Finding::Note ? Severity::Note : Severity::Error, outs());
    outs() << "  " << C.Text << "\n";
    // Several compilers may share one fix.
    if (I + 1 != Shown.size() && C.Costs == Shown[I + 1]->Costs &&
        C.Do == Shown[I + 1]->Do)
      continue;
    for (const auto &[Lead, Text] :
         {std::pair("effect: ", StringRef(C.Costs)), {"fix:    ", C.Do}})
      if (!Text.empty())
        (outs().indent(11) << Lead << Text) << "\n";
  }
  outs() << "\n";
}

static void printText(ArrayRef<CheckGroup> Groups, bool Verbose) {
  for (const CheckGroup &Group : Groups)
    printGroup(Group, Verbose);
  outs() << counted(countOf(Groups, Finding::Problem), "problem") << ", "
         << counted(countOf(Groups, Finding::Note), "note") << "; "
         << counted(countOf(Groups, Finding::Ok), "other check") << " passed"
         << (Verbose ? "" : " (--verbose lists them)") << "\n";
}

static void writeJSON(ArrayRef<CheckGroup> Groups) {
  printJSON([&](json::OStream &J) {
    J.attribute("problems", countOf(Groups, Finding::Problem));
    J.attribute("notes", countOf(Groups, Finding::Note));
    J.attributeArray("checks", [&] {
      for (const CheckGroup &Group : Groups)
        for (const Check &C : Group.Checks)
          J.object([&] {
            J.attribute("group", Group.Name);
            J.attribute("path", textOrNull(Group.Subject));
            J.attribute("name", C.Name);
            J.attribute("status", nameOf(C.Status));
            J.attribute("value", C.Value);
            J.attribute("text", json::fixUTF8(C.Text));
            J.attribute("costs", textOrNull(C.Costs));
            J.attribute("do", textOrNull(C.Do));
          });
    });
  });
}

Exit runDoctor(const CommandArguments &Arguments) {
  std::vector<CheckGroup> Groups;
  checkMachine(Groups);
  Exit Status = Exit::Done;
  std::vector<std::string> Paths = Arguments.Operands;
  if (Paths.empty())
    Paths.push_back(".");
  for (const std::string &Path : Paths) {
    std::string Problem;
    Groups.push_back(checkDirectory(Path, Problem));
    if (!Problem.empty())
      Status = fail((Twine(Path) + ": " + Problem).str());
  }
  if (Arguments.JSON)
    writeJSON(Groups);
  else
    printText(Groups, Arguments.has(OPT_verbose));
  return Status;
}

} // namespace headstart
