//===- walk-llvm.cpp - A tree with LLVM's iterator ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WalkReport.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace headstart::bench;
using namespace llvm;

int main(int Argc, char **Argv) {
  WalkArguments Arguments(Argc, Argv);
  auto Start = std::chrono::steady_clock::now();
  WalkCounts Counts;
  std::error_code Error;
  for (sys::fs::recursive_directory_iterator
           I(Arguments.Directory, Error, /*follow_symlinks=*/false),
       End;
       I != End && !Error; I.increment(Error)) {
    ++Counts.Entries;
    Counts.NameBytes += sys::path::filename(I->path()).size();
    bool IsDirectory = I->type() == sys::fs::file_type::directory_file;
    Counts.Directories += IsDirectory;
    if (!Arguments.Status)
      continue;
    ErrorOr<sys::fs::basic_file_status> Status = I->status();
    if (!Status) {
      Error = Status.getError();
      break;
    }
    Counts.SizeBytes += IsDirectory ? 0 : Status->getSize();
    Counts.Times +=
        static_cast<uint64_t>(sys::toTimeT(Status->getLastModificationTime()));
  }
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  if (Error) {
    std::fprintf(stderr, "walk-llvm: %s\n", Error.message().c_str());
    return 1;
  }
  report(Counts, 1, Took.count());
  return 0;
}
