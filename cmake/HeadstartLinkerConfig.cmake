# Links this project with Headstart:
#
#   cmake -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<this file> ...     any project, as it is
#   find_package(HeadstartLinker REQUIRED)                       in a CMakeLists.txt
#
# With CMake 3.29 and later, this is the linker type HEADSTART (CMAKE_LINKER_TYPE, and the
# property LINKER_TYPE of a target). Earlier versions add an option to each link.
get_filename_component(HEADSTART_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(HEADSTART_LINKERS ${HEADSTART_PREFIX}/libexec/headstart)
if(CMAKE_HOST_WIN32)
  # The zip for Windows has no libexec.
  set(HEADSTART_LINKERS ${HEADSTART_PREFIX}/bin)
endif()

# A copy of this file outside an installation (a source tree) has no linkers. Without this
# check, the compiler would silently use another linker.
set(headstart_is_installed FALSE)
foreach(headstart_name IN ITEMS ld ld.exe lld-link lld-link.exe)
  if(EXISTS ${HEADSTART_LINKERS}/${headstart_name})
    set(headstart_is_installed TRUE)
  endif()
endforeach()
if(NOT headstart_is_installed)
  set(headstart_problem "Headstart's linkers are not in '${HEADSTART_LINKERS}'. Install Headstart, and \
use the installed file PREFIX/share/cmake/HeadstartLinker/HeadstartLinkerConfig.cmake.")
  if(NOT CMAKE_FIND_PACKAGE_NAME STREQUAL "HeadstartLinker")
    message(FATAL_ERROR "${headstart_problem}")
  endif()
  set(HeadstartLinker_FOUND FALSE)
  set(HeadstartLinker_NOT_FOUND_MESSAGE "${headstart_problem}")
  return()
endif()

# With clang-cl and MSVC, CMake runs the linker directly.
if(WIN32 AND NOT MINGW)
  find_program(CMAKE_LINKER lld-link PATHS ${HEADSTART_LINKERS} NO_DEFAULT_PATH)
endif()
# clang and gcc search `ld` there.
foreach(language IN ITEMS C CXX Fortran OBJC OBJCXX CUDA)
  set(CMAKE_${language}_USING_LINKER_HEADSTART "-B${HEADSTART_LINKERS}")
endforeach()
if(NOT CMAKE_VERSION VERSION_LESS 3.29)
  if(NOT DEFINED CMAKE_LINKER_TYPE)
    set(CMAKE_LINKER_TYPE HEADSTART)
  endif()
elseif(NOT WIN32 OR MINGW)
  add_link_options(-B${HEADSTART_LINKERS})
endif()

# The first compile step starts a process that fetches until the build ends; see
# headstart-build(1). Elsewhere, the step could not find the build.
option(HEADSTART_FETCH "Fetch what the links will read while the build compiles" OFF)
if(HEADSTART_FETCH AND CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux")
  foreach(language IN ITEMS C CXX Fortran OBJC OBJCXX CUDA)
    # CMake reads the environment later, and only if the variable is not set.
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER $ENV{CMAKE_${language}_COMPILER_LAUNCHER})
    endif()
    if(NOT "${CMAKE_${language}_COMPILER_LAUNCHER}" MATCHES "(^|;)--step(;|$)")
      list(PREPEND CMAKE_${language}_COMPILER_LAUNCHER
        ${HEADSTART_PREFIX}/bin/headstart build --step --)
    endif()
  endforeach()
endif()

# CMake may read this file several times in one run; a build's log names the linker once.
set(HEADSTART_LINKER ${HEADSTART_LINKERS}/ld)
if(WIN32 AND NOT MINGW)
  set(HEADSTART_LINKER ${CMAKE_LINKER})
endif()
get_property(reported GLOBAL PROPERTY HEADSTART_LINKER_REPORTED)
get_property(in_try_compile GLOBAL PROPERTY IN_TRY_COMPILE)
if(NOT reported AND NOT in_try_compile AND
   (CMAKE_VERSION VERSION_LESS 3.29 OR CMAKE_LINKER_TYPE STREQUAL "HEADSTART"))
  set_property(GLOBAL PROPERTY HEADSTART_LINKER_REPORTED TRUE)
  message(STATUS "Linking with Headstart: ${HEADSTART_LINKER}")
endif()
