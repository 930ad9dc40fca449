//===- IgnoreFuzzer.cpp - Any bytes as an ignore file ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last line is the queried path, a directory if it ends in '/'; the lines
// before it are the file. The verdict must match the reference's.
//
//===----------------------------------------------------------------------===//

#include "../../lib/FileTree/IgnorePattern.h"
#include "../FileTree/IgnoreReference.h"
#include "Cost.h"
#include <cstdint>
#include <cstdlib>

using namespace headstart;

static constexpr fuzz::CostLimits Limits = {
    .Read = {0, 0},
    .Allocated = {128, 64 << 10},
    .Steps = {16384, 20000},
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  fuzz::Cost Cost(Size, Limits);
  llvm::StringRef Input(reinterpret_cast<const char *>(Data), Size);
  (void)detail::configuredExcludes(Input);

  auto [Text, Path] = Input.rsplit('\n');
  bool IsDirectory = Path.consume_back("/");
  llvm::StringRef Directory;
  llvm::StringRef Name = Path;
  if (Path.contains('/'))
    std::tie(Directory, Name) = Path.rsplit('/');
  // Skip names that no directory has: empty ones, and those with zeros.
  if (Name.empty() || Path.contains('\0') || Path.starts_with("/") ||
      Path.contains("//"))
    return 0;
  std::string Problem;
  auto List = detail::PatternList::parse(Text, Problem);
  auto Verdict = detail::IgnoreVerdict::None;
  if (List) {
    // The file is in the root; the walk begins there or in the first directory.
    detail::IgnoreQuery Query("", Directory, Name, IsDirectory);
    Verdict = List->match(Query, 1);
    if (!Directory.empty()) {
      auto [First, Rest] = Directory.split('/');
      std::string Above = ("/" + First).str();
      detail::IgnoreQuery FromBelow(Above, Rest, Name, IsDirectory);
      if (List->match(FromBelow, 1) != Verdict)
        abort();
    }
  }
  if (Verdict != test::slowVerdict(Text, Directory, Name, IsDirectory))
    abort();
  return 0;
}
