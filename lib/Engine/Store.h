//===- Store.h - What is held for the linker --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: holds the bytes of open inputs, and hands them over.
///
/// Invariants:
///  - what is handed over is what the path names at that moment: the file is
///    looked at again, and one that was changed or replaced is the linker's to
///    open;
///  - at most so many mappings as the options allow;
///  - buffers share in what is held: they may outlive the store.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_STORE_H
#define HEADSTART_LIB_ENGINE_STORE_H

#include "EngineFigures.h"
#include "Fetcher.h"
#include "InputEntry.h"
#include "Scheduler.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Every function may be called from any thread.
class Store {
public:
  /// All must outlive it.
  Store(const EngineOptions &Options, const os::PageCache &Cache,
        EngineFigures &Figures, Fetcher &Bytes, Scheduler &Inputs)
      : Options(Options), Cache(Cache), Figures(Figures), Bytes(Bytes),
        Inputs(Inputs) {}

  /// Gets hold of the bytes of \p File: maps it, or reads it when it is small.
  /// Null when the engine should not, or cannot. \p IsCold: of a small file
  /// some bytes have to come from the disk. Blocks for that.
  std::shared_ptr<const FileContents>
  hold(const os::OpenFile &File, const std::string &Path, bool IsCold);

  /// The buffer of \p Entry, which is published, for a linker that asks for
  /// \p Path; null when that is not what is held. Looks at the file.
  std::unique_ptr<llvm::MemoryBuffer>
  handOver(InputEntry &Entry, llvm::StringRef Path,
           const BufferRequest &Request) const;

  /// Short of memory: takes what no stage from \p Now on reads out of memory.
  /// The linker has come to \p Now. One thread does it, once for each stage.
  void releaseConsumed(LinkStage Now);

  /// \name What became of it, for the record and the report
  /// For what each means see PrefetchEngine.
  /// @{
  std::optional<std::vector<RecordedFile>> touched() const;
  uint64_t copiedBytes() const;
  uint64_t wastedBytes(llvm::ArrayRef<RecordedFile> Touched) const;
  /// @}

private:
  std::shared_ptr<const FileContents>
  copy(const os::OpenFile &File, const std::string &Path, bool IsCold);

  const EngineOptions &Options;
  const os::PageCache &Cache;
  EngineFigures &Figures;
  Fetcher &Bytes;
  Scheduler &Inputs;
  std::atomic<uint64_t> Mappings{0};
  /// The stage up to which finished bytes were released.
  std::atomic<LinkStage> ReleasedUpTo{LinkStage::Parse};
};

/// Whether a record of what the linker touched in \p Entry is worth its place.
/// Of a small file that the command line names there is nothing to remember: it
/// is read whole, in its turn.
bool isWorthRecording(const InputEntry &Entry);

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_STORE_H
