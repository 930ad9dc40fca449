# Finds LLVM and lld of one version, and works around the gaps of their packages.

# LLVM's own configuration searches zlib.
set(ZLIB_USE_STATIC_LIBS ${HEADSTART_STATIC_LLVM})
# `find_package(LLVM 22)` fails: LLVM's version file compares major.minor. LLVM_DIR
# and LLD_DIR name an installation elsewhere.
find_package(LLVM ${HEADSTART_LLVM_VERSION}.1 REQUIRED CONFIG
  HINTS ${HEADSTART_LLVM_HOST}/lib/cmake/llvm)
find_package(LLD REQUIRED CONFIG HINTS ${LLVM_INSTALL_PREFIX}/lib/cmake/lld)
# Where LLVM and the stock linkers lie on the system that the programs are for.
set(HEADSTART_LLVM_PREFIX "${LLVM_INSTALL_PREFIX}")
set(HEADSTART_LLVM_LIBRARIES "${LLVM_LIBRARY_DIR}")
set(HEADSTART_STOCK_FOLDER "${LLVM_TOOLS_BINARY_DIR}")
foreach(variable
    HEADSTART_LLVM_PREFIX HEADSTART_LLVM_LIBRARIES HEADSTART_STOCK_FOLDER)
  if(CMAKE_SYSROOT)
    string(REPLACE "${CMAKE_SYSROOT}" "" ${variable} "${${variable}}")
  endif()
endforeach()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_LIBRARY_DIR}")
# lld may be installed apart from LLVM.
set(HEADSTART_LLD_FOLDER ${LLVM_LIBRARY_DIR})
if(LLD_INSTALL_PREFIX)
  set(HEADSTART_LLD_FOLDER ${LLD_INSTALL_PREFIX}/lib)
endif()

# LLVM's programs that this machine can run.
set(HEADSTART_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})
if(CMAKE_CROSSCOMPILING)
  set(HEADSTART_LLVM_TOOLS ${HEADSTART_LLVM_HOST}/bin)
endif()

# The functions that run before main are placed together, so that a start reads
# few pages: the files' constructors, and those of LLVM's options with the functions
# that they store, which are template functions all over the program.
if(HEADSTART_STATIC_LLVM AND HEADSTART_LD_LLD)
  set(order ${PROJECT_BINARY_DIR}/startup-order.txt)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libLLVM*.a ${HEADSTART_LLD_FOLDER}/liblld*.a)
  execute_process(
    COMMAND ${HEADSTART_LLVM_TOOLS}/llvm-nm --defined-only --format=just-symbols --quiet
      ${archives}
    COMMAND grep -E "^_ZN4llvm2cl|^_ZNSt17_Function_handlerIFv"
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C sort -u
    OUTPUT_FILE ${order} ERROR_QUIET)
  target_link_options(headstart_startup INTERFACE
    LINKER:-z,keep-text-section-prefix,--symbol-ordering-file=${order}
    LINKER:--no-warn-symbol-ordering)
endif()

# LLVM's include directory also has libc++abi's cxxabi.h, which clashes with
# libstdc++ in googletest: the compiler sees only the three directories needed.
set(HEADSTART_LLVM_INCLUDE ${PROJECT_BINARY_DIR}/llvm-include)
if(LLVM_INSTALL_PREFIX)
  file(MAKE_DIRECTORY ${HEADSTART_LLVM_INCLUDE})
  foreach(header ${LLVM_INSTALL_PREFIX}/include/llvm
      ${LLVM_INSTALL_PREFIX}/include/llvm-c ${LLD_INSTALL_PREFIX}/include/lld)
    get_filename_component(directory ${header} NAME)
    if(NOT EXISTS ${HEADSTART_LLVM_INCLUDE}/${directory})
      headstart_link_directory(${header} ${HEADSTART_LLVM_INCLUDE}/${directory})
    endif()
  endforeach()
else()
  # The directories of an LLVM build, and of its sources.
  set(HEADSTART_LLVM_INCLUDE ${LLVM_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
endif()

add_library(headstart_llvm_headers INTERFACE)
target_include_directories(headstart_llvm_headers SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${HEADSTART_LLVM_INCLUDE}>"
  $<INSTALL_INTERFACE:${HEADSTART_LLVM_PREFIX}/include>)
# LLVM is built without exceptions. Above the OS layer, no code throws or
# catches any, but std::bad_alloc may pass to the end of one of Headstart's
# threads (Threads.h), and unwinding must then release locks and correct counts.
if(MSVC)
  # These come last on the command line, after CMake's own /EHsc and /GR.
  target_compile_options(headstart_llvm_headers INTERFACE
    $<BUILD_INTERFACE:/EHs-c-> $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:/GR->)
  target_compile_definitions(headstart_llvm_headers INTERFACE
    $<BUILD_INTERFACE:_HAS_EXCEPTIONS=0> $<BUILD_INTERFACE:HEADSTART_UNWINDS=0>)
else()
  target_compile_definitions(headstart_llvm_headers INTERFACE
    $<BUILD_INTERFACE:HEADSTART_UNWINDS=1>)
endif()

# The compression libraries with which this LLVM was configured. lld's ELF
# library calls them directly to compress debug sections.
add_library(headstart_compression INTERFACE)
if(LLVM_ENABLE_ZLIB)
  find_package(ZLIB REQUIRED)
  target_link_libraries(headstart_compression INTERFACE ZLIB::ZLIB)
endif()
if(LLVM_ENABLE_ZSTD)
  set(zstd zstd zstd_static)
  if(HEADSTART_STATIC_LLVM)
    list(PREPEND zstd ${CMAKE_STATIC_LIBRARY_PREFIX}zstd${CMAKE_STATIC_LIBRARY_SUFFIX})
  endif()
  find_library(HEADSTART_ZSTD NAMES ${zstd} REQUIRED)
  target_link_libraries(headstart_compression INTERFACE ${HEADSTART_ZSTD})
endif()

# `headstart_llvm`: libLLVM, as archives or as the shared library.
add_library(headstart_llvm INTERFACE)
target_link_libraries(headstart_llvm INTERFACE headstart_llvm_headers)
if(HEADSTART_STATIC_LLVM)
  # This lists files, because LLVM's targets would add every library that any
  # part of LLVM may use (libz3, libffi, libedit), whether it is linked or not.
  # Polly's archive is excluded; lib/Link/NoPolly.cpp replaces the one function
  # of it that LTO calls.
  file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/${CMAKE_STATIC_LIBRARY_PREFIX}LLVM*${CMAKE_STATIC_LIBRARY_SUFFIX})
  # LLVM-C is the import library of a DLL.
  list(FILTER llvm_archives EXCLUDE REGEX
    "Polly|TestingSupport|TestingAnnotations|LLVM-C\\.")
  if(NOT llvm_archives)
    message(FATAL_ERROR "no static LLVM in ${LLVM_LIBRARY_DIR}; "
      "set HEADSTART_STATIC_LLVM=OFF")
  endif()
  if(MSVC OR APPLE)
    # These linkers search every archive again.
    target_link_libraries(headstart_llvm INTERFACE ${llvm_archives})
  else()
    target_link_libraries(headstart_llvm INTERFACE
      -Wl,--start-group ${llvm_archives} -Wl,--end-group)
  endif()
  target_link_libraries(headstart_llvm INTERFACE
    headstart_compression ${CMAKE_DL_LIBS})
  # The system's libraries of LLVMSupport, as listed in its own CMakeLists.txt.
  if(WIN32)
    target_link_libraries(headstart_llvm INTERFACE
      psapi shell32 ole32 uuid advapi32 ws2_32 ntdll version)
  endif()
  if(LLVM_ENABLE_LIBXML2)
    find_package(LibXml2 REQUIRED)
    # On Linux, lib/Link/LazyXML.cpp loads it when it is needed.
    if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
      target_link_libraries(headstart_llvm INTERFACE LibXml2::LibXml2)
    endif()
  endif()
  if(LLVM_ENABLE_DIA_SDK)
    message(FATAL_ERROR "this LLVM wants Microsoft's DIA SDK; build it with "
      "LLVM_ENABLE_DIA_SDK=OFF (docs/Building.md)")
  endif()
else()
  target_link_libraries(headstart_llvm INTERFACE LLVM)
endif()

# lld's targets depend on libLLVM. Files instead of targets let `headstart_llvm`
# decide between static and shared. These are the archives that the seam binds,
# each before those that it calls.
set(HEADSTART_LLD_LIBRARIES lldMinGW lldCOFF lldELF lldMachO lldCommon)

# headstart_lld_archive(<variable> <directory> <library>): the file of one of them.
function(headstart_lld_archive variable directory name)
  set(${variable} ${directory}/${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX}
    PARENT_SCOPE)
endfunction()

# headstart_lld(<library> <directory>): makes <library> of the files in <directory>.
function(headstart_lld library directory)
  set(archives)
  foreach(name IN LISTS HEADSTART_LLD_LIBRARIES)
    headstart_lld_archive(archive ${directory} ${name})
    list(APPEND archives ${archive})
  endforeach()
  # The seam binds no reference of lldWasm.
  headstart_lld_archive(wasm ${HEADSTART_LLD_FOLDER} lldWasm)
  add_library(${library} INTERFACE)
  target_link_libraries(${library} INTERFACE
    ${wasm} ${archives} headstart_llvm headstart_compression)
endfunction()

find_program(HEADSTART_TBLGEN llvm-tblgen HINTS ${HEADSTART_LLVM_TOOLS}
  NO_DEFAULT_PATH REQUIRED)
