//===- SeamStagesTest.cpp - lld's functions that begin a stage ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The build checks that lld's calls are bound to these functions. The tests of
// the programs show only that one of a driver's functions begins the stage.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Link/Seam.h"
#include "../../lib/Link/SeamNames.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/LLVM.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <string>
#include <utility>
#include <vector>

namespace lld::elf {
struct Ctx {}; // NOLINT: lld's name
} // namespace lld::elf

using namespace headstart;
using testing::ElementsAre;

static std::vector<std::string> Calls;

void headstart::stageReached(LinkStage Stage) {
  Calls.emplace_back(LinkerModel::of(Flavour::COFF).stageName(Stage));
}

#define LLD_FUNCTION(Name, Parameter)                                          \
  HEADSTART_LLD_FUNCTION(void, Name, (Parameter));                             \
  void HEADSTART_REAL(Name)(Parameter) { Calls.emplace_back(#Name); }

LLD_FUNCTION(splitSections32BE, HEADSTART_ELF_PARAMETER)
LLD_FUNCTION(splitSections64BE, HEADSTART_ELF_PARAMETER)
LLD_FUNCTION(splitSections32LE, HEADSTART_ELF_PARAMETER)
LLD_FUNCTION(splitSections64LE, HEADSTART_ELF_PARAMETER)
LLD_FUNCTION(foldIdenticalSections, bool)
LLD_FUNCTION(writeResult64, )
LLD_FUNCTION(writeResult32, )

namespace {

#define EXPECT_STAGE(Name, Argument)                                           \
  HEADSTART_WRAP(Name)(Argument);                                              \
  EXPECT_THAT(std::exchange(Calls, {}), ElementsAre("contents", #Name))

TEST(SeamStagesTest, SplittingSectionsBeginsRelocations) {
  [[maybe_unused]] lld::elf::Ctx Context;
  EXPECT_STAGE(splitSections32BE, HEADSTART_ELF_ARGUMENT);
  EXPECT_STAGE(splitSections64BE, HEADSTART_ELF_ARGUMENT);
  EXPECT_STAGE(splitSections32LE, HEADSTART_ELF_ARGUMENT);
  EXPECT_STAGE(splitSections64LE, HEADSTART_ELF_ARGUMENT);
}

/// Folding compares the contents, and comes before the output is written.
TEST(SeamStagesTest, FoldingBeginsContents) {
  EXPECT_STAGE(foldIdenticalSections, false);
  EXPECT_STAGE(writeResult64, );
  EXPECT_STAGE(writeResult32, );
}

} // namespace
