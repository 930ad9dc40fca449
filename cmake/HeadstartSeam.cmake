# The seam binds lld's references to a few functions
# (lib/Link/SeamFunctions.json) to lib/Link/Seam.cpp, by one of two methods:
#
#   wrap    the linker's --wrap binds them
#   rename  they are renamed in copies of lld's archives, for linkers without
#           --wrap: COFF's and Mach-O's
#
# utils/rename-seam.py finds the functions in lld's archives by their demangled
# names, and makes the copies.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

if(WIN32 OR APPLE)
  set(default_seam rename)
else()
  set(default_seam wrap)
endif()
set(HEADSTART_SEAM ${default_seam} CACHE STRING
  "How lld's calls come to us: wrap (the linker's --wrap) or rename (copies)")
set_property(CACHE HEADSTART_SEAM PROPERTY STRINGS wrap rename)
if(NOT HEADSTART_SEAM MATCHES "^(wrap|rename)$")
  message(FATAL_ERROR "HEADSTART_SEAM is '${HEADSTART_SEAM}': wrap or rename")
endif()
option(HEADSTART_RENAMED_SEAM
  "With the seam wrap: build and test the linkers with the seam rename as well" OFF)
if(MSVC AND CMAKE_SIZEOF_VOID_P EQUAL 4)
  message(FATAL_ERROR "the seam knows the calling conventions of 64-bit systems")
endif()

set(seam_table ${PROJECT_SOURCE_DIR}/lib/Link/SeamFunctions.json)
set(seam_script ${PROJECT_SOURCE_DIR}/utils/rename-seam.py)
set(seam_command Python3::Interpreter ${seam_script} --table ${seam_table}
  --llvm ${HEADSTART_LLVM_TOOLS})
set(lld_archives)
foreach(name IN LISTS HEADSTART_LLD_LIBRARIES)
  headstart_lld_archive(archive ${HEADSTART_LLD_FOLDER} ${name})
  list(APPEND lld_archives ${archive})
endforeach()

# `headstart_seam_wrap` and `headstart_seam_rename` have the options for sources
# and programs of a method. The seam itself is objects, not a library: lld's
# references to its templates are weak, and load nothing from an archive.
set(HEADSTART_SEAMS ${HEADSTART_SEAM})
if(HEADSTART_SEAM STREQUAL "wrap")
  if(HEADSTART_RENAMED_SEAM)
    list(APPEND HEADSTART_SEAMS rename)
  endif()
  add_library(headstart_seam_wrap INTERFACE)
  set(seam_header ${PROJECT_BINARY_DIR}/include/headstart/Link/SeamSymbols.h)
  get_filename_component(directory ${seam_header} DIRECTORY)
  file(MAKE_DIRECTORY ${directory})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${seam_table} ${seam_script} ${lld_archives})
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${seam_script} --table ${seam_table}
      --llvm ${HEADSTART_LLVM_TOOLS} --names ${seam_header} ${lld_archives}
    OUTPUT_VARIABLE symbols OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    target_link_options(headstart_seam_wrap INTERFACE "LINKER:--wrap=${symbol}")
  endforeach()
  headstart_lld(headstart_lld_wrap ${HEADSTART_LLD_FOLDER})
endif()

if("rename" IN_LIST HEADSTART_SEAMS)
  set(renamed_directory ${PROJECT_BINARY_DIR}/lld-renamed)
  set(renamed_archives)
  foreach(name IN LISTS HEADSTART_LLD_LIBRARIES)
    headstart_lld_archive(archive ${renamed_directory} ${name})
    list(APPEND renamed_archives ${archive})
  endforeach()
  add_custom_command(OUTPUT ${renamed_archives}
    COMMAND ${seam_command} --out ${renamed_directory} ${lld_archives}
    DEPENDS ${seam_table} ${seam_script} ${lld_archives}
    COMMENT "Renaming what lld's archives refer to" VERBATIM)
  add_custom_target(headstart-renamed-lld DEPENDS ${renamed_archives})
  add_library(headstart_seam_rename INTERFACE)
  add_dependencies(headstart_seam_rename headstart-renamed-lld)
  target_compile_definitions(headstart_seam_rename INTERFACE
    HEADSTART_SEAM_RENAME)
  # Functions with C linkage return classes: see SeamNames.h.
  target_compile_options(headstart_seam_rename INTERFACE
    $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-return-type-c-linkage>
    $<$<CXX_COMPILER_ID:MSVC>:/wd4190>)
  headstart_lld(headstart_lld_rename ${renamed_directory})
endif()
