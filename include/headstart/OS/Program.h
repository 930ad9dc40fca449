//===- Program.h - Where this program lies in memory ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program that is running, as a file that is mapped like any other. The
/// standard library only, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_PROGRAM_H
#define HEADSTART_OS_PROGRAM_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headstart::os {

/// A part of the program's file that is mapped and not written to.
struct ProgramPart {
  std::span<const char> Memory;
  uint64_t Offset = 0; ///< of its first byte in the file
};

/// The read-only parts (code and constants) of the program itself, without the
/// libraries that it loads; none where the system does not tell. Any thread.
/// On Windows the loader may have put addresses into what is no code.
std::vector<ProgramPart> programParts();

/// Puts something that can be neither read nor written into the places of the
/// standard descriptors that are closed: the first file that is opened would
/// take such a place, and get what the program prints. Writing there is an
/// error, as before. Before anything is opened; one thread. On Windows it is
/// the standard handles that are forgotten if they name nothing.
void holdStandardDescriptors();

/// The path of the program's file; empty where the system does not tell.
std::string programPath();

/// The path of the file that holds this code, whose parts `programParts` has:
/// the program, on Windows perhaps a library. Empty where the system does not
/// tell.
std::string codePath();

/// Ends the process: no destructor and no function of `atexit` runs, also none
/// of a library, which would run after all other threads are gone.
[[noreturn]] void leaveAtOnce(int Status);

/// Lets the threads that start from now on share heaps: at most one more than
/// there are processors. glibc gives each thread one of its own, up to eight
/// for each processor (malloc/arena.c), and what is freed in one heap serves no
/// thread of another. Left as it is where the user has set it
/// (MALLOC_ARENA_MAX, GLIBC_TUNABLES), and where the system's heaps are shared
/// anyway. Any thread.
void shareHeaps();

/// The directory that relative paths begin at; empty where the system does not
/// tell. Any thread.
std::string currentDirectory();

} // namespace headstart::os

#endif // HEADSTART_OS_PROGRAM_H
