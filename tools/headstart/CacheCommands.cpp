//===- CacheCommands.cpp - headstart residency, headstart evict -----------===//
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
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace headstart {

namespace {

/// A regular file, and the facts about it.
struct CacheFile {
  std::string Path;
  size_t Operand = 0;    ///< the operand that names it, or a directory above
  std::error_code Error; ///< the reason why nothing else is known

  uint64_t Size = 0; ///< bytes
  os::FileBacking Backing = os::FileBacking::Disk;
  std::optional<uint64_t> Before; ///< cached bytes; absent: not reported
  std::optional<uint64_t> After;  ///< cached bytes after an eviction
  bool IsUnwritten = false;       ///< some cached pages are not on the disk
};

/// Every regular file that the operands name, in the order of the operands: the
/// files, and those in the directories, sorted by the bytes of their paths.
class CacheFiles : TreeVisitor {
public:
  /// Inspects an open file, on any thread. Stores the facts in the first
  /// argument, and an error in its Error.
  using Inspect = function_ref<void(CacheFile &, os::OpenFile &)>;
  /// Receives each file in order, on the caller's thread, also those with an
  /// Error.
  using Show = function_ref<void(const CacheFile &)>;

  explicit CacheFiles(ArrayRef<std::string> Operands) : Operands(Operands) {}

  /// Several threads inspect files at the same time. Blocks. Reports unreadable
  /// directories as `fail` reports files. Memory grows with the paths of one
  /// operand; only some thousand files with their facts are kept at a time.
  void forEach(Inspect InspectFile, Show ShowOne);

  /// Reports that \p File failed because of \p Why. An operand has a message of
  /// its own, at once; the files in a directory share one for each reason,
  /// which `finish` prints.
  void fail(const CacheFile &File, StringRef Why) {
    if (Directories[File.Operand])
      Problems.count(File.Path, Why);
    else
      Problems.print(File.Path, Why);
  }
  /// Prints the remaining messages. Returns Failed if there were any at all.
  Exit finish() {
    Problems.printCounted();
    return Problems.any() ? Exit::Failed : Exit::Done;
  }

  // Known after `forEach`:
  std::vector<bool> Directories; ///< for each operand: whether it is one
  /// The number of entries of the directories that are neither regular files
  /// nor directories.
  uint64_t Skipped = 0;

private:
  void flush(Inspect InspectFile, Show ShowOne);
  void visit(const WalkDirectory &Directory,
             ArrayRef<os::DirectoryEntry> Entries,
             Prune & /*Pruned*/) override {
    std::lock_guard Lock(Mutex);
    for (const os::DirectoryEntry &Entry : Entries)
      if (Entry.Type == os::EntryType::Regular)
        Found.push_back(Directory.pathOf(Entry.Name));
      else if (Entry.Type != os::EntryType::Directory)
        ++Skipped;
  }
  void problem(StringRef Path, StringRef What) override {
    Problems.count(Path, What);
  }

  ArrayRef<std::string> Operands;
  std::vector<CacheFile> Pending;
  ProblemPrinter Problems;
  std::mutex Mutex; ///< during a walk, guards Skipped and Found
  std::vector<std::string> Found;
};

} // namespace

void CacheFiles::flush(Inspect InspectFile, Show ShowOne) {
  forEachFile(Pending.size(), [&](size_t I) {
    CacheFile &One = Pending[I];
    os::OpenFile File;
    One.Error = os::OpenFile::open(One.Path, File);
    if (One.Error)
      return;
    One.Size = File.size();
    One.Backing = os::backingOf(File);
    if (One.Backing == os::FileBacking::None)
      One.Error = std::make_error_code(std::errc::function_not_supported);
    else
      InspectFile(One, File);
  });
  llvm::for_each(Pending, ShowOne);
  Pending.clear();
}

void CacheFiles::forEach(Inspect InspectFile, Show ShowOne) {
  constexpr size_t BatchFiles = 4096; // inspected before they are shown
  const auto Add = [&](std::string Path, size_t Operand) {
    CacheFile &One = Pending.emplace_back();
    One.Path = std::move(Path);
    One.Operand = Operand;
    if (Pending.size() == BatchFiles)
      flush(InspectFile, ShowOne);
  };
  for (const std::string &Operand : Operands) {
    const size_t I = Directories.size();
    Directories.push_back(sys::fs::is_directory(Operand));
    if (!Directories.back()) {
      Add(Operand, I);
      continue;
    }
    Found.clear();
    TreeWalker({}).walk({Operand}, *this);
    llvm::sort(Found);
    for (std::string &Path : Found)
      Add(std::move(Path), I);
  }
  flush(InspectFile, ShowOne);
}

/// The message that \p File failed. \p Unsupported is the message if the system
/// does not support the operation.
static std::string explain(const CacheFile &File, StringRef Unsupported) {
  if (File.Backing == os::FileBacking::None)
    return "the kernel generates this file when a program reads it, so it has "
           "no cached pages";
  // OpenFile::open returns this for FIFOs, sockets and devices.
  if (File.Error == std::errc::operation_not_supported)
    return "this is not a regular file";
  if (File.Error == std::errc::function_not_supported)
    return Unsupported.str();
  return File.Error.message();
}

/// The number of cached bytes of \p File; nothing if the system does not report
/// it. Stores in \p IsUnwritten whether some of them are not on the disk.
static std::optional<uint64_t> residentBytes(const os::PageCache &Cache,
                                             const os::OpenFile &File,
                                             bool &IsUnwritten) {
  std::optional<os::Residency> Now = Cache.residency(File, {0, File.size()});
  if (!Now)
    return std::nullopt;
  IsUnwritten = Now->UnwrittenPages != 0;
  return std::min(Now->ResidentPages * Cache.pageSize(), File.size());
}

namespace {

/// The sums over some files.
struct Totals {
  uint64_t Files = 0;
  uint64_t Bytes = 0;
  uint64_t Resident = 0;
  uint64_t UnknownFiles = 0; ///< not in the sums above
  uint64_t UnknownBytes = 0; ///< of the unknown files that could be opened
  uint64_t FailedFiles = 0;  ///< unknown because they could not be opened

  void add(uint64_t FileBytes, uint64_t ResidentBytes) {
    ++Files;
    Bytes += FileBytes;
    Resident += ResidentBytes;
  }
  void addUnknown(const CacheFile &File) {
    ++UnknownFiles;
    UnknownBytes += File.Size;
    // This error is of a file that was opened; all others come from opening.
    if (File.Error && File.Error != std::errc::function_not_supported)
      ++FailedFiles;
  }
  /// Whether the sums are meaningful.
  bool isKnown() const { return Files != 0 || UnknownFiles == 0; }
  std::string text() const {
    const uint64_t Untold = UnknownFiles - FailedFiles;
    const std::string Unknown =
        counted(Untold, "file") +
        (UnknownBytes != 0 ? " (" + formatBytes(UnknownBytes) + ")" : "");
    std::vector<std::string> Parts;
    if (isKnown())
      Parts.push_back(formatBytes(Resident) + " of " + formatBytes(Bytes) +
                      " in " + counted(Files, "file") + " cached");
    if (Untold != 0)
      Parts.push_back(
          Unknown + (isKnown()
                         ? " unknown"
                         : ", the system does not report how much is cached"));
    if (FailedFiles != 0)
      Parts.push_back(counted(FailedFiles, "file") + " could not be inspected");
    return join(Parts, "; ");
  }
};

} // namespace

/// Inspects and shows \p Files, then calls \p Finish. With --json, prints an
/// object whose array "files" \p Show writes, unless its stream is null
/// (--summary), and to which \p Finish adds.
static Exit
listFiles(const CommandArguments &Arguments, CacheFiles &Files,
          CacheFiles::Inspect Inspect,
          function_ref<void(const CacheFile &, json::OStream *)> Show,
          function_ref<void(json::OStream *)> Finish) {
  Exit Status = Exit::Done;
  const auto List = [&](json::OStream *J) {
    Files.forEach(Inspect, [&](const CacheFile &One) { Show(One, J); });
    Status = Files.finish();
  };
  if (!Arguments.JSON) {
    List(nullptr);
    Finish(nullptr);
    return Status;
  }
  printJSON([&](json::OStream &J) {
    if (Arguments.has(OPT_summary))
      List(nullptr);
    else
      J.attributeArray("files", [&] { List(&J); });
    Finish(&J);
  });
  return Status;
}

static void writeTotals(const Totals &Sum, json::OStream &J) {
  J.attribute("bytes", Sum.Bytes);
  J.attribute("resident_bytes", Sum.Resident);
  J.attribute("unknown_count", Sum.UnknownFiles);
  J.attribute("unknown_bytes", Sum.UnknownBytes);
}

/// The reason why the residency of a readable file is unknown.
static StringRef whyNotReported(const os::PageCache &Cache) {
  return Cache.capabilities().Cachestat || Cache.capabilities().Mincore
             ? "only its owner, root and users who may write to it can query "
               "how much of it is cached"
             : "the system does not report how much of it is cached";
}

Exit runResidency(const CommandArguments &Arguments) {
  if (Arguments.Operands.empty())
    return fail("no path given; usage: headstart residency [options] PATH...",
                Exit::WrongUsage);
  const os::PageCache Cache;
  const bool HasLines = !Arguments.JSON && !Arguments.has(OPT_summary);
  Totals All;
  std::vector<Totals> Each(Arguments.Operands.size());
  CacheFiles Files(Arguments.Operands);
  auto Inspect = [&](CacheFile &One, os::OpenFile &File) {
    One.Before = residentBytes(Cache, File, One.IsUnwritten);
    if (!One.Before)
      One.Error = std::make_error_code(std::errc::function_not_supported);
  };
  auto Show = [&](const CacheFile &One, json::OStream *J) {
    if (One.Error) {
      All.addUnknown(One);
      Each[One.Operand].addUnknown(One);
      Files.fail(One, explain(One, whyNotReported(Cache)));
      return;
    }
    All.add(One.Size, *One.Before);
    Each[One.Operand].add(One.Size, *One.Before);
    if (J)
      J->object([&] {
        writePath(One.Path, *J);
        J->attribute("size", One.Size);
        J->attribute("resident", *One.Before);
      });
    else if (HasLines)
      outs() << format("%4u%%  ", percentOf(*One.Before, One.Size)) << One.Path
             << "\n";
  };
  return listFiles(Arguments, Files, Inspect, Show, [&](json::OStream *J) {
    if (J) {
      J->attributeArray("operands", [&] {
        for (const auto &[Operand, Sum] : zip_equal(Arguments.Operands, Each))
          J->object([&] {
            writePath(Operand, *J);
            J->attribute("count", Sum.Files);
            writeTotals(Sum, *J);
          });
      });
      return writeTotals(All, *J);
    }
    // Without --summary, a file already has a line of its own.
    if (Each.size() > 1)
      for (size_t I = 0; I != Each.size(); ++I)
        if (Files.Directories[I])
          outs() << Each[I].text() << ": " << Arguments.Operands[I] << "\n";
    outs() << All.text() << "\n";
  });
}

namespace {

/// The reasons why files stay cached after an eviction.
enum StayReason : uint8_t { NoDisk, Unwritten, InUse };

struct StayText {
  const char *Name; ///< in JSON
  const char *Text;
};
constexpr StayText StayTexts[] = {
    {"no disk", "stored on a memory file system (tmpfs), which has no disk to "
                "read it from again"},
    {"not written", "modified and not yet written to the disk"},
    {"in use", "mapped by a process, locked in memory, or in use otherwise"}};

/// The result of an eviction.
struct Evicted {
  uint64_t Files = 0;
  uint64_t Unknown = 0; ///< files whose residency is unknown
  uint64_t Failed = 0;  ///< files
  uint64_t Bytes = 0;
  uint64_t StayingBytes = 0;
  Totals Staying[std::size(StayTexts)]; ///< by StayReason

  /// Adds a file that still has cached pages.
  void addStaying(const CacheFile &File) {
    StayingBytes += *File.After;
    const StayReason Why = File.Backing == os::FileBacking::Memory ? NoDisk
                           : File.IsUnwritten                      ? Unwritten
                                                                   : InUse;
    Staying[Why].add(0, *File.After);
  }
};

} // namespace

static void printEvicted(const Evicted &Done, uint64_t Skipped) {
  outs() << counted(Done.Files, "file") << ", " << formatBytes(Done.Bytes)
         << " evicted";
  if (Done.StayingBytes)
    outs() << "; " << formatBytes(Done.StayingBytes) << " remain cached";
  if (Done.Unknown)
    outs() << "; for " << counted(Done.Unknown, "file")
           << " the system does not report how much remains cached";
  outs() << "\n";
  // A user who measures cold links must know what stays cached.
  for (const auto &[Reason, Sum] : zip_equal(StayTexts, Done.Staying))
    if (Sum.Files)
      outs() << "    " << formatBytes(Sum.Resident) << " of "
             << counted(Sum.Files, "file") << ": " << Reason.Text << "\n";
  if (Done.Failed)
    outs() << "    " << counted(Done.Failed, "file")
           << " could not be evicted\n";
  if (Skipped)
    outs() << "    " << Skipped
           << " skipped: they are not regular files (links, FIFOs, ...)\n";
}

static void writeEvicted(const Evicted &Done, json::OStream &J) {
  J.attributeArray("stayed", [&] {
    for (const auto &[Reason, Sum] : zip_equal(StayTexts, Done.Staying))
      if (Sum.Files)
        J.object([&] {
          J.attribute("why", Reason.Name);
          J.attribute("count", Sum.Files);
          J.attribute("resident_bytes", Sum.Resident);
        });
  });
  J.attribute("failed", Done.Failed);
  J.attribute("evicted_bytes", Done.Bytes);
  J.attribute("resident_bytes", Done.StayingBytes);
}

static Exit evictAll(const CommandArguments &Arguments) {
  if (!Arguments.Operands.empty())
    return fail("--all takes no path", Exit::WrongUsage);
  if (const std::error_code Error = os::evictAll())
    return fail("cannot evict all files: " + Error.message() +
                (Error == std::errc::permission_denied
                     ? "; this needs root, or an administrator of Windows"
                     : ""));
  if (Arguments.JSON)
    printJSON([](json::OStream &J) { J.attribute("all", true); });
  else
    outs() << "evicted what this machine had cached of files\n";
  return Exit::Done;
}

Exit runEvict(const CommandArguments &Arguments) {
  if (Arguments.has(OPT_all))
    return evictAll(Arguments);
  if (Arguments.Operands.empty())
    return fail(
        "no path given; usage: headstart evict [options] PATH... | --all",
        Exit::WrongUsage);
  const os::PageCache Cache;
  Evicted Done;
  CacheFiles Files(Arguments.Operands);
  auto Inspect = [&](CacheFile &One, os::OpenFile &File) {
    One.Before = residentBytes(Cache, File, One.IsUnwritten);
    // A file that a linker has just written sometimes needs a second try.
    for (unsigned Tries = 2; Tries != 0 && !One.Error && One.After != 0;
         --Tries) {
      One.Error = Cache.evict(File);
      if (!One.Error)
        One.After = residentBytes(Cache, File, One.IsUnwritten);
    }
  };
  auto Show = [&](const CacheFile &One, json::OStream *J) {
    if (One.Error) {
      Files.fail(One, explain(One, "the system did not evict it"));
      ++Done.Failed;
      return;
    }
    const bool IsKnown = One.Before && One.After;
    // Another process may have read the file meanwhile.
    const uint64_t Gone =
        IsKnown ? *One.Before - std::min(*One.Before, *One.After) : 0;
    ++Done.Files;
    Done.Unknown += !IsKnown;
    Done.Bytes += Gone;
    if (One.After && *One.After)
      Done.addStaying(One);
    if (J)
      J->object([&] {
        writePath(One.Path, *J);
        J->attribute("size", One.Size);
        J->attribute("evicted", IsKnown ? json::Value(Gone) : nullptr);
        J->attribute("resident", One.After);
      });
  };
  return listFiles(Arguments, Files, Inspect, Show, [&](json::OStream *J) {
    if (J)
      writeEvicted(Done, *J);
    else
      printEvicted(Done, Files.Skipped);
  });
}

} // namespace headstart
