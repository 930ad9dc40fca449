# headstart_link_directory(<directory> <link>): creates a link to <directory>. Few users
# may create links on Windows, so this makes a copy there.
function(headstart_link_directory directory link)
  if(CMAKE_HOST_WIN32)
    get_filename_component(into ${link} DIRECTORY)
    file(COPY ${directory} DESTINATION ${into})
  else()
    file(CREATE_LINK ${directory} ${link} SYMBOLIC)
  endif()
endfunction()

# headstart_option_table(<target> <file>.td <file>.inc): makes the table that
# OptionTable.inc reads.
function(headstart_option_table target table out)
  get_filename_component(directory ${out} DIRECTORY)
  file(MAKE_DIRECTORY ${directory})
  list(TRANSFORM HEADSTART_LLVM_INCLUDE PREPEND -I OUTPUT_VARIABLE include)
  get_filename_component(includes ${table} DIRECTORY)
  add_custom_command(OUTPUT ${out}
    COMMAND ${HEADSTART_TBLGEN} -gen-opt-parser-defs ${include} -I${includes} ${table}
      -o ${out}
    DEPENDS ${table} ${ARGN}
    COMMENT "Option table ${out}")
  target_sources(${target} PRIVATE ${out})
endfunction()

# headstart_precompile(<target> [<library> <header>...]): with HEADSTART_PRECOMPILE, parses
# what most sources include once: more than half of the compile time. All libraries share
# the result, and all programs with the same arguments, whose options differ (-fPIE).
function(headstart_precompile target)
  if(NOT HEADSTART_PRECOMPILE)
    return()
  endif()
  list(POP_FRONT ARGN library)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(type "program")
  else()
    set(type "library")
  endif()
  set(owner headstart_precompiled_${type}_${library})
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/precompiled.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    if(type STREQUAL "program")
      add_executable(${owner} EXCLUDE_FROM_ALL ${source})
    else()
      add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${source})
    endif()
    target_link_libraries(${owner} PRIVATE
      $<TARGET_NAME_IF_EXISTS:headstart_llvm>
      $<TARGET_NAME_IF_EXISTS:headstart_llvm_headers> headstart_options ${library})
    target_precompile_headers(${owner} PRIVATE ${ARGN} <llvm/ADT/STLExtras.h>
      <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/Support/FileSystem.h>
      <llvm/Support/JSON.h> <llvm/Support/MemoryBuffer.h> <llvm/Support/Path.h>
      <llvm/Support/raw_ostream.h> <condition_variable> <mutex> <thread>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# headstart_layer(<Layer> SOURCES ... DEPENDS ...): the library of one layer.
function(headstart_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(Headstart${name} STATIC ${arg_SOURCES})
  add_library(Headstart::${name} ALIAS Headstart${name})
  # Warnings and similar options are only for Headstart's own code.
  target_link_libraries(Headstart${name} PUBLIC
    $<BUILD_INTERFACE:headstart_options> Threads::Threads ${arg_DEPENDS})
  target_compile_features(Headstart${name} PUBLIC cxx_std_20)
  target_include_directories(Headstart${name} PUBLIC $<INSTALL_INTERFACE:include>)
  if(NOT name MATCHES "^OS") # does not see all headers of LLVM
    headstart_precompile(Headstart${name})
  endif()
endfunction()

# headstart_program_links(<program> <name>...): makes links in the program's
# directory, and lists them in its property HEADSTART_LINKS.
function(headstart_program_links program)
  set(command create_symlink)
  if(WIN32)
    set(command copy)
  endif()
  get_target_property(directory ${program} RUNTIME_OUTPUT_DIRECTORY)
  list(TRANSFORM ARGN REPLACE "(.+)" "${directory}/\\1${CMAKE_EXECUTABLE_SUFFIX}"
    OUTPUT_VARIABLE links)
  foreach(link IN LISTS links)
    add_custom_command(TARGET ${program} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E ${command} $<TARGET_FILE_NAME:${program}> ${link}
      WORKING_DIRECTORY ${directory} BYPRODUCTS ${link} VERBATIM)
  endforeach()
  set_target_properties(${program} PROPERTIES HEADSTART_LINKS "${links}")
endfunction()

# headstart_separate_symbols(<program>): moves the symbols to <program>.debug
# next to it, where debuggers and perf search them.
function(headstart_separate_symbols program)
  set(objcopy ${HEADSTART_LLVM_TOOLS}/llvm-objcopy)
  set(file $<TARGET_FILE_NAME:${program}>)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${objcopy} --only-keep-debug ${file} ${file}.debug
    COMMAND ${objcopy} --strip-all --add-gnu-debuglink=${file}.debug ${file}
    WORKING_DIRECTORY $<TARGET_FILE_DIR:${program}> VERBATIM)
  set_target_properties(${program} PROPERTIES
    HEADSTART_SYMBOLS $<TARGET_FILE:${program}>.debug)
endfunction()

# headstart_windows_manifest(<program>): makes names UTF-8, allows long paths.
function(headstart_windows_manifest program)
  if(MSVC)
    target_sources(${program} PRIVATE
      ${PROJECT_SOURCE_DIR}/cmake/Headstart.manifest)
  elseif(MINGW)
    target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Headstart.rc)
  endif()
endfunction()

# headstart_unittests(<Layer> SOURCES ... [DEPENDS ...]): <Layer>Tests under ctest.
function(headstart_unittests name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}Tests ${arg_SOURCES})
  target_link_libraries(${name}Tests PRIVATE
    ${arg_DEPENDS} headstart_options headstart_gtest)
  headstart_windows_manifest(${name}Tests)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_CROSSCOMPILING)
    # Parsing these takes two of the five seconds.
    set(headers <gmock/gmock.h> <gtest/gtest.h>)
    if(HEADSTART_PRECOMPILE AND NOT name STREQUAL OS)
      headstart_precompile(${name}Tests headstart_gtest ${headers})
    else()
      target_precompile_headers(${name}Tests PRIVATE ${headers})
    endif()
  endif()
  set_target_properties(${name}Tests PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests)
  if(NOT CMAKE_CROSSCOMPILING)
    # LLVM takes the variable for a toolchain; no result may depend on it.
    set(label PROPERTIES LABELS quick ENVIRONMENT VCToolsInstallDir=elsewhere)
    add_dependencies(quick-tests ${name}Tests)
  endif()
  headstart_discover_tests(${name}Tests unit. ${label})
endfunction()

# headstart_discover_tests(<program> <prefix> [PROPERTIES ...]): one ctest test for
# each test case. Wine runs a program for Windows; without it, one skipped test stands
# for all of them. A program for arm64 is asked for its cases when ctest runs.
function(headstart_discover_tests program prefix)
  if(NOT CMAKE_CROSSCOMPILING)
    gtest_discover_tests(${program} TEST_PREFIX ${prefix} DISCOVERY_TIMEOUT 60
      ${ARGN})
  elseif(CMAKE_CROSSCOMPILING_EMULATOR)
    gtest_discover_tests(${program} TEST_PREFIX ${prefix}windows.
      DISCOVERY_TIMEOUT 120)
  elseif(NOT WIN32)
    gtest_discover_tests(${program} TEST_PREFIX ${prefix} DISCOVERY_TIMEOUT 120
      DISCOVERY_MODE PRE_TEST ${ARGN})
  else()
    add_test(NAME ${prefix}windows.${program} COMMAND ${CMAKE_COMMAND} -E echo
      "skipped: Wine is not installed (./dev setup installs it)")
    set_tests_properties(${prefix}windows.${program} PROPERTIES
      SKIP_REGULAR_EXPRESSION "skipped: Wine is not installed")
  endif()
endfunction()
