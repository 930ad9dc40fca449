//===- walk-std.cpp - A tree with the standard library's iterator ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WalkReport.h"
#include <chrono>
#include <filesystem>
#include <system_error>

using namespace headstart::bench;

/// The seconds since the epoch, from a clock that has another one.
static uint64_t secondsOf(std::filesystem::file_time_type Time) {
  auto System = std::chrono::file_clock::to_sys(Time).time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::floor<std::chrono::seconds>(System).count());
}

int main(int Argc, char **Argv) {
  WalkArguments Arguments(Argc, Argv);
  auto Start = std::chrono::steady_clock::now();
  WalkCounts Counts;
  std::error_code Error;
  for (std::filesystem::recursive_directory_iterator
           I(Arguments.Directory, Error),
       End;
       I != End && !Error; I.increment(Error)) {
    ++Counts.Entries;
    Counts.NameBytes += I->path().filename().native().size();
    // In libstdc++ the type comes from the listing, size and time from a call
    // each.
    bool IsDirectory = I->is_directory(Error);
    Counts.Directories += IsDirectory;
    if (!Arguments.Status)
      continue;
    if (!IsDirectory)
      Counts.SizeBytes += I->file_size(Error);
    Counts.Times += secondsOf(I->last_write_time(Error));
  }
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  if (Error) {
    std::fprintf(stderr, "walk-std: %s\n", Error.message().c_str());
    return 1;
  }
  report(Counts, 1, Took.count());
  return 0;
}
