//===- MeasuredProgramTest.cpp - Tests of programs and their cost ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/MeasuredProgram.h"
#include "PosixTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Threads.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

class MeasuredProgramTest : public testing::Test {
protected:
  ProgramStart shell(const std::string &Script) const {
    ProgramStart Start;
    Start.Args = {"sh", "-c", Script};
    Start.Output = Directory.path("printed");
    return Start;
  }
  ProgramUsage run(const ProgramStart &Start) {
    MeasuredProgram Program;
    const std::error_code Error = Program.start(Start);
    EXPECT_FALSE(Error) << Error.message();
    std::optional<ProgramUsage> Usage;
    while (!Usage && Program.id() >= 0)
      Usage = Program.wait(std::chrono::minutes(1));
    return Usage.value_or(ProgramUsage());
  }
  std::string printed() const { return contentsOf(Directory.path("printed")); }

  TestDirectory Directory;
};

TEST_F(MeasuredProgramTest, ReportsExitStatusAndSignal) {
  ProgramUsage Usage = run(shell("exit 7"));
  EXPECT_FALSE(Usage.End.BySignal);
  EXPECT_EQ(Usage.End.Code, 7);
  Usage = run(shell("kill -TERM $$"));
  EXPECT_TRUE(Usage.End.BySignal);
  EXPECT_EQ(Usage.End.Code, SIGTERM);
}

TEST_F(MeasuredProgramTest, SetsStreamsEnvironmentAndName) {
  ::setenv("MEASURED_KEPT", "kept", 1);    // NOLINT: no other thread
  ::setenv("MEASURED_GONE", "gone", 1);    // NOLINT
  ::setenv("MEASURED_OTHER", "before", 1); // NOLINT
  ProgramStart Start = shell("echo $0 $MEASURED_KEPT-$MEASURED_GONE-"
                             "$MEASURED_OTHER; echo error >&2; cat");
  Start.Args[0] = "other-name";
  Start.Program = "/bin/sh";
  Start.Args.emplace_back("argument0");
  Start.Environment = {"MEASURED_GONE", "MEASURED_OTHER=a=b"};
  EXPECT_EQ(run(Start).End.Code, 0);
  EXPECT_EQ(printed(), "argument0 kept--a=b\nerror\n");
  // The first argument is the name that the program sees.
  Start.Args = {"other-name", "-c", "exec cat /proc/$$/cmdline"};
  Start.Args[2] = "tr '\\0' ' ' </proc/$$/cmdline";
  run(Start);
  EXPECT_THAT(printed(), testing::StartsWith("other-name -c "));
}

TEST_F(MeasuredProgramTest, ReportsWhyProgramCannotStart) {
  MeasuredProgram Program;
  ProgramStart Start;
  Start.Args = {"no-such-program-anywhere"};
  EXPECT_EQ(Program.start(Start), std::errc::no_such_file_or_directory);
  Start.Args = {Directory.write("text", "no program")};
  EXPECT_EQ(Program.start(Start), std::errc::permission_denied);
  EXPECT_EQ(Program.id(), -1);
}

TEST_F(MeasuredProgramTest, CountsUsageOfChildren) {
  // The kernel charges the pages to the process that reads them.
  const std::string Path = Directory.write("file", std::string(3 << 20, 'x'));
  OpenFile File = openOrFail(Path);
  const PageCache Cache;
  // Not every file system counts reads, so this process reads the file first.
  ASSERT_FALSE(Cache.evict(File));
  const DiskUse Before = *diskUse(DiskUser::Process);
  std::string Bytes(File.size(), '\0');
  std::error_code Error;
  ASSERT_EQ(File.readAt(0, Bytes, Error), File.size());
  if ((*diskUse(DiskUser::Process) - Before).Bytes < File.size())
    GTEST_SKIP() << "the kernel does not count reads from this file system";
  ASSERT_FALSE(Cache.evict(File));
  const ProgramUsage Usage = run(shell("(cat " + Path + " >/dev/null); :"));
  ASSERT_TRUE(Usage.ReadBytes && Usage.PeakMemoryBytes && Usage.MajorFaults);
  EXPECT_GE(*Usage.ReadBytes, UINT64_C(3) << 20);
  EXPECT_GT(*Usage.PeakMemoryBytes, 0U);
  EXPECT_GT(Usage.Seconds, 0);
}

TEST_F(MeasuredProgramTest, KillsProcessGroup) {
  MeasuredProgram Program;
  ASSERT_FALSE(Program.start(
      shell("sleep 1000 & echo $! >" + Directory.path("child") + "; wait")));
  std::string Child;
  while (Child.empty() || Child.back() != '\n')
    Child = contentsOf(Directory.path("child"));
  EXPECT_FALSE(Program.wait(std::chrono::milliseconds(1)));
  EXPECT_EQ(::kill(std::stoi(Child), 0), 0);
  Program.kill();
  EXPECT_EQ(Program.id(), -1);
  // The child has ended, or init has not yet reaped it.
  const auto HasEnded = [&] {
    const std::string Stat =
        contentsOf("/proc/" + std::to_string(std::stoi(Child)) + "/stat");
    return Stat.empty() || Stat.find(") Z") != std::string::npos;
  };
  for (unsigned I = 0; I != 1000 && !HasEnded(); ++I)
    ::usleep(10000);
  EXPECT_TRUE(HasEnded());
}

TEST_F(MeasuredProgramTest, SamplesProgramAndChildren) {
  MeasuredProgram Program;
  ASSERT_FALSE(Program.start(shell("(sleep 1000); :")));
  const std::optional<ProgramSample> Sample = sampleProgram(Program.id());
  ASSERT_TRUE(Sample);
  EXPECT_TRUE(Sample->MajorFaults);
  EXPECT_TRUE(Sample->AnonymousBytes && *Sample->AnonymousBytes > 0);
  const int Id = Program.id();
  Program.kill();
  EXPECT_FALSE(sampleProgram(Id));
}

TEST_F(MeasuredProgramTest, ReportsMappedFiles) {
  const std::string Path =
      Directory.write("a file", std::string(5 * 65536, 'x'));
  OpenFile File = openOrFail(Path);
  const MappedFile Mapping = mapOrFail(File);
  // Two pages, or more if the kernel maps others along with them.
  EXPECT_EQ(Mapping.data()[0], 'x');
  EXPECT_EQ(Mapping.data()[3 * 65536], 'x');
  uint64_t Bytes = 0;
  bool SawIt = false;
  for (const MappedPart &Part : mappedFilesOf(::getpid()))
    if (Part.Path.ends_with("a file")) {
      SawIt = true;
      Bytes += Part.Bytes;
    }
  EXPECT_TRUE(SawIt);
  EXPECT_GT(Bytes, 0U);
  EXPECT_LE(Bytes, 5U * 65536);
  EXPECT_TRUE(mappedFilesOf(-1).empty());
}

} // namespace
