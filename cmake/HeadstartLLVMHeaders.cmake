# Finds LLVM's headers for sources that need only these, if this machine has no
# libLLVM for the target system. The headers may come from an LLVM for another
# system, whose configuration this corrects. Without headers, there is no
# `headstart_llvm_headers`, and only the OS layer is built.
find_path(HEADSTART_LLVM_HEADERS llvm/ADT/StringRef.h
  PATHS ${HEADSTART_LLVM_HOST}/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
  DOC "LLVM's include directory")
if(NOT HEADSTART_LLVM_HEADERS)
  message(STATUS "No headers of LLVM: only the OS layer is built")
  return()
endif()

# As in HeadstartLLVM.cmake, the directory also has headers that are not LLVM's.
set(HEADSTART_LLVM_INCLUDE ${PROJECT_BINARY_DIR}/llvm-include)
file(MAKE_DIRECTORY ${HEADSTART_LLVM_INCLUDE})
foreach(directory llvm llvm-c)
  if(NOT EXISTS ${HEADSTART_LLVM_INCLUDE}/${directory})
    headstart_link_directory(${HEADSTART_LLVM_HEADERS}/${directory}
      ${HEADSTART_LLVM_INCLUDE}/${directory})
  endif()
endforeach()

add_library(headstart_llvm_headers INTERFACE)
if(WIN32)
  # These macros depend on the system for which LLVM was configured: which one
  # it is, and that LLVM's functions are in a shared library (on Windows, that
  # would make them __declspec(dllimport)).
  file(READ ${HEADSTART_LLVM_HEADERS}/llvm/Config/llvm-config.h config)
  foreach(name LLVM_ON_UNIX HAVE_SYSEXITS_H LLVM_BUILD_LLVM_DYLIB
      LLVM_ENABLE_LLVM_EXPORT_ANNOTATIONS
      LLVM_ENABLE_LLVM_C_EXPORT_ANNOTATIONS LLVM_ENABLE_PLUGINS
      LLVM_USE_PERF)
    string(REGEX REPLACE "#define ${name}([ \t][^\n]*)?\n" "/* #undef ${name} */\n"
      config "${config}")
  endforeach()
  set(config_directory ${PROJECT_BINARY_DIR}/llvm-config-include)
  file(CONFIGURE OUTPUT ${config_directory}/llvm/Config/llvm-config.h
    CONTENT "${config}" @ONLY)
  target_include_directories(headstart_llvm_headers SYSTEM INTERFACE
    ${config_directory})
endif()
target_include_directories(headstart_llvm_headers SYSTEM INTERFACE
  ${HEADSTART_LLVM_INCLUDE})
# The check needs a symbol of libLLVM, which is not linked.
target_compile_definitions(headstart_llvm_headers INTERFACE
  LLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1 HEADSTART_UNWINDS=$<NOT:$<BOOL:${MSVC}>>)
