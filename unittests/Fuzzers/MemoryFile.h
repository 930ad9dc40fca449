//===- MemoryFile.h - Files that are not on any disk ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For readers of open files: while costs are counted, only `Files` exist, at
/// any path below /fuzz, and this header answers every system call that the OS
/// layer makes for a file. This is fast, since an execution makes no system
/// call, and a name in an input cannot lead to a file of the machine.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FUZZERS_MEMORYFILE_H
#define HEADSTART_UNITTESTS_FUZZERS_MEMORYFILE_H

#include "Cost.h"
#include "llvm/ADT/StringRef.h"
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headstart::fuzz {

inline llvm::StringRef Files[3];
/// The index of the file at a path, or a negative number if there is none.
inline int (*FileAt)(llvm::StringRef Path) = [](llvm::StringRef Path) {
  return Path == "/fuzz/0" ? 0 : -1;
};

constexpr int FirstDescriptor = 1 << 20;
inline bool isMemory(int Descriptor) { return Descriptor >= FirstDescriptor; }

inline int statusOf(int Index, struct stat64 *Result) {
  Counted.Steps += StepsOfCall;
  if (Index < 0) {
    errno = ENOENT;
    return -1;
  }
  *Result = {};
  Result->st_mode = S_IFREG;
  Result->st_dev = 1;
  Result->st_ino = static_cast<ino64_t>(Index) + 1;
  Result->st_size = static_cast<off64_t>(Files[Index].size());
  return 0;
}

} // namespace headstart::fuzz

extern "C" {
int __real_stat64(const char *, struct stat64 *);
int __wrap_stat64(const char *Path, struct stat64 *Result) {
  using namespace headstart::fuzz;
  return Counted.On ? statusOf(FileAt(Path), Result)
                    : __real_stat64(Path, Result);
}
int __real_fstat64(int, struct stat64 *);
int __wrap_fstat64(int Descriptor, struct stat64 *Result) {
  using namespace headstart::fuzz;
  return isMemory(Descriptor) ? statusOf(Descriptor - FirstDescriptor, Result)
                              : __real_fstat64(Descriptor, Result);
}
int __real_open64(const char *, int, ...);
int __wrap_open64(const char *Path, int Flags, ...) {
  using namespace headstart::fuzz;
  if (Counted.On) {
    struct stat64 Status;
    return statusOf(FileAt(Path), &Status) ? -1
                                           : FirstDescriptor + FileAt(Path);
  }
  va_list Rest;
  va_start(Rest, Flags);
  int Mode = va_arg(Rest, int);
  va_end(Rest);
  return __real_open64(Path, Flags, Mode);
}
int __real_close(int);
int __wrap_close(int Descriptor) {
  return headstart::fuzz::isMemory(Descriptor) ? 0 : __real_close(Descriptor);
}
ssize_t __real_pread64(int, void *, size_t, off64_t);
ssize_t __wrap_pread64(int Descriptor, void *Into, size_t Bytes, off64_t At) {
  using namespace headstart::fuzz;
  if (!isMemory(Descriptor))
    return __real_pread64(Descriptor, Into, Bytes, At);
  llvm::StringRef From = Files[Descriptor - FirstDescriptor].substr(
      static_cast<size_t>(At), Bytes);
  if (!From.empty())
    std::memcpy(Into, From.data(), From.size());
  Counted.Steps += StepsOfCall;
  Counted.Read += From.size();
  return static_cast<ssize_t>(From.size());
}
int __real_posix_fadvise64(int, off64_t, off64_t, int);
int __wrap_posix_fadvise64(int Descriptor, off64_t At, off64_t Bytes,
                           int Advice) {
  using namespace headstart::fuzz;
  if (!isMemory(Descriptor))
    return __real_posix_fadvise64(Descriptor, At, Bytes, Advice);
  Counted.Steps += StepsOfCall;
  return 0;
}
}

#endif // HEADSTART_UNITTESTS_FUZZERS_MEMORYFILE_H
