//===- PageCache.cpp - An unknown page cache ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageCache.h"

#include "../FetchByReading.h"

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::detail;

PageCache::PageCache() : Capabilities(probe()) {}

// This system has no capability that could be enabled.
PageCache::PageCache(const PageCacheCapabilities & /*Abilities*/)
    : Capabilities(probe()) {}

PageCacheCapabilities PageCache::probe() { return {}; }

std::vector<HintResult>
PageCache::hint(const OpenFile & /*File*/,
                std::span<const ByteRange> Ranges) const {
  std::vector<HintResult> Results(Ranges.size());
  for (size_t I = 0; I < Ranges.size(); ++I)
    Results[I].Range = Ranges[I];
  return Results;
}

HintResult PageCache::fetch(const OpenFile &File, ByteRange Range,
                            const MappedFile * /*Mapping*/) const {
  return fetchClipped(File, Range, [&](ByteRange Clipped, HintResult &Result) {
    fetchByReading(File, Clipped, Result);
  });
}

std::optional<Residency> PageCache::residency(const OpenFile &,
                                              ByteRange) const {
  return std::nullopt;
}

std::optional<bool> PageCache::seemsCached(const OpenFile &,
                                           std::span<const ByteRange>) const {
  return std::nullopt;
}

std::error_code PageCache::evict(OpenFile &) const {
  return std::make_error_code(std::errc::function_not_supported);
}

std::error_code PageCache::dontNeed(const MappedFile &, ByteRange) const {
  return std::make_error_code(std::errc::function_not_supported);
}

HintResult PageCache::willNeed(std::span<const char> Memory) const {
  HintResult Result;
  Result.Range = {0, Memory.size()};
  return Result;
}

std::error_code PageCache::setReadAround(const MappedFile &, bool) const {
  return std::make_error_code(std::errc::function_not_supported);
}

std::error_code PageCache::adviseCold(std::span<const char>) const {
  return std::make_error_code(std::errc::function_not_supported);
}

std::optional<Residency> PageCache::residency(std::span<const char>) const {
  return std::nullopt;
}
