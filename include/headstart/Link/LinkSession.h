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
/// engine, and joins it before it destroys the objects that the threads use.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKSESSION_H
#define HEADSTART_LINK_LINKSESSION_H

#include "headstart/Link/LinkTurn.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/Link/ProfileStore.h"
#include "llvm/ADT/ArrayRef.h"
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
  /// \p Final are the options that override those in response files, \p Origin
  /// is the start of main. Requests the program's own pages; starts nothing
  /// else.
  LinkSession(Flavour F, PrefetchSettings Settings,
              std::vector<PrefetchOption> Final, TraceClock::time_point Origin);
  /// Ends the session without recording a profile.
  ~LinkSession();
  LinkSession(const LinkSession &) = delete;
  LinkSession &operator=(const LinkSession &) = delete;

  Flavour flavour() const { return Kind; }
  /// The flavour of the link itself: with MinGW's -m, ld.lld becomes a COFF
  /// linker. Known after `begin`.
  Flavour linkedAs() const { return LinkedAs; }

  /// Removes Headstart's own options from \p Argv, the linker's expanded
  /// command line (program's name first), and starts to fetch the inputs that
  /// the rest names. If an option has a bad value, returns an error and starts
  /// nothing. Calls after the first change nothing except \p Argv. Blocks while
  /// it parses, reads the profile, and waits for the link's turn.
  llvm::Error begin(llvm::SmallVectorImpl<const char *> &Argv,
                    const CommandLineContext &Context);

  /// Returns the buffer that the engine holds for \p Path, or null. Then the
  /// caller opens the file itself. Any thread.
  std::unique_ptr<llvm::MemoryBuffer> takeBuffer(llvm::StringRef Path,
                                                 const BufferRequest &Request);

  /// Records that the linker has begun the work that lld's timer \p Name
  /// measures ("Symbol Merging"). Any thread.
  void reached(llvm::StringRef Name);
  /// Records that the linker has reached \p Stage. Any thread.
  void reached(LinkStage Stage);
  /// Records that the linker creates a file for its output, to write it or to
  /// test whether it can. Any thread.
  void writing();

  /// Stops fetching, records the touched pages (if the link \p Succeeded) and
  /// writes the reports, once; a second caller waits for the first. Waits only
  /// briefly for threads and for the cache directory. If the process \p Leaves
  /// right afterwards, waits for threads only if the user requested reports,
  /// because a link ends when the linker is done. Prints problems with reports
  /// to standard error as warnings. Any thread.
  void end(bool Succeeded, bool Leaves = false);
  /// Ends the session at the exit of the process. Does nothing if `end` has
  /// begun, because `end` itself may have called exit().
  void endAtExit();

private:
  /// Ends the engine's threads, so that the linker can start as many. Returns
  /// whether there is an engine. Any thread.
  bool releaseThreads();
  void startEngine(LinkCommand Command);
  bool runForProfile(std::function<void()> Work) const;
  void useProfile(const LinkCommand &Command, EngineOptions &Options);
  bool joinEngine(std::chrono::milliseconds MaxWait);
  void noteProfile(std::string Problem, bool IsLost);
  std::vector<const RecordedFile *> noteProfileUse();
  void keepProfile(bool Succeeded);
  void noteStage(LinkStage Stage);
  void traceStages();
  void writeReports();

  std::string Tool; ///< the program's own name ("lld-link")
  Flavour Kind;     ///< of the program
  Flavour LinkedAs = Kind;
  std::vector<PrefetchOption> Final;
  std::string WhyOff; ///< known after `begin`
  /// The process's disk use when fetching began, and when the link was done.
  std::optional<os::DiskUse> UseBefore, UseAfter;
  /// The processor time for profiles, in nanoseconds; shared with the threads
  /// that read or store one. Null: it is not measured.
  std::shared_ptr<std::atomic<int64_t>> RecordTime;
  std::shared_ptr<ProgramPages> Program; ///< null: not requested
  std::unique_ptr<PrefetchEngine> Engine;
  LinkTurn Turn;
  bool HasJoined = false; ///< all threads of the engine have ended

  /// For the trace: the times at which the linker reached its stages.
  std::mutex StagesMutex;
  std::vector<std::pair<LinkStage, TraceClock::time_point>> Stages;

  // The profile of this output's links.
  std::string ProfilePath; ///< empty: none is stored
  std::string Output;
  std::string ProfileSettings;
  std::vector<uint64_t> Names;                ///< namesOf the command line
  std::shared_ptr<const LinkProfile> Profile; ///< of the last link, or null
  const char *ProfileState = "none";
  bool ProfileHolds = false; ///< whether it matches every file of the link
  std::optional<std::vector<RecordedFile>> Touched;
  std::atomic<uint64_t> FallenThrough{0};
  std::atomic<bool> IsBeyondParsing{false}, IsEnding{false};
  std::mutex JoinMutex; ///< only one thread at a time may join the engine
  std::once_flag Begun, Ended;
};

/// Returns the name of the program \p Path, without `.exe`; lld begins its
/// messages with it.
llvm::StringRef programName(llvm::StringRef Path);

/// Runs the linker as stock lld's main does. \p Args is the command line, whose
/// first element, the program's name, selects lld's driver. \p Origin is the
/// start of main. Returns the exit status, or does not return: lld leaves
/// through `Process::Exit` if it need not clean up. Only one call at a time.
int runLinker(llvm::ArrayRef<const char *> Args, TraceClock::time_point Origin);

} // namespace headstart

#endif // HEADSTART_LINK_LINKSESSION_H
