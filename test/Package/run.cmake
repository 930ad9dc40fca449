# Installs what developers get, builds a program with it that knows nothing else of
# this tree, and runs it on its own source.
file(REMOVE_RECURSE ${OUT})
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${OUT}/prefix
  --component Development)
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${OUT}/prefix
  --component Programs)
foreach(file bin/lld bin/headstart share/man/man1/headstart.1
    share/man/man7/headstart-linkers.7)
  if(NOT EXISTS ${OUT}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
foreach(name ld.lld lld-link ld64.lld)
  step(${OUT}/prefix/bin/${name} --version)
endforeach()
step(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${OUT}/build
  -DCMAKE_PREFIX_PATH=${OUT}/prefix -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX})
step(${CMAKE_COMMAND} --build ${OUT}/build)
execute_process(COMMAND ${OUT}/build/consumer ${CMAKE_CURRENT_LIST_DIR}
  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp size)
if(NOT said MATCHES "consumer.cpp: ${size} bytes")
  message(FATAL_ERROR "the consumer said: ${said}")
endif()
file(REMOVE_RECURSE ${OUT})
