//===- BuildStatus.cpp - The status of builds -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Build.h"
#include "TreeOptions.h"
#include "headstart/Link/LinkQueue.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/Program.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;

namespace headstart {

static constexpr StringLiteral Prefix = "build-";
static constexpr StringLiteral LockSuffix = ".lock";
static constexpr StringLiteral StatusSuffix = ".json";

bool BuildStatusFile::open(const std::string &Directory) {
  std::lock_guard Guard(Mutex);
  const std::string Cache = profileDirectory();
  if (Cache.empty() || sys::fs::create_directories(Cache))
    return true;
  const std::string Stem = hashedPath(Cache, Prefix, Directory);
  // A process that reads the status holds the lock for a moment.
  constexpr std::chrono::milliseconds Timeout(100);
  const std::error_code Error =
      lockFile((Stem + LockSuffix).str(), Timeout, Lock);
  if (!Error)
    Path = Stem;
  return Error != std::errc::no_lock_available;
}

bool BuildStatusFile::isTaken(const std::string &Directory) {
  const std::string Cache = profileDirectory();
  int File = -1;
  if (Cache.empty() || sys::fs::create_directories(Cache) ||
      lockFile((hashedPath(Cache, Prefix, Directory) + LockSuffix).str(),
               std::chrono::milliseconds(0), File))
    return true;
  (void)sys::Process::SafelyCloseFileDescriptor(File);
  return false;
}

/// The state of the fetches for a link.
static StringRef stateOf(const BuildLinkFigures &Link) {
  if (Link.HasBegun)
    return "begun";
  if (Link.IsTooLarge)
    return "too large";
  if (!Link.IsPlanned || (Link.FilesDone == 0 && Link.Files != 0))
    return "waiting";
  if (!Link.isDone())
    return "fetching";
  return Link.LeftOutBytes != 0 ? "over budget" : "fetched";
}

static std::string toJSON(const BuildStatus &Status) {
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("directory", json::fixUTF8(Status.Directory));
    J.attribute("command", json::fixUTF8(join(Status.Command, " ")));
    J.attribute("state", Status.State);
    J.attribute("why", Status.Why);
    J.attribute("budget_bytes", Status.BudgetBytes);
    J.attributeArray("links", [&] {
      for (const BuildLinkFigures &Link : Status.Links)
        J.object([&] {
          writePath(Link.Output, J, "output");
          J.attribute("state", stateOf(Link));
          J.attribute("files", Link.Files);
          J.attribute("bytes", Link.Bytes);
          J.attribute("fetched_bytes", Link.FetchedBytes);
          J.attribute("resident_bytes", Link.ResidentBytes);
          J.attribute("left_out_bytes", Link.LeftOutBytes);
          J.attribute("changed_files", Link.ChangedFiles);
        });
    });
  });
  return Text;
}

void BuildStatusFile::write(const BuildStatus &Status) {
  std::lock_guard Guard(Mutex);
  std::string Text = toJSON(Status);
  if (Path.empty() || Text == Written)
    return;
  // writeFile and replaceFile would install LLVM's signal handlers, but the
  // build's signals are not ours to handle.
  const std::string New = Path + ".new";
  if (writeInPlace(New, [&](raw_ostream &OS) { OS << Text; }) ||
      sys::fs::rename(New, Path + StatusSuffix))
    (void)sys::fs::remove(New);
  else
    Written = std::move(Text);
}

void BuildStatusFile::remove() {
  std::unique_lock Guard(Mutex, std::try_to_lock);
  if (!Guard || Path.empty())
    return;
  (void)sys::fs::remove(Path + StatusSuffix);
  (void)sys::fs::remove(Path + LockSuffix);
  Path.clear();
}

/// The JSON object in the file \p Path; empty if there is none.
static json::Object readObject(const std::string &Path) {
  const auto Text = MemoryBuffer::getFile(Path);
  Expected<json::Value> Value =
      json::parse(Text ? (*Text)->getBuffer() : StringRef());
  if (Value && Value->getAsObject())
    return std::move(*Value->getAsObject());
  consumeError(Value.takeError());
  return {};
}

/// The statuses of the running builds. Removes what killed builds have left.
static json::Array readStatuses() {
  json::Array Statuses;
  for (StringRef Lock : pathsIn(profileDirectory(), Prefix)) {
    StringRef Stem = Lock;
    if (!Stem.consume_back(LockSuffix))
      continue;
    const std::string Path = (Stem + StatusSuffix).str();
    int File = -1;
    if (!lockFile(Lock.str(), std::chrono::milliseconds(0), File)) {
      (void)sys::fs::remove(Path);
      (void)sys::fs::remove(Stem + ".new");
      (void)sys::fs::remove(Lock);
      (void)sys::Process::SafelyCloseFileDescriptor(File);
      continue;
    }
    // There is none if the build has just begun or ended.
    if (json::Object Status = readObject(Path); !Status.empty())
      Statuses.push_back(std::move(Status));
  }
  return Statuses;
}

static void printStatus(const json::Object &Status) {
  const auto Number = [](const json::Object &In, StringRef Key) {
    return static_cast<uint64_t>(In.getInteger(Key).value_or(0));
  };
  const auto String = [](const json::Object &In, StringRef Key) {
    return In.getString(Key).value_or("");
  };
  outs() << String(Status, "directory") << ": " << String(Status, "command")
         << "\n  " << String(Status, "state");
  if (StringRef Why = String(Status, "why"); !Why.empty())
    outs() << ": " << Why;
  outs() << "; budget " << formatBytes(Number(Status, "budget_bytes")) << "\n";
  const json::Array *Links = Status.getArray("links");
  for (const json::Value &Value : Links ? *Links : json::Array())
    if (const json::Object *Link = Value.getAsObject())
      outs() << formatv(
          "  {0,-11}  {1,8} fetched, {2,8} were cached, of {3,8}"
          "  {4}\n",
          String(*Link, "state"), formatBytes(Number(*Link, "fetched_bytes")),
          formatBytes(Number(*Link, "resident_bytes")),
          formatBytes(Number(*Link, "bytes")), String(*Link, "output"));
}

Exit showBuildStatus(bool AsJSON) {
  json::Array Statuses = readStatuses();
  if (AsJSON) {
    printJSON(
        [&](json::OStream &J) { J.attribute("builds", std::move(Statuses)); });
    return Exit::Done;
  }
  if (Statuses.empty())
    note("no headstart build is running");
  for (const json::Value &Status : Statuses)
    printStatus(*Status.getAsObject());
  return Exit::Done;
}

} // namespace headstart
