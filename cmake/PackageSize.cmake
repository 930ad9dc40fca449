# Run by cpack after it has packed: corrects the size of the .deb. cpack counts each link
# to the program as a copy of it, so apt would announce a gigabyte.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(NOT package MATCHES "\\.deb$")
    continue()
  endif()
  set(directory ${package}.directory)
  file(REMOVE_RECURSE ${directory})
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${directory}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND du --summarize --block-size=1K --apparent-size
      --exclude=DEBIAN ${directory}
    OUTPUT_VARIABLE size COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[0-9]+" size "${size}")
  file(READ ${directory}/DEBIAN/control control)
  string(REGEX REPLACE "Installed-Size: [0-9]+" "Installed-Size: ${size}"
    control "${control}")
  file(WRITE ${directory}/DEBIAN/control "${control}")
  execute_process(COMMAND dpkg-deb --root-owner-group -Zzstd --build
      ${directory} ${package}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${directory})
endforeach()
