//===- LinuxOnly.cpp - Functions of Linux, for other systems --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/MeasuredProgram.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/ProcessActivity.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"

namespace headstart::os {

FileBacking backingOf(const OpenFile &) { return FileBacking::Disk; }

PageCache PageCache::inLargeRequests() const { return *this; }

// Touching a page of a file that has shrunk is a fault (SIGBUS, on Windows an
// exception). Only Linux has a call that touches pages without that risk.
HintResult PageCache::fetchInLargePages(const OpenFile &, ByteRange) const {
  return {};
}

std::string processSpace() { return {}; }

std::optional<ProcessActivity> activityOf(uint64_t) { return std::nullopt; }

std::optional<Ancestor> findAncestor(std::span<const std::string_view>) {
  return std::nullopt;
}

void waitForEnd(const Ancestor &) {}

bool continueDetached() { return false; }

std::optional<std::chrono::microseconds> diskStall(const std::string &) {
  return std::nullopt;
}

bool reportsEveryChange(const OpenFile &) { return false; }

std::optional<uint64_t> peakMemory() { return std::nullopt; }

std::optional<uint64_t> peakMemoryOf(uint64_t) { return std::nullopt; }

// Windows reports the file of an address (GetMappedFileNameW), but touched
// pages only one by one, which is too slow during a link.
std::vector<MappedPart> mappedFilesOf(int /*Id*/) { return {}; }

// Windows writes back a volume only for administrators.
void writeBack(const std::string & /*Path*/) {}

// macOS: getrusage(2) has no RUSAGE_THREAD, and thread_info's flavours have
// times but no count of switches (<mach/thread_info.h>). Windows reports a
// thread's context switches only along with those of every thread of the
// machine (NtQuerySystemInformation), and includes those that are not waits.
std::optional<uint64_t> countWaits() { return std::nullopt; }
std::optional<std::chrono::nanoseconds> processorWait() { return std::nullopt; }

std::optional<DiskUse> diskUse(DiskUser) { return std::nullopt; }

} // namespace headstart::os
