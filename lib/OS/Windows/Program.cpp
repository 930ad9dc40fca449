//===- Program.cpp - Mappings of this program (Windows) -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Program.h"

#include "Support.h"

#include <algorithm>
#if defined(_MSC_VER) || defined(_UCRT)
#include <corecrt_startup.h>
#endif
#include <cstdlib>
#include <filesystem>
#include <system_error>

using namespace headstart::os;
using namespace headstart::os::detail;

/// Defined by the linker: the start of the program or library with this code.
extern "C" const IMAGE_DOS_HEADER __ImageBase; // NOLINT

std::vector<ProgramPart> headstart::os::programParts() {
  std::vector<ProgramPart> Parts;
  const auto *const Base = reinterpret_cast<const char *>(&__ImageBase);
  const auto &DOS = *reinterpret_cast<const IMAGE_DOS_HEADER *>(Base);
  const auto &Headers =
      *reinterpret_cast<const IMAGE_NT_HEADERS *>(Base + DOS.e_lfanew);
  const IMAGE_SECTION_HEADER *const Sections = IMAGE_FIRST_SECTION(&Headers);
  for (unsigned I = 0; I != Headers.FileHeader.NumberOfSections; ++I) {
    const IMAGE_SECTION_HEADER &Section = Sections[I];
    // The program does not read again what the loader uses and discards.
    if ((Section.Characteristics &
         (IMAGE_SCN_MEM_WRITE | IMAGE_SCN_MEM_DISCARDABLE)) != 0 ||
        (Section.Characteristics & IMAGE_SCN_MEM_READ) == 0)
      continue;
    const DWORD Size =
        std::min(Section.Misc.VirtualSize, Section.SizeOfRawData);
    if (Size != 0)
      Parts.push_back(
          {{Base + Section.VirtualAddress, Size}, Section.PointerToRawData});
  }
  return Parts;
}

void headstart::os::holdStandardDescriptors() {
  // A standard handle is only a number. If it was closed at the start, the next
  // opened file may get that number, and with it the program's output.
  for (const DWORD Which :
       {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE Handle = ::GetStdHandle(Which);
    DWORD Flags = 0;
    if (Handle != nullptr && Handle != INVALID_HANDLE_VALUE &&
        ::GetHandleInformation(Handle, &Flags) == 0)
      ::SetStdHandle(Which, nullptr);
  }
}

/// Returns the path of \p Module, or of the program if it is null.
static std::string pathOf(HMODULE Module) {
  std::wstring Path(MAX_PATH, L'\0');
  for (;;) {
    const DWORD Length = ::GetModuleFileNameW(Module, Path.data(),
                                              static_cast<DWORD>(Path.size()));
    if (Length < Path.size()) {
      Path.resize(Length);
      return toUtf8(Path);
    }
    constexpr size_t Max = 32768; // a path is never longer
    if (Path.size() > Max)
      return {};
    Path.resize(2 * Path.size());
  }
}

std::string headstart::os::programPath() { return pathOf(nullptr); }

std::string headstart::os::codePath() {
  return pathOf(
      reinterpret_cast<HMODULE>(const_cast<IMAGE_DOS_HEADER *>(&__ImageBase)));
}

// The C library calls its own list before it ends the process (Microsoft's
// "C++ behavior and the CRT's exit functions"), and a library's list from
// DllMain.
void headstart::os::callAtExit(void (*Function)()) {
#if defined(_MSC_VER) || defined(_UCRT)
  (void)::_crt_atexit(Function);
#else
  using OnExit = int();
  static void (*TheOne)() = nullptr;
  TheOne = Function;
  if (auto *const Add =
          findFunction<OnExit *(OnExit *)>(L"msvcrt.dll", "_onexit"))
    (void)Add([] {
      TheOne();
      return 0;
    });
#endif
}

void headstart::os::leaveAtOnce(int Status) {
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(Status));
  std::_Exit(Status); // if that failed
}

void headstart::os::shareHeaps() {}

void headstart::os::trimHeaps() {}

std::string headstart::os::currentDirectory() {
  std::error_code Error;
  // string() would throw for a path with characters outside the code page.
  const std::u8string Path = std::filesystem::current_path(Error).u8string();
  return {Path.begin(), Path.end()};
}
