# cmake --install: the program (component Programs), and the layers as libraries
# for find_package(Headstart) and pkg-config (component Development). The libraries
# are static and contain the path of the LLVM that they were built with. Users may move
# all other files: no installed file contains the prefix.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Headstart)
set(documents ${CMAKE_INSTALL_DATADIR}/doc/headstart)

# headstart_install_links(<directory> <target> <name>...): relative links.
function(headstart_install_links directory target)
  foreach(name IN LISTS ARGN)
    install(CODE "
      set(directory \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${directory}\")
      file(MAKE_DIRECTORY \"\${directory}\")
      file(CREATE_LINK ${target} \"\${directory}/${name}\" SYMBOLIC)"
      COMPONENT Programs)
  endforeach()
endfunction()

set(layers OS)
set(exported HeadstartOS)
if(HEADSTART_LLVM)
  list(APPEND layers FileTree Formats Inputs Plan Report Engine)
  list(APPEND exported HeadstartFileTree HeadstartFormats HeadstartInputs
    HeadstartPlan HeadstartReport HeadstartEngine
    headstart_llvm headstart_llvm_headers headstart_compression)
  install(TARGETS ${HEADSTART_INSTALLED}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Programs)
  install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT Programs FILES_MATCHING PATTERN "*.1")
  # Summarizes the statistics of a build's links; docs/Guide.md.
  install(PROGRAMS utils/ci/link-report.py
    DESTINATION ${CMAKE_INSTALL_DATADIR}/headstart COMPONENT Programs)
  install(FILES docs/man/headstart-linkers.7
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT Programs)
  install(CODE "
    set(SOURCE \"${PROJECT_SOURCE_DIR}\")
    set(OUT \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${documents}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/InstallDocuments.cmake\")"
    COMPONENT Programs)
  # Debian's name for the license.
  install(FILES LICENSE DESTINATION ${documents} RENAME copyright
    COMPONENT Programs)
  install(FILES cmake/HeadstartLinkerConfig.cmake
    DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/HeadstartLinker COMPONENT Programs)
endif()
if(HEADSTART_LLVM AND NOT WIN32)
  # Names that no other package uses go to bin: /usr/bin/ld.lld may belong to LLVM. The
  # other names go to a directory for -B and PATH.
  headstart_install_links(${CMAKE_INSTALL_BINDIR} headstart
    ld.headstart ld64.headstart)
  foreach(name ld.headstart ld64.headstart)
    file(WRITE ${PROJECT_BINARY_DIR}/man/${name}.1 ".so man7/headstart-linkers.7\n")
    install(FILES ${PROJECT_BINARY_DIR}/man/${name}.1
      DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT Programs)
  endforeach()
  set(linkers ${CMAKE_INSTALL_LIBEXECDIR}/headstart)
  file(RELATIVE_PATH program ${CMAKE_INSTALL_FULL_LIBEXECDIR}/headstart
    ${CMAKE_INSTALL_FULL_BINDIR}/headstart)
  headstart_install_links(${linkers} ${program}
    ld ld.lld lld-link ld64.lld lld wasm-ld)
  # bash and fish load the file with the name of the command. zsh reads the names in the
  # file; on Debian it searches one directory below /usr and another one below
  # /usr/local.
  set(completions tools/headstart/completions)
  set(bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  set(fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  set(zsh ${CMAKE_INSTALL_DATADIR}/zsh)
  install(FILES ${completions}/headstart.bash RENAME headstart
    DESTINATION ${bash} COMPONENT Programs)
  install(FILES ${completions}/headstart.fish
    DESTINATION ${fish} COMPONENT Programs)
  install(FILES ${completions}/_headstart
    DESTINATION ${zsh}/site-functions COMPONENT Programs)
  if(EXISTS /etc/debian_version)
    install(FILES ${completions}/_headstart
      DESTINATION ${zsh}/vendor-completions COMPONENT Programs)
  endif()
endif()
if(HEADSTART_LLVM)
  get_target_property(symbols ${HEADSTART_INSTALLED} HEADSTART_SYMBOLS)
endif()
if(symbols)
  # The directory in which debuggers search the symbols of /usr/bin/headstart.
  install(FILES ${symbols} DESTINATION lib/debug/usr/bin COMPONENT Symbols)
  include(HeadstartSBOM)
  include(HeadstartPackages)
endif()

# The zip for Windows (./dev windows): headstart.dll and the programs with its four names,
# the documents, and the licenses of the code.
if(WIN32 AND HEADSTART_LLVM)
  set(zip Zip EXCLUDE_FROM_ALL)
  get_target_property(links headstart HEADSTART_LINKS)
  list(FILTER links INCLUDE REGEX "/(lld-link|ld\\.lld|ld64\\.lld)\\.exe$")
  install(PROGRAMS $<TARGET_FILE:headstart-library> $<TARGET_FILE:headstart> ${links}
    DESTINATION bin COMPONENT ${zip})
  install(FILES LICENSE README.md DESTINATION . COMPONENT ${zip})
  install(DIRECTORY docs/ DESTINATION docs COMPONENT ${zip}
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
  # LLVM has the project's own LICENSE. Debian's packages contain the other ones.
  if(CMAKE_CROSSCOMPILING)
    foreach(package g++-mingw-w64-x86-64-posix mingw-w64-x86-64-dev libz-mingw-w64-dev)
      install(FILES /usr/share/doc/${package}/copyright DESTINATION licences
        RENAME ${package}.txt COMPONENT ${zip} OPTIONAL)
    endforeach()
  endif()
  set(CPACK_GENERATOR ZIP)
  set(CPACK_PACKAGE_FILE_NAME headstart-${PROJECT_VERSION}-windows-x86_64)
  set(CPACK_COMPONENTS_ALL Zip)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_VERBATIM_VARIABLES ON)
  include(CPack)
endif()

# The library's headers: engine, hinted buffer, command lines, and the headers that these
# include. All other headers are internal.
set(public OS/ByteRange OS/MappedFile OS/PageCache)
if(HEADSTART_LLVM)
  list(APPEND public Engine/HintedBuffer Engine/PrefetchEngine
    Formats/Parts Inputs/CommandLine Inputs/InputResolver Inputs/LinkCommand
    Inputs/LinkerModel Inputs/NamedInput LLVM Plan/FetchPlan Plan/Tuning)
endif()
foreach(header IN LISTS public)
  get_filename_component(layer ${header} DIRECTORY)
  install(FILES include/headstart/${header}.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headstart/${layer}
    COMPONENT Development)
endforeach()
if(HEADSTART_LLVM)
  install(FILES include/headstart/Plan/Tuning.def
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headstart/Plan COMPONENT Development)
endif()
foreach(layer IN LISTS layers)
  set_target_properties(Headstart${layer} PROPERTIES EXPORT_NAME ${layer})
endforeach()
install(TARGETS ${exported} EXPORT HeadstartTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
install(EXPORT HeadstartTargets NAMESPACE Headstart::
  DESTINATION ${package_directory} COMPONENT Development)
if(HEADSTART_LLVM AND UNIX)
  # Users link with LLVM's shared library, even if this build does not.
  set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH PC_TO_PREFIX /prefix/${pkgconfig} /prefix)
  configure_file(cmake/headstart.pc.in headstart.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/headstart.pc DESTINATION ${pkgconfig}
    COMPONENT Development)
endif()
configure_package_config_file(cmake/HeadstartConfig.cmake.in
  ${PROJECT_BINARY_DIR}/HeadstartConfig.cmake
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeadstartConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HeadstartConfig.cmake
  ${PROJECT_BINARY_DIR}/HeadstartConfigVersion.cmake
  DESTINATION ${package_directory} COMPONENT Development)
