# `compile-only` compiles all sources that need libLLVM against LLVM's headers,
# for a system whose libLLVM this machine does not have. It is not part of
# `all`, because it produces no program. `./dev lint` builds it.
find_program(HEADSTART_TBLGEN llvm-tblgen PATHS ${HEADSTART_LLVM_HOST}/bin
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(NOT TARGET headstart_llvm_headers OR NOT HEADSTART_TBLGEN)
  return()
endif()
if(NOT EXISTS ${HEADSTART_LLVM_INCLUDE}/lld
    AND EXISTS ${HEADSTART_LLVM_HEADERS}/lld)
  headstart_link_directory(${HEADSTART_LLVM_HEADERS}/lld
    ${HEADSTART_LLVM_INCLUDE}/lld)
endif()

# The layers' own targets depend on libraries that this machine does not have.
set(directories Formats Inputs Inputs/COFF Inputs/ELF Inputs/MachO Plan Report Engine Link
  FileTree)
list(TRANSFORM directories REPLACE "(.+)" "lib/\\1/*.cpp")
file(GLOB sources CONFIGURE_DEPENDS ${directories} tools/*.cpp tools/*/*.cpp)
# LazyXML.cpp is only for Linux, and needs libxml2's headers.
list(FILTER sources EXCLUDE REGEX "/LazyXML\\.cpp$")
add_library(compile-only OBJECT EXCLUDE_FROM_ALL ${sources})
target_link_libraries(compile-only PRIVATE headstart_options headstart_llvm_headers)
# Optimization affects only the time to compile.
target_compile_options(compile-only PRIVATE $<$<NOT:$<BOOL:${MSVC}>>:-O0>)
target_compile_definitions(compile-only PRIVATE
  HEADSTART_SEAM_RENAME HEADSTART_VERSION="${PROJECT_VERSION}"
  HEADSTART_STOCK_LLD="")
set(tables ${PROJECT_BINARY_DIR}/compile-only)
target_include_directories(compile-only PRIVATE ${tables})

# Each option table goes to the path that its source includes.
foreach(name COFFOptions ELFOptions MinGWOptions MachOOptions)
  headstart_option_table(compile-only ${PROJECT_SOURCE_DIR}/lib/Inputs/${name}.td
    ${tables}/headstart/Inputs/${name}.inc)
endforeach()
headstart_option_table(compile-only ${PROJECT_SOURCE_DIR}/tools/headstart/Options.td
  ${tables}/Options.inc)

# The page of lib/Report/BenchText.cpp, without D3.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_command(OUTPUT ${tables}/BenchPageParts.inc
  COMMAND ${CMAKE_COMMAND} -E make_directory ${tables}
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/utils/embed-page.py
    --page ${PROJECT_SOURCE_DIR}/lib/Report/Page --out ${tables}/BenchPageParts.inc
  DEPENDS ${PROJECT_SOURCE_DIR}/utils/embed-page.py VERBATIM)
target_sources(compile-only PRIVATE ${tables}/BenchPageParts.inc)
