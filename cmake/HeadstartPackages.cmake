# cpack's packages for Linux: a .deb, .rpm and .tar.zst with the program, and one of each
# with its symbols. `./dev packages` makes them, and the wheel. Two builds of one
# commit give the same bytes: cmake/PackageTimes.cmake. RPM is last, because it needs
# rpmbuild, which few machines with Debian have.
set(CPACK_GENERATOR DEB TZST RPM)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageTools.cmake)
set(CPACK_PACKAGE_NAME headstart)
set(CPACK_PACKAGE_VENDOR "The Headstart Project")
# The project has no address.
set(CPACK_PACKAGE_CONTACT "The Headstart Project")
# CPACK_PACKAGE_DESCRIPTION_SUMMARY would also become the first line of the symbols' .deb.
set(summary "drop-in replacements for the LLVM linkers that prefetch")
set(CPACK_PACKAGE_DESCRIPTION
  "Headstart fetches the inputs of a link into the page cache before the linker
needs them. Links whose inputs are not cached then wait less for the disk.
.
This package contains LLVM's linkers ld.lld, lld-link and ld64.lld with a
prefetcher, also as ld.headstart for clang -fuse-ld=headstart, and the program
headstart. The command headstart run prefetches for other linkers, such as
mold and GNU ld.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL Programs Symbols)
set(CPACK_STRIP_FILES OFF) # headstart_separate_symbols strips the program
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageTimes.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageSize.cmake)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_PROGRAMS_FILE_NAME
  headstart-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_SYMBOLS_FILE_NAME
  headstart-symbols-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  set(CPACK_RPM_PACKAGE_ARCHITECTURE aarch64)
endif()

# The program's symbol versions determine the version of libc6; a test in an empty Debian
# compares them. lib/Link/LazyXML.cpp loads libxml2; link-report.py is Python.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME headstart)
set(glibc 2.36)
if(HEADSTART_INSTALLED STREQUAL headstart-portable)
  set(glibc 2.31)
endif()
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "libc6 (>= ${glibc})")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "libxml2")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "python3")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION
  "${summary}\n${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_NAME headstart-dbgsym)
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_DEPENDS "headstart (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_SYMBOLS_DESCRIPTION
  "debug symbols for headstart\nDebuggers and perf read the symbols of the program
headstart from this package.")
set(CPACK_COMPONENT_SYMBOLS_DESCRIPTION "debug symbols for headstart")

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_MAIN_COMPONENT Programs)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_SUMMARY "${summary}")
string(REPLACE "\n.\n" "\n\n" CPACK_RPM_PACKAGE_DESCRIPTION
  "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_SYMBOLS_PACKAGE_SUMMARY "debug symbols for headstart")
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0 WITH LLVM-exception")
set(CPACK_RPM_SYMBOLS_PACKAGE_NAME headstart-debuginfo)
set(CPACK_RPM_COMPRESSION_TYPE zstd)
set(CPACK_RPM_PACKAGE_AUTOREQ ON)
set(CPACK_RPM_SPEC_MORE_DEFINE "
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost localhost
%define _build_id_links none")
include(CPack)
# cpack reads this file, so a tool that is installed later needs no new configuration.
file(APPEND ${PROJECT_BINARY_DIR}/CPackConfig.cmake [[

find_program(RPMBUILD rpmbuild)
if(NOT RPMBUILD)
  list(REMOVE_ITEM CPACK_GENERATOR RPM)
  message(STATUS "No .rpm: rpmbuild is not installed (Debian: apt install rpm)")
endif()
]])
