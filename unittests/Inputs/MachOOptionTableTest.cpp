//===- MachOOptionTableTest.cpp - The table against ld64.lld's ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachO/Parse.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/Option.h"
#include "gmock/gmock.h"
#include <set>

using namespace llvm;
using namespace llvm::opt;
using namespace headstart;
using namespace headstart::macho;

namespace {

// Every option of ld64.lld 22.1.8. A program read them from the MachOOptTable
// in Debian's liblldMachO.a: name, kind and number of values. '*' stands for a
// value joined to the name, a number for separate values.
// clang-format off
constexpr StringLiteral LldOptions[] = {
    "-A 1", "-add_ast_path 1", "-add_empty_section 2", "-add_linker_option",
    "-add_source_version", "-add_split_seg_info", "-adhoc_codesign",
    "-alias 2", "-alias_list 1", "-all_load", "-allow_dead_duplicates",
    "-allow_heap_execute", "-allow_simulator_linking_to_macosx_dylibs",
    "-allow_stack_execute", "-allow_sub_type_mismatches",
    "-allowable_client 1", "-application_extension", "-arch 1",
    "-arch_errors_fatal", "-arch_multiple", "-b", "-bind_at_load",
    "-bitcode_bundle", "-bitcode_hide_symbols", "-bitcode_process_mode 1",
    "-bitcode_symbol_map 1", "-bitcode_verify",
    "--bp-compression-sort-startup-functions", "--bp-compression-sort=*",
    "--bp-startup-sort=*", "-bridgeos_version_min 1", "-bundle",
    "-bundle_loader 1", "-cache_path_lto 1", "--call-graph-profile-sort",
    "--check-category-conflicts", "-classic_linker", "-client_name 1",
    "--codegen-data-generate-path 1", "--codegen-data-generate-path=*",
    "--color-diagnostics", "--color-diagnostics=*", "-commons 1",
    "-compatibility_version 1", "--compression-sort-startup-functions",
    "--compression-sort=*", "--cs-profile-generate", "--cs-profile-path=*",
    "-current_version 1", "-d", "-data_const", "-data_in_code_info",
    "--dead-strip-duplicates", "-dead_strip", "-dead_strip_dylibs",
    "-debug_snapshot", "-debug_variant", "--deduplicate-strings",
    "-demangle", "-dependency_info 1", "-dependent_dr_info",
    "-dirty_data_list 1", "--disable_verify", "-dot 1",
    "-driverkit_version_min 1", "-dtrace 1", "-dyld_env 1", "-dylib",
    "-dylib_compatibility_version 1", "-dylib_current_version 1",
    "-dylib_file 1", "-dylib_install_name 1", "-dylinker",
    "-dylinker_install_name 1", "-dynamic", "-e 1", "-encryptable",
    "--end-lib", "--error-limit=*", "-executable_path", "-execute",
    "-export_dynamic", "-exported_symbol 1", "-exported_symbols_list 1",
    "-exported_symbols_order 1", "-F*|1", "-fatal_warnings", "-filelist 1",
    "-final_output 1", "-fixup_chains", "-fixup_chains_section",
    "-flat_namespace", "-flto-codegen-only", "-force_cpusubtype_ALL",
    "-force_flat_namespace", "-force_load 1", "-force_load_swift_libs",
    "-force_symbol_not_weak", "-force_symbol_weak",
    "-force_symbols_coalesce_list", "-force_symbols_not_weak_list 1",
    "-force_symbols_weak_list 1", "-framework 1", "-function_starts",
    "-fvmlib", "-headerpad 1", "-headerpad_max_install_names", "-/--help",
    "--help-hidden", "-hidden-l*", "-i", "--icf=*",
    "--ignore-auto-link-option 1", "--ignore-auto-link-option=*",
    "-ignore_auto_link", "-ignore_optimization_hints", "-image_base 1",
    "-init 1", "-init_offsets", "-install_name 1", "-interposable",
    "-interposable_list 1", "-ios_simulator_version_min 1",
    "-ios_version_min 1", "-iosmac_version_min 1",
    "-iphoneos_version_min 1", "--irpgo-profile 1",
    "--irpgo-profile-sort 1", "--irpgo-profile-sort=*", "--irpgo-profile=*",
    "--keep-icf-stabs*", "-keep_dwarf_unwind", "-keep_private_externs",
    "-keep_relocs", "-kext", "-kext_objects_dir", "-kexts_use_stubs", "-l*",
    "-L*|1", "-lazy-l*", "-lazy_framework 1", "-lazy_library 1",
    "--load-pass-plugin 1", "--load-pass-plugin=*", "-load_hidden 1",
    "--lto-CGO*", "--lto-debug-pass-manager", "--lto-emit-llvm",
    "--lto-newpm-passes=*", "--lto-O*", "-lto_library 1", "-M", "-m",
    "-maccatalyst_version_min 1", "-macos_version_min 1",
    "-macosx_version_min 1", "-map 1", "-mark_dead_strippable_dylib",
    "-max_default_common_align 1", "-max_relative_cache_size_lto 1",
    "-mcpu 1", "-merge_zero_fill_sections", "-mllvm 1",
    "-move_to_ro_segment 2", "-move_to_rw_segment 2", "-multi_module",
    "-multiply_defined 1", "-multiply_defined_unused 1", "-needed-l*",
    "-needed_framework 1", "-needed_library 1", "-new_linker",
    "--no-bp-compression-sort-startup-functions",
    "--no-call-graph-profile-sort", "--no-color-diagnostics",
    "--no-compression-sort-startup-functions", "--no-deduplicate-strings",
    "-no-deduplicate-symbol-strings", "--no-pgo-warn-mismatch",
    "--no-separate-cstring-literal-sections", "--no-tail-merge-strings",
    "--no-warn-duplicate-rpath", "--no-warn-dylib-install-name",
    "--no-warn-thin-archive-missing-members", "-no_adhoc_codesign",
    "-no_application_extension", "-no_arch_warnings", "-no_branch_islands",
    "-no_compact_linkedit", "-no_compact_unwind", "-no_data_const",
    "-no_data_in_code_info", "-no_dead_strip_inits_and_terms",
    "-no_deduplicate", "-no_dependent_dr_info", "-no_dtrace_dof",
    "-no_eh_labels", "-no_encryption", "-no_exported_symbols",
    "-no_fixup_chains", "-no_function_starts", "-no_implicit_dylibs",
    "-no_inits", "-no_keep_dwarf_unwind", "-no_kext_objects",
    "-no_new_main", "-no_objc_category_merging",
    "-no_objc_relative_method_lists", "-no_order_data", "-no_order_inits",
    "-no_pie", "-no_source_version", "-no_uuid",
    "-no_warn_duplicate_libraries", "-no_warn_inits", "-no_weak_exports",
    "-no_weak_imports", "-no_zero_fill_sections", "-noall_load",
    "-nofixprebinding", "-nomultidefs",
    "-non_global_symbols_no_strip_list 1",
    "-non_global_symbols_strip_list 1", "-noprebind",
    "-noprebind_all_twolevel_modules", "-noseglinkedit",
    "-not_for_dyld_shared_cache", "-o 1", "-O*|1", "-ObjC",
    "-objc_abi_version 1", "-objc_category_merging", "-objc_gc",
    "-objc_gc_compaction", "-objc_gc_only", "-objc_relative_method_lists",
    "-objc_stubs_fast", "-objc_stubs_small", "-object_path_lto 1",
    "-order_file 1", "-order_file_statistics", "-oso_prefix 1",
    "-page_align_data_atoms", "-pagezero_size 1", "-pause",
    "--pgo-warn-mismatch", "-pie", "-platform_version 3", "-prebind",
    "-prebind_all_twolevel_modules", "-prebind_allow_overlap", "-preload",
    "--print-dylib-search", "--print-symbol-order=*", "-print_statistics",
    "-private_bundle", "-prune_after_lto 1", "-prune_interval_lto 1", "-r",
    "-random_uuid", "--read-workers=*", "-read_only_relocs 1",
    "-read_only_stubs", "-reexport-l*", "-reexport_framework 1",
    "-reexport_library 1", "-reexported_symbols_list 1",
    "-rename_section 4", "-rename_segment 2", "--reproduce 1",
    "--reproduce=*", "-reproducible", "-root_safe", "-rpath 1",
    "-run_init_lazily", "-S", "-s", "-save-temps", "-sdk_version 1",
    "-search_dylibs_first", "-search_paths_first", "-sect_diff_relocs 1",
    "-sectalign 3", "-sectcreate 3", "-section_order 2",
    "-sectobjectsymbols 2", "-sectorder 3", "-sectorder_detail",
    "-seg1addr 1", "-seg_addr_table_filename 1", "-seg_page_size 2",
    "-segaddr 2", "-segalign 1", "-segcreate 3", "-seglinkedit",
    "-segment_order 1", "-segprot 3", "-segs_read_only_addr 1",
    "-segs_read_write_addr 1", "--separate-cstring-literal-sections",
    "-setuid_safe", "-Si", "-simulator_support", "-single_module",
    "--slop_scale=*", "-slow_stubs", "-Sn", "-snapshot_dir",
    "-source_version", "-Sp", "-stack_addr 1", "-stack_size 1",
    "--start-lib", "-static", "--strict-auto-link", "-sub_library 1",
    "-sub_umbrella 1", "-syslibroot 1", "-t", "--tail-merge-strings",
    "-text_exec", "--thinlto-cache-policy=*",
    "--thinlto-emit-imports-files", "--thinlto-emit-index-files",
    "--thinlto-index-only", "--thinlto-index-only=*", "--thinlto-jobs=*",
    "--thinlto-object-suffix-replace=*", "--thinlto-prefix-replace=*",
    "-threaded_starts_section", "--threads=*", "--time-trace",
    "--time-trace-granularity=*", "--time-trace=*", "-trace_symbol_layout",
    "-tvos_version_min 1", "-twolevel_namespace",
    "-twolevel_namespace_hints", "-U 1", "-u 1",
    "-uikitformac_version_min 1", "-umbrella 1", "-unaligned_pointers 1",
    "-undefined 1", "-unexported_symbol 1", "-unexported_symbols_list 1",
    "-upward-l*", "-upward_framework 1", "-upward_library 1", "-v",
    "--verbose", "--verbose-bp-section-orderer", "-verbose_deduplicate",
    "-verbose_optimization_hints", "--version", "-version_details",
    "-version_load_command", "-w", "--warn-duplicate-rpath",
    "--warn-dylib-install-name", "--warn-thin-archive-missing-members",
    "-warn_commons", "-warn_compact_unwind", "-warn_stabs",
    "-warn_weak_exports", "-watchos_version_min 1", "-weak-l*",
    "-weak_framework 1", "-weak_library 1", "-weak_reference_mismatches 1",
    "-whatsloaded", "-why_live 1", "-why_load", "-whyload", "-X", "-x",
    "-Y 1", "-y*", "-Z",
};
// clang-format on

/// Returns option \p ID in the same notation; empty: not an option.
std::string described(unsigned ID) {
  const GenericOptionTable &Table = optionTable();
  SmallVector<StringRef, 2> Prefixes;
  Table.appendOptionPrefixes(ID, Prefixes);
  std::string Name = join(Prefixes, "/") + Table.getOptionName(ID).str();
  switch (Table.getOptionKind(ID)) {
  case Option::FlagClass:
    return Name;
  case Option::JoinedClass:
    return Name + "*";
  case Option::SeparateClass:
    return Name + " 1";
  case Option::MultiArgClass:
    return Name + " " + std::to_string(Table.getOption(ID).getNumArgs());
  case Option::JoinedOrSeparateClass:
    return Name + "*|1";
  default:
    return std::string();
  }
}

TEST(MachOOptionTableTest, HasExactlyOptionsOfLld) {
  std::set<std::string> Ours;
  for (unsigned ID = 1; ID <= optionTable().getNumOptions(); ++ID)
    if (optionTable().getOptionGroupID(ID) != OPT_grp_headstart)
      if (std::string Option = described(ID); !Option.empty())
        EXPECT_TRUE(Ours.insert(Option).second) << Option;
  std::set<std::string> Known(std::begin(LldOptions), std::end(LldOptions));
  EXPECT_EQ(Known.size(), std::size(LldOptions));
  EXPECT_EQ(Ours, Known);
}

TEST(MachOOptionTableTest, OwnOptionsDoNotShadowOthers) {
  // A joined option of lld that is a prefix of ours would match ours, or vice
  // versa.
  for (unsigned ID = 1; ID <= optionTable().getNumOptions(); ++ID) {
    if (optionTable().getOptionGroupID(ID) != OPT_grp_headstart)
      continue;
    std::string Ours = described(ID);
    for (StringRef Theirs : LldOptions)
      if (Theirs.consume_back("*"))
        EXPECT_FALSE(StringRef(Ours).starts_with(Theirs)) << Theirs.str();
  }
}

TEST(MachOOptionTableTest, MatchesLikeLld) {
  const char *Argv[] = {"-lfoo", "-L",  "dir",   "-Ldir",      "-o",
                        "-x",    "-",   "--",    "-framework", "-lbar",
                        "",      "-O2", "-ofoo", "-help",      "--lto-O2"};
  InputArgList Args = parseArguments(Argv);
  std::vector<std::pair<unsigned, std::string>> Seen;
  for (const Arg *A : Args)
    Seen.emplace_back(A->getOption().getID(),
                      A->getNumValues() ? A->getValue() : "");
  using Pair = std::pair<unsigned, std::string>;
  EXPECT_THAT(Seen,
              testing::ElementsAre(
                  Pair(OPT_l, "foo"), Pair(OPT_L, "dir"), Pair(OPT_L, "dir"),
                  Pair(OPT_o, "-x"), Pair(OPT_INPUT, "-"),
                  Pair(OPT_UNKNOWN, "--"), Pair(OPT_framework, "-lbar"),
                  Pair(OPT_either_O, "2"), Pair(OPT_UNKNOWN, "-ofoo"),
                  Pair(OPT_help, ""), Pair(OPT_joined_long_lto_O, "2")));
}

} // namespace
