# Finds the versions of the libraries in the program, for its bill of materials.

# headstart_version_in(<variable> <file> <regular expression>): the match of the
# expression's group in the file; empty if the file does not exist.
function(headstart_version_in variable file expression)
  set(found)
  if(EXISTS "${file}")
    file(READ "${file}" text)
    if(text MATCHES "${expression}")
      set(found ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

get_filename_component(d3 "${HEADSTART_D3}/../.." ABSOLUTE)
headstart_version_in(d3 ${d3}/package.json "\"version\": *\"([^\"]+)\"")
find_file(HEADSTART_ZSTD_HEADER zstd.h)
headstart_version_in(major "${HEADSTART_ZSTD_HEADER}" "VERSION_MAJOR +([0-9]+)")
headstart_version_in(minor "${HEADSTART_ZSTD_HEADER}" "VERSION_MINOR +([0-9]+)")
headstart_version_in(release "${HEADSTART_ZSTD_HEADER}" "VERSION_RELEASE +([0-9]+)")
get_filename_component(library "${HEADSTART_LIBSTDCXX}" DIRECTORY)
get_filename_component(gcc "${library}" NAME) # .../gcc/x86_64-linux-gnu/12
install(CODE "
  execute_process(COMMAND \"${Python3_EXECUTABLE}\"
      \"${PROJECT_SOURCE_DIR}/utils/make-sbom.py\" --version ${PROJECT_VERSION}
      --llvm ${LLVM_PACKAGE_VERSION} \"--part=zlib=${ZLIB_VERSION_STRING}\"
      \"--part=Zstandard=${major}.${minor}.${release}\" \"--part=D3=${d3}\"
      \"--part=libstdc++ and libgcc=${gcc}\"
      \"${PROJECT_BINARY_DIR}/headstart.spdx.json\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT Programs)
install(FILES ${PROJECT_BINARY_DIR}/headstart.spdx.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/headstart COMPONENT Programs)
