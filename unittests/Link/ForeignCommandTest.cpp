//===- ForeignCommandTest.cpp - Other linkers' inputs ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/ForeignCommand.h"
#include "OS/PosixTestSupport.h"
#include "OS/TestFiles.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <sys/stat.h>

using namespace headstart;
using os::test::contentsOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

using Args = std::vector<std::string>;

std::optional<Flavour> flavourOf(const Args &Command) {
  std::optional<KnownProgram> P = recognizeProgram(Command);
  return P && !P->Driver ? std::optional(P->Linker) : std::nullopt;
}

std::optional<DriverKind> driverOf(const std::string &Name) {
  std::optional<KnownProgram> P = recognizeProgram({Name, "a.o"});
  return P ? P->Driver : std::nullopt;
}

TEST(LinkerNameTest, RecognizesLinkers) {
  for (const char *Name :
       {"lld-link", "/usr/bin/lld-link-22", "lld-link.exe", "LLD-LINK.EXE",
        "x86_64-pc-windows-msvc-lld-link", "link.exe", "LINK.EXE"})
    EXPECT_EQ(flavourOf({Name}), Flavour::COFF) << Name;
  for (const char *Name :
       {"ld64.lld", "ld64.lld-22", "ld64", "ld-classic", "ld64.mold",
        "x86_64-apple-darwin20-ld", "arm64-apple-darwin20-ld64"})
    EXPECT_EQ(flavourOf({Name}), Flavour::MachO) << Name;
  for (const char *Name :
       {"ld.lld", "ld.lld-22", "/usr/bin/ld.bfd", "ld.gold", "gold", "mold",
        "ld.mold", "wild", "x86_64-linux-gnu-ld", "x86_64-linux-gnu-ld.gold",
        "ld.bfd-2.40", "x86_64-w64-mingw32-ld",
        "/usr/lib/gcc/x86_64-linux-gnu/12/collect2"})
    EXPECT_EQ(flavourOf({Name}), Flavour::ELF) << Name;
}

TEST(LinkerNameTest, RecognizesDrivers) {
  for (const char *Name :
       {"clang", "clang++", "clang-22", "clang++-22", "/opt/bin/clang.exe",
        "aarch64-linux-android30-clang++"})
    EXPECT_EQ(driverOf(Name), DriverKind::Clang) << Name;
  for (const char *Name : {"gcc", "g++", "cc", "c++", "g++-12",
                           "x86_64-linux-gnu-gcc-12", "gcc-12.2", "gfortran"})
    EXPECT_EQ(driverOf(Name), DriverKind::GCC) << Name;
  EXPECT_EQ(driverOf("clang-cl"), DriverKind::ClangCL);
  EXPECT_EQ(driverOf("clang-cl-22.exe"), DriverKind::ClangCL);
  EXPECT_EQ(driverOf("rustc"), DriverKind::Rustc);
}

TEST(LinkerNameTest, RecognizesNothingElse) {
  for (const char *Name :
       {"", "ls", "llvm-link", "clang-tidy", "gcc-ar", "wasm-ld", "lld",
        "build", "acc", "ldd", "dsymutil", "-", "22", "x86_64-linux-gnu-"})
    EXPECT_FALSE(recognizeProgram({Name, "a.o"})) << Name;
  EXPECT_FALSE(recognizeProgram({}));
}

TEST(LinkerNameTest, RecognizesFlavoursOfLLD) {
  EXPECT_EQ(flavourOf({"lld", "-flavor", "gnu", "a.o"}), Flavour::ELF);
  EXPECT_EQ(flavourOf({"lld-22", "-flavor", "ld", "a.o"}), Flavour::ELF);
  EXPECT_EQ(flavourOf({"lld", "-flavor", "darwin", "a.o"}), Flavour::MachO);
  EXPECT_EQ(flavourOf({"rust-lld", "-flavor", "link", "a.o"}), Flavour::COFF);
  EXPECT_EQ(flavourOf({"ld.headstart", "-flavor", "link"}), Flavour::COFF);
  EXPECT_EQ(flavourOf({"headstart", "ld.lld", "a.o"}), Flavour::ELF);
  EXPECT_EQ(flavourOf({"headstart", "lld", "-flavor", "darwin", "a.o"}),
            Flavour::MachO);
  EXPECT_EQ(flavourOf({"headstart", "-out:a.exe", "a.obj"}), Flavour::COFF);
  EXPECT_EQ(flavourOf({"headstart", "@a.rsp"}), Flavour::COFF);
  EXPECT_EQ(flavourOf({"headstart", "bench", "ld.lld"}), std::nullopt);
  EXPECT_EQ(flavourOf({"headstart", "clang", "a.o"}), std::nullopt);
  EXPECT_EQ(flavourOf({"headstart"}), std::nullopt);
  EXPECT_EQ(recognizeProgram({"lld", "-flavor", "link"})->LeadingArgs, 3U);
  EXPECT_FALSE(recognizeProgram({"lld", "-flavor", "wasm"}));
  EXPECT_FALSE(recognizeProgram({"lld", "-flavor"}));
}

TEST(LinkerNameTest, ArgumentsTellLinkExeFromCoreutils) {
  EXPECT_EQ(flavourOf({"link", "/out:a.exe", "b"}), Flavour::COFF);
  EXPECT_EQ(flavourOf({"link", "/NOLOGO", "b"}), Flavour::COFF);
  EXPECT_EQ(flavourOf({"link", "@a.rsp"}), Flavour::COFF);
  EXPECT_EQ(flavourOf({"link", "A.OBJ", "b"}), Flavour::COFF);
  // coreutils' link, with two paths.
  EXPECT_FALSE(recognizeProgram({"link", "/tmp/a", "/tmp/b"}));
  EXPECT_FALSE(recognizeProgram({"link", "a", "b"}));
  EXPECT_FALSE(recognizeProgram({"link", "--help"}));
}

TEST(LinkerNameTest, RecognizesMinGWByName) {
  EXPECT_THAT(recognizeProgram({"x86_64-w64-mingw32-ld", "a.o"})->ImpliedArgs,
              ElementsAre("-m", "i386pep"));
  EXPECT_THAT(recognizeProgram({"i686-w64-mingw32-ld.bfd"})->ImpliedArgs,
              ElementsAre("-m", "i386pe"));
  EXPECT_THAT(
      recognizeProgram({"x86_64-w64-mingw32-ld", "-m", "i386pe"})->ImpliedArgs,
      SizeIs(0));
  EXPECT_THAT(recognizeProgram({"x86_64-linux-gnu-ld"})->ImpliedArgs,
              SizeIs(0));
}

TEST(DriverCommandsTest, ReadsCommands) {
  // clang quotes all arguments, gcc if necessary; only commands are indented.
  std::vector<Args> Commands =
      commandsIn("clang version 22\n"
                 "Target: x86_64\n"
                 " (in-process)\n"
                 " \"/usr/bin/clang\" \"-cc1\" \"a b.c\"\n"
                 " /usr/lib/collect2 -o \"o\\$x\\\"y\\\\z\" \"\" \"a\nb\" c.o\n"
                 "COLLECT_GCC_OPTIONS='-o' 'x'");
  ASSERT_THAT(Commands, SizeIs(3));
  EXPECT_THAT(Commands[1], ElementsAre("/usr/bin/clang", "-cc1", "a b.c"));
  EXPECT_THAT(Commands[2], ElementsAre("/usr/lib/collect2", "-o", "o$x\"y\\z",
                                       "", "a\nb", "c.o"));
}

TEST(DriverCommandsTest, AcceptsAnyText) {
  for (const char *Text : {"", " ", "\n", " \n \n", " \"", " \"a\\", " \"\n\n",
                           "x", " a\r\n b", " \"a\"b\"c\""})
    (void)commandsIn(Text);
  EXPECT_THAT(commandsIn(" \"open"), ElementsAre(ElementsAre("open")));
  EXPECT_THAT(commandsIn(" a\r\n b"),
              ElementsAre(ElementsAre("a"), ElementsAre("b")));
}

TEST(DriverCommandsTest, LastLinkerIsLinkStep) {
  EXPECT_EQ(linkStepOf({{"clang", "-cc1", "a.c"},
                        {"/usr/bin/as", "a.s"},
                        {"/usr/bin/ld", "a.o"},
                        {"dsymutil", "a"}}),
            (Args{"/usr/bin/ld", "a.o"}));
  EXPECT_EQ(linkStepOf({{"clang", "-cc1", "a.c"}, {"gcc", "a.o"}}),
            (Args{"gcc", "a.o"}));
  EXPECT_FALSE(linkStepOf({{"clang-22", "-cc1", "a.c"}, {"gcc", "-c", "a.s"}}));
  EXPECT_FALSE(linkStepOf({}));
}

TEST(DriverCommandsTest, RecognizesCompileOnlyCommands) {
  EXPECT_TRUE(onlyCompiles(DriverKind::GCC, Args{"gcc", "a.c", "-c"}));
  EXPECT_TRUE(onlyCompiles(DriverKind::ClangCL, Args{"clang-cl", "/c", "a"}));
  EXPECT_TRUE(onlyCompiles(DriverKind::GCC, Args{"gcc", "-###", "a.o"}));
  EXPECT_FALSE(onlyCompiles(DriverKind::GCC, Args{"gcc", "/c"}));
  EXPECT_FALSE(
      onlyCompiles(DriverKind::Clang, Args{"clang", "a.o", "-o", "x"}));
}

class ForeignCommandTest : public testing::Test {
protected:
  /// Writes a program that runs the shell commands \p Script.
  std::string program(const std::string &Name, const std::string &Script) {
    std::string Path = Directory.write(Name, "#!/bin/sh\n" + Script);
    EXPECT_EQ(::chmod(Path.c_str(), 0755), 0);
    return Path;
  }
  /// Writes a driver that prints \p Answer and logs its arguments.
  std::string driver(const std::string &Name, const std::string &Answer) {
    return program(Name, "for A; do echo \"$A\" >>" +
                             Directory.path("arguments") +
                             "; done\ncat >&2 <<'END'\n" + Answer + "\nEND\n");
  }
  static ForeignCommand read(Args Command) {
    return readForeignCommand(std::move(Command), std::nullopt, nullptr);
  }

  os::test::TestDirectory Directory;
};

TEST_F(ForeignCommandTest, ReadsLinkerCommand) {
  ForeignCommand C = read({"lld-link", "a.obj"});
  ASSERT_TRUE(C.Command) << C.Problem;
  EXPECT_EQ(C.Command->Kind, Flavour::COFF);
  ASSERT_THAT(C.Command->Inputs, SizeIs(1));
  EXPECT_EQ(C.Command->Inputs[0].Name, "a.obj");
}

TEST_F(ForeignCommandTest, ForcedFlavourOverridesName) {
  ForeignCommand C = readForeignCommand({"gcc", "/out:x.exe", "a.obj"},
                                        Flavour::COFF, nullptr);
  ASSERT_TRUE(C.Command) << C.Problem;
  EXPECT_THAT(C.Command->Inputs, SizeIs(1));
}

TEST_F(ForeignCommandTest, ReportsUnknownProgram) {
  ForeignCommand C = read({"ls", "x"});
  EXPECT_FALSE(C.Command);
  EXPECT_TRUE(C.IsUnknown);
  EXPECT_THAT(C.Problem, HasSubstr("'ls'"));
  C = read({"rustc", "x.rs"});
  EXPECT_FALSE(C.Command);
  EXPECT_FALSE(C.IsUnknown);
  EXPECT_THAT(C.Problem, HasSubstr("-C linker="));
}

TEST_F(ForeignCommandTest, QueriesDriver) {
  std::string Driver =
      driver("clang-cl-22", " \"/usr/bin/ld\" \"-out:x.exe\" \"a.obj\"");
  ForeignCommand C = read({Driver, "a.obj"});
  ASSERT_TRUE(C.Command) << C.Problem;
  // clang-cl passes the arguments of link.exe to its linker, whichever it is.
  EXPECT_EQ(C.Command->Kind, Flavour::COFF);
  EXPECT_THAT(C.Command->Inputs, SizeIs(1));
  EXPECT_EQ(contentsOf(Directory.path("arguments")), "-###\na.obj\n");
}

TEST_F(ForeignCommandTest, QueriesNestedDriver) {
  std::string Inner = driver("gcc", " lld-link -fuse-ld=lld b.obj");
  std::string Outer = driver("clang", " \"" + Inner + "\" \"b.o\"");
  ForeignCommand C = read({Outer, "b.o"});
  ASSERT_TRUE(C.Command) << C.Problem;
  ASSERT_THAT(C.Command->Inputs, SizeIs(1));
  EXPECT_EQ(C.Command->Inputs[0].Name, "b.obj");

  std::string Endless = driver("g++", " " + Directory.path("g++"));
  C = read({Endless, "b.o"});
  EXPECT_THAT(C.Problem, HasSubstr("start each other"));
}

TEST_F(ForeignCommandTest, KeepsDriverDiagnostics) {
  std::string Driver = driver(
      "gcc",
      "Target: x\ngcc: warning: odd\ngcc: fatal error: bad\n lld-link b.obj");
  ForeignCommand C = read({Driver, "b.o"});
  ASSERT_TRUE(C.Command) << C.Problem;
  EXPECT_THAT(C.DriverDiagnostics,
              ElementsAre("gcc: warning: odd", "gcc: fatal error: bad"));
  EXPECT_TRUE(C.HasError);

  Driver = driver("clang", "clang: warning: odd\nclang: error: bad");
  C = read({Driver, "b.o"});
  EXPECT_FALSE(C.Command);
  EXPECT_EQ(C.Problem, "'" + Driver + " -###' failed: clang: error: bad");
  EXPECT_THAT(C.DriverDiagnostics, ElementsAre("clang: warning: odd"));
}

TEST_F(ForeignCommandTest, RunsDriverInCLocale) {
  const std::string Driver =
      program("gcc", "[ \"$LC_ALL\" = C ] && Kind=error || Kind=Fehler\n"
                     "echo \"gcc: $Kind: bad\" >&2\n");
  const os::test::Variable Locale("LC_ALL", "de_DE.UTF-8");
  ForeignCommand C = read({Driver, "b.o"});
  EXPECT_EQ(C.Problem, "'" + Driver + " -###' failed: gcc: error: bad");
}

TEST_F(ForeignCommandTest, DoesNotQueryCompileOnlyDriver) {
  std::string Driver = driver("gcc", " lld-link b.obj");
  ForeignCommand C = read({Driver, "-c", "b.c"});
  EXPECT_FALSE(C.Command);
  EXPECT_EQ(C.Problem, "");
  EXPECT_EQ(contentsOf(Directory.path("arguments")), "");
}

TEST_F(ForeignCommandTest, ExpandsResponseFilesForGCC) {
  std::string Driver = driver("gcc", " lld-link b.obj");
  std::string Response = Directory.write("a.rsp", "'x y.o' z.o");
  ForeignCommand C = read({Driver, "@" + Response});
  EXPECT_TRUE(C.Command) << C.Problem;
  EXPECT_EQ(contentsOf(Directory.path("arguments")), "-###\nx y.o\nz.o\n");
}

TEST_F(ForeignCommandTest, RefusesResponseFilesThatAreFifos) {
  std::string Driver = driver("clang", " lld-link b.obj");
  ASSERT_EQ(::mkfifo(Directory.path("fifo").c_str(), 0600), 0);
  std::string Nested =
      Directory.write("nested.rsp", "a.o @" + Directory.path("fifo"));
  for (const std::string &Arg : {"@" + Directory.path("fifo"), "@" + Nested}) {
    ForeignCommand C = read({Driver, Arg});
    EXPECT_FALSE(C.Command);
    EXPECT_THAT(C.Problem, HasSubstr("only once"));
  }
  EXPECT_EQ(contentsOf(Directory.path("arguments")), "");
}

TEST_F(ForeignCommandTest, ReportsCancellation) {
  std::string Driver = program("clang", "exec sleep 5\n");
  std::atomic<bool> Cancelled{true};
  ForeignCommand C =
      readForeignCommand({Driver, "a.o"}, std::nullopt, &Cancelled);
  EXPECT_TRUE(C.WasCancelled);
  EXPECT_FALSE(C.Command.has_value());
  EXPECT_EQ(C.Problem, "");
}

class LinkerProbeTest : public ForeignCommandTest {};

TEST_F(LinkerProbeTest, FirstLineIsVersion) {
  EXPECT_EQ(versionOf(program("one", "echo 'ld 1.0'; echo more")).Line,
            "ld 1.0");
  EXPECT_EQ(versionOf(program("none", "echo 'no version' >&2; exit 1")).Line,
            "");
  EXPECT_EQ(versionOf(Directory.path("missing")).Line, "");
}

TEST_F(LinkerProbeTest, RecognizesHeadstartBySecondLine) {
  EXPECT_TRUE(
      versionOf(program("ours", "echo LLD 22.1.8; echo 'Headstart 0.1.0'"))
          .IsHeadstart);
  EXPECT_FALSE(versionOf(program("stock", "echo LLD 22.1.8")).IsHeadstart);
  EXPECT_FALSE(versionOf(program("other", "echo Headstart")).IsHeadstart);
  EXPECT_FALSE(versionOf(Directory.path("missing")).IsHeadstart);
}

TEST_F(LinkerProbeTest, FindsLinkerOfDriver) {
  const std::string Linker = program("my-ld", "");
  const std::string Clang = program(
      "clang", "case \"$*\" in\n"
               "*-fuse-ld=bad*) echo 'error: invalid linker name' >&2;;\n"
               "*) echo ' \"" +
                   Linker +
                   "\" \"-o\" \"a.out\"' >&2;;\n"
                   "esac\n");
  EXPECT_EQ(linkerOf({Clang, "x.o"}), Linker);
  EXPECT_EQ(linkerOf({Clang, "x.o", "-fuse-ld=mine"}), Linker);
  EXPECT_EQ(linkerOf({Clang, "x.o", "-fuse-ld=bad"}), "");
  EXPECT_EQ(linkerOf({Directory.path("missing"), "x.o"}), "");
}

TEST_F(LinkerProbeTest, FindsLinkerBehindCollect2) {
  const std::string Linker = program("my-ld", "");
  const std::string GCC =
      program("gcc", "case \"$*\" in\n"
                     "*-print-prog-name=ld*) echo " +
                         Linker +
                         ";;\n"
                         "*) echo ' /usr/lib/gcc/collect2 -o a.out x.o' >&2;;\n"
                         "esac\n");
  EXPECT_EQ(linkerOf({GCC, "x.o"}), Linker);
}

} // namespace
