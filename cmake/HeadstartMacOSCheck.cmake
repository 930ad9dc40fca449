# The target macos-check and the ctest test macos.compile compile the OS layer
# and its tests for macOS on another system. PyPI's ziglang has the headers;
# `./dev setup` installs it into build-tools, which git ignores.
set(HEADSTART_ZIGLANG "" CACHE PATH
  "The directory of PyPI's package ziglang, if not below build-tools/zig")
get_filename_component(directory ${CMAKE_CXX_COMPILER} DIRECTORY)
find_program(HEADSTART_MACOS_CLANG NAMES clang++-22 clang++ HINTS ${directory})
find_program(HEADSTART_MACOS_NM NAMES llvm-nm-22 llvm-nm HINTS ${directory})
get_property(macos_sources GLOBAL PROPERTY HEADSTART_DARWIN_SOURCES)
get_property(macos_tests GLOBAL PROPERTY HEADSTART_DARWIN_TESTS)
set(macos_check ${Python3_EXECUTABLE} utils/check-macos.py
    "--zig=${HEADSTART_ZIGLANG}"
    --clang=${HEADSTART_MACOS_CLANG} --nm=${HEADSTART_MACOS_NM}
    --out=${PROJECT_BINARY_DIR}/macos --include=include
    --system=${HEADSTART_GTEST_SOURCE}/googletest/include
    --system=${HEADSTART_GTEST_SOURCE}/googlemock/include
    --sources ${macos_sources} --tests ${macos_tests})
add_test(NAME macos.compile COMMAND ${macos_check}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_custom_target(macos-check COMMAND ${macos_check}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
set_tests_properties(macos.compile PROPERTIES
  PROCESSORS 2 TIMEOUT 900
  SKIP_RETURN_CODE 77)
