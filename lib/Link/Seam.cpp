//===- Seam.cpp - Binds lld to the session --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The seam. lld's code is linked unmodified. The references of its archives to
/// a few functions are bound to the `wrap` functions below (SeamFunctions.json,
/// SeamNames.h), which call the original functions:
///
///   cl::ExpandResponseFiles    lld has its whole command line: begin
///   MemoryBuffer::getFile      lld opens a file: takeBuffer
///   sys::Process::Exit         lld leaves only here, even after fatal(): end
///   sys::fs::getMainExecutable lld searches clang's libraries next to it
///   lld::ScopedTimer           lld has reached another stage: reached
///   FileOutputBuffer::create   lld creates its output, which is a stage for
///                              drivers without timers: writing
///
/// SeamStages.cpp has the functions that only one driver has.
///
/// The installed session is the only static state here, since the wrapped
/// functions have no argument that could carry it.
///
//===----------------------------------------------------------------------===//

#include "Seam.h"
#include "SeamNames.h"
#include "headstart/Link/LinkSession.h"
#include "headstart/OS/Program.h"
#include "headstart/Report/Message.h"
#include "lld/Common/Timer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"
#include <atomic>
#include <cstdlib>
#include <mutex>

using namespace llvm;

namespace headstart {

namespace {

struct Installed {
  std::atomic<LinkSession *> Session{nullptr};
  /// The command line's first argument, compared by its address. Set before
  /// Session.
  const char *FirstArg = "";
  /// lld does not publish the names of its timers. One thread creates the
  /// timers before any other starts, in the order of a context's members; those
  /// of a later context take the places of those of an earlier one.
  DenseMap<const lld::Timer *, std::string> TimerNames;
};

Installed &installed() {
  static Installed TheOne;
  return TheOne;
}

LinkSession *currentSession() {
  return installed().Session.load(std::memory_order_acquire);
}

} // namespace

void install(LinkSession *Session, const char *FirstArg) {
  installed().FirstArg = FirstArg;
  installed().Session.store(Session, std::memory_order_release);
  // A few of LLVM's own options (/mllvm:-help) call exit().
  static std::once_flag Once;
  std::call_once(Once, [] {
    os::callAtExit([] {
      if (LinkSession *Session = currentSession())
        Session->endAtExit();
    });
  });
}

void stageReached(LinkStage Stage) {
  if (LinkSession *Session = currentSession())
    Session->reached(Stage);
}

StringRef programName(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  Name.consume_back_insensitive(".exe");
  return Name;
}

} // namespace headstart

using namespace headstart;

using FileBuffer = ErrorOr<std::unique_ptr<MemoryBuffer>>;
using OutputBuffer = Expected<std::unique_ptr<FileOutputBuffer>>;
// cl rejects C linkage for a template that is not instantiated yet (C2526).
static_assert(sizeof(FileBuffer) != 0 && sizeof(OutputBuffer) != 0);

HEADSTART_LLVM_FUNCTION(FileBuffer, getFile,
                        (const Twine &Filename, bool IsText,
                         bool RequiresNullTerminator, bool IsVolatile,
                         std::optional<Align> Alignment),
                        MemoryBuffer::getFile);
HEADSTART_LLVM_FUNCTION(bool, expandResponseFiles,
                        (StringSaver & Saver, cl::TokenizerCallback Tokenize,
                         SmallVectorImpl<const char *> &Argv),
                        cl::ExpandResponseFiles);
HEADSTART_LLVM_FUNCTION(void, exit, (int RetCode, bool NoCleanup),
                        sys::Process::Exit);
HEADSTART_LLVM_FUNCTION(std::string, getMainExecutable,
                        (const char *Argv0, void *MainAddr),
                        sys::fs::getMainExecutable);
HEADSTART_LLVM_FUNCTION(OutputBuffer, createOutput,
                        (StringRef Path, size_t Size, unsigned Flags),
                        FileOutputBuffer::create);
// Constructors.
HEADSTART_LLD_FUNCTION(lld::Timer *, timer,
                       (lld::Timer * This, StringRef Name, lld::Timer &Parent));
HEADSTART_LLD_FUNCTION(lld::ScopedTimer *, scopedTimer,
                       (lld::ScopedTimer * This, lld::Timer &Timer));

FileBuffer HEADSTART_WRAP(getFile)(const Twine &Filename, bool IsText,
                                   bool RequiresNullTerminator, bool IsVolatile,
                                   std::optional<Align> Alignment) {
  if (LinkSession *Session = currentSession()) {
    SmallString<256> Storage;
    if (std::unique_ptr<MemoryBuffer> Buffer = Session->takeBuffer(
            Filename.toStringRef(Storage),
            {RequiresNullTerminator, IsVolatile, Alignment}))
      return Buffer;
  }
  return HEADSTART_REAL(getFile)(Filename, IsText, RequiresNullTerminator,
                                 IsVolatile, Alignment);
}

/// Returns \p Ours, the path of Headstart's own program, or, if clang's
/// directory is not next to it, the stock linker's of the LLVM with which
/// Headstart was built, if that exists: lld searches clang's runtime libraries
/// next to it.
static std::string besideClang(std::string Ours) {
  SmallString<256> Clang(sys::path::parent_path(Ours));
  sys::path::append(Clang, "..", "lib", "clang");
  if (sys::fs::exists(Clang))
    return Ours;
  std::string Stock = HEADSTART_STOCK_LLD;
  return sys::fs::exists(Stock) ? Stock : Ours;
}

bool HEADSTART_WRAP(expandResponseFiles)(StringSaver &Saver,
                                         cl::TokenizerCallback Tokenize,
                                         SmallVectorImpl<const char *> &Argv) {
  bool Result = HEADSTART_REAL(expandResponseFiles)(Saver, Tokenize, Argv);
  LinkSession *Session = currentSession();
  // MinGW's driver calls lld-link with its translated arguments. There, an
  // argument that looks like Headstart's option (-Xlink=) is for lld-link.
  bool IsTranslated = Session && Session->flavour() == Flavour::ELF &&
                      Session->linkedAs() == Flavour::COFF && Argv.size() > 1 &&
                      StringRef(Argv[1]) == "-lldmingw";
  if (Session && !IsTranslated) {
    CommandLineContext Context = CommandLineContext::fromProcess();
    Context.ToolPath = besideClang(HEADSTART_REAL(getMainExecutable)(
        "", reinterpret_cast<void *>(&HEADSTART_WRAP(exit))));
    // lld's COFF driver expands all of its arguments, the other drivers those
    // after the program's name.
    bool HasName = !Argv.empty() && Argv.front() == installed().FirstArg;
    if (!HasName)
      Argv.insert(Argv.begin(), installed().FirstArg);
    Error E = Session->begin(Argv, Context);
    if (!HasName)
      Argv.erase(Argv.begin());
    if (E) {
      // A link must not run with settings that the user did not mean.
      printMessage(programName(installed().FirstArg), Severity::Error,
                   toString(std::move(E)));
      HEADSTART_WRAP(exit)(1, /*NoCleanup=*/true);
    }
  }
  return Result;
}

void HEADSTART_WRAP(exit)(int RetCode, bool NoCleanup) {
  // In a test that links several times, the process goes on after Exit.
  const bool Leaves = NoCleanup && !CrashRecoveryContext::GetCurrent();
  if (LinkSession *Session = currentSession())
    Session->end(/*Succeeded=*/RetCode == 0, Leaves);
  if (Leaves)
    os::leaveAtOnce(RetCode);
  HEADSTART_REAL(exit)(RetCode, NoCleanup);
}

std::string HEADSTART_WRAP(getMainExecutable)(const char *Argv0,
                                              void *MainAddr) {
  std::string Ours = HEADSTART_REAL(getMainExecutable)(Argv0, MainAddr);
  // lld passes only its name. With --wrap, libLLVM's calls come here as well: a
  // backtrace passes no name, and needs the running program.
  return Argv0 && !MainAddr ? besideClang(std::move(Ours)) : Ours;
}

OutputBuffer HEADSTART_WRAP(createOutput)(StringRef Path, size_t Size,
                                          unsigned Flags) {
  if (LinkSession *Session = currentSession())
    Session->writing();
  return HEADSTART_REAL(createOutput)(Path, Size, Flags);
}

lld::Timer *HEADSTART_WRAP(timer)(lld::Timer *This, StringRef Name,
                                  lld::Timer &Parent) {
  HEADSTART_REAL(timer)(This, Name, Parent);
  installed().TimerNames[This] = Name.str();
  return This;
}

lld::ScopedTimer *HEADSTART_WRAP(scopedTimer)(lld::ScopedTimer *This,
                                              lld::Timer &Timer) {
  HEADSTART_REAL(scopedTimer)(This, Timer);
  if (LinkSession *Session = currentSession())
    Session->reached(installed().TimerNames.lookup(&Timer));
  return This;
}
