//===- farfs.cpp - A directory as if it were far away ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
///     farfs [options] SOURCE MOUNT -- COMMAND...
///
/// Mounts a read-only view of the directory SOURCE at the directory MOUNT, runs
/// COMMAND, unmounts, and returns COMMAND's status. The kernel then drops the
/// pages that were read through the view, so each run begins cold.
///
/// A request takes the latency; its bytes then arrive one after the other over
/// a line of the given bandwidth. Uses libfuse3; needs /dev/fuse, and root or
/// fusermount3.
///
//===----------------------------------------------------------------------===//

#define FUSE_USE_VERSION 312
#include <fuse.h>
#include <fuse_lowlevel.h>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <random>
#include <sched.h>
#include <set>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace {
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// LLVM's options are global. Without memory for them the program cannot start.
// NOLINTBEGIN(bugprone-throwing-static-initialization)
cl::OptionCategory Category("farfs");
cl::opt<double> Latency("latency", cl::desc("of a read, in ms"),
                        cl::cat(Category));
cl::opt<double> LookupLatency("lookup-latency",
                              cl::desc("of a lookup, an open, a listing, in ms "
                                       "(default: none)"),
                              cl::cat(Category));
cl::opt<double> Jitter("jitter",
                       cl::desc("the most by which a latency is longer, in ms"),
                       cl::cat(Category));
cl::opt<double> Bandwidth("bandwidth", cl::desc("in MB/s (default: no limit)"),
                          cl::cat(Category));
cl::opt<unsigned> MaxBackground("max-background",
                                cl::desc("as the mount option of that name "
                                         "(default: the kernel's, 12)"),
                                cl::cat(Category));
cl::opt<std::string> Counts("counts",
                            cl::desc("write what was asked for, JSON"),
                            cl::cat(Category));
cl::opt<std::string> Log("log",
                         cl::desc("write each call: seconds, call, "
                                  "path, offset, bytes"),
                         cl::cat(Category));
cl::list<std::string> Fails("fail",
                            cl::desc("CALL:GLOB (lookup, open, read): "
                                     "fails with EIO"),
                            cl::cat(Category));
cl::list<std::string> Stalls("stall",
                             cl::desc("CALL:GLOB[:SECONDS]: answers so "
                                      "much later, or never"),
                             cl::cat(Category));
cl::opt<unsigned> GoneAfter("gone-after",
                            cl::desc("after so many reads all calls fail"),
                            cl::cat(Category));
cl::opt<std::string> Changes("change",
                             cl::desc("GLOB: is changed when it is "
                                      "first read"),
                             cl::cat(Category));
cl::opt<unsigned> Copies("copies",
                         cl::desc("show SOURCE as so many directories with "
                                  "equal files: 0, 1, ..."),
                         cl::cat(Category));
cl::opt<std::string> Source(cl::Positional, cl::Required, cl::desc("SOURCE"),
                            cl::cat(Category));
cl::opt<std::string> Mount(cl::Positional, cl::Required, cl::desc("MOUNT"),
                           cl::cat(Category));
cl::list<std::string> Command(cl::Positional, cl::OneOrMore,
                              cl::desc("COMMAND..."), cl::cat(Category));

/// A failure or a stall of a call for some files.
struct Fault {
  std::string Call;
  GlobPattern Files;
  std::optional<double> Seconds; ///< absent: forever
  bool IsStall = false;
};

/// The simulated server and the line to it. Any thread may call it.
class Server {
public:
  /// Waits as long as an answer of \p Bytes bytes takes.
  void answer(double LatencyMs, uint64_t Bytes) {
    Clock::time_point Arrives;
    {
      std::lock_guard Lock(Mutex);
      Clock::time_point Now = Clock::now();
      Arrives = Now + duration(LatencyMs + Jitter * Share(Random));
      if (Bandwidth != 0 && Bytes != 0) {
        LineIsFree = std::max(LineIsFree, Arrives) +
                     duration(double(Bytes) / 1000 / Bandwidth);
        Arrives = LineIsFree;
      }
      // The requests before the answer to the first of them form one round; a
      // request that is answered at once forms none.
      if (Now >= RoundEnds && Arrives > Now) {
        ++Rounds;
        RoundEnds = Arrives;
      }
    }
    std::this_thread::sleep_until(Arrives);
  }

  std::atomic<uint64_t> Lookups{0}, Opens{0}, Reads{0}, Bytes{0}, Listings{0};
  std::atomic<uint64_t> Rounds{0};

private:
  static Clock::duration duration(double Ms) {
    return std::chrono::duration_cast<Clock::duration>(Milliseconds(Ms));
  }

  std::mutex Mutex;
  Clock::time_point LineIsFree, RoundEnds;
  std::minstd_rand Random;
  std::uniform_real_distribution<double> Share{0, 1};
};

Server TheServer;
std::vector<Fault> Faults;
std::optional<GlobPattern> Changing;
std::mutex ChangedMutex;
std::set<std::string> Changed; ///< guarded by ChangedMutex
int SourceDirectory = -1;
std::FILE *LogFile = nullptr;
Clock::time_point Begun;
// NOLINTEND(bugprone-throwing-static-initialization)
} // namespace

static void log(const char *Call, const char *Path, uint64_t Offset,
                uint64_t Bytes) {
  if (LogFile)
    std::fprintf(LogFile, "%.4f %s %s %llu %llu\n",
                 std::chrono::duration<double>(Clock::now() - Begun).count(),
                 Call, Path, static_cast<unsigned long long>(Offset),
                 static_cast<unsigned long long>(Bytes));
}

/// Returns the path relative to the source: "." or "a/b.o".
static const char *below(const char *Path) {
  if (Copies != 0 && Path[1] != '\0') {
    Path = ::strchr(Path + 1, '/');
    return Path ? Path + 1 : ".";
  }
  return Path[1] == '\0' ? "." : Path + 1;
}

/// Whether \p Path is in a copy that does not exist. Otherwise \p Copy is its
/// number, from 1, or 0 if it is in none.
static bool isOutside(const char *Path, uint64_t &Copy) {
  Copy = 0;
  if (Copies == 0 || Path[1] == '\0')
    return false;
  if (StringRef(Path + 1).split('/').first.getAsInteger(10, Copy))
    return true;
  return Copy++ >= Copies;
}

/// Returns the error of \p Call for \p Path, or 0, after the requested stalls.
static int faultOf(StringRef Call, const char *Path) {
  if (GoneAfter != 0 && TheServer.Reads >= GoneAfter)
    return -EIO;
  for (const Fault &F : Faults) {
    if (F.Call != Call || !F.Files.match(below(Path)))
      continue;
    if (!F.IsStall)
      return -EIO;
    while (!F.Seconds)
      std::this_thread::sleep_for(std::chrono::hours(1));
    std::this_thread::sleep_for(std::chrono::duration<double>(*F.Seconds));
  }
  return 0;
}

/// Whether a fault requires a lookup of \p Name in \p Directory. The kernel
/// would skip the lookup if a listing had its result.
static bool looksUp(const char *Directory, const char *Name) {
  SmallString<128> Path(below(Directory));
  sys::path::append(Path, Name);
  if (StringRef(Path).starts_with("./"))
    Path.erase(Path.begin(), Path.begin() + 2);
  return any_of(Faults, [&](const Fault &F) {
    return F.Call == "lookup" && F.Files.match(Path);
  });
}

/// Serves a lookup or another call that returns no bytes of a file.
static int ask(const char *Call, const char *Path,
               std::atomic<uint64_t> &Count) {
  ++Count;
  log(Call, Path, 0, 0);
  TheServer.answer(LookupLatency, 0);
  return faultOf(Call, Path);
}

static int doGetattr(const char *Path, struct stat *Status, fuse_file_info *) {
  if (int Error = ask("lookup", Path, TheServer.Lookups))
    return Error;
  uint64_t Copy = 0;
  if (isOutside(Path, Copy))
    return -ENOENT;
  if (::fstatat(SourceDirectory, below(Path), Status, AT_SYMLINK_NOFOLLOW) != 0)
    return -errno;
  Status->st_ino += Copy << 40;
  std::lock_guard Lock(ChangedMutex);
  Status->st_mtim.tv_sec += Changed.count(Path);
  return 0;
}

static int doReadlink(const char *Path, char *Target, size_t Size) {
  ssize_t Length = ::readlinkat(SourceDirectory, below(Path), Target, Size - 1);
  if (Length < 0)
    return -errno;
  Target[Length] = '\0';
  return 0;
}

static int doOpen(const char *Path, fuse_file_info *Info) {
  if (int Error = ask("open", Path, TheServer.Opens))
    return Error;
  if ((Info->flags & O_ACCMODE) != O_RDONLY)
    return -EROFS;
  int File = ::openat(SourceDirectory, below(Path), O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return -errno;
  Info->fh = static_cast<uint64_t>(File);
  return 0;
}

static int doRelease(const char *, fuse_file_info *Info) {
  ::close(static_cast<int>(Info->fh));
  return 0;
}

static int doRead(const char *Path, fuse_bufvec **Result, size_t Size,
                  off_t Offset, fuse_file_info *Info) {
  ++TheServer.Reads;
  struct stat Status;
  int File = static_cast<int>(Info->fh);
  uint64_t Length = 0;
  if (::fstat(File, &Status) == 0 && Offset < Status.st_size)
    Length = std::min<uint64_t>(Size, Status.st_size - Offset);
  TheServer.Bytes += Length;
  log("read", Path, Offset, Length);
  TheServer.answer(Latency, Length);
  if (int Error = faultOf("read", Path))
    return Error;
  if (Changing && Changing->match(below(Path))) {
    std::lock_guard Lock(ChangedMutex);
    Changed.insert(Path);
  }
  // libfuse frees the buffer.
  auto *Buffer = static_cast<fuse_bufvec *>(::calloc(1, sizeof(fuse_bufvec)));
  if (!Buffer)
    return -ENOMEM;
  Buffer->count = 1;
  Buffer->buf[0].size = Length;
  Buffer->buf[0].flags =
      static_cast<fuse_buf_flags>(FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK);
  Buffer->buf[0].fd = File;
  Buffer->buf[0].pos = Offset;
  *Result = Buffer;
  return 0;
}

static int doReaddir(const char *Path, void *Buffer, fuse_fill_dir_t Fill,
                     off_t From, fuse_file_info *, fuse_readdir_flags Flags) {
  if (int Error = ask("list", Path, TheServer.Listings))
    return Error;
  if (Copies != 0 && Path[1] == '\0') {
    for (unsigned Copy = From; Copy < Copies; ++Copy)
      if (Fill(Buffer, std::to_string(Copy).c_str(), nullptr, Copy + 1,
               static_cast<fuse_fill_dir_flags>(0)))
        break;
    return 0;
  }
  uint64_t Copy = 0;
  if (isOutside(Path, Copy))
    return -ENOENT;
  int File = ::openat(SourceDirectory, below(Path),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *Directory = File < 0 ? nullptr : ::fdopendir(File);
  if (!Directory)
    return -errno;
  // Fills the buffer in parts, as libfuse requires for listings that have the
  // results of lookups, as those of NFS and SFTP do.
  off_t Number = 0;
  while (const dirent *Entry = ::readdir(Directory)) {
    if (++Number <= From)
      continue;
    struct stat Status = {};
    Status.st_ino = Entry->d_ino;
    Status.st_mode = DTTOIF(Entry->d_type);
    const bool HasAll = (Flags & FUSE_READDIR_PLUS) &&
                        !looksUp(Path, Entry->d_name) &&
                        ::fstatat(::dirfd(Directory), Entry->d_name, &Status,
                                  AT_SYMLINK_NOFOLLOW) == 0;
    Status.st_ino += Copy << 40;
    if (Fill(Buffer, Entry->d_name, &Status, Number,
             HasAll ? FUSE_FILL_DIR_PLUS : static_cast<fuse_fill_dir_flags>(0)))
      break;
  }
  ::closedir(Directory);
  return 0;
}

static void *doInit(fuse_conn_info *Connection, fuse_config *Config) {
  if (MaxBackground != 0) {
    Connection->max_background = MaxBackground;
    Connection->congestion_threshold = MaxBackground * 3 / 4;
  }
  Config->use_ino = 1;
  Config->auto_cache = 1;
  // The kernel must see changes at once.
  Config->attr_timeout = Config->entry_timeout = Changing ? 0 : 1;
  return nullptr;
}

static std::optional<Fault> readFault(StringRef Text, bool IsStall) {
  SmallVector<StringRef, 3> Words;
  Text.split(Words, ':');
  double Seconds = 0;
  if (Words.size() < 2 || Words.size() > (IsStall ? 3 : 2) ||
      (Words.size() == 3 && Words[2].getAsDouble(Seconds)))
    return std::nullopt;
  Expected<GlobPattern> Files = GlobPattern::create(Words[1]);
  if (!Files) {
    consumeError(Files.takeError());
    return std::nullopt;
  }
  return Fault{Words[0].str(), std::move(*Files),
               Words.size() == 3 ? std::optional(Seconds) : std::nullopt,
               IsStall};
}

static bool readFaults() {
  for (bool IsStall : {false, true})
    for (const std::string &Text : IsStall ? Stalls : Fails) {
      std::optional<Fault> F = readFault(Text, IsStall);
      if (!F) {
        errs() << "farfs: not CALL:GLOB: '" << Text << "'\n";
        return false;
      }
      Faults.push_back(std::move(*F));
    }
  if (Changes.empty())
    return true;
  Expected<GlobPattern> Files = GlobPattern::create(Changes);
  if (Files)
    Changing = std::move(*Files);
  else
    errs() << "farfs: " << toString(Files.takeError()) << '\n';
  return Changing.has_value();
}

/// The signals that must not end this program before it has unmounted.
static constexpr int Ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

/// Runs the command. Returns its status as a shell does.
static int runCommand(double &Seconds) {
  std::vector<char *> Words;
  for (std::string &Word : Command)
    Words.push_back(Word.data());
  Words.push_back(nullptr);
  auto Begin = Clock::now();
  pid_t Child = ::fork();
  if (Child == 0) {
    for (int Number : Ignored)
      ::signal(Number, SIG_DFL);
    ::execvp(Words[0], Words.data());
    ::perror(Words[0]);
    ::_exit(127);
  }
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  Seconds = std::chrono::duration<double>(Clock::now() - Begin).count();
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

static bool writeCounts(double Seconds) {
  if (Counts.empty())
    return true;
  std::error_code Error;
  raw_fd_ostream Out(Counts, Error);
  if (Error) {
    errs() << "farfs: " << Counts << ": " << Error.message() << '\n';
    return false;
  }
  Out << json::Object{{"lookups", TheServer.Lookups.load()},
                      {"opens", TheServer.Opens.load()},
                      {"reads", TheServer.Reads.load()},
                      {"bytes", TheServer.Bytes.load()},
                      {"listings", TheServer.Listings.load()},
                      {"rounds", TheServer.Rounds.load()},
                      {"seconds", Seconds}}
      << '\n';
  return true;
}

int main(int Argc, char **Argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv, "a folder as if it were far away\n");
  rlimit Files;
  if (::getrlimit(RLIMIT_NOFILE, &Files) == 0) {
    Files.rlim_cur = Files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &Files);
  }
  SourceDirectory = ::open(Source.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (SourceDirectory < 0) {
    ::perror(Source.c_str());
    return 125;
  }
  if (!readFaults())
    return 125;
  Begun = Clock::now();
  if (!Log.empty())
    LogFile = std::fopen(Log.c_str(), "we");
  if (!Log.empty() && !LogFile) {
    ::perror(Log.c_str());
    return 125;
  }
  // As root, only the command sees the view, which cannot be left behind; MOUNT
  // may then be SOURCE.
  if (::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0)
    (void)::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);

  fuse_operations Operations = {};
  Operations.getattr = doGetattr;
  Operations.readlink = doReadlink;
  Operations.open = doOpen;
  Operations.release = doRelease;
  Operations.read_buf = doRead;
  Operations.readdir = doReaddir;
  Operations.init = doInit;
  char Name[] = "farfs", Option[] = "-oro,fsname=farfs,default_permissions";
  char *Words[] = {Name, Option, nullptr};
  fuse_args Arguments = FUSE_ARGS_INIT(2, Words);
  struct fuse *View =
      ::fuse_new(&Arguments, &Operations, sizeof(Operations), nullptr);
  if (!View || ::fuse_mount(View, Mount.c_str()) != 0)
    return 125;

  for (int Number : Ignored)
    ::signal(Number, SIG_IGN);
  // There are as many threads as requests, since each waits for its answer.
  fuse_loop_config *Loop = ::fuse_loop_cfg_create();
  ::fuse_loop_cfg_set_max_threads(Loop, 1024);
  ::fuse_loop_cfg_set_idle_threads(Loop, 1024);
  std::thread([&] { ::fuse_loop_mt(View, Loop); }).detach();

  double Seconds = 0;
  int Status = runCommand(Seconds);
  bool IsWritten = writeCounts(Seconds);
  if (LogFile)
    std::fflush(LogFile);
  // Unmounts by force: a call that still waits for an answer gets an error,
  // which libfuse would report.
  if (int Nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); Nowhere >= 0)
    ::dup2(Nowhere, STDERR_FILENO);
  if (::umount2(Mount.c_str(), MNT_FORCE | MNT_DETACH) != 0)
    ::fuse_unmount(View);
  ::_exit(IsWritten ? Status : 125);
}
