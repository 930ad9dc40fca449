//===- ELFOptionTableTest.cpp - The tables against ld.lld's ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ELF/Parse.h"
#include "TestSupport.h"
#include "llvm/Option/Option.h"
#include "gmock/gmock.h"
#include <set>

using namespace llvm;
using namespace llvm::opt;
using namespace headstart;
using namespace headstart::test;

namespace {

// Every option of ld.lld 22.1.8, extracted from the option tables in Debian's
// liblldELF.a (optInfo of DriverUtils.cpp.o) and liblldMinGW.a (infoTable of
// Driver.cpp.o). A name without a dash has one or two dashes. Its suffix shows
// the value: "=" joined, "*" joined without a sign, "|" the next argument, "|="
// and "|*" either of both; otherwise there is none. No flag's name ends in such
// a sign, so names suffice.
// clang-format off
constexpr StringLiteral LldOptions[] = {
    "-(", "-)", "Bdynamic", "Bno-symbolic", "Bshareable", "Bstatic",
    "Bsymbolic", "Bsymbolic-functions", "Bsymbolic-non-weak",
    "Bsymbolic-non-weak-functions", "-E", "EB", "EL", "-F|", "-G|*", "-L|*",
    "-M", "Map|=", "-N", "-O|*", "-R|*", "-S", "-T|*", "Tbss|=", "Tdata|=",
    "Ttext|=", "Ttext-segment|=", "-V", "-X", "allow-multiple-definition",
    "allow-shlib-undefined", "--android-memtag-heap", "--android-memtag-mode|=",
    "--android-memtag-stack", "--apply-dynamic-relocs", "as-needed",
    "auxiliary|=", "-b|", "be8", "--bp-compression-sort-startup-functions",
    "--bp-compression-sort=", "--bp-startup-sort=", "--branch-to-branch",
    "build-id", "build-id=", "call-graph-ordering-file|=",
    "--call-graph-profile-sort=", "call_shared", "--check-dynamic-relocations",
    "check-sections", "--chroot|", "--cmse-implib", "--color-diagnostics",
    "--color-diagnostics=", "compress-debug-sections|=",
    "--compress-sections|=", "--cref", "-d", "-dT|", "--debug-names",
    "--default-script|=", "defsym|=", "demangle", "--dependency-file|=",
    "--dependent-libraries", "disable-new-dtags", "disable-verify",
    "discard-all", "discard-locals", "discard-none", "dn", "dy",
    "dynamic-linker|=", "dynamic-list|=", "-e|*", "eh-frame-hdr", "emit-relocs",
    "enable-new-dtags", "--enable-non-contiguous-regions", "end-group",
    "end-lib", "entry|=", "--error-handling-script|=", "--error-limit|=",
    "error-unresolved-symbols", "exclude-libs|=", "--execute-only",
    "export-dynamic", "--export-dynamic-symbol|=",
    "--export-dynamic-symbol-list|=", "-f|", "--fat-lto-objects",
    "fatal-warnings", "filter|=", "fini|=", "fix-cortex-a53-843419",
    "fix-cortex-a8", "--force-group-allocation", "format|=", "--fortran-common",
    "-g", "gc-sections", "--gdb-index", "--gnu-unique", "-h|*", "hash-style|=",
    "help", "icf=all", "icf=none", "icf=safe", "--ignore-data-address-equality",
    "--ignore-function-address-equality", "--image-base|=", "--in-implib|=",
    "init|=", "--irpgo-profile|=", "just-symbols|=", "keep-unique|=", "-l|*",
    "library|=", "library-path|=", "--load-pass-plugin|=", "long-plt",
    "--lto-CGO*", "--lto-O*", "--lto-aa-pipeline=",
    "--lto-basic-block-address-map", "--lto-basic-block-sections=",
    "--lto-cs-profile-file=", "--lto-cs-profile-generate",
    "--lto-debug-pass-manager", "--lto-emit-asm", "--lto-emit-llvm",
    "--lto-known-safe-vtables|=", "--lto-newpm-passes=", "--lto-obj-path=",
    "--lto-partitions=", "--lto-pgo-warn-mismatch", "--lto-sample-profile=",
    "--lto-unique-basic-block-section-names",
    "--lto-validate-all-vtables-have-type-infos",
    "--lto-whole-program-visibility", "--lto=", "-m|*", "merge-exidx-entries",
    "mips-got-size|=", "mllvm|=", "--mmap-output-file", "-n", "nmagic",
    "--no-add-needed", "no-allow-multiple-definition",
    "no-allow-shlib-undefined", "--no-android-memtag-heap",
    "--no-android-memtag-stack", "--no-apply-dynamic-relocs", "no-as-needed",
    "--no-bp-compression-sort-startup-functions", "--no-branch-to-branch",
    "--no-call-graph-profile-sort", "--no-check-dynamic-relocations",
    "no-check-sections", "--no-color-diagnostics", "no-copy-dt-needed-entries",
    "no-ctors-in-init-array", "--no-debug-names", "no-demangle",
    "--no-dependent-libraries", "no-dynamic-linker", "no-eh-frame-hdr",
    "--no-execute-only", "no-export-dynamic", "--no-fat-lto-objects",
    "no-fatal-warnings", "--no-fortran-common", "no-gc-sections",
    "--no-gdb-index", "--no-gnu-unique", "no-keep-memory",
    "--no-lto-basic-block-address-map", "--no-lto-pgo-warn-mismatch",
    "--no-lto-unique-basic-block-section-names",
    "--no-lto-validate-all-vtables-have-type-infos",
    "--no-lto-whole-program-visibility", "no-merge-exidx-entries",
    "--no-mmap-output-file", "no-nmagic", "no-omagic", "--no-optimize-bb-jumps",
    "--no-pcrel-optimize", "no-pie", "--no-power10-stubs",
    "no-print-gc-sections", "no-print-icf-sections", "--no-relax",
    "--no-relax-gp", "--no-rosegment", "--no-toc-optimize", "no-undefined",
    "no-undefined-version", "--no-use-android-relr-tags", "--no-warn-backrefs",
    "no-warn-common", "--no-warn-ifunc-textrel", "no-warn-mismatch",
    "--no-warn-symbol-ordering", "--no-warnings", "no-whole-archive",
    "--no-xosegment", "noinhibit-exec", "non_shared", "nostdlib", "-o|*",
    "--oformat|=", "--omagic", "--opt-remarks-filename|",
    "--opt-remarks-format|", "--opt-remarks-hotness-threshold|=",
    "--opt-remarks-passes|", "--opt-remarks-with-hotness",
    "--optimize-bb-jumps", "orphan-handling|=", "--out-implib|=", "--output|=",
    "--pack-dyn-relocs|=", "--package-metadata=", "--pcrel-optimize",
    "pic-executable", "pic-veneer", "pie", "plugin|=", "plugin-opt=",
    "plugin-opt=-*", "plugin-opt=-fresolution=", "plugin-opt=-pass-through=",
    "plugin-opt=O*", "plugin-opt=cs-profile-generate",
    "plugin-opt=cs-profile-path=", "plugin-opt=debug-pass-manager",
    "plugin-opt=disable-verify", "plugin-opt=dwo_dir=", "plugin-opt=emit-asm",
    "plugin-opt=emit-llvm", "plugin-opt=jobs=", "plugin-opt=lto-partitions=",
    "plugin-opt=mcpu=", "plugin-opt=obj-path=",
    "plugin-opt=opt-remarks-filename=", "plugin-opt=opt-remarks-format=",
    "plugin-opt=opt-remarks-hotness-threshold=",
    "plugin-opt=opt-remarks-passes=", "plugin-opt=opt-remarks-with-hotness",
    "plugin-opt=sample-profile=", "plugin-opt=save-temps",
    "plugin-opt=stats-file=", "plugin-opt=thinlto*",
    "plugin-opt=thinlto-emit-imports-files", "plugin-opt=thinlto-index-only",
    "plugin-opt=thinlto-index-only=",
    "plugin-opt=thinlto-object-suffix-replace=",
    "plugin-opt=thinlto-prefix-replace=", "plugin-opt=time-trace=", "pop-state",
    "--power10-stubs", "--power10-stubs=", "print-archive-stats=",
    "print-gc-sections", "--print-gc-sections=", "print-icf-sections",
    "print-map", "print-memory-usage", "print-symbol-order|=", "push-state",
    "-q", "-r", "--randomize-section-padding=", "--relax", "--relax-gp",
    "relocatable", "--remap-inputs|=", "--remap-inputs-file=", "--reproduce|=",
    "retain-symbols-file|=", "--rosegment", "rpath|=", "rpath-link|=",
    "--rsp-quoting|=", "-s", "save-temps", "--save-temps=", "script|=",
    "section-start|=", "secure-plt", "shared", "--shuffle-sections|=",
    "soname|=", "sort-common", "sort-section|=", "split-stack-adjust-size|=",
    "start-group", "start-lib", "static", "stats", "strip-all", "strip-debug",
    "--symbol-ordering-file|=", "sysroot|=", "-t", "target1-abs", "target1-rel",
    "target2|=", "--thinlto-cache-dir=", "--thinlto-cache-policy|=",
    "--thinlto-distributor-arg|=", "--thinlto-distributor=",
    "--thinlto-emit-imports-files", "--thinlto-emit-index-files",
    "--thinlto-index-only", "--thinlto-index-only=", "--thinlto-jobs=",
    "--thinlto-object-suffix-replace=", "--thinlto-prefix-replace=",
    "--thinlto-remote-compiler-arg|=",
    "--thinlto-remote-compiler-prepend-arg|=", "--thinlto-remote-compiler=",
    "--thinlto-single-module=", "--threads|=", "--time-trace",
    "--time-trace-granularity|=", "--time-trace=", "--toc-optimize", "trace",
    "trace-symbol|=", "-u|*", "undefined|=", "--undefined-glob|=",
    "undefined-version", "unique", "unresolved-symbols|=",
    "--use-android-relr-tags", "-v", "verbose", "--verbose-bp-section-orderer",
    "version", "version-script|=", "--vs-diagnostics", "-w", "--warn-backrefs",
    "--warn-backrefs-exclude|=", "warn-common", "warn-execstack",
    "--warn-ifunc-textrel", "warn-once", "warn-shared-textrel",
    "--warn-symbol-ordering", "warn-unresolved-symbols", "whole-archive",
    "--why-extract=", "--why-live|=", "wrap|=", "-x", "--xosegment", "-y|*",
    "-z|*",
};

constexpr StringLiteral MinGWOptions[] = {
    "-###", "Bdynamic", "Bstatic", "-L|*", "Map|=", "-O*", "-S", "Xlink|=",
    "allow-multiple-definition", "appcontainer", "as-needed", "build-id",
    "build-id=", "-call_shared", "delayload|=", "demangle",
    "--dependent-load-flag|=", "disable-auto-image-base", "disable-auto-import",
    "disable-dynamicbase", "disable-high-entropy-va", "disable-no-seh",
    "disable-nxcompat", "disable-reloc-section", "disable-runtime-pseudo-reloc",
    "disable-stdcall-fixup", "disable-tsaware", "dll", "dll-search-prefix|=",
    "-dn", "-dy", "dynamicbase", "-e|*", "enable-auto-image-base",
    "enable-auto-import", "enable-reloc-section", "enable-runtime-pseudo-reloc",
    "enable-stdcall-fixup", "end-group", "entry|=", "--error-limit|=",
    "exclude-all-symbols", "exclude-symbols|=", "export-all-symbols",
    "--fat-lto-objects", "fatal-warnings", "file-alignment|=",
    "--full-shutdown", "functionpadmin", "functionpadmin=", "gc-sections",
    "guard-cf", "guard-longjmp", "heap|=", "help", "high-entropy-va", "icf|=",
    "image-base|=", "insert-timestamp", "kill-at", "-l|*",
    "--large-address-aware", "--lto-CGO*", "--lto-O*", "--lto-cs-profile-file=",
    "--lto-cs-profile-generate", "--lto-emit-asm", "--lto-sample-profile=",
    "-m|*", "major-image-version|=", "--major-os-version|=",
    "--major-subsystem-version|=", "minor-image-version|=",
    "--minor-os-version|=", "--minor-subsystem-version|=", "mllvm|=",
    "no-allow-multiple-definition", "no-demangle", "no-dynamicbase",
    "--no-fat-lto-objects", "no-fatal-warnings", "no-gc-sections",
    "no-guard-cf", "no-guard-longjmp", "no-insert-timestamp", "no-seh",
    "no-undefined", "no-whole-archive", "-non_shared", "nxcompat", "-o|*",
    "out-implib|=", "output-def|=", "pdb|=", "pic-executable", "plugin|=",
    "plugin-opt=", "plugin-opt=-*", "plugin-opt=-fresolution=",
    "plugin-opt=-pass-through=", "plugin-opt=O*",
    "plugin-opt=cs-profile-generate", "plugin-opt=cs-profile-path=",
    "plugin-opt=dwo_dir=", "plugin-opt=emit-asm", "plugin-opt=emit-llvm",
    "plugin-opt=jobs=", "plugin-opt=mcpu=", "plugin-opt=thinlto*",
    "reproduce|=", "require-defined|=", "rpath|=", "-s", "section-alignment|=",
    "shared", "sort-common", "stack|=", "start-group", "-static", "strip-all",
    "strip-debug", "subsystem|=", "sysroot|=", "--thinlto-cache-dir=",
    "--thinlto-cache-policy|=", "--thinlto-emit-imports-files",
    "--thinlto-index-only", "--thinlto-index-only=", "--thinlto-jobs=",
    "--thinlto-object-suffix-replace=", "--thinlto-prefix-replace=",
    "--threads|=", "tsaware", "-u|*", "undefined|=", "--undefined-glob|=", "-v",
    "verbose", "version", "whole-archive", "wrap|=",
};
// clang-format on

/// One spelling in the table: prefix, name, kind.
using Spelling = std::tuple<std::string, std::string, unsigned>;

std::set<Spelling> spellingsOf(ArrayRef<StringLiteral> Options) {
  std::set<Spelling> Result;
  for (StringRef Text : Options) {
    std::vector<std::string> Prefixes = {"-", "--"};
    if (Text.consume_front("--"))
      Prefixes = {"--"};
    else if (Text.consume_front("-"))
      Prefixes = {"-"};
    bool Either = Text.consume_back("|*");
    bool Both = !Either && Text.consume_back("|=");
    bool Separate = !Either && !Both && Text.consume_back("|");
    bool Joined = Text.consume_back("*");
    for (const std::string &Prefix : Prefixes) {
      if (Either)
        Result.emplace(Prefix, Text, Option::JoinedOrSeparateClass);
      else if (Both || Separate)
        Result.emplace(Prefix, Text, Option::SeparateClass);
      if (Both)
        Result.emplace(Prefix, Text.str() + "=", Option::JoinedClass);
      if (!Either && !Both && !Separate)
        Result.emplace(Prefix, Text,
                       Joined || (Text.ends_with("=") && Text.size() > 1)
                           ? Option::JoinedClass
                           : Option::FlagClass);
    }
  }
  return Result;
}

std::set<Spelling> spellingsOf(const GenericOptionTable &Table,
                               unsigned OwnGroup) {
  std::set<Spelling> Result;
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    unsigned Kind = Table.getOptionKind(ID);
    if (Kind == Option::GroupClass || Kind == Option::InputClass ||
        Kind == Option::UnknownClass ||
        (OwnGroup && Table.getOptionGroupID(ID) == OwnGroup))
      continue;
    SmallVector<StringRef, 2> Prefixes;
    Table.appendOptionPrefixes(ID, Prefixes);
    for (StringRef Prefix : Prefixes)
      Result.emplace(Prefix, Table.getOptionName(ID), Kind);
  }
  return Result;
}

TEST(ELFOptionTableTest, HasExactlyOptionsOfLld) {
  EXPECT_EQ(spellingsOf(elf::optionTable(), elf::OPT_grp_headstart),
            spellingsOf(LldOptions));
}

TEST(ELFOptionTableTest, HasExactlyOptionsOfMinGW) {
  EXPECT_EQ(spellingsOf(elf::mingw::optionTable(), 0),
            spellingsOf(MinGWOptions));
}

TEST(ELFOptionTableTest, OwnOptionsAreNotOptionsOfLld) {
  std::set<Spelling> Theirs = spellingsOf(LldOptions);
  unsigned Count = 0;
  for (const Spelling &S : spellingsOf(elf::optionTable(), 0)) {
    if (!StringRef(std::get<1>(S)).contains("prefetch"))
      continue;
    ++Count;
    EXPECT_EQ(Theirs.count(S), 0U) << std::get<1>(S);
  }
  EXPECT_EQ(Count, 36U);
}

std::vector<CommandLineArg> args(const Strings &Texts) {
  std::vector<CommandLineArg> Result;
  for (const std::string &Text : Texts)
    Result.push_back({Text, "", ""});
  return Result;
}

/// Returns the id and value of each argument of lld, one string each.
Strings match(const Strings &Texts) {
  std::vector<CommandLineArg> Args = args(Texts);
  elf::MatchedLine Line(Args, /*MinGW=*/false);
  Strings Result;
  for (const Arg *A : Line.args())
    Result.push_back(
        A->getOption().getName().str() +
        (A->getNumValues() ? std::string(":") + A->getValue() : ""));
  return Result;
}

TEST(ELFOptionTableTest, MatchesEveryFormOfOption) {
  for (const Strings &Args :
       {Strings{"-L", "x"}, Strings{"-Lx"}, Strings{"--library-path", "x"},
        Strings{"--library-path=x"}, Strings{"-library-path=x"}})
    EXPECT_THAT(match(Args), testing::ElementsAre("L:x"));
  for (const Strings &Args : {Strings{"-o", "x"}, Strings{"-ox"},
                              Strings{"--output", "x"}, Strings{"--output=x"}})
    EXPECT_THAT(match(Args), testing::ElementsAre("o:x"));
  EXPECT_THAT(match({"-T", "x", "-Tx", "-script=x", "--script", "x"}),
              testing::Each("script:x"));
  EXPECT_THAT(match({"-static", "-dn", "--non_shared", "-Bstatic"}),
              testing::Each("Bstatic"));
  // lld, too, reads `-output` as -o with the value "utput".
  EXPECT_THAT(match({"-output"}), testing::ElementsAre("o:utput"));
}

TEST(ELFOptionTableTest, PluginOptionsTakeNextArg) {
  EXPECT_THAT(
      match({"-plugin-opt", "sample-profile=x", "--plugin-opt", "-o", "y"}),
      testing::ElementsAre("lto-sample-profile=:x", "plugin-opt=-:o",
                           "<input>:y"));
}

TEST(ELFOptionTableTest, RecordsOriginOfArg) {
  std::vector<CommandLineArg> Args = {
      {"--plugin-opt", "", ""},     {"O2", "", ""},
      {"--prefetch-stats", "", ""}, {"-o", "1.rsp", ""},
      {"x", "1.rsp", ""},           {"a.o", "2.rsp", ""}};
  elf::MatchedLine Line(Args, /*MinGW=*/false);
  Strings From;
  for (const Arg *A : Line.args())
    From.push_back(Line.argOf(*A).ResponseFile);
  EXPECT_THAT(From, testing::ElementsAre("", "1.rsp", "2.rsp"));
}

TEST(ELFOptionTableTest, RecognizesPersonality) {
  auto IsMinGW = [](const Strings &Texts) { return elf::isMinGW(args(Texts)); };
  for (const char *Name : {"i386pe", "i386pep", "thumb2pe", "arm64pe",
                           "arm64ecpe", "arm64xpe", "mipspe"})
    EXPECT_TRUE(IsMinGW({"a.o", "-m", Name})) << Name;
  EXPECT_FALSE(IsMinGW({"-m", "elf_x86_64", "-m", "i386pep"}));
  EXPECT_TRUE(IsMinGW({"-m", "i386pep", "-m", "elf_x86_64"}));
  // lld searches only for these two arguments.
  EXPECT_FALSE(IsMinGW({"-mi386pep"}));
  EXPECT_FALSE(IsMinGW({"i386pep", "-m"}));
  EXPECT_FALSE(IsMinGW({}));
}

TEST(ELFOptionTableTest, CommandLineSelectsPersonalityFirst) {
  EXPECT_FALSE(elf::isMinGW({{"-m", "x.rsp", ""},
                             {"i386pep", "x.rsp", ""},
                             {"-m", "", ""},
                             {"elf_x86_64", "", ""}}));
  EXPECT_TRUE(elf::isMinGW({{"-m", "x.rsp", ""}, {"i386pep", "x.rsp", ""}}));
}

} // namespace
