# Writes the program's bill of materials as SPDX 2.3, with the versions of the libraries in
# the program. The parts and their licenses are those of THIRD-PARTY.md; the test of the
# packages compares.

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
foreach(version d3 gcc ZLIB_VERSION_STRING)
  if(NOT ${version})
    set(${version} NOASSERTION)
  endif()
endforeach()
set(zstd ${major}.${minor}.${release})
# The date is that of SOURCE_DATE_EPOCH, or now.
configure_file(${CMAKE_CURRENT_LIST_DIR}/headstart.spdx.json.in headstart.spdx.json.in @ONLY)
install(CODE "
  string(TIMESTAMP created UTC)
  configure_file(\"${PROJECT_BINARY_DIR}/headstart.spdx.json.in\"
    \"${PROJECT_BINARY_DIR}/headstart.spdx.json\")" COMPONENT Programs)
install(FILES ${PROJECT_BINARY_DIR}/headstart.spdx.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/headstart COMPONENT Programs)
