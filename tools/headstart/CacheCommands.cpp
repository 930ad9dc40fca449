//===- CacheCommands.cpp - headstart residency, headstart evict -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LineOutput.h"
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
    std::string Prefix = Folder.path().str();
    if (!StringRef(Prefix).ends_with("/"))
      Prefix += '/';
    std::lock_guard Lock(Mutex);
    for (const os::DirectoryEntry &Entry : Entries)
      if (Entry.Type == os::EntryType::Regular)
        Files.push_back(Prefix + std::string(Entry.Name));
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

/// Calls \p Visit with every regular file that \p Operands name: the files,
/// and what is in the folders. Problems are printed and counted as failures.
static Exit forEachFile(
    const std::vector<std::string> &Operands,
    function_ref<std::error_code(const std::string &, os::OpenFile &)> Visit) {
  Exit Status = Exit::Done;
  auto One = [&](const std::string &Path) {
    os::OpenFile File;
    std::error_code Error = os::OpenFile::open(Path, File);
    if (!Error)
      Error = Visit(Path, File);
    if (Error)
      Status = fail(Path + ": " + Error.message());
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

Exit runEvict(const CommandArguments &Arguments) {
  if (Arguments.Operands.empty())
    return fail("nothing to evict: headstart evict PATH...", Exit::WrongUsage);
  os::PageCache Cache;
  uint64_t Files = 0;
  uint64_t Bytes = 0;
  uint64_t StillResident = 0;
  Exit Status = forEachFile(
      Arguments.Operands, [&](const std::string &, os::OpenFile &File) {
        ++Files;
        Bytes += File.size();
        if (std::error_code Error = Cache.evict(File))
          return Error;
        if (std::optional<os::Residency> Left =
                Cache.residency(File, {0, File.size()}))
          StillResident += Left->ResidentPages * Cache.pageSize();
        return std::error_code();
      });
  outs() << Files << (Files == 1 ? " file, " : " files, ") << formatBytes(Bytes)
         << " evicted";
  // Pages that are mapped or dirty elsewhere stay; whoever measures must know.
  if (StillResident)
    outs() << "; " << formatBytes(StillResident) << " still in memory (in use)";
  outs() << "\n";
  return Status;
}

Exit runResidency(const CommandArguments &Arguments) {
  if (Arguments.Operands.empty())
    return fail("nothing to look at: headstart residency PATH...",
                Exit::WrongUsage);
  os::PageCache Cache;
  uint64_t Files = 0;
  uint64_t Bytes = 0;
  uint64_t Resident = 0;
  std::optional<json::OStream> J;
  if (Arguments.JSON) {
    J.emplace(outs(), /*IndentSize=*/2);
    J->objectBegin();
    J->attribute("version", 1);
    J->attributeBegin("files");
    J->arrayBegin();
  }
  Exit Status = forEachFile(Arguments.Operands, [&](const std::string &Path,
                                                    os::OpenFile &File) {
    std::optional<os::Residency> Now = Cache.residency(File, {0, File.size()});
    if (!Now)
      return std::make_error_code(std::errc::function_not_supported);
    uint64_t InMemory =
        std::min(Now->ResidentPages * Cache.pageSize(), File.size());
    ++Files;
    Bytes += File.size();
    Resident += InMemory;
    if (J)
      J->object([&] {
        J->attribute("path", json::fixUTF8(Path));
        J->attribute("size", File.size());
        J->attribute("resident", InMemory);
      });
    else
      outs() << format("%4.0f%%  ",
                       File.size() ? 100.0 * InMemory / File.size() : 100.0)
             << Path << "\n";
    return std::error_code();
  });
  if (J) {
    J->arrayEnd();
    J->attributeEnd();
    J->attribute("bytes", Bytes);
    J->attribute("resident_bytes", Resident);
    J->objectEnd();
    outs() << "\n";
  } else {
    outs() << formatBytes(Resident) << " of " << formatBytes(Bytes) << " in "
           << Files << (Files == 1 ? " file" : " files") << " in memory\n";
  }
  return Status;
}

} // namespace headstart
