//===- EngineTestSupport.h - Shared by engine tests -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_ENGINE_ENGINETESTSUPPORT_H // NOLINT
#define HEADSTART_UNITTESTS_ENGINE_ENGINETESTSUPPORT_H

#include "OS/TestFiles.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/LinkProfile.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace headstart::test {

using os::test::openOrFail;
using os::test::pattern;
using os::test::TestDirectory;

/// A request like those of lld's COFF driver.
inline BufferRequest likeLLD() {
  return {/*RequiresNullTerminator=*/false, /*IsVolatile=*/false, std::nullopt};
}

/// The numbers of a store whose bytes are so expensive that the engine inspects
/// all files, whatever it measures.
inline Tuning expensiveBytes() {
  Tuning Result;
  Result.GuessedRequest = Tuning::Seconds(1e-8);
  Result.GuessedByte = Tuning::Seconds(1e-6);
  Result.WindowRequests = 1e9;
  return Result;
}

/// Starts fetching the files at \p Paths, in their order.
inline void startFiles(PrefetchEngine &Engine,
                       const std::vector<std::string> &Paths) {
  LinkCommand Command;
  Command.Inputs.resize(Paths.size());
  for (size_t I = 0; I != Paths.size(); ++I)
    Command.Inputs[I].Name = Paths[I];
  Engine.start(std::move(Command));
}

inline LinkStats statsOf(const PrefetchEngine &Engine) {
  LinkStats Stats;
  Engine.addTo(Stats, TraceClock::now());
  return Stats;
}

/// Returns how often the engine took the branch \p What.
inline uint64_t times(const LinkStats &Stats, Decision What) {
  return Stats.Decisions.at(static_cast<size_t>(What));
}

/// Fetches the files at \p Paths as far as \p Options allow.
inline LinkStats fetchInputs(const std::vector<std::string> &Paths,
                             const EngineOptions &Options = {}) {
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  Engine.join();
  return statsOf(Engine);
}

/// A trace that is read back.
struct ReadTrace {
  std::map<int64_t, std::string> Lanes;
  std::vector<llvm::json::Object> Events; ///< with durations
  std::map<std::string, std::vector<int64_t>> Counters;
  std::set<int64_t> Begun, Ended; ///< arrows

  explicit ReadTrace(const TraceLog &Log) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    Log.write(OS);
    llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
    if (!V) {
      ADD_FAILURE() << llvm::toString(V.takeError());
      return;
    }
    for (llvm::json::Value &E : *V->getAsObject()->getArray("traceEvents")) {
      llvm::json::Object &O = *E.getAsObject();
      std::string Kind = O.getString("ph")->str();
      std::string Name = O.getString("name")->str();
      if (Name == "thread_name")
        Lanes[*O.getInteger("tid")] =
            O.getObject("args")->getString("name")->str();
      else if (Kind == "C")
        Counters[Name].push_back(*O.getObject("args")->getInteger("bytes"));
      else if (Kind == "s")
        Begun.insert(*O.getInteger("id"));
      else if (Kind == "f")
        Ended.insert(*O.getInteger("id"));
      else if (Kind == "X")
        Events.push_back(std::move(O));
    }
  }

  /// Returns "lane/event" for each event.
  std::multiset<std::string> names() const {
    std::multiset<std::string> Result;
    for (const llvm::json::Object &O : Events)
      Result.insert(Lanes.at(*O.getInteger("tid")) + "/" +
                    O.getString("name")->str());
    return Result;
  }
};

/// Writes \p Count files of \p Size bytes and returns their paths.
inline std::vector<std::string> writeFiles(const TestDirectory &Directory,
                                           size_t Count, size_t Size) {
  std::vector<std::string> Paths;
  std::string Text = pattern(Size);
  for (size_t I = 0; I != Count; ++I) {
    Text[0] = static_cast<char>(I);
    Paths.push_back(Directory.write("f" + std::to_string(I) + ".obj", Text));
  }
  return Paths;
}

/// Waits until copies of small files are handed over. If a system does not show
/// every change (Linux before 6.13), the engine leaves a file that has just
/// been written to the linker.
inline void waitUntilOld(const std::vector<std::string> &Paths) {
  for (const std::string &Path : Paths) {
    const os::OpenFile File = openOrFail(Path);
    while (!os::showsNextChange(File.identity().ChangedNs, os::fileClockNs(),
                                os::reportsEveryChange(File)))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Evicts files. First they must be on the disk, since only clean pages can be
/// dropped. Pages that another processor has just put into its own list stay
/// for a moment.
inline void evict(const std::vector<std::string> &Paths) {
  os::PageCache Cache;
  for (const std::string &Path : Paths) {
    os::OpenFile File = openOrFail(Path);
    uint64_t Left = 1;
    for (int Try = 0; Left != 0 && Try != 100; ++Try) {
      if (Try != 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      ASSERT_FALSE(Cache.evict(File));
      const auto Found = Cache.residency(File, {0, File.size()});
      // Wine does not report residency, so the remaining pages are unknown.
      ASSERT_TRUE(Found || !Cache.capabilities().Mincore);
      Left = Found ? Found->ResidentPages : 0;
    }
    ASSERT_EQ(Left, 0U) << Path;
  }
}

inline bool isResident(const std::string &Path) {
  os::PageCache Cache;
  os::OpenFile File = openOrFail(Path);
  return Cache.residency(File, {0, File.size()})->complete();
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_ENGINE_ENGINETESTSUPPORT_H
