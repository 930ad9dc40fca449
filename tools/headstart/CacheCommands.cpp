//===- CacheCommands.cpp - headstart residency, headstart evict -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LineOutput.h"
#include "TreeOptions.h"
#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <optional>

using namespace llvm;

namespace headstart {

namespace {

/// The regular files of a walk.
class FileCollector : public TreeVisitor {
public:
  explicit FileCollector(ProblemPrinter &Problems) : Problems(Problems) {}

  void visit(const WalkFolder &Folder, ArrayRef<os::DirectoryEntry> Entries,
             Prune & /*Pruned*/) override {
    std::lock_guard Lock(Mutex);
    for (const os::DirectoryEntry &Entry : Entries)
      if (Entry.Type == os::EntryType::Regular)
        Files.push_back(Folder.pathOf(Entry.Name));
  }
  void problem(StringRef Path, StringRef What) override {
    Problems.print(Path, What);
  }

  /// In the order of their bytes.
  std::vector<std::string> take() {
    llvm::sort(Files);
    return std::move(Files);
  }

private:
  ProblemPrinter &Problems;
  std::mutex Mutex;
  std::vector<std::string> Files;
};

} // namespace

/// Why something failed with \p Path, for the user. \p Unsupported says what
/// the system does not do.
static std::string explain(const std::string &Path, std::error_code Error,
                           StringRef Unsupported) {
  // What OpenFile::open says of FIFOs, sockets and devices.
  if (Error == std::errc::operation_not_supported)
    return Path + ": not a regular file";
  if (Error == std::errc::function_not_supported)
    return Path + ": the system does not " + Unsupported.str();
  return Path + ": " + Error.message();
}

/// Calls \p Visit with every regular file that \p Operands name: the files,
/// and what is in the folders. Problems are printed and counted as failures.
static Exit forEachFile(
    const std::vector<std::string> &Operands, StringRef Unsupported,
    function_ref<std::error_code(const std::string &, os::OpenFile &)> Visit) {
  Exit Status = Exit::Done;
  auto One = [&](const std::string &Path) {
    os::OpenFile File;
    std::error_code Error = os::OpenFile::open(Path, File);
    if (!Error)
      Error = Visit(Path, File);
    if (Error)
      Status = fail(explain(Path, Error, Unsupported));
  };
  for (const std::string &Operand : Operands) {
    if (!sys::fs::is_directory(Operand)) {
      One(Operand);
      continue;
    }
    ProblemPrinter Problems;
    FileCollector Collector(Problems);
    TreeWalker({}).walk({Operand}, Collector);
    if (Problems.any())
      Status = Exit::Failed;
    llvm::for_each(Collector.take(), One);
  }
  return Status;
}

namespace {

/// The object that both commands print: an array of files, and totals.
class FilesJSON {
public:
  FilesJSON() : J(outs(), /*IndentSize=*/2) {
    J.objectBegin();
    J.attribute("version", 1);
    J.attributeBegin("files");
    J.arrayBegin();
  }
  void addFile(StringRef Path, function_ref<void(json::OStream &)> Rest) {
    J.object([&] {
      writePath(Path, J);
      Rest(J);
    });
  }
  void end(function_ref<void(json::OStream &)> Totals) {
    J.arrayEnd();
    J.attributeEnd();
    Totals(J);
    J.objectEnd();
    outs() << "\n";
  }

private:
  json::OStream J;
};

} // namespace

/// How many bytes of \p File are in memory; nothing where nobody tells.
static std::optional<uint64_t> residentBytes(const os::PageCache &Cache,
                                             const os::OpenFile &File) {
  std::optional<os::Residency> Now = Cache.residency(File, {0, File.size()});
  if (!Now)
    return std::nullopt;
  return std::min(Now->ResidentPages * Cache.pageSize(), File.size());
}

static std::string countFiles(uint64_t Count) {
  return std::to_string(Count) + (Count == 1 ? " file" : " files");
}

Exit runEvict(const CommandArguments &Arguments) {
  if (Arguments.Operands.empty())
    return fail("nothing to evict: headstart evict [--json] PATH...",
                Exit::WrongUsage);
  os::PageCache Cache;
  uint64_t Files = 0;
  uint64_t Unknown = 0;
  uint64_t Evicted = 0;
  uint64_t Left = 0;
  std::optional<FilesJSON> J;
  if (Arguments.JSON)
    J.emplace();
  Exit Status = forEachFile(
      Arguments.Operands, "let go of it",
      [&](const std::string &Path, os::OpenFile &File) {
        const std::optional<uint64_t> Before = residentBytes(Cache, File);
        if (std::error_code Error = Cache.evict(File))
          return Error;
        const std::optional<uint64_t> After = residentBytes(Cache, File);
        const bool IsKnown = Before && After;
        // It may have been read meanwhile.
        const uint64_t Gone = IsKnown ? *Before - std::min(*Before, *After) : 0;
        ++Files;
        Unknown += !IsKnown;
        Evicted += Gone;
        Left += After.value_or(0);
        if (J)
          J->addFile(Path, [&](json::OStream &Rest) {
            Rest.attribute("size", File.size());
            Rest.attribute("evicted", IsKnown ? json::Value(Gone) : nullptr);
            Rest.attribute("resident", After ? json::Value(*After) : nullptr);
          });
        return std::error_code();
      });
  if (J) {
    J->end([&](json::OStream &Totals) {
      Totals.attribute("evicted_bytes", Evicted);
      Totals.attribute("resident_bytes", Left);
    });
    return Status;
  }
  outs() << countFiles(Files) << ", " << formatBytes(Evicted) << " evicted";
  // Pages that are mapped or dirty elsewhere stay; whoever measures must know.
  if (Left)
    outs() << "; " << formatBytes(Left) << " still in memory (in use)";
  if (Unknown)
    outs() << "; of " << countFiles(Unknown) << " it is not known how much";
  outs() << "\n";
  return Status;
}

Exit runResidency(const CommandArguments &Arguments) {
  if (Arguments.Operands.empty())
    return fail("nothing to look at: headstart residency [--json] PATH...",
                Exit::WrongUsage);
  os::PageCache Cache;
  uint64_t Files = 0;
  uint64_t Bytes = 0;
  uint64_t Resident = 0;
  std::optional<FilesJSON> J;
  if (Arguments.JSON)
    J.emplace();
  // Linux tells a file's owner, and who may write to it, but nobody else.
  constexpr StringLiteral NotTold = "tell how much of it is in memory";
  Exit Status = forEachFile(
      Arguments.Operands, NotTold,
      [&](const std::string &Path, os::OpenFile &File) {
        const std::optional<uint64_t> InMemory = residentBytes(Cache, File);
        if (!InMemory)
          return std::make_error_code(std::errc::function_not_supported);
        ++Files;
        Bytes += File.size();
        Resident += *InMemory;
        if (J)
          J->addFile(Path, [&](json::OStream &Rest) {
            Rest.attribute("size", File.size());
            Rest.attribute("resident", *InMemory);
          });
        else
          outs() << format("%4.0f%%  ", File.size()
                                            ? 100.0 * *InMemory / File.size()
                                            : 100.0)
                 << Path << "\n";
        return std::error_code();
      });
  if (J)
    J->end([&](json::OStream &Totals) {
      Totals.attribute("bytes", Bytes);
      Totals.attribute("resident_bytes", Resident);
    });
  else
    outs() << formatBytes(Resident) << " of " << formatBytes(Bytes) << " in "
           << countFiles(Files) << " in memory\n";
  return Status;
}

} // namespace headstart
