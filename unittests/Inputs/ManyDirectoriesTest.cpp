//===- ManyDirectoriesTest.cpp - Many searched directories ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectorySearch.h"
#include "OS/TestLinks.h"
#include "TestSupport.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
namespace fs = std::filesystem;

namespace {

std::string text(const ResolvedInput &R) {
  return (R.exists() ? "" : "missing ") + R.Path + " " +
         std::to_string(static_cast<int>(R.Status.Kind)) + " " +
         std::to_string(R.Status.Identity.Inode);
}

/// Resolves each input in its own link, whose resolver only probes.
Strings resolvedAlone(const LinkCommand &Command) {
  Strings Result;
  for (const NamedInput &Input : Command.Inputs) {
    LinkCommand One = Command;
    One.Inputs = {Input};
    InputResolver Resolver(One);
    Result.push_back(text(Resolver.resolve(Input)));
  }
  return Result;
}

class ManyDirectoriesTest : public testing::Test {
protected:
  static constexpr unsigned Directories = 12;

  /// Whether the listings of new directories are reliable.
  static bool listsNewDirectories() {
    os::DirectoryHandle Here;
    return !os::DirectoryHandle::open("", Here) &&
           os::traitsOf(Here).ReportsEveryChange;
  }

  /// Creates directories "0" to "11" that each contain some of \p Names, as
  /// files or as something else.
  void fill(const Strings &Names) {
    for (unsigned I = 0; I != Directories; ++I) {
      fs::create_directories(std::to_string(I) + "/sub");
      for (const std::string &Name : Names) {
        std::string Path = std::to_string(I) + "/" + Name;
        switch (Random() % 40) {
        case 0:
          Directory.write(Path, "x");
          break;
        case 1:
          fs::create_directories(Path);
          break;
        case 2:
          (void)os::test::tryLink("nowhere", Path, os::test::LinkTo::File);
          break;
        case 3:
          Directory.write(std::to_string(I) + "/target", "x");
          (void)os::test::tryLink("target", Path, os::test::LinkTo::File);
          break;
        default:
          break;
        }
      }
    }
  }

  /// Resolves all inputs of \p Command in one thread and in several, and
  /// compares the results with those of probing.
  void compare(const LinkCommand &Command) {
    ASSERT_GT(Command.Inputs.size(), 20U);
    Strings Expected = resolvedAlone(Command);
    InputResolver Resolver(Command);
    for (size_t I = 0; I != Expected.size(); ++I)
      EXPECT_EQ(text(Resolver.resolve(Command.Inputs[I])), Expected[I]);

    InputResolver Shared(Command);
    Strings Found(Expected.size());
    std::atomic<size_t> Next{0};
    os::Threads Threads;
    for (int T = 0; T != 4; ++T)
      ASSERT_FALSE(Threads.start([&] {
        for (size_t I; (I = Next.fetch_add(1)) < Found.size();)
          Found[I] = text(Shared.resolve(Command.Inputs[I]));
      }));
    Threads.join();
    EXPECT_EQ(Found, Expected);
  }

  CurrentTestDirectory Directory;
  std::mt19937 Random{12345};
};

TEST_F(ManyDirectoriesTest, ELFMatchesProbing) {
  Strings Names;
  Strings Args = {"-L=", "--sysroot=0"};
  // On Windows, "none/.." is a directory although "none" does not exist.
  if (!os::test::OnWindows)
    Args.emplace_back("-Lnone");
  for (int I = 0; I != 100; ++I) {
    std::string Number = std::to_string(I);
    Names.push_back("lib" + Number + ".so");
    Names.push_back("lib" + Number + ".a");
    Args.push_back("-l" + Number);
  }
  fill(Names);
  for (unsigned I = 0; I != Directories; ++I)
    Args.push_back("-L" + std::to_string(I) + (I % 3 == 0 ? "/" : ""));
  Args.insert(Args.end(), {"-L", "", "-L0/lib1.a", "-l:lib7.a", "-l:sub",
                           "-l:sub/../lib8.a", "-l:../1/sub", "-l:.", "-l:..",
                           "-l:none/x", "-l:/etc", "-l", ""});
  Args.push_back("-l" + std::string(300, 'x'));
  compare(parseELF(Args));
  Args.insert(Args.begin(), "-static");
  compare(parseELF(Args));
}

TEST_F(ManyDirectoriesTest, MinGWMatchesProbing) {
  Strings Names;
  Strings Args = {"-m", "i386pep"};
  for (int I = 0; I != 60; ++I) {
    std::string Number = std::to_string(I);
    for (const char *Ending : {".dll.a", ".a", ".dll"})
      Names.push_back("lib" + Number + Ending);
    for (const char *Ending : {".dll.a", ".lib", ".dll"})
      Names.push_back(Number + Ending);
    Args.push_back("-l" + Number);
  }
  fill(Names);
  for (unsigned I = 0; I != Directories; ++I)
    Args.push_back("-L" + std::to_string(I));
  compare(parseELF(Args));
}

TEST_F(ManyDirectoriesTest, COFFMatchesProbing) {
  Strings Names;
  Strings Args;
  for (int I = 0; I != 60; ++I) {
    std::string Number = std::to_string(I);
    for (const char *Ending : {".lib", ".obj", ""})
      Names.push_back("n" + Number + Ending);
    Args.push_back("/defaultlib:n" + Number);
    Args.push_back("n" + Number);
    Args.push_back("n" + Number + ".lib");
    Args.push_back("sub/n" + Number);
  }
  fill(Names);
  for (unsigned I = 0; I != Directories; ++I)
    Args.push_back("/libpath:" + std::to_string(I));
  compare(parse(Args));
}

TEST_F(ManyDirectoriesTest, MachOMatchesProbing) {
  Strings Names;
  Strings Args;
  for (int I = 0; I != 60; ++I) {
    std::string Number = std::to_string(I);
    for (const char *Ending : {".tbd", ".dylib", ".so", ".a"})
      Names.push_back("lib" + Number + Ending);
    Args.push_back("-l" + Number);
    if (I < 12) {
      std::string Bundle = "b" + Number;
      std::string Path = std::to_string(I) + "/" + Bundle + ".framework/";
      Directory.write(Path + Bundle + (I % 2 ? ".tbd" : ""));
      Args.insert(Args.end(), {"-framework", Bundle});
      fs::create_directories(std::to_string(5) + "/" + Bundle + ".framework");
    }
  }
  fill(Names);
  for (unsigned I = 0; I != Directories; ++I) {
    Args.push_back("-L" + std::to_string(I));
    Args.push_back("-F" + std::to_string(I));
  }
  Args.insert(Args.end(), {"-framework", "none", "-framework", "b3,_suffix"});
  compare(parseMachO(Args));
  Args.insert(Args.begin(), "-search_dylibs_first");
  compare(parseMachO(Args));
}

TEST_F(ManyDirectoriesTest, ScriptDirectoriesMatchProbing) {
  Strings Names;
  Strings Args = {"-L0"};
  for (int I = 0; I != 40; ++I) {
    Names.push_back("lib" + std::to_string(I) + ".a");
    Args.push_back("-l" + std::to_string(I));
  }
  fill(Names);
  LinkCommand Command = parseELF(Args);
  InputResolver Resolver(Command);
  for (unsigned I = 1; I != Directories; ++I)
    Resolver.directories().add(std::to_string(I));
  LinkCommand Plain = Command;
  for (unsigned I = 1; I != Directories; ++I)
    Plain.SearchPaths.push_back(std::to_string(I));
  Strings Expected = resolvedAlone(Plain);
  for (size_t I = 0; I != Expected.size(); ++I)
    EXPECT_EQ(text(Resolver.resolve(Command.Inputs[I])), Expected[I]);
}

TEST_F(ManyDirectoriesTest, NewLinkFindsNewFiles) {
  Strings Args;
  for (int I = 0; I != 200; ++I)
    Args.push_back("-l" + std::to_string(I));
  for (unsigned I = 0; I != Directories; ++I) {
    fs::create_directory(std::to_string(I));
    Args.push_back("-L" + std::to_string(I));
  }
  Directory.write("11/lib0.a");
  LinkCommand Command = parseELF(Args);
  auto FindFirst = [&](InputResolver &Resolver) {
    for (const NamedInput &Input : llvm::drop_begin(Command.Inputs))
      EXPECT_FALSE(Resolver.resolve(Input).exists());
    return Resolver.resolve(Command.Inputs[0]).Path;
  };
  InputResolver First(Command);
  EXPECT_EQ(FindFirst(First), "11/lib0.a");
  Directory.write("5/lib0.so");
  // The first link has listed the directories, and does not read them again.
  if (listsNewDirectories()) {
    EXPECT_EQ(First.resolve(Command.Inputs[0]).Path, "11/lib0.a");
  }
  InputResolver Second(Command);
  EXPECT_EQ(FindFirst(Second), "5/lib0.so");
  fs::rename("5/lib0.so", "7/lib0.a");
  InputResolver Third(Command);
  EXPECT_EQ(FindFirst(Third), "7/lib0.a");
}

} // namespace
