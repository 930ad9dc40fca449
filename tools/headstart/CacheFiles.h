//===- CacheFiles.h - The files of residency and evict ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Goes through files and whole trees: many are looked at at a time, and they
/// are shown one after the other, in order.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_CACHEFILES_H
#define HEADSTART_TOOLS_HEADSTART_CACHEFILES_H

#include "Command.h"
#include "LineOutput.h"
#include "headstart/OS/EvictionBlockers.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/Report/ResidencyBar.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headstart {

/// A regular file, and what was found out about it.
struct CacheFile {
  std::string Path;
  size_t Operand = 0;    ///< which one it is, or lies below
  std::error_code Error; ///< why nothing else is known

  os::FileIdentity Identity;
  os::FileBacking Backing = os::FileBacking::Disk;
  std::optional<uint64_t> Before; ///< bytes in memory; nothing: not told
  std::optional<uint64_t> After;  ///< the same after an eviction
  bool IsUnwritten = false;       ///< some of what is left is not on the disk
  std::vector<ResidentShare> Pieces; ///< of the whole file, in order

  uint64_t size() const { return Identity.Size; }
};

/// Every regular file that the operands name: the files, and those in the
/// directories, in the order of their paths' bytes. One after the other in the
/// order of the operands.
class CacheFiles {
public:
  /// Looks at an open file, on any thread; what it finds goes into the first
  /// argument, an error into its Error.
  using Inspect = llvm::function_ref<void(CacheFile &, os::OpenFile &)>;
  /// Is given each file in order, on the caller's thread, those with an Error
  /// as well.
  using Show = llvm::function_ref<void(const CacheFile &)>;

  explicit CacheFiles(llvm::ArrayRef<std::string> Operands)
      : Operands(Operands) {}

  /// Blocks. Directories that could not be read are reported as `fail` reports
  /// a file. Memory grows with the paths of one operand; of what is found only
  /// some thousand are kept at a time.
  void forEach(Inspect InspectFile, Show ShowOne);

  /// Reports that \p File failed, and \p Why. An operand has a message of its
  /// own, at once; the files in a directory have one for each reason, which
  /// `finish` prints.
  void fail(const CacheFile &File, llvm::StringRef Why);
  /// Prints the messages that are left. Failed if there were any at all.
  Exit finish();

  /// Whether an operand is a directory. After `forEach`.
  bool isDirectory(size_t Operand) const { return Directories[Operand]; }
  /// How many entries of the directories were no regular files, nor
  /// directories.
  uint64_t skipped() const { return Skipped; }

private:
  void add(std::string Path, size_t Operand, Inspect InspectFile, Show ShowOne);
  void flush(Inspect InspectFile, Show ShowOne);

  llvm::ArrayRef<std::string> Operands;
  std::vector<bool> Directories;
  std::vector<CacheFile> Pending;
  ProblemPrinter Problems;
  uint64_t Skipped = 0;
};

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_CACHEFILES_H
