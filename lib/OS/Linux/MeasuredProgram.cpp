//===- MeasuredProgram.cpp - Programs whose cost is measured (Linux) ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/MeasuredProgram.h"

#include "ChildSupport.h"
#include "PseudoFile.h"
#include "ResourceUse.h"

#include <algorithm>
#include <fstream>
#include <poll.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

namespace headstart::os {

using namespace detail;

namespace {

using Clock = std::chrono::steady_clock;

double inSeconds(const timeval &Time) {
  constexpr double Microsecond = 1e-6;
  return static_cast<double>(Time.tv_sec) +
         Microsecond * static_cast<double>(Time.tv_usec);
}

std::string_view nameOf(std::string_view Variable) {
  return Variable.substr(0, Variable.find('='));
}

/// Returns this process's environment with \p Changes applied.
std::vector<std::string>
environmentWith(const std::vector<std::string> &Changes) {
  std::vector<std::string> Result;
  for (char **Variable = environ; Variable != nullptr && *Variable != nullptr;
       ++Variable) { // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic)
    const std::string_view Name = nameOf(*Variable);
    if (std::none_of(Changes.begin(), Changes.end(),
                     [&](const std::string &C) { return nameOf(C) == Name; }))
      Result.emplace_back(*Variable);
  }
  for (const std::string &Change : Changes)
    if (Change.find('=') != std::string::npos)
      Result.push_back(Change);
  return Result;
}

/// Opens a descriptor that poll(2) reports as readable once the process \p Id
/// has ended. Returns -1 before Linux 5.3.
int openProcess(pid_t Id) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, Id, 0));
#else
  (void)Id;
  return -1;
#endif
}

/// Waits until the process \p Id has ended, a signal has arrived, or \p MaxWait
/// has passed; before Linux 5.3 for at most 2 ms.
void waitForEnd(pid_t Id, std::optional<std::chrono::milliseconds> MaxWait) {
  const int Descriptor = openProcess(Id);
  if (Descriptor >= 0) {
    pollfd Poll = {.fd = Descriptor, .events = POLLIN, .revents = 0};
    ::poll(&Poll, 1, MaxWait ? static_cast<int>(MaxWait->count()) : -1);
    ::close(Descriptor);
    return;
  }
  constexpr std::chrono::milliseconds Step{2};
  std::this_thread::sleep_for(MaxWait ? std::min(*MaxWait, Step) : Step);
}

/// Moves this process into \p Groups. Safe between fork and exec.
bool enter(const std::vector<std::string> &Groups) {
  for (const std::string &Group : Groups) {
    const int File = ::open(Group.c_str(), O_WRONLY | O_CLOEXEC); // NOLINT
    if (File < 0 || ::write(File, "0", 1) != 1)
      return false;
    ::close(File);
  }
  return true;
}

timeval sumOf(const timeval &A, const timeval &B) {
  constexpr long Million = 1000000;
  timeval Sum = {};
  Sum.tv_sec = A.tv_sec + B.tv_sec + (A.tv_usec + B.tv_usec) / Million;
  Sum.tv_usec = (A.tv_usec + B.tv_usec) % Million;
  return Sum;
}

/// Kills the remaining processes of the process group \p Group, waits for them,
/// and adds their resource usage to \p Usage, which may be null.
void reapGroup(pid_t Group, rusage *Usage) {
  ::kill(-Group, SIGKILL);
  rusage Other = {};
  for (;;) {
    const pid_t Ended = ::wait4(-Group, nullptr, 0, &Other);
    if (Ended < 0 && errno == EINTR)
      continue;
    if (Ended <= 0)
      return;
    if (Usage == nullptr)
      continue;
    Usage->ru_utime = sumOf(Usage->ru_utime, Other.ru_utime);
    Usage->ru_stime = sumOf(Usage->ru_stime, Other.ru_stime);
    Usage->ru_majflt += Other.ru_majflt;
    Usage->ru_inblock += Other.ru_inblock;
    Usage->ru_maxrss = std::max(Usage->ru_maxrss, Other.ru_maxrss);
  }
}

} // namespace

MeasuredProgram::~MeasuredProgram() { kill(); }

std::error_code MeasuredProgram::start(const ProgramStart &Start) {
  std::vector<char *> Arguments = argumentsOf(Start.Args);
  const std::vector<std::string> Environment =
      environmentWith(Start.Environment);
  std::vector<char *> Variables = argumentsOf(Environment);
  const char *Program =
      Start.Program.empty() ? Arguments.front() : Start.Program.c_str();
  Pipe Failure;
  if (std::error_code Error = Failure.open())
    return Error;
  // Some parents leave SIGCHLD ignored; the child's end would go unreported.
  ::signal(SIGCHLD, SIG_DFL);
  // mold links in a child for which it does not wait; adopt such orphans.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t Self = ::getpid();
  Begin = Clock::now();
  Child = ::fork();
  if (Child < 0)
    return lastError();
  if (Child == 0) {
    endWith(Self);
    ::setpgid(0, 0);
    for (const int Signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
      ::signal(Signal, SIG_DFL);
    constexpr mode_t OwnerOnly = 0600;
    const int In = openNothing(O_CLOEXEC);
    const int Out =
        Start.Output.empty()
            ? openNothing(O_CLOEXEC)
            : ::open(Start.Output.c_str(), // NOLINT: open(2) is variadic
                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, OwnerOnly);
    if (In < 0 || Out < 0 || ::dup2(In, STDIN_FILENO) < 0 ||
        ::dup2(Out, STDOUT_FILENO) < 0 || ::dup2(Out, STDERR_FILENO) < 0 ||
        !enter(Start.Groups))
      Failure.fail(errno);
    ::execvpe(Program, Arguments.data(), Variables.data());
    Failure.fail(errno);
  }
  const std::error_code Error = Failure.outcome();
  if (!Error)
    return {};
  waitForChild(Child);
  Child = -1;
  return Error;
}

std::optional<ProgramUsage>
MeasuredProgram::wait(std::optional<std::chrono::milliseconds> MaxWait) {
  if (Child < 0)
    return std::nullopt;
  waitForEnd(Child, MaxWait);
  int Status = 0;
  rusage Usage = {};
  if (::wait4(Child, &Status, WNOHANG, &Usage) != Child)
    return std::nullopt;
  constexpr uint64_t Kilobyte = 1024;
  ProgramUsage Result;
  Result.Seconds = std::chrono::duration<double>(Clock::now() - Begin).count();
  // Processes that the program has left running must not disturb the next one,
  // and count as its cost.
  reapGroup(Child, &Usage);
  Result.End.BySignal = WIFSIGNALED(Status);
  Result.End.Code =
      Result.End.BySignal ? WTERMSIG(Status) : WEXITSTATUS(Status);
  Result.UserSeconds = inSeconds(Usage.ru_utime);
  Result.SystemSeconds = inSeconds(Usage.ru_stime);
  const DiskUse Disks = diskUseIn(Usage);
  Result.MajorFaults = Disks.Stops;
  Result.ReadBytes = Disks.Bytes;
  Result.PeakMemoryBytes = Kilobyte * static_cast<uint64_t>(Usage.ru_maxrss);
  Child = -1;
  return Result;
}

void MeasuredProgram::kill() {
  if (Child < 0)
    return;
  killWithGroup(Child);
  reapGroup(Child, nullptr);
  Child = -1;
}

static std::string directoryOf(int Id) { return "/proc/" + std::to_string(Id); }

/// Returns the process \p Id and its descendants that still exist.
static std::vector<int> withChildren(int Id) {
  std::vector<int> All = {Id};
  for (size_t I = 0; I != All.size(); ++I) {
    // The main thread's children only: other threads seldom start a linker.
    std::string Path = directoryOf(All[I]) + "/task/";
    Path += std::to_string(All[I]) + "/children";
    const auto Text = readPseudoFile(Path);
    std::string_view Rest = Text ? std::string_view(*Text) : "";
    while (!Rest.empty())
      if (const auto Child = parseNumber(takeField(Rest, ' ')))
        All.push_back(static_cast<int>(*Child));
  }
  return All;
}

static void addTo(std::optional<uint64_t> &Sum, std::optional<uint64_t> More) {
  if (More)
    Sum = Sum.value_or(0) + *More;
}

/// Returns the major faults in /proc/ID/stat, including ended children's.
static std::optional<uint64_t> majorFaults(const std::string &Stat) {
  // The program's name is in parentheses and may contain any character.
  const size_t Name = Stat.rfind(") ");
  if (Name == std::string::npos)
    return std::nullopt;
  std::string_view Rest = std::string_view(Stat).substr(Name + 2);
  constexpr int BeforeMajor = 9; // proc(5): state is the 3rd, majflt the 12th
  for (int I = 0; I != BeforeMajor; ++I)
    takeField(Rest, ' ');
  const auto Own = parseNumber(takeField(Rest, ' '));
  const auto Ended = parseNumber(takeField(Rest, ' '));
  if (!Own || !Ended)
    return std::nullopt;
  return *Own + *Ended;
}

std::optional<ProgramSample> sampleProgram(int Id) {
  ProgramSample Sample;
  bool Found = false;
  for (const int One : withChildren(Id)) {
    const std::string Directory = directoryOf(One);
    const auto Stat = readPseudoFile(Directory + "/stat");
    if (!Stat)
      continue;
    Found = true;
    addTo(Sample.MajorFaults, majorFaults(*Stat));
    if (const auto IO = readPseudoFile(Directory + "/io"))
      addTo(Sample.ReadBytes, findNumber(*IO, "read_bytes"));
    if (const auto Status = readPseudoFile(Directory + "/status"))
      addTo(Sample.AnonymousBytes, findNumber(*Status, "RssAnon"));
  }
  if (!Found)
    return std::nullopt;
  return Sample;
}

/// Whether \p Line of smaps begins a mapping ("7f00-7f01 r--p 0 fe:00 12 /x").
/// If so, sets \p Path to its file, or to "" without one or if it is writable.
static bool isMapping(std::string_view Line, std::string_view &Path) {
  std::string_view Rest = Line;
  const std::string_view Range = takeField(Rest, ' ');
  if (Range.find('-') == std::string_view::npos || Range.ends_with(':'))
    return false;
  const std::string_view Rights = takeField(Rest, ' ');
  constexpr int BetweenRightsAndPath = 3; // offset, device, inode
  for (int I = 0; I != BetweenRightsAndPath; ++I)
    takeField(Rest, ' ');
  Rest.remove_prefix(std::min(Rest.find_first_not_of(' '), Rest.size()));
  Path = Rest.starts_with('/') && Rights.find('w') == std::string_view::npos
             ? Rest
             : std::string_view();
  return true;
}

std::vector<MappedPart> mappedFilesOf(int Id) {
  std::vector<MappedPart> Parts;
  for (const int One : withChildren(Id)) {
    // Too long for readPseudoFile: smaps has a thousand bytes for each mapping.
    std::ifstream File(directoryOf(One) + "/smaps");
    std::string Line;
    bool InFile = false;
    while (std::getline(File, Line)) {
      std::string_view Path;
      if (isMapping(Line, Path)) {
        InFile = !Path.empty();
        if (InFile)
          Parts.push_back({std::string(Path), 0});
      } else if (InFile && Line.starts_with("Rss:")) {
        Parts.back().Bytes = findNumber(Line, "Rss").value_or(0);
      }
    }
  }
  return Parts;
}

void writeBack(const std::string &Path) {
  const int File = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT
  if (File < 0)
    return;
  ::syncfs(File);
  ::close(File);
}

} // namespace headstart::os
