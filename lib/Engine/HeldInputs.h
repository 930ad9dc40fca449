//===- HeldInputs.h - Buffers for the linker --------------------*- C++ -*-===//
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
///  - the linker gets the file that the path names at that moment: handOver
///    stats it again, and leaves a changed or replaced file to the linker;
///  - there are at most as many mappings as the options allow;
///  - buffers share ownership of the held bytes, and may outlive this object.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_HELDINPUTS_H
#define HEADSTART_LIB_ENGINE_HELDINPUTS_H

#include "EngineFigures.h"
#include "Fetcher.h"
#include "InputEntry.h"
#include "Scheduler.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/OS/PageCache.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <memory>
#include <string>

namespace headstart {

/// Every function may be called from any thread.
class HeldInputs {
public:
  /// All arguments must outlive it.
  HeldInputs(const EngineOptions &Options, const os::PageCache &Cache,
             EngineFigures &Figures, Fetcher &Bytes, Scheduler &Inputs)
      : Options(Options), Cache(Cache), Figures(Figures), Bytes(Bytes),
        Inputs(Inputs) {}

  /// Maps \p File, or reads it if it is small. Returns null if the engine
  /// should not or cannot hold it. \p IsCold: some bytes of a small file are
  /// not cached; blocks to read them.
  std::shared_ptr<const FileContents>
  hold(const os::OpenFile &File, const std::string &Path, bool IsCold);

  /// Returns the buffer of \p Entry, which is published, for a linker that
  /// requests \p Path; null if it does not hold that file. Stats it.
  std::unique_ptr<llvm::MemoryBuffer>
  handOver(InputEntry &Entry, llvm::StringRef Path,
           const BufferRequest &Request) const;

  /// If memory is short: marks as cold what no stage from \p Now on reads. The
  /// linker has come to \p Now. One thread does this, once for each stage.
  void releaseConsumed(LinkStage Now);

private:
  std::shared_ptr<const FileContents>
  copy(const os::OpenFile &File, const std::string &Path, bool IsCold);

  const EngineOptions &Options;
  const os::PageCache &Cache;
  EngineFigures &Figures;
  Fetcher &Bytes;
  Scheduler &Inputs;
  std::atomic<uint64_t> Mappings{0};
  /// The stage up to which consumed bytes were released.
  std::atomic<LinkStage> ReleasedUpTo{LinkStage::Parse};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_HELDINPUTS_H
