//===- MachOTestSupport.h - Mach-O command lines and files ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_UNITTESTS_INPUTS_MACHOTESTSUPPORT_H // NOLINT
#define HEADSTART_UNITTESTS_INPUTS_MACHOTESTSUPPORT_H

#include "Formats/MachOTestSupport.h"
#include "TestSupport.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Support/Endian.h"

namespace headstart::test {

inline std::string little(uint32_t Value) {
  std::string Bytes(4, '\0');
  llvm::support::endian::write32le(Bytes.data(), Value);
  return Bytes;
}

/// Returns a load command of \p Kind, with its size filled in.
inline std::string command(uint32_t Kind, std::string Body) {
  Body.resize((Body.size() + 7) / 8 * 8);
  return little(Kind) + little(static_cast<uint32_t>(Body.size() + 8)) + Body;
}

inline std::string linkerOption(const Strings &Args) {
  std::string Body = little(static_cast<uint32_t>(Args.size()));
  for (const std::string &Arg : Args)
    Body += Arg + '\0';
  return command(llvm::MachO::LC_LINKER_OPTION, Body);
}

/// Returns LC_ID_DYLIB, LC_REEXPORT_DYLIB or LC_LOAD_DYLIB.
inline std::string dylibCommand(uint32_t Kind, const std::string &Name) {
  return command(Kind,
                 little(24) + std::string(12, '\0') + Name + std::string(1, 0));
}

inline std::string runPath(const std::string &Path) {
  return command(llvm::MachO::LC_RPATH,
                 little(12) + Path + std::string(1, '\0'));
}

/// Returns a 64-bit Mach-O file that has only load commands.
inline std::string machO(uint32_t FileType, const Strings &Commands,
                         uint32_t CPU = llvm::MachO::CPU_TYPE_ARM64,
                         uint32_t Flags = 0) {
  std::string All;
  for (const std::string &Command : Commands)
    All += Command;
  return little(llvm::MachO::MH_MAGIC_64) + little(CPU) + little(0) +
         little(FileType) + little(static_cast<uint32_t>(Commands.size())) +
         little(static_cast<uint32_t>(All.size())) + little(Flags) + little(0) +
         All;
}

inline std::string objectFile(const Strings &Commands,
                              uint32_t CPU = llvm::MachO::CPU_TYPE_ARM64) {
  return machO(llvm::MachO::MH_OBJECT, Commands, CPU);
}

inline std::string dylibFile(const std::string &InstallName, Strings Commands,
                             uint32_t Flags = 0) {
  Commands.insert(Commands.begin(),
                  dylibCommand(llvm::MachO::LC_ID_DYLIB, InstallName));
  return machO(llvm::MachO::MH_DYLIB, Commands, llvm::MachO::CPU_TYPE_ARM64,
               Flags);
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_INPUTS_MACHOTESTSUPPORT_H
