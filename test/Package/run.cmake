# Installs both components, builds an example that uses only the installed files, and lets
# the example link its own code.
file(REMOVE_RECURSE ${OUT})
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${OUT}/prefix
  --component Development)
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${OUT}/prefix
  --component Programs)
foreach(file bin/headstart libexec/headstart/lld share/man/man1/headstart.1
    share/man/man1/ld.headstart.1 share/man/man7/headstart-linkers.7
    share/doc/headstart/README.md share/doc/headstart/docs/Guide.md
    share/zsh/site-functions/_headstart
    share/bash-completion/completions/headstart
    share/fish/vendor_completions.d/headstart.fish)
  if(NOT EXISTS ${OUT}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
foreach(name ld.lld lld-link ld64.lld)
  step(${OUT}/prefix/libexec/headstart/${name} --version)
endforeach()
file(GLOB_RECURSE headers ${OUT}/prefix/include/*.h)
list(LENGTH headers count)
if(count GREATER 14)
  message(FATAL_ERROR "${count} headers are installed: the library should have 14")
endif()
set(example ${CMAKE_CURRENT_LIST_DIR}/../../examples/flat-linker)
step(${CMAKE_COMMAND} -G ${GENERATOR} -S ${example} -B ${OUT}/build
  -DCMAKE_PREFIX_PATH=${OUT}/prefix -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX})
step(${CMAKE_COMMAND} --build ${OUT}/build)
# pkg-config also works after a move: no installed file contains the prefix.
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  file(RENAME ${OUT}/prefix ${OUT}/moved)
  file(GLOB_RECURSE pc ${OUT}/moved/*/headstart.pc)
  execute_process(COMMAND ${pkg_config} --cflags --libs ${pc}
    OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words)
  step(${CXX} ${example}/flat-linker.cpp -o ${OUT}/flat-linker ${words})
  step(${OUT}/flat-linker -o ${OUT}/image
    ${OUT}/build/CMakeFiles/flat-linker.dir/flat-linker.cpp.o)
  file(RENAME ${OUT}/moved ${OUT}/prefix)
endif()
# The example links its own code, given as a directory and as a file. Both images are the
# same and contain the main program.
set(objects ${OUT}/build/CMakeFiles/flat-linker.dir)
foreach(inputs ${objects} ${objects}/flat-linker.cpp.o)
  execute_process(COMMAND ${OUT}/build/flat-linker -o ${OUT}/image ${inputs}
    OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "  main\n" OR
     NOT said MATCHES "\n([0-9]+) bytes of code from 1 objects in ${OUT}/image")
    message(FATAL_ERROR "the example said: ${said}")
  endif()
  file(SIZE ${OUT}/image size)
  if(NOT size EQUAL CMAKE_MATCH_1)
    message(FATAL_ERROR "the image has ${size} bytes, not ${CMAKE_MATCH_1}")
  endif()
  file(SHA256 ${OUT}/image sum)
  list(APPEND sums ${sum})
endforeach()
list(REMOVE_DUPLICATES sums)
list(LENGTH sums count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "two links of the same object differ")
endif()
file(REMOVE_RECURSE ${OUT})
