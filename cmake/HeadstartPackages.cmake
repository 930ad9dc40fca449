# cpack's packages for Linux: .deb, .rpm and .tar.zst, each with the program alone, and
# one with its symbols. `./dev packages` makes them, and the wheel. Two builds of one
# commit give the same bytes: cmake/PackageTimes.cmake.
set(CPACK_GENERATOR DEB RPM TZST)
set(CPACK_PACKAGE_NAME headstart)
set(CPACK_PACKAGE_VENDOR "The Headstart Project")
set(CPACK_PACKAGE_CONTACT "The Headstart Project <headstart@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "linkers that fetch their inputs ahead of time")
set(CPACK_PACKAGE_DESCRIPTION
  "Headstart makes a cold link cost almost what a warm link costs: it fetches a link's
inputs from the disk while the linker is still reading the first ones. This package
has lld as ld.headstart (clang -fuse-ld=headstart), lld-link and ld64.lld with a
prefetcher, and headstart run, which prefetches beside any other linker.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL Programs Symbols)
set(CPACK_STRIP_FILES OFF) # it is done: headstart_separate_symbols
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageTimes.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageSize.cmake)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_PROGRAMS_FILE_NAME
  headstart-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_SYMBOLS_FILE_NAME
  headstart-symbols-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

# What the program asks of the C library is in its version needs; a test in an empty
# Debian compares. libxml2: lib/Link/LazyXML.cpp.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME headstart)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "libxml2")
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_NAME headstart-dbgsym)
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_DEPENDS "headstart (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_SECTION debug)
set(CPACK_COMPONENT_SYMBOLS_DESCRIPTION "symbols of headstart, for debuggers and perf")

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_MAIN_COMPONENT Programs)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
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
