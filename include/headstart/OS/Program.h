//===- Program.h - Mappings of this program ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The running program, as a file that is mapped like any other.
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

/// Returns the read-only parts (code and constants) of the program itself,
/// without the libraries that it loads, or nothing if the system does not
/// report them. On Windows the loader may have written addresses into parts
/// that are not code. Thread-safe.
std::vector<ProgramPart> programParts();

/// Opens something that can be neither read nor written in place of each closed
/// standard descriptor. Otherwise the next file to be opened would take its
/// number and receive the program's output. A write to it is still an error. To
/// be called before anything is opened, by the only thread. On Windows it
/// clears standard handles that are invalid instead.
void holdStandardDescriptors();

/// Returns the path of the program's file; empty if the system reports none.
std::string programPath();

/// Returns the path of the file that contains this code and the parts that
/// `programParts` returns: the program, or on Windows perhaps a library. Empty
/// if the system does not report it.
std::string codePath();

/// Calls \p Function, the only one, when `exit` begins, while other threads
/// still run. On Windows, the functions that a library passes to `std::atexit`
/// run after the system has ended all other threads, and a wait for one of
/// these, or for a lock that it held, never ends.
void callAtExit(void (*Function)());

/// Ends the process without destructors or functions of `atexit`, even those of
/// libraries, which would run after all other threads are gone.
[[noreturn]] void leaveAtOnce(int Status);

/// Makes the threads that start from now on share heaps: at most one heap more
/// than there are processors. glibc gives each thread its own heap, up to eight
/// per processor (malloc/arena.c), and memory that one heap frees serves no
/// thread of another. Does nothing if the user has set the number of heaps
/// (MALLOC_ARENA_MAX, GLIBC_TUNABLES) or they are shared anyway. Thread-safe.
void shareHeaps();

/// Returns the free memory of the heaps to the system (glibc). Thread-safe.
void trimHeaps();

/// Returns the directory that relative paths start at; empty if the system does
/// not report it. Thread-safe.
std::string currentDirectory();

} // namespace headstart::os

#endif // HEADSTART_OS_PROGRAM_H
