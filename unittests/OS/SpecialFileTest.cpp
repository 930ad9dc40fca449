//===- SpecialFileTest.cpp - Files that must not be opened ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FIFOs, sockets, devices and files without permission, on systems that have
// POSIX calls to make them.
//
//===----------------------------------------------------------------------===//

#include "PosixTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/MappedFile.h"

#include "gtest/gtest.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#ifdef __linux__
#include <sys/inotify.h>
#endif

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

void expectRefused(const std::string &Path) {
  SCOPED_TRACE(Path);
  std::error_code Error;
  EXPECT_EQ(statFile(Path, Error).Kind, FileKind::Other);
  EXPECT_FALSE(Error) << Error.message();
  OpenFile File;
  EXPECT_EQ(OpenFile::open(Path, File), std::errc::operation_not_supported);
  EXPECT_FALSE(File.isOpen());
}

TEST(SpecialFileTest, RefusesDevices) {
  expectRefused("/dev/null");
  expectRefused("/dev/zero");
}

TEST(SpecialFileTest, RefusesFifoAndLinkToFifo) {
  const TestDirectory Directory;
  ASSERT_EQ(::mkfifo(Directory.path("fifo").c_str(), 0600), 0);
  fs::create_symlink(Directory.path("fifo"), Directory.path("link"));
  // A blocking open of either would hang here.
  expectRefused(Directory.path("fifo"));
  expectRefused(Directory.path("link"));
}

TEST(SpecialFileTest, RefusesSocket) {
  const TestDirectory Directory;
  makeSocket(Directory.path("s"));
  expectRefused(Directory.path("s"));
}

#ifdef __linux__ // other systems cannot report an open
/// Whether \p Process sleeps; false once it has ended.
bool isAsleep(pid_t Process) {
  std::ifstream File("/proc/" + std::to_string(Process) + "/stat");
  std::string Id;
  std::string Name;
  std::string State;
  File >> Id >> Name >> State;
  return State == "S";
}

TEST(SpecialFileTest, DoesNotDisturbFifoWriter) {
  const TestDirectory Directory;
  const std::string Path = Directory.path("fifo");
  ASSERT_EQ(::mkfifo(Path.c_str(), 0600), 0);
  const pid_t Writer = startChild([&] {
    const int Fifo = ::open(Path.c_str(), O_WRONLY | O_CLOEXEC);
    return Fifo >= 0 && ::write(Fifo, "x", 1) == 1 ? 0 : 1;
  });
  ASSERT_GT(Writer, 0);
  for (unsigned Try = 0; Try < 2000 && !isAsleep(Writer); ++Try)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_TRUE(isAsleep(Writer)) << "the writer does not block";

  // If expectRefused opened the FIFO, its event and that of the writer whose
  // open it completes would be in the queue when it returns.
  const int Watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(Watch, 0);
  ASSERT_GE(::inotify_add_watch(Watch, Path.c_str(), IN_OPEN | IN_ACCESS), 0);
  expectRefused(Path);
  alignas(struct inotify_event) std::array<char, 4096> Events;
  EXPECT_LT(::read(Watch, Events.data(), Events.size()), 0)
      << "the FIFO was opened";
  EXPECT_EQ(errno, EAGAIN);
  ::close(Watch);
  EXPECT_TRUE(isAsleep(Writer));
  if (HasFailure()) {
    ::kill(Writer, SIGKILL); // our open of the FIFO below might never return
    exitStatus(Writer);
    return;
  }

  // Opens the read end for which the writer waits.
  const int Reader = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(Reader, 0);
  char Byte = 0;
  EXPECT_EQ(::read(Reader, &Byte, 1), 1);
  EXPECT_EQ(Byte, 'x');
  ::close(Reader);
  EXPECT_EQ(exitStatus(Writer), 0);
}
#endif

TEST(SpecialFileTest, ReportsUnreadableFile) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "secret");
  ASSERT_EQ(::chmod(Path.c_str(), 0), 0);
  EXPECT_EQ(runUnprivileged([&] {
              std::error_code Error;
              if (statFile(Path, Error).Kind != FileKind::Regular || Error)
                return 1; // a stat needs no permission
              OpenFile File;
              if (OpenFile::open(Path, File) != std::errc::permission_denied)
                return 2;
              return File.isOpen() ? 3 : 0;
            }),
            0);
}

TEST(SpecialFileTest, ReportsUnsearchableDirectory) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("closed/file", "secret");
  ASSERT_EQ(::chmod(Directory.path("closed").c_str(), 0), 0);
  EXPECT_EQ(runUnprivileged([&] {
              std::error_code Error;
              if (statFile(Path, Error).Kind != FileKind::Missing)
                return 1;
              if (Error != std::errc::permission_denied)
                return 2;
              OpenFile File;
              if (OpenFile::open(Path, File) != std::errc::permission_denied)
                return 3;
              return 0;
            }),
            0);
  ASSERT_EQ(::chmod(Directory.path("closed").c_str(), 0700), 0);
}

TEST(SpecialFileTest, LeaksNoDescriptors) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  ASSERT_EQ(::mkfifo(Directory.path("fifo").c_str(), 0600), 0);
  const int Before = nextDescriptor();
  {
    OpenFile File;
    EXPECT_TRUE(OpenFile::open(Directory.path("fifo"), File));
    EXPECT_TRUE(OpenFile::open(Directory.path("absent"), File));
    EXPECT_TRUE(OpenFile::open(Directory.path(), File));
    EXPECT_FALSE(OpenFile::open(Path, File));
    EXPECT_FALSE(OpenFile::open(Path, File));
    OpenFile Other = openOrFail(Path);
    Other = std::move(File);
    MappedFile Mapping = mapOrFail(Other);
  }
  EXPECT_EQ(nextDescriptor(), Before);
}

} // namespace
