//===- MachOOptions.td - The options of ld64.lld -----------*- tablegen -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headstart's options, and every option in the table of ld64.lld 22.1.8
// (documented or not), so that the parser takes no option or value for an
// input. The names were read from liblldMachO.a; MachOOptionTableTest compares
// them both ways.
//
// Options that change which files are read or written have records of their
// own; the others are in lists. llvm::opt matches the arguments, so each option
// takes the same values as in lld's table.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"
include "PrefetchOptions.td"

class SingleFlag<string name> : Flag<["-"], name>;
class SingleJoined<string name> : Joined<["-"], name>;
class SingleSeparate<string name> : Separate<["-"], name>;
class DoubleFlag<string name> : Flag<["--"], name>;
class DoubleJoined<string name> : Joined<["--"], name>;
class DoubleSeparate<string name> : Separate<["--"], name>;
class EitherWay<string name> : JoinedOrSeparate<["-"], name>;
class Multi<string name, int count> : MultiArg<["-"], name, count>;

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

def help : Flag<["-", "--"], "help">;
def help_hidden : DoubleFlag<"help-hidden">;
def version : DoubleFlag<"version">;
def arch : SingleSeparate<"arch">;
def platform_version : Multi<"platform_version", 3>;
def bundle : SingleFlag<"bundle">;
def dylib : SingleFlag<"dylib">;
def execute : SingleFlag<"execute">;
def dead_strip : SingleFlag<"dead_strip">;
def S : SingleFlag<"S">;
def thinlto_index_only : DoubleFlag<"thinlto-index-only">;
def thinlto_index_only_eq : DoubleJoined<"thinlto-index-only=">;
def lto_emit_llvm : DoubleFlag<"lto-emit-llvm">;
// An option of lld itself under the same heading of --help.
def grp_read_workers : OptionGroup<"read workers">, HelpText<"HEADSTART">;
def read_workers_eq
    : DoubleJoined<"read-workers=">, Group<grp_read_workers>,
      MetaVarName<"<N>">, HelpText<"An alias of --prefetch-jobs=<N>">;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

def filelist : SingleSeparate<"filelist">;
def force_load : SingleSeparate<"force_load">;
def load_hidden : SingleSeparate<"load_hidden">;
def needed_library : SingleSeparate<"needed_library">;
def reexport_library : SingleSeparate<"reexport_library">;
def weak_library : SingleSeparate<"weak_library">;
def framework : SingleSeparate<"framework">;
def needed_framework : SingleSeparate<"needed_framework">;
def reexport_framework : SingleSeparate<"reexport_framework">;
def weak_framework : SingleSeparate<"weak_framework">;
def l : SingleJoined<"l">;
def needed_l : SingleJoined<"needed-l">;
def reexport_l : SingleJoined<"reexport-l">;
def weak_l : SingleJoined<"weak-l">;
def hidden_l : SingleJoined<"hidden-l">;
def all_load : SingleFlag<"all_load">;
def noall_load : SingleFlag<"noall_load">;
def force_load_swift_libs : SingleFlag<"force_load_swift_libs">;
def bundle_loader : SingleSeparate<"bundle_loader">;
def sectcreate : Multi<"sectcreate", 3>;
def segcreate : Multi<"segcreate", 3>, Alias<sectcreate>;
def exported_symbols_list : SingleSeparate<"exported_symbols_list">;
def unexported_symbols_list : SingleSeparate<"unexported_symbols_list">;
def non_global_symbols_no_strip_list
    : SingleSeparate<"non_global_symbols_no_strip_list">;
def non_global_symbols_strip_list
    : SingleSeparate<"non_global_symbols_strip_list">;
def order_file : SingleSeparate<"order_file">;
def irpgo_profile : DoubleSeparate<"irpgo-profile">;
def irpgo_profile_eq : DoubleJoined<"irpgo-profile=">, Alias<irpgo_profile>;
def irpgo_profile_sort : DoubleSeparate<"irpgo-profile-sort">;
def irpgo_profile_sort_eq
    : DoubleJoined<"irpgo-profile-sort=">, Alias<irpgo_profile_sort>;
def bp_startup_sort_eq : DoubleJoined<"bp-startup-sort=">;
def cs_profile_path_eq : DoubleJoined<"cs-profile-path=">;
def ignore_auto_link : SingleFlag<"ignore_auto_link">;
def ignore_auto_link_option : DoubleSeparate<"ignore-auto-link-option">;
def ignore_auto_link_option_eq
    : DoubleJoined<"ignore-auto-link-option=">, Alias<ignore_auto_link_option>;
def start_lib : DoubleFlag<"start-lib">;
def end_lib : DoubleFlag<"end-lib">;
def flat_namespace : SingleFlag<"flat_namespace">;
def twolevel_namespace : SingleFlag<"twolevel_namespace">;

//===----------------------------------------------------------------------===//
// Search paths
//===----------------------------------------------------------------------===//

def F : EitherWay<"F">;
def L : EitherWay<"L">;
def syslibroot : SingleSeparate<"syslibroot">;
def Z : SingleFlag<"Z">;
def search_paths_first : SingleFlag<"search_paths_first">;
def search_dylibs_first : SingleFlag<"search_dylibs_first">;

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

def o : SingleSeparate<"o">;
def map : SingleSeparate<"map">;
def dependency_info : SingleSeparate<"dependency_info">;
def reproduce : DoubleSeparate<"reproduce">;
def reproduce_eq : DoubleJoined<"reproduce=">, Alias<reproduce>;
def object_path_lto : SingleSeparate<"object_path_lto">;
def final_output : SingleSeparate<"final_output">;
def print_symbol_order_eq : DoubleJoined<"print-symbol-order=">;
def codegen_data_generate_path : DoubleSeparate<"codegen-data-generate-path">;
def codegen_data_generate_path_eq
    : DoubleJoined<"codegen-data-generate-path=">,
      Alias<codegen_data_generate_path>;
def time_trace : DoubleFlag<"time-trace">;
def time_trace_eq : DoubleJoined<"time-trace=">;

//===----------------------------------------------------------------------===//
// Headstart's own options
//===----------------------------------------------------------------------===//

// Only with two dashes, like lld's own options for Mach-O.
defm "" : PrefetchOptions<["--"]>;

//===----------------------------------------------------------------------===//
// Options that do not affect which files are read
//===----------------------------------------------------------------------===//

// lld 22 warns that -upward-l and its variants are not implemented, ignores
// -lazy-l and its variants, and opens neither -alias_list nor -lto_library.
foreach name = [
  "add_linker_option", "add_source_version", "add_split_seg_info",
  "adhoc_codesign", "allow_dead_duplicates", "allow_heap_execute",
  "allow_simulator_linking_to_macosx_dylibs", "allow_stack_execute",
  "allow_sub_type_mismatches", "application_extension", "arch_errors_fatal",
  "arch_multiple", "b", "bind_at_load", "bitcode_bundle",
  "bitcode_hide_symbols", "bitcode_verify", "classic_linker", "d",
  "data_const", "data_in_code_info", "dead_strip_dylibs", "debug_snapshot",
  "debug_variant", "demangle", "dependent_dr_info", "dylinker", "dynamic",
  "encryptable", "executable_path", "export_dynamic", "fatal_warnings",
  "fixup_chains", "fixup_chains_section", "flto-codegen-only",
  "force_cpusubtype_ALL", "force_flat_namespace", "force_symbol_not_weak",
  "force_symbol_weak", "force_symbols_coalesce_list", "function_starts",
  "fvmlib", "headerpad_max_install_names", "i", "ignore_optimization_hints",
  "init_offsets", "interposable", "keep_dwarf_unwind",
  "keep_private_externs", "keep_relocs", "kext", "kext_objects_dir",
  "kexts_use_stubs", "M", "m", "mark_dead_strippable_dylib",
  "merge_zero_fill_sections", "multi_module", "new_linker",
  "no-deduplicate-symbol-strings", "no_adhoc_codesign",
  "no_application_extension", "no_arch_warnings", "no_branch_islands",
  "no_compact_linkedit", "no_compact_unwind", "no_data_const",
  "no_data_in_code_info", "no_dead_strip_inits_and_terms", "no_deduplicate",
  "no_dependent_dr_info", "no_dtrace_dof", "no_eh_labels", "no_encryption",
  "no_exported_symbols", "no_fixup_chains", "no_function_starts",
  "no_implicit_dylibs", "no_inits", "no_keep_dwarf_unwind",
  "no_kext_objects", "no_new_main", "no_objc_category_merging",
  "no_objc_relative_method_lists", "no_order_data", "no_order_inits",
  "no_pie", "no_source_version", "no_uuid", "no_warn_duplicate_libraries",
  "no_warn_inits", "no_weak_exports", "no_weak_imports",
  "no_zero_fill_sections", "nofixprebinding", "nomultidefs", "noprebind",
  "noprebind_all_twolevel_modules", "noseglinkedit",
  "not_for_dyld_shared_cache", "ObjC", "objc_category_merging", "objc_gc",
  "objc_gc_compaction", "objc_gc_only", "objc_relative_method_lists",
  "objc_stubs_fast", "objc_stubs_small", "order_file_statistics",
  "page_align_data_atoms", "pause", "pie", "prebind",
  "prebind_all_twolevel_modules", "prebind_allow_overlap", "preload",
  "print_statistics", "private_bundle", "r", "random_uuid",
  "read_only_stubs", "reproducible", "root_safe", "run_init_lazily", "s",
  "save-temps", "sectorder_detail", "seglinkedit", "setuid_safe", "Si",
  "simulator_support", "single_module", "slow_stubs", "Sn", "snapshot_dir",
  "source_version", "Sp", "static", "t", "text_exec",
  "threaded_starts_section", "trace_symbol_layout",
  "twolevel_namespace_hints", "v", "verbose_deduplicate",
  "verbose_optimization_hints", "version_details", "version_load_command",
  "w", "warn_commons", "warn_compact_unwind", "warn_stabs",
  "warn_weak_exports", "whatsloaded", "why_load", "whyload", "X", "x"
] in
  def flag_#!subst("-", "_", name) : SingleFlag<name>;

foreach name = [
  "bp-compression-sort-startup-functions", "call-graph-profile-sort",
  "check-category-conflicts", "color-diagnostics",
  "compression-sort-startup-functions", "cs-profile-generate",
  "dead-strip-duplicates", "deduplicate-strings", "disable_verify",
  "lto-debug-pass-manager", "no-bp-compression-sort-startup-functions",
  "no-call-graph-profile-sort", "no-color-diagnostics",
  "no-compression-sort-startup-functions", "no-deduplicate-strings",
  "no-pgo-warn-mismatch", "no-separate-cstring-literal-sections",
  "no-tail-merge-strings", "no-warn-duplicate-rpath",
  "no-warn-dylib-install-name", "no-warn-thin-archive-missing-members",
  "pgo-warn-mismatch", "print-dylib-search",
  "separate-cstring-literal-sections", "strict-auto-link",
  "tail-merge-strings", "thinlto-emit-imports-files",
  "thinlto-emit-index-files", "verbose", "verbose-bp-section-orderer",
  "warn-duplicate-rpath", "warn-dylib-install-name",
  "warn-thin-archive-missing-members"
] in
  def flag_long_#!subst("-", "_", name) : DoubleFlag<name>;

foreach name = ["lazy-l", "upward-l", "y"] in
  def joined_#!subst("-", "_", name) : SingleJoined<name>;

foreach name = [
  "bp-compression-sort=", "color-diagnostics=", "compression-sort=",
  "error-limit=", "icf=", "keep-icf-stabs", "load-pass-plugin=", "lto-CGO",
  "lto-newpm-passes=", "lto-O", "slop_scale=", "thinlto-cache-policy=",
  "thinlto-jobs=", "thinlto-object-suffix-replace=",
  "thinlto-prefix-replace=", "threads=", "time-trace-granularity="
] in
  def joined_long_#!subst("=", "_eq", !subst("-", "_", name))
      : DoubleJoined<name>;

def either_O : EitherWay<"O">;

foreach name = [
  "add_empty_section", "alias", "move_to_ro_segment", "move_to_rw_segment",
  "rename_segment", "section_order", "sectobjectsymbols", "seg_page_size",
  "segaddr"
] in
  def values_#name : Multi<name, 2>;

foreach name = ["sectalign", "sectorder", "segprot"] in
  def values_#name : Multi<name, 3>;

def values_rename_section : Multi<"rename_section", 4>;

foreach name = [
  "A", "add_ast_path", "alias_list", "allowable_client",
  "bitcode_process_mode", "bitcode_symbol_map", "bridgeos_version_min",
  "cache_path_lto", "client_name", "commons", "compatibility_version",
  "current_version", "dirty_data_list", "dot", "driverkit_version_min",
  "dtrace", "dyld_env", "dylib_compatibility_version",
  "dylib_current_version", "dylib_file", "dylib_install_name",
  "dylinker_install_name", "e", "exported_symbol", "exported_symbols_order",
  "force_symbols_not_weak_list", "force_symbols_weak_list", "headerpad",
  "image_base", "init", "install_name", "interposable_list",
  "ios_simulator_version_min", "ios_version_min", "iosmac_version_min",
  "iphoneos_version_min", "lazy_framework", "lazy_library", "lto_library",
  "maccatalyst_version_min", "macos_version_min", "macosx_version_min",
  "max_default_common_align", "max_relative_cache_size_lto", "mcpu",
  "mllvm", "multiply_defined", "multiply_defined_unused",
  "objc_abi_version", "oso_prefix", "pagezero_size", "prune_after_lto",
  "prune_interval_lto", "read_only_relocs", "reexported_symbols_list",
  "rpath", "sdk_version", "sect_diff_relocs", "seg1addr",
  "seg_addr_table_filename", "segalign", "segment_order",
  "segs_read_only_addr", "segs_read_write_addr", "stack_addr", "stack_size",
  "sub_library", "sub_umbrella", "tvos_version_min", "U", "u",
  "uikitformac_version_min", "umbrella", "unaligned_pointers", "undefined",
  "unexported_symbol", "upward_framework", "upward_library",
  "watchos_version_min", "weak_reference_mismatches", "why_live", "Y"
] in
  def value_#name : SingleSeparate<name>;

def value_long_load_pass_plugin : DoubleSeparate<"load-pass-plugin">;
