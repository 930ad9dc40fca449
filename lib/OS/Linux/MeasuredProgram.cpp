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

#include <algorithm>
#include <fstream>
#include <poll.h>
#include <sys/time.h>
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

/// Waits until the process \p Id has ended, a signal has arrived, or \p MaxWait
/// has passed; before Linux 5.3 for at most 2 ms.
void waitForEnd(pid_t Id, std::chrono::milliseconds MaxWait) {
  const int Descriptor = openProcess(Id);
  if (Descriptor >= 0) {
    pollfd Poll = {.fd = Descriptor, .events = POLLIN, .revents = 0};
    ::poll(&Poll, 1, static_cast<int>(MaxWait.count()));
    ::close(Descriptor);
    return;
  }
  constexpr std::chrono::milliseconds Step{2};
  std::this_thread::sleep_for(std::min(MaxWait, Step));
}

/// Kills the remaining processes of the process group \p Group, waits for them,
/// and adds their resource usage to \p Usage.
void reapGroup(pid_t Group, rusage &Usage) {
  ::kill(-Group, SIGKILL);
  rusage Other = {};
  while (retry([&] { return ::wait4(-Group, nullptr, 0, &Other); }) > 0) {
    timeradd(&Usage.ru_utime, &Other.ru_utime, &Usage.ru_utime);
    timeradd(&Usage.ru_stime, &Other.ru_stime, &Usage.ru_stime);
    Usage.ru_majflt += Other.ru_majflt;
    Usage.ru_inblock += Other.ru_inblock;
    Usage.ru_maxrss = std::max(Usage.ru_maxrss, Other.ru_maxrss);
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
  // Some parents leave SIGCHLD ignored; the child's end would go unreported.
  ::signal(SIGCHLD, SIG_DFL);
  // mold links in a child for which it does not wait; adopt such orphans.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Begin = Clock::now();
  return startChild(Child, [&] {
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
        ::dup2(Out, STDOUT_FILENO) < 0 || ::dup2(Out, STDERR_FILENO) < 0)
      return;
    ::execvpe(Program, Arguments.data(), Variables.data());
  });
}

std::optional<ProgramUsage>
MeasuredProgram::wait(std::chrono::milliseconds MaxWait) {
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
  reapGroup(Child, Usage);
  Result.End = endOf(Status);
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
  rusage Ignored = {};
  reapGroup(Child, Ignored);
  Child = -1;
}

static void addTo(std::optional<uint64_t> &Sum, std::optional<uint64_t> More) {
  if (More)
    Sum = Sum.value_or(0) + *More;
}

std::optional<ProgramSample> sampleProgram(int Id) {
  ProgramSample Sample;
  bool Found = false;
  for (const uint64_t One : withDescendants(static_cast<uint64_t>(Id))) {
    const std::string Stat = statOf(One);
    if (Stat.empty())
      continue;
    Found = true;
    constexpr unsigned Own = 12, OfEndedChildren = 13;
    addTo(Sample.MajorFaults, sumOfFields(Stat, Own, OfEndedChildren));
    const std::string Directory = directoryOf(One);
    if (const auto IO = readPseudoFile(Directory + "/io"))
      addTo(Sample.ReadBytes, findNumber(*IO, "read_bytes"));
    if (const auto Status = readPseudoFile(Directory + "/status"))
      addTo(Sample.AnonymousBytes, findNumber(*Status, "RssAnon"));
  }
  return Found ? std::optional(Sample) : std::nullopt;
}

/// Returns the path in the line of smaps that begins a mapping: "55e0-55f0 r--p
/// 00000000 fe:00 1234 /a/path"; an empty path for a writable mapping and for
/// one without a file, and nothing for any other line.
static std::optional<std::string_view> mappedPath(std::string_view Line) {
  const std::string_view Addresses = takeField(Line, ' ');
  const std::string_view Rights = takeField(Line, ' ');
  if (Addresses.find('-') == Addresses.npos || Addresses.ends_with(':'))
    return std::nullopt;
  const size_t Path = Line.find('/');
  if (Path == Line.npos || Rights.find('w') != Rights.npos)
    return std::string_view();
  return Line.substr(Path);
}

std::vector<MappedPart> mappedFilesOf(int Id) {
  std::vector<MappedPart> Parts;
  for (const uint64_t One : withDescendants(static_cast<uint64_t>(Id))) {
    // Too long for readPseudoFile: smaps has a thousand bytes for each mapping.
    std::ifstream File(directoryOf(One) + "/smaps");
    std::string Line;
    bool InFile = false;
    while (std::getline(File, Line)) {
      if (const auto Path = mappedPath(Line)) {
        InFile = !Path->empty();
        if (InFile)
          Parts.push_back({std::string(*Path), 0});
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
