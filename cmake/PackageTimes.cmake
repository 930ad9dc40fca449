# Run by cpack before it packs: compresses the man pages, and sets the time of every file
# to that of the commit (SOURCE_DATE_EPOCH), so that two builds of a commit give the same
# bytes. Without git, the files keep their times.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CMAKE_CURRENT_LIST_DIR} log -1 --format=%ct
    OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(time)
    set(ENV{SOURCE_DATE_EPOCH} ${time})
  endif()
endif()
# cpack has already listed the files of an archive, which keeps the pages as they are.
if(CPACK_GENERATOR MATCHES "^(DEB|RPM)$")
  execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY}
      -path "*/share/man/*.[1-9]" -exec gzip -n9 {} +
    COMMAND_ERROR_IS_FATAL ANY)
endif()
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY}
      -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +
    COMMAND_ERROR_IS_FATAL ANY)
endif()
