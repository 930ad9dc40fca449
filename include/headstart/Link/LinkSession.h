//===- LinkSession.h - One link and its prefetcher --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One link: its settings, its engine, its report. The session owns the
/// engine, and joins it before anything that its threads use goes away.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKSESSION_H
#define HEADSTART_LINK_LINKSESSION_H

#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Link/LinkTurn.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Link/ProgramPages.h"
#include "headstart/Link/Reports.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/LinkProfile.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

class LinkSession : PrefetchRun {
public:
  /// \p Tool is the program's own name ("lld-link"), \p Final the options that
  /// win over those in response files, \p Origin the start of main. Asks for
  /// the program's own pages; starts nothing else.
  LinkSession(std::string Tool, Flavour F, PrefetchSettings Settings,
              std::vector<PrefetchOption> Final, TraceClock::time_point Origin);
  /// Ends the session, recording nothing.
  ~LinkSession();
  LinkSession(const LinkSession &) = delete;
  LinkSession &operator=(const LinkSession &) = delete;

  Flavour flavour() const { return Kind; }
  /// Whose command line the link's inputs were read from: with MinGW's -m,
  /// ld.lld becomes a linker of COFF. Known after `begin`.
  Flavour linkedAs() const { return LinkedAs; }

  /// The linker has expanded its command line to \p Argv (program's name
  /// first): takes Headstart's own options out of it, and starts fetching what
  /// the rest names. An option with a bad value is the error; then nothing has
  /// started. Any call but the first changes nothing but \p Argv. Blocks for
  /// parsing only.
  llvm::Error begin(llvm::SmallVectorImpl<const char *> &Argv,
                    const CommandLineContext &Context);

  /// The buffer that the engine holds for \p Path, or null: then the caller
  /// opens the file itself. Any thread.
  std::unique_ptr<llvm::MemoryBuffer> takeBuffer(llvm::StringRef Path,
                                                 const BufferRequest &Request);

  /// The linker has begun with what lld's timer of this \p Name measures
  /// ("Symbol Merging"). Any thread.
  void reached(llvm::StringRef Name);
  /// The linker has come to \p Stage. Any thread.
  void reached(LinkStage Stage);
  /// The linker has made a file for its output: to write it, or to see whether
  /// it could. Any thread.
  void writing();

  /// Stops fetching, records what was touched (when the link \p Succeeded) and
  /// writes the reports, once; who comes second waits for the first. Waits for
  /// threads, and for the cache directory, for a moment only, and for threads
  /// not at all when the process \p Leaves right after: a link ends when the
  /// linker is done. Reports that the user wants are waited for; problems with
  /// them go to standard error as warnings. Any thread.
  void end(bool Succeeded, bool Leaves = false);
  /// The same, at the exit of the process. Does nothing when `end` has begun:
  /// what leaves by exit() may have been called from there.
  void endAtExit();

private:
  /// Lets the engine's threads end, so that the linker can have as many.
  /// Whether there were any. Any thread.
  bool releaseThreads();
  void startEngine(LinkCommand Command);
  bool runForProfile(std::function<void()> Work) const;
  void useProfile(const LinkCommand &Command, EngineOptions &Options);
  bool joinEngine(std::chrono::milliseconds MaxWait);
  void noteProfile(std::string Problem, bool IsLost);
  void noteProfileUse();
  void keepProfile(bool Succeeded);
  void traceStages();
  void writeReports();

  std::string Tool;
  Flavour Kind; ///< of the program
  Flavour LinkedAs = Kind;
  std::vector<PrefetchOption> Final;
  std::string WhyOff; ///< known after `begin`
  /// Of the process: when fetching began, and when the link was done.
  std::optional<os::DiskUse> UseBefore, UseAfter;
  /// Processor time for records, in nanoseconds; shared with the threads that
  /// keep one. Null: it is not measured.
  std::shared_ptr<std::atomic<int64_t>> RecordTime;
  std::shared_ptr<ProgramPages> Program; ///< null: not asked for
  std::unique_ptr<PrefetchEngine> Engine;
  LinkTurn Turn;
  bool HasJoined = false; ///< all threads of the engine have ended

  /// For the trace: when the linker came to each of its stages.
  std::mutex StagesMutex;
  std::vector<std::pair<LinkStage, TraceClock::time_point>> Stages;

  // The profile of this output's links.
  std::string ProfilePath; ///< empty: none is kept
  std::string Output;
  std::string ProfileSettings;
  std::vector<uint64_t> Names;                ///< of the command line
  std::shared_ptr<const LinkProfile> Profile; ///< of the last link, or null
  const char *ProfileState = "none";
  bool ProfileHolds = false; ///< for every file that the link was handed
  std::optional<std::vector<RecordedFile>> Touched;
  std::atomic<uint64_t> FallenThrough{0};
  std::atomic<bool> IsBeyondParsing{false}, IsEnding{false};
  std::mutex JoinMutex; ///< one thread at a time may join the engine
  std::once_flag Begun, Ended;
};

} // namespace headstart

#endif // HEADSTART_LINK_LINKSESSION_H
