//===- Machine.cpp - Hardware and system (Windows) ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Machine.h"

#include "Support.h"

#include <array>

namespace headstart::os {

using namespace detail;

/// Returns "Windows 10.0.19045". GetVersionEx would depend on the manifest.
static std::string systemName() {
  using Version = LONG WINAPI(OSVERSIONINFOW *);
  OSVERSIONINFOW Info = {};
  Info.dwOSVersionInfoSize = sizeof(Info);
  if (auto *const Get = findFunction<Version>(L"ntdll.dll", "RtlGetVersion"))
    Get(&Info);
  std::string Name = "Windows " + std::to_string(Info.dwMajorVersion) + "." +
                     std::to_string(Info.dwMinorVersion) + "." +
                     std::to_string(Info.dwBuildNumber);
  using WineVersion = const char *();
  if (auto *const Wine =
          findFunction<WineVersion>(L"ntdll.dll", "wine_get_version"))
    Name = Name + " (Wine " + Wine() + ")";
  return Name;
}

static std::string processorName() {
  std::array<wchar_t, 256> Name = {};
  DWORD Bytes = sizeof(Name) - sizeof(wchar_t);
  if (::RegGetValueW(HKEY_LOCAL_MACHINE,
                     L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                     L"ProcessorNameString", RRF_RT_REG_SZ, nullptr,
                     Name.data(), &Bytes) != ERROR_SUCCESS)
    return "";
  const std::string Text = toUtf8(Name.data());
  return Text.substr(0, Text.find_last_not_of(' ') + 1);
}

Machine readMachine(const std::string & /*Root*/) {
  Machine M;
  M.System = systemName();
  M.Processor = processorName();
  return M;
}

static StorageKind kindOf(const wchar_t *Volume) {
  switch (::GetDriveTypeW(Volume)) {
  case DRIVE_FIXED:
  case DRIVE_REMOVABLE:
  case DRIVE_CDROM:
    return StorageKind::Disk;
  case DRIVE_REMOTE:
    return StorageKind::Network;
  case DRIVE_RAMDISK:
    return StorageKind::Memory;
  default:
    return StorageKind::Unknown;
  }
}

Disk readDisk(const std::string &Path, const std::string & /*Root*/) {
  Disk D;
  std::wstring Wide;
  std::array<wchar_t, MAX_PATH + 1> Volume = {};
  std::array<wchar_t, MAX_PATH + 1> FileSystem = {};
  if (toSystemPath(Path, Wide) ||
      ::GetVolumePathNameW(Wide.c_str(), Volume.data(), MAX_PATH) == 0)
    return D;
  D.Kind = kindOf(Volume.data());
  if (::GetVolumeInformationW(Volume.data(), nullptr, 0, nullptr, nullptr,
                              nullptr, FileSystem.data(), MAX_PATH) != 0)
    D.FileSystem = toUtf8(FileSystem.data());
  return D;
}

} // namespace headstart::os
