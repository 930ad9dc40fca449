# Stands in for rules_cc, which Bazel would fetch: Debian has no version of it for its
# Bazel. The rules are Bazel's own.
cc_library = native.cc_library
cc_binary = native.cc_binary
cc_test = native.cc_test
cc_import = native.cc_import
cc_proto_library = native.cc_proto_library
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
cc_toolchain_alias = native.cc_toolchain_alias
cc_libc_top_alias = native.cc_libc_top_alias
cc_host_toolchain_alias = native.cc_host_toolchain_alias
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_library = native.objc_library
objc_import = native.objc_import
