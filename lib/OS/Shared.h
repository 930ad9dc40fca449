//===- Shared.h - What the platforms' sources share -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_SHARED_H
#define HEADSTART_LIB_OS_SHARED_H

#include "headstart/OS/PageCache.h"

#include <algorithm>
#include <memory>
#include <new>

namespace headstart::os::detail {

/// Returns the error of OpenFile::open for \p Kind; none for a regular file.
inline std::error_code refusal(FileKind Kind) {
  switch (Kind) {
  case FileKind::Missing:
    return std::make_error_code(std::errc::no_such_file_or_directory);
  case FileKind::Regular:
    return {};
  case FileKind::Directory:
    return std::make_error_code(std::errc::is_a_directory);
  case FileKind::Other:
    break;
  }
  return std::make_error_code(std::errc::operation_not_supported);
}

/// \p Unit is a power of two in both functions.
inline uint64_t roundDown(uint64_t Value, size_t Unit = PageCache::pageSize()) {
  return Value & ~static_cast<uint64_t>(Unit - 1);
}
inline uint64_t roundUp(uint64_t Value, size_t Unit = PageCache::pageSize()) {
  return roundDown(Value + Unit - 1, Unit);
}

/// Returns the bytes of one hint: whole pages, at least one.
inline uint64_t hintStepOf(const PageCacheCapabilities &Capabilities) {
  return std::max<uint64_t>(roundDown(Capabilities.HintStepBytes),
                            PageCache::pageSize());
}

/// Returns the result with which a hint for \p File begins. If it is not
/// Accepted, nothing is to be done.
inline HintResult beginHint(const OpenFile &File,
                            const PageCacheCapabilities &Capabilities) {
  HintResult Result;
  if (!Capabilities.Hint)
    return Result;
  Result.Outcome = HintOutcome::Accepted;
  if (!File.isOpen())
    Result.fail(std::make_error_code(std::errc::bad_file_descriptor));
  return Result;
}

/// The number of pages that hold at least one byte of \p Range.
inline uint64_t pagesOf(ByteRange Range) {
  if (Range.empty())
    return 0;
  const size_t PageSize = PageCache::pageSize();
  return (Range.end() - 1) / PageSize - Range.Offset / PageSize + 1;
}

/// Returns the whole pages inside \p Memory, or an empty span; for advice that
/// must not affect neighbouring data, which may be in use.
inline std::span<char> wholePages(std::span<const char> Memory) {
  const auto Start = reinterpret_cast<uintptr_t>(Memory.data());
  const uintptr_t Begin = roundUp(Start);
  const uintptr_t End = roundDown(Start + Memory.size());
  if (Begin >= End)
    return {};
  return {const_cast<char *>(Memory.data()) + (Begin - Start), End - Begin};
}

/// Reads the rest of \p Clipped, the part of a range inside the file, from
/// AcceptedBytes on, and fills in \p Result. A file that ends early gives
/// Failed with `errc::io_error`.
inline void fetchByReading(const OpenFile &File, ByteRange Clipped,
                           HintResult &Result) {
  // Large enough that the call is cheap compared to the copy, and small enough
  // to stay in the second-level cache.
  constexpr uint64_t ScratchBytes = UINT64_C(128) * 1024;

  const auto Size =
      static_cast<size_t>(std::min<uint64_t>(ScratchBytes, Clipped.Length));
  const std::unique_ptr<char[]> Scratch(new (std::nothrow) char[Size]);
  if (!Scratch)
    return Result.fail(std::make_error_code(std::errc::not_enough_memory));

  Result.Outcome = HintOutcome::Accepted;
  while (Result.AcceptedBytes < Clipped.Length) {
    const auto Want = static_cast<size_t>(
        std::min<uint64_t>(Size, Clipped.Length - Result.AcceptedBytes));
    std::error_code Error;
    const size_t Got = File.readAt(Clipped.Offset + Result.AcceptedBytes,
                                   {Scratch.get(), Want}, Error);
    ++Result.Calls;
    Result.AcceptedBytes += Got;
    if (Error)
      return Result.fail(Error);
    if (Got < Want)
      return Result.fail(std::make_error_code(std::errc::io_error));
  }
}

/// The least distance of samples: one request loads this many bytes at once.
constexpr uint64_t SampleDistance = UINT64_C(128) * 1024;

/// Implements `PageCache::seemsCached`: calls \p IsCached(Offset) for one byte
/// of each \p Distance bytes of \p Ranges, and for the last byte of each range,
/// until the result is false or nothing.
template <class Function>
std::optional<bool> sample(std::span<const ByteRange> Ranges, uint64_t FileSize,
                           const Function &IsCached,
                           uint64_t Distance = SampleDistance) {
  std::optional<bool> Found;
  for (const ByteRange &Range : Ranges) {
    const ByteRange Clipped = Range.clippedTo(FileSize);
    for (uint64_t Done = 0; Done < Clipped.Length;) {
      Found = IsCached(Clipped.Offset + Done);
      if (Found != true)
        return Found;
      const uint64_t Last = Clipped.Length - 1;
      Done = Done == Last ? Clipped.Length : std::min(Done + Distance, Last);
    }
  }
  return Found;
}

/// Implements `PageCache::fetch`: \p Fetch(Clipped, Result) fetches the part of
/// \p Range inside \p File, which is not empty.
template <class Function>
HintResult fetchClipped(const OpenFile &File, ByteRange Range,
                        const Function &Fetch) {
  HintResult Result;
  if (!File.isOpen())
    return Result;
  const ByteRange Clipped = Range.clippedTo(File.size());
  if (Clipped.empty())
    Result.Outcome = HintOutcome::Accepted;
  else
    Fetch(Clipped, Result);
  return Result;
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_SHARED_H
