//===- ELFResolverTest.cpp - Resolves ELF inputs --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectorySearch.h"
#include "TestSupport.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;

namespace {

std::string resolved(const Strings &Args) { return onlyPath(parseELF(Args)); }

class ELFResolverTest : public testing::Test {
protected:
  CurrentTestDirectory Directory;
};

TEST_F(ELFResolverTest, SearchesDirectoriesInOrderAndSharedFirst) {
  Directory.write("1/libx.a");
  Directory.write("2/libx.so");
  Directory.write("2/libx.a");
  EXPECT_EQ(resolved({"-lx", "-L1", "-L2"}), "1/libx.a");
  EXPECT_EQ(resolved({"-lx", "-L2", "-L1"}), "2/libx.so");
  EXPECT_EQ(resolved({"-static", "-lx", "-L2", "-L1"}), "2/libx.a");
  EXPECT_EQ(resolved({"-l:libx.so", "-L1", "-L2"}), "2/libx.so");
  EXPECT_EQ(resolved({"-l:libx.so", "-L1", "-L2", "-static"}), "2/libx.so");
}

TEST_F(ELFResolverTest, NamesMissingInputsLikeLld) {
  LinkCommand Command = parseELF({"-lx", "-L.", "-l:x", "x.o"});
  InputResolver Resolver(Command);
  ResolvedInput R = Resolver.resolve(Command.Inputs[0]);
  EXPECT_FALSE(R.exists());
  EXPECT_EQ(R.Path, "-lx");
  EXPECT_EQ(Resolver.resolve(Command.Inputs[1]).Path, "-l:x");
  EXPECT_EQ(Resolver.resolve(Command.Inputs[2]).Path, "x.o");
}

TEST_F(ELFResolverTest, DoesNotSearchCurrentDirectory) {
  Directory.write("libx.a");
  EXPECT_EQ(resolved({"-lx"}), "-lx");
  EXPECT_EQ(resolved({"-lx", "-L", ""}), "libx.a");
  EXPECT_EQ(resolved({"-lx", "-L", "."}), "./libx.a");
  EXPECT_EQ(resolved({"-lx", "-L", "libx.a"}), "-lx");
}

TEST_F(ELFResolverTest, SysRootPrefixesMarkedDirectories) {
  Directory.write("root/lib/libx.a");
  EXPECT_EQ(resolved({"-lx", "-L=/lib", "--sysroot=root"}), "root/lib/libx.a");
  EXPECT_EQ(resolved({"-lx", "-L=lib", "--sysroot=root"}), "root/lib/libx.a");
  EXPECT_EQ(resolved({"-lx", "-L/lib-that-is-not-there", "--sysroot=root"}),
            "-lx");
}

TEST_F(ELFResolverTest, SearchesCurrentDirectoryFirstForScripts) {
  Directory.write("1/x.ld");
  EXPECT_EQ(resolved({"-Tx.ld", "-L1"}), "1/x.ld");
  Directory.write("x.ld");
  EXPECT_EQ(resolved({"-Tx.ld", "-L1"}), "x.ld");
}

TEST_F(ELFResolverTest, DirectoriesOfScriptsComeLast) {
  Directory.write("1/libx.a");
  Directory.write("2/libx.a");
  Directory.write("2/liby.a");
  LinkCommand Command = parseELF({"-L1", "-lx", "-ly"});
  InputResolver Resolver(Command);
  EXPECT_FALSE(Resolver.resolve(Command.Inputs[1]).exists());
  Resolver.directories().add("2");
  EXPECT_EQ(Resolver.resolve(Command.Inputs[0]).Path, "1/libx.a");
  EXPECT_EQ(Resolver.resolve(Command.Inputs[1]).Path, "2/liby.a");
}

TEST_F(ELFResolverTest, RemapsOpenedPaths) {
  Directory.write("1/libx.a");
  Directory.write("b.o");
  EXPECT_EQ(resolved({"a.o", "--remap-inputs=a.o=b.o"}), "b.o");
  EXPECT_EQ(resolved({"-lx", "-L1", "--remap-inputs=1/libx.a=b.o"}), "b.o");
  EXPECT_EQ(resolved({"-lx", "-L1", "--remap-inputs=1/*.a=b.o"}), "b.o");
  EXPECT_EQ(resolved({"a.o", "--remap-inputs=a.o=1", "--remap-inputs=a.o=2"}),
            "2");
  EXPECT_EQ(resolved({"a.o", "--remap-inputs=a*=1", "--remap-inputs=a*=2"}),
            "1");
  EXPECT_EQ(resolved({"a.o", "--remap-inputs=a*=1", "--remap-inputs=a.o=2"}),
            "2");
  EXPECT_EQ(resolved({"a.o", "--remap-inputs=[=1"}), "a.o");
}

TEST_F(ELFResolverTest, ReadsRemapsFromFile) {
  Directory.write("map", "# a.o=0\n\n  a.o=1 \nbad\n*=2\n");
  LinkCommand Command = parseELF({"a.o", "c.o", "--remap-inputs-file=map"});
  InputResolver Resolver(Command);
  EXPECT_EQ(Resolver.resolve(Command.Inputs[1]).Path, "1");
  EXPECT_EQ(Resolver.resolve(Command.Inputs[2]).Path, "2");
}

TEST_F(ELFResolverTest, ChRootPrefixesAbsolutePaths) {
  Directory.write("root/a.o");
  EXPECT_EQ(resolved({"/a.o", "--chroot", "root"}), "root/a.o");
  EXPECT_EQ(resolved({"a.o", "--chroot", "root"}), "a.o");
}

TEST_F(ELFResolverTest, ScansEachFileOnce) {
  LinkCommand Command = parseELF({"a.o"});
  InputResolver Resolver(Command);
  os::FileIdentity File{1, 2, 3, 4, 5};
  EXPECT_TRUE(Resolver.isFirstScan(File));
  EXPECT_FALSE(Resolver.isFirstScan(File));
  File.Inode = 3;
  EXPECT_TRUE(Resolver.isFirstScan(File));
}

TEST_F(ELFResolverTest, SearchesTenThousandDirectories) {
  Strings Args = {"-lx"};
  for (unsigned I = 0; I < 10000; ++I)
    Args.push_back("-Lnowhere" + std::to_string(I));
  EXPECT_EQ(resolved(Args), "-lx");
  Directory.write("last/libx.a");
  Args.emplace_back("-Llast");
  EXPECT_EQ(resolved(Args), "last/libx.a");
}

} // namespace
