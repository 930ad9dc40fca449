# headstart_layer(<Layer> SOURCES ... DEPENDS ...): the library of one layer.
function(headstart_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(Headstart${name} STATIC ${arg_SOURCES})
  add_library(Headstart::${name} ALIAS Headstart${name})
  target_link_libraries(Headstart${name} PUBLIC headstart_options ${arg_DEPENDS})
endfunction()

# headstart_unittests(<Layer> SOURCES ... [DEPENDS ...]): <Layer>Tests under ctest.
function(headstart_unittests name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}Tests ${arg_SOURCES})
  target_link_libraries(${name}Tests PRIVATE
    ${arg_DEPENDS} headstart_options headstart_gtest)
  set_target_properties(${name}Tests PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests)
  gtest_discover_tests(${name}Tests TEST_PREFIX unit. DISCOVERY_TIMEOUT 60)
endfunction()
