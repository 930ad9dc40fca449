# Finds LLVM 22 and lld 22, and works around what their packages leave out.
# The traps are listed in docs/Design.md, "Packages".

# `find_package(LLVM 22)` fails: LLVM's version file compares major.minor.
find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(LLD REQUIRED CONFIG HINTS ${LLVM_INSTALL_PREFIX}/lib/cmake/lld)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")

# LLVM's include folder also holds libc++abi's cxxabi.h, which clashes with
# libstdc++ in googletest: show the compiler only the three folders we use.
set(HEADSTART_LLVM_INCLUDE ${PROJECT_BINARY_DIR}/llvm-include)
file(MAKE_DIRECTORY ${HEADSTART_LLVM_INCLUDE})
foreach(folder llvm llvm-c lld)
  if(NOT EXISTS ${HEADSTART_LLVM_INCLUDE}/${folder})
    file(CREATE_LINK ${LLVM_INSTALL_PREFIX}/include/${folder}
      ${HEADSTART_LLVM_INCLUDE}/${folder} SYMBOLIC)
  endif()
endforeach()

add_library(headstart_llvm_headers INTERFACE)
target_include_directories(headstart_llvm_headers SYSTEM INTERFACE
  ${HEADSTART_LLVM_INCLUDE})
# LLVM is built without exceptions; so are we above the OS layer.
if(NOT MSVC)
  target_compile_options(headstart_llvm_headers INTERFACE -fno-exceptions)
endif()

find_package(ZLIB REQUIRED)
find_library(HEADSTART_ZSTD zstd REQUIRED)

# `headstart_llvm`: libLLVM, as archives or as the shared library.
add_library(headstart_llvm INTERFACE)
target_link_libraries(headstart_llvm INTERFACE headstart_llvm_headers)
if(HEADSTART_STATIC_LLVM)
  # The files, not LLVM's targets: those would drag in every library that any
  # part of LLVM may use (libz3, libffi, libedit) whether it is linked or not.
  # Polly's archive is not installed; lib/Link/NoPolly.cpp stands in for the one
  # function that LTO calls of it.
  file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER llvm_archives EXCLUDE REGEX "Polly|TestingSupport|TestingAnnotations")
  if(NOT llvm_archives)
    message(FATAL_ERROR "no static LLVM in ${LLVM_LIBRARY_DIR}; "
      "set HEADSTART_STATIC_LLVM=OFF")
  endif()
  find_library(HEADSTART_XML2 NAMES xml2 libxml2.so.2 REQUIRED)
  target_link_libraries(headstart_llvm INTERFACE
    -Wl,--start-group ${llvm_archives} -Wl,--end-group
    ZLIB::ZLIB ${HEADSTART_ZSTD} ${HEADSTART_XML2} ${CMAKE_DL_LIBS})
else()
  target_link_libraries(headstart_llvm INTERFACE LLVM)
endif()

# lld's archives name libLLVM as their dependency; naming the files instead
# leaves the choice between static and shared to `headstart_llvm`.
function(headstart_lld_library name)
  add_library(headstart_${name} INTERFACE)
  target_link_libraries(headstart_${name} INTERFACE
    ${LLVM_INSTALL_PREFIX}/lib/${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX}
    ${ARGN} headstart_llvm)
endfunction()
headstart_lld_library(lldCommon)
headstart_lld_library(lldCOFF headstart_lldCommon)
# It compresses debug sections by itself.
headstart_lld_library(lldELF headstart_lldCommon)
target_link_libraries(headstart_lldELF INTERFACE ZLIB::ZLIB ${HEADSTART_ZSTD})
headstart_lld_library(lldMachO headstart_lldCommon)
headstart_lld_library(lldMinGW headstart_lldCOFF)

find_program(HEADSTART_TBLGEN llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR}
  NO_DEFAULT_PATH REQUIRED)

# headstart_option_table(<target> <Name>): <Name>.td -> <Name>.inc
function(headstart_option_table target name)
  set(out ${PROJECT_BINARY_DIR}/include/headstart/Inputs/${name}.inc)
  get_filename_component(dir ${out} DIRECTORY)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(OUTPUT ${out}
    COMMAND ${HEADSTART_TBLGEN} -gen-opt-parser-defs
      -I ${HEADSTART_LLVM_INCLUDE}
      ${CMAKE_CURRENT_SOURCE_DIR}/${name}.td -o ${out}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.td
    COMMENT "Option table ${name}")
  target_sources(${target} PRIVATE ${out})
endfunction()
