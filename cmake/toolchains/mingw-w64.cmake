# Windows programs (x86-64) from a Debian machine: clang and lld, with mingw-w64's
# headers and the C++ library of its g++ with POSIX threads, which std::thread needs.
# They are run under Wine, when there is one. LLVM for Windows is built by it too
# (utils/build-windows-llvm.py).
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
set(CMAKE_C_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_ASM_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# See there.
set(once ${CMAKE_BINARY_DIR}/mingw-once.o)
if(NOT EXISTS ${once})
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} --target=${CMAKE_CXX_COMPILER_TARGET}
    -O2 -c ${CMAKE_CURRENT_LIST_DIR}/mingw-once.cpp -o ${once})
endif()
# The compiler's libraries go into the program: they are on no PATH of Wine. That of
# threads is one, which g++ would have named.
foreach(kind EXE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-static ${once} -lpthread --ld-path=/usr/lib/llvm-22/bin/ld.lld")
endforeach()
set(ZLIB_USE_STATIC_LIBS ON)

if(EXISTS /usr/lib/wine/wine64)
  set(CMAKE_CROSSCOMPILING_EMULATOR
    ${CMAKE_CURRENT_LIST_DIR}/../../utils/wine)
endif()
