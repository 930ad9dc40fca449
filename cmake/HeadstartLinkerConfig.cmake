# Links this project with Headstart:
#
#   cmake -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<this file> ...     any project, as it is
#   find_package(HeadstartLinker REQUIRED)                       in a CMakeLists.txt
#
# From CMake 3.29 on it is the linker type HEADSTART (CMAKE_LINKER_TYPE, and the
# property LINKER_TYPE of a target); before, an option of each link.
get_filename_component(HEADSTART_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(HEADSTART_LINKERS ${HEADSTART_PREFIX}/libexec/headstart)
if(CMAKE_HOST_WIN32)
  # The zip for Windows has no libexec.
  set(HEADSTART_LINKERS ${HEADSTART_PREFIX}/bin)
endif()

# clang-cl and MSVC call the linker by itself.
if(WIN32 AND NOT MINGW)
  find_program(CMAKE_LINKER lld-link PATHS ${HEADSTART_LINKERS} NO_DEFAULT_PATH)
endif()
# clang and gcc look for `ld` there.
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
