# The options of the build, and their effects on every target.

option(HEADSTART_LLVM
  "Build what needs libLLVM: all but the OS layer, where there is no libLLVM" ON)
set(HEADSTART_LLVM_VERSION 22 CACHE STRING "LLVM to build with: 19 to 22")
# Debian, Ubuntu and apt.llvm.org install LLVM in this directory. Its programs
# run on this machine, even if the build is for another system.
set(HEADSTART_LLVM_HOST /usr/lib/llvm-${HEADSTART_LLVM_VERSION} CACHE PATH
  "LLVM's programs for this machine")
option(HEADSTART_STATIC_LLVM
  "Link LLVM statically: a program of about 120 MB that starts in half the time" ON)
option(HEADSTART_PIE
  "With a static LLVM: at an address chosen anew at each start, for 2 ms of it" ON)
set(HEADSTART_GLIBC_SYSROOT "" CACHE PATH
  "If the directory exists: build and install the program for systems with its glibc")
option(HEADSTART_ASSERTIONS "Keep assert() in optimized builds" OFF)
option(HEADSTART_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
option(HEADSTART_COVERAGE "Instrument for llvm-cov" OFF)
option(HEADSTART_FAULTS
  "With HEADSTART_RENAMED_SEAM: build and test linkers whose system calls fail" OFF)
option(HEADSTART_FUZZERS "Build the libFuzzer targets" OFF)
option(HEADSTART_PRECOMPILE
  "Precompile LLVM's headers. Hides missing includes; ./dev lint finds those of lib and tools" OFF)
set(HEADSTART_WINDOWS_BUILD "" CACHE PATH
  "Where the preset windows-cross builds: ctest here runs its tests as well")
set(HEADSTART_LLVM_19_BUILD "" CACHE PATH "The same, of the preset llvm-19")
# Tests of scripts and texts, which depend neither on the user nor on LLVM's version.
set(HEADSTART_NOT_PROGRAMS "Tools/(ci-|completions|make-tree|man-pages|perfetto)")
set(HEADSTART_SANITIZERS "" CACHE STRING
  "Sanitizers to build with, as for -fsanitize=")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)

# This interface target has the compile options of all of Headstart's own code.
add_library(headstart_options INTERFACE)
target_link_libraries(headstart_options INTERFACE Threads::Threads)
target_include_directories(headstart_options INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
if(MSVC)
  # cl and clang-cl. This disables the warnings of /W4 that the other compilers'
  # options do not have: unused parameters, narrowing, alignment that pads,
  # names that hide members, unreachable code, constant conditions.
  target_compile_options(headstart_options INTERFACE
    /W4 /utf-8 /permissive- /Zc:__cplusplus
    $<$<CXX_COMPILER_ID:Clang>:-Wno-unused-parameter>
    $<$<CXX_COMPILER_ID:MSVC>:/wd4100;/wd4127;/wd4244;/wd4245;/wd4267;/wd4324;/wd4458;/wd4702>)
  # The macros are empty, so that a source may define them as well.
  target_compile_definitions(headstart_options INTERFACE
    NOMINMAX= WIN32_LEAN_AND_MEAN= UNICODE= _UNICODE=
    _CRT_SECURE_NO_WARNINGS _CRT_NONSTDC_NO_WARNINGS)
else()
  target_compile_options(headstart_options INTERFACE
    -Wall -Wextra -Wpedantic -Wno-unused-parameter -Wimplicit-fallthrough
    -Wnon-virtual-dtor -Woverloaded-virtual)
endif()
if(UNIX)
  # The program contains no path of the sources, so two builds give equal bytes.
  target_compile_options(headstart_options INTERFACE
    -fstack-protector-strong -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/)
  # Profilers and crash reports need only lines, which go to a file of their own
  # (headstart_separate_symbols).
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(headstart_options INTERFACE -g1)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC's bug 105651: false warnings in its own std::string.
  target_compile_options(headstart_options INTERFACE -Wno-restrict)
endif()
if(HEADSTART_WARNINGS_AS_ERRORS)
  target_compile_options(headstart_options INTERFACE
    $<IF:$<BOOL:${MSVC}>,/WX,-Werror>)
endif()
if(HEADSTART_ASSERTIONS)
  target_compile_options(headstart_options INTERFACE -UNDEBUG)
endif()
if(HEADSTART_SANITIZERS)
  target_compile_options(headstart_options INTERFACE
    -fsanitize=${HEADSTART_SANITIZERS} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(headstart_options INTERFACE
    -fsanitize=${HEADSTART_SANITIZERS})
endif()
if(HEADSTART_COVERAGE)
  target_compile_options(headstart_options INTERFACE
    -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(headstart_options INTERFACE -fprofile-instr-generate)
endif()

# lld links a static LLVM in a second, GNU ld in twenty.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND UNIX AND NOT APPLE)
  find_program(HEADSTART_LD_LLD ld.lld HINTS ${HEADSTART_LLVM_HOST}/bin)
  if(HEADSTART_LD_LLD)
    add_link_options(--ld-path=${HEADSTART_LD_LLD})
  endif()
endif()
# Link options for a program that is small and starts fast: it contains only
# used sections, identical ones once, and the C++ runtime. Distributions require
# PIE, RELRO and BIND_NOW; docs/internals/Experiments.md, "The cost of a start",
# has the cost of each.
add_library(headstart_startup INTERFACE)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(target)
  if(CMAKE_CXX_COMPILER_TARGET)
    set(target --target=${CMAKE_CXX_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${target} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE HEADSTART_LIBSTDCXX OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(HEADSTART_STATIC_LLVM AND UNIX AND NOT APPLE)
  target_link_options(headstart_startup INTERFACE
    $<IF:$<BOOL:${HEADSTART_PIE}>,-pie,-no-pie> -static-libstdc++ -static-libgcc LINKER:-z,relro,-z,now,--build-id=sha1)
  if(HEADSTART_LD_LLD)
    target_link_options(headstart_startup INTERFACE
      LINKER:--icf=all,-O2,-z,pack-relative-relocs)
  endif()
endif()
if(CMAKE_BUILD_TYPE STREQUAL Release)
  # Microsoft's linker removes unused sections by default.
  if(APPLE)
    add_link_options(LINKER:-dead_strip)
  elseif(UNIX)
    add_link_options(LINKER:--gc-sections)
  elseif(MINGW)
    add_link_options(LINKER:--gc-sections -s)
  endif()
endif()
if(MINGW)
  enable_language(RC)
endif()
if(HEADSTART_FUZZERS)
  # unittests/Fuzzers/Cost.h counts the steps of the second option.
  target_compile_options(headstart_options INTERFACE
    -fsanitize=fuzzer-no-link -fsanitize-coverage=trace-pc-guard)
endif()
