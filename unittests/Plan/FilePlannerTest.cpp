//===- FilePlannerTest.cpp - Plans files by their layouts -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/FilePlanner.h"
#include "Formats/ArchiveTestSupport.h"
#include "Formats/BitcodeTestSupport.h"
#include "Formats/COFFTestSupport.h"
#include "Formats/MachOTestSupport.h"
#include "OS/TestFiles.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "gmock/gmock.h"
#include <filesystem>

using namespace headstart;
using namespace headstart::test;
using os::test::openOrFail;
using os::test::TestDirectory;
using namespace llvm;

namespace {

constexpr uint32_t PartBytes = 200000;

/// An object with two sections of PartBytes; the second is the COMDAT "f".
std::string objectWithComdat() {
  constexpr uint32_t SymbolTable = 4096 + 2 * PartBytes;
  std::string Bytes = plainHead({{".text", 4096, PartBytes},
                                 {".text", 4096 + PartBytes, PartBytes, 0, 0,
                                  COFF::IMAGE_SCN_LNK_COMDAT}},
                                SymbolTable, /*NumSymbols=*/3);
  Bytes.resize(SymbolTable, 'x');
  object::coff_symbol16 Symbols[3] = {};
  Symbols[0].SectionNumber = 2;
  Symbols[0].StorageClass = COFF::IMAGE_SYM_CLASS_STATIC;
  Symbols[0].NumberOfAuxSymbols = 1;
  object::coff_aux_section_definition Definition = {};
  Definition.Selection = COFF::IMAGE_COMDAT_SELECT_ANY;
  std::memcpy(&Symbols[1], &Definition, sizeof(Definition));
  Symbols[2].Name.ShortName[0] = 'f';
  Symbols[2].SectionNumber = 2;
  Symbols[2].StorageClass = COFF::IMAGE_SYM_CLASS_EXTERNAL;
  append(Bytes, Symbols, sizeof(Symbols));
  return Bytes + std::string("\4\0\0\0", 4);
}

uint64_t planned(const std::vector<PlannedRange> &Plan) {
  uint64_t Bytes = 0;
  for (const PlannedRange &R : Plan)
    Bytes += R.Range.Length;
  return Bytes;
}

class FilePlannerTest : public testing::Test {
protected:
  TestDirectory Directory;
  std::string First = Directory.write("1.obj", objectWithComdat());
  std::string Second = Directory.write("2.obj", objectWithComdat());
  FilePlanner Planner{PlanOptions()};
  SymbolBuffers Buffers;

  uint64_t plan(const std::string &Path, uint32_t Order,
                const RecordedFile *Record = nullptr) {
    os::OpenFile File = openOrFail(Path);
    FileInspector Inspector(File);
    return planned(
        Planner.plan(Inspector, NamedInput(), Order, Buffers, Record));
  }
};

TEST_F(FilePlannerTest, OmitsSecondCopyOfComdat) {
  EXPECT_GE(plan(First, 0), 2 * PartBytes);
  EXPECT_LT(plan(Second, 1), PartBytes + 20000);
  EXPECT_GE(plan(First, 0), 2 * PartBytes);
}

TEST_F(FilePlannerTest, ProfileOnlyRemovesRanges) {
  RecordedFile Record;
  Record.Touched = {{0, 4096}, {73 * 4096, 8192}};
  EXPECT_EQ(plan(First, 0, &Record), 4096U + 8192);
  // All of Second was touched, but the linker keeps the COMDAT of First.
  Record.Touched = {{0, std::filesystem::file_size(Second)}};
  EXPECT_LT(plan(Second, 1, &Record), PartBytes + 20000);
}

TEST_F(FilePlannerTest, ProfileAddsMetadataOfCompiledBitcode) {
  BitcodeWriter Out;
  const ByteRange Metadata = Out.block(bitc::METADATA_BLOCK_ID, 300000);
  Out.endModule();
  const std::string Path = Directory.write("a.o", Out.bytes());
  PlanOptions Options;
  Options.HasLTOCache = true;
  for (Flavour Kind : {Flavour::COFF, Flavour::ELF, Flavour::MachO}) {
    Options.Kind = Kind;
    FilePlanner Planner(Options);
    os::OpenFile File = openOrFail(Path);
    FileInspector Inspector(File);
    EXPECT_LT(planned(Planner.plan(Inspector, NamedInput(), 0, Buffers)),
              20000U);
    RecordedFile Record;
    Record.Touched = {{0, Metadata.end()}};
    EXPECT_GE(
        planned(Planner.plan(Inspector, NamedInput(), 0, Buffers, &Record)),
        Metadata.end());
  }
}

TEST_F(FilePlannerTest, UnreadableSymbolsKeepAllSections) {
  (void)plan(First, 0);
  os::OpenFile File = openOrFail(Second);
  std::filesystem::resize_file(Second, 4096 + PartBytes);
  FileInspector Inspector(File);
  EXPECT_GE(planned(Planner.plan(Inspector, NamedInput(), 1, Buffers)),
            2 * PartBytes);
}

/// An archive of two objects of 300 kB, all DWARF except about 5 kB.
std::string machOArchive() {
  MachOWriter Writer;
  Writer.segment({{"__TEXT", "__text", 4096, 1000},
                  {"__DWARF", "__debug_line", 6000, 290000}});
  std::string Object = Writer.head();
  Object.resize(300000, 'x');
  return "!<arch>\n" + member("a.o", Object) + member("a.o", Object);
}

TEST_F(FilePlannerTest, PlansEachMemberOfMachOArchive) {
  os::OpenFile File = openOrFail(Directory.write("a.a", machOArchive()));
  auto Planned = [&](Flavour Kind, bool Whole) {
    PlanOptions Options;
    Options.Kind = Kind;
    NamedInput Named;
    Named.Whole = Whole;
    FileInspector Inspector(File);
    return planned(FilePlanner(Options).plan(Inspector, Named, 0, Buffers));
  };
  EXPECT_LT(Planned(Flavour::MachO, /*Whole=*/true), 30000U);
  // Two headers, the second away from the first, and the code.
  EXPECT_GE(Planned(Flavour::MachO, /*Whole=*/true), 16384U);
  EXPECT_EQ(Planned(Flavour::MachO, /*Whole=*/false), 4096U);
  EXPECT_EQ(Planned(Flavour::COFF, /*Whole=*/true), File.size());
}

TEST_F(FilePlannerTest, UnreadableHeadersPlanWholeFile) {
  os::OpenFile File = openOrFail(Second);
  std::filesystem::resize_file(Second, 10);
  FileInspector Inspector(File);
  std::vector<PlannedRange> Plan =
      Planner.plan(Inspector, NamedInput(), 1, Buffers);
  ASSERT_EQ(Plan.size(), 1U);
  EXPECT_EQ(Plan[0].Range.Length, File.size());
}

} // namespace
