//===- ProgramPages.cpp - The program itself as an input ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/ProgramPages.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "headstart/OS/Program.h"
#include <vector>

using namespace llvm;

namespace headstart {

std::shared_ptr<ProgramPages> ProgramPages::ofThisProcess(StringRef Linker) {
  std::string Program = os::codePath();
  std::string Tool = (Linker + " itself").str();
  std::string Record = profilePath("auto", Tool, Program);
  return std::make_shared<ProgramPages>(std::move(Tool), std::move(Program),
                                        std::move(Record));
}

void ProgramPages::request() {
  if (State->Record.empty() || State->Program.empty())
    return;
  // Without a thread, the kernel reads the program's pages on page faults.
  (void)Thread.start([Mine = State] { Mine->requestNow(); });
}

void ProgramPages::Request::requestNow() {
  const std::shared_ptr<const LinkProfile> Loaded = loadValidProfile(Record);
  os::OpenFile File;
  if (!Loaded || Loaded->Files.size() != 1 ||
      os::OpenFile::open(Program, File) ||
      Loaded->Files[0].Identity != File.identity())
    return;
  renewProfile(Record);
  RequestedBytes = 0;
  const RecordedFile &Pages = Loaded->Files[0];
  os::PageCache Cache;
  // This queries each range: at the program's start, the kernel has read as
  // many pages around page faults as the whole record has.
  std::vector<ByteRange> Missing;
  for (const ByteRange &Range : Pages.Touched) {
    std::optional<os::Residency> Now = Cache.residency(File, Range);
    if (!Now || !Now->complete())
      Missing.push_back(Range);
  }
  for (const os::HintResult &Result : Cache.hint(File, Missing))
    *RequestedBytes += Result.AcceptedBytes;
}

std::optional<uint64_t> ProgramPages::requestedBytes() {
  Thread.join();
  return State->RequestedBytes;
}

Error ProgramPages::keep() {
  Thread.join();
  const auto &[Tool, Program, Record, RequestedBytes] = *State;
  os::OpenFile File;
  if (RequestedBytes || Record.empty() || os::OpenFile::open(Program, File) ||
      !mayReplaceProfile(Record))
    return Error::success();
  LinkProfile New = newProfile(Tool, Program, "program");
  RecordedFile Pages{Program, File.identity(), {}, {}};
  os::PageTables Tables;
  for (const os::ProgramPart &Part : os::programParts()) {
    std::optional<std::vector<ByteRange>> Present = Tables.present(Part.Memory);
    if (!Present || Part.Offset + Part.Memory.size() > File.size())
      return Error::success();
    for (ByteRange Range : *Present) {
      Range.Offset += Part.Offset;
      // Two parts may share the page between them.
      addJoined(Pages.Touched, Range);
    }
  }
  if (Pages.Touched.empty())
    return Error::success();
  New.Files.push_back(std::move(Pages));
  return saveProfile(Record, New);
}

} // namespace headstart
