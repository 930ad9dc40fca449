# Read by cpack before each kind of package: a missing tool is reported here, because
# cpack's own message does not say how to continue.
if(CPACK_GENERATOR STREQUAL "RPM")
  find_program(RPMBUILD rpmbuild)
  if(NOT RPMBUILD)
    message(FATAL_ERROR
      "The .rpm needs rpmbuild (Debian: apt install rpm). cpack -G 'DEB;TZST' makes the "
      "other packages.")
  endif()
elseif(CPACK_GENERATOR STREQUAL "DEB")
  find_program(DPKG_DEB dpkg-deb)
  if(NOT DPKG_DEB)
    message(FATAL_ERROR
      "The .deb needs dpkg-deb. cpack -G 'TZST;RPM' makes the other packages.")
  endif()
endif()
