//===- CacheFiles.h - The files of residency and evict ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Goes through files and whole trees. Several threads inspect files at the
/// same time; the caller's thread shows the files in order.
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

/// A regular file, and the facts about it.
struct CacheFile {
  std::string Path;
  size_t Operand = 0;    ///< the operand that names it, or a directory above
  std::error_code Error; ///< the reason why nothing else is known

  os::FileIdentity Identity;
  os::FileBacking Backing = os::FileBacking::Disk;
  std::optional<uint64_t> Before;    ///< cached bytes; absent: not reported
  std::optional<uint64_t> After;     ///< cached bytes after an eviction
  bool IsUnwritten = false;          ///< some cached pages are not on the disk
  std::vector<ResidentShare> Pieces; ///< of the whole file, in order

  uint64_t size() const { return Identity.Size; }
};

/// Every regular file that the operands name, in the order of the operands: the
/// files, and those in the directories, sorted by the bytes of their paths.
class CacheFiles {
public:
  /// Inspects an open file, on any thread. Stores the facts in the first
  /// argument, and an error in its Error.
  using Inspect = llvm::function_ref<void(CacheFile &, os::OpenFile &)>;
  /// Receives each file in order, on the caller's thread, also those with an
  /// Error.
  using Show = llvm::function_ref<void(const CacheFile &)>;

  explicit CacheFiles(llvm::ArrayRef<std::string> Operands)
      : Operands(Operands) {}

  /// Blocks. Reports unreadable directories as `fail` reports files. Memory
  /// grows with the paths of one operand; only some thousand files with their
  /// facts are kept at a time.
  void forEach(Inspect InspectFile, Show ShowOne);

  /// Reports that \p File failed because of \p Why. An operand has a message of
  /// its own, at once; the files in a directory share one for each reason,
  /// which `finish` prints.
  void fail(const CacheFile &File, llvm::StringRef Why);
  /// Prints the remaining messages. Returns Failed if there were any at all.
  Exit finish();

  /// Whether an operand is a directory. Known after `forEach`.
  bool isDirectory(size_t Operand) const { return Directories[Operand]; }
  /// The number of entries of the directories that are neither regular files
  /// nor directories.
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
