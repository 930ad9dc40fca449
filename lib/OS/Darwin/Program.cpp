//===- Program.cpp - Mappings of this program (macOS) ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Program.h"
#include "headstart/OS/MappedFile.h"
#include <array>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <memory>

using namespace headstart::os;

/// Returns the program's own header: of the images that dyld has loaded, the
/// one that is a program.
static const mach_header_64 *programHeader(intptr_t &Slide) {
  for (uint32_t I = 0, Count = ::_dyld_image_count(); I != Count; ++I) {
    const mach_header *const Header = ::_dyld_get_image_header(I);
    if (Header == nullptr || Header->magic != MH_MAGIC_64 ||
        Header->filetype != MH_EXECUTE)
      continue;
    Slide = ::_dyld_get_image_vmaddr_slide(I);
    return reinterpret_cast<const mach_header_64 *>(Header);
  }
  return nullptr;
}

/// Whether the program's file is for several architectures. Offsets then count
/// from the slice of this one, whose position is not known here.
static bool isUniversal() {
  OpenFile File;
  std::array<unsigned char, 4> Magic = {};
  std::error_code Error;
  if (OpenFile::open(programPath(), File) ||
      File.readAt(0, {reinterpret_cast<char *>(Magic.data()), Magic.size()},
                  Error) != Magic.size())
    return true; // not known
  // FAT_MAGIC and FAT_MAGIC_64, high byte first.
  return Magic[0] == 0xCA && Magic[1] == 0xFE && Magic[2] == 0xBA &&
         (Magic[3] == 0xBE || Magic[3] == 0xBF);
}

std::vector<ProgramPart> headstart::os::programParts() {
  std::vector<ProgramPart> Parts;
  intptr_t Slide = 0;
  const mach_header_64 *const Header = programHeader(Slide);
  if (Header == nullptr || isUniversal())
    return Parts;
  const auto *Command = reinterpret_cast<const char *>(Header + 1);
  for (uint32_t I = 0; I != Header->ncmds; ++I) {
    load_command Kind;
    std::memcpy(&Kind, Command, sizeof(Kind));
    if (Kind.cmd == LC_SEGMENT_64) {
      segment_command_64 Segment;
      std::memcpy(&Segment, Command, sizeof(Segment));
      // dyld writes to __DATA_CONST before it makes that read-only. Its
      // initprot includes the right to write, so it is skipped.
      if (Segment.filesize != 0 && (Segment.initprot & VM_PROT_READ) != 0 &&
          (Segment.initprot & VM_PROT_WRITE) == 0) {
        const auto *const Begin = reinterpret_cast<const char *>( // NOLINT
            static_cast<uintptr_t>(Segment.vmaddr) +
            static_cast<uintptr_t>(Slide));
        Parts.push_back(
            {{Begin, static_cast<size_t>(Segment.filesize)}, Segment.fileoff});
      }
    }
    Command += Kind.cmdsize;
  }
  return Parts;
}

std::string headstart::os::programPath() {
  uint32_t Size = 0;
  ::_NSGetExecutablePath(nullptr, &Size); // returns the length
  std::string Path(Size, '\0');
  if (Size == 0 || ::_NSGetExecutablePath(Path.data(), &Size) != 0)
    return {};
  const std::unique_ptr<char, decltype(&std::free)> Real(
      ::realpath(Path.c_str(), nullptr), &std::free);
  return Real ? std::string(Real.get()) : std::string();
}
