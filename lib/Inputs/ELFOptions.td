//===- ELFOptions.td - The options of ld.lld ---------------*- tablegen -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headstart's options, and every option in the table of ld.lld 22.1.8
// (documented or not), so that the parser takes no value for an input. The
// kinds (flag, joined or separate value) and the dashes were read from
// liblldELF.a (optInfo of DriverUtils.cpp.o); ELFOptionTableTest compares them
// both ways.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"
include "OptionForms.td"
include "PrefetchOptions.td"

//===----------------------------------------------------------------------===//
// Options with aliases, or with other names than their records
//===----------------------------------------------------------------------===//

def v : Flag<Single, "v">;
def V : Flag<Single, "V">, Alias<v>;
def m : JoinedOrSeparate<Single, "m">;

def o : JoinedOrSeparate<Single, "o">;
def output : Separate<Double, "output">, Alias<o>;
def output_eq : Joined<Double, "output=">, Alias<o>;

def library : JoinedOrSeparate<Single, "l">;
def library_long : Separate<Both, "library">, Alias<library>;
def library_eq : Joined<Both, "library=">, Alias<library>;

def library_path : JoinedOrSeparate<Single, "L">;
def library_path_long : Separate<Both, "library-path">, Alias<library_path>;
def library_path_eq : Joined<Both, "library-path=">, Alias<library_path>;

defm script : Value<Both, "script">;
def T : JoinedOrSeparate<Single, "T">, Alias<script>;
defm default_script : Value<Double, "default-script">;
def dT : Separate<Single, "dT">, Alias<default_script>;
defm format : Value<Both, "format">;
def b : Separate<Single, "b">, Alias<format>;

def Bstatic : Flag<Both, "Bstatic">;
foreach name = ["dn", "non_shared", "static"] in
  def name : Flag<Both, name>, Alias<Bstatic>;
def Bdynamic : Flag<Both, "Bdynamic">;
foreach name = ["dy", "call_shared"] in
  def name : Flag<Both, name>, Alias<Bdynamic>;
def nmagic : Flag<Both, "nmagic">;
def n : Flag<Single, "n">, Alias<nmagic>;
def omagic : Flag<Double, "omagic">;
def N : Flag<Single, "N">, Alias<omagic>;
def relocatable : Flag<Both, "relocatable">;
def r : Flag<Single, "r">, Alias<relocatable>;
def strip_all : Flag<Both, "strip-all">;
def s : Flag<Single, "s">, Alias<strip_all>;
def strip_debug : Flag<Both, "strip-debug">;
def S : Flag<Single, "S">, Alias<strip_debug>;

def lto_emit_llvm : Flag<Double, "lto-emit-llvm">;
def plugin_emit_llvm : Flag<Both, "plugin-opt=emit-llvm">, Alias<lto_emit_llvm>;
def lto_emit_asm : Flag<Double, "lto-emit-asm">;
def plugin_emit_asm : Flag<Both, "plugin-opt=emit-asm">, Alias<lto_emit_asm>;
def lto_cs_profile_generate : Flag<Double, "lto-cs-profile-generate">;
def plugin_cs_profile_generate
    : Flag<Both, "plugin-opt=cs-profile-generate">,
      Alias<lto_cs_profile_generate>;
def lto_cs_profile_file : Joined<Double, "lto-cs-profile-file=">;
def plugin_cs_profile_path
    : Joined<Both, "plugin-opt=cs-profile-path=">, Alias<lto_cs_profile_file>;
def lto_sample_profile : Joined<Double, "lto-sample-profile=">;
def plugin_sample_profile
    : Joined<Both, "plugin-opt=sample-profile=">, Alias<lto_sample_profile>;
def lto_obj_path : Joined<Double, "lto-obj-path=">;
def plugin_obj_path : Joined<Both, "plugin-opt=obj-path=">, Alias<lto_obj_path>;
def thinlto_index_only : Flag<Double, "thinlto-index-only">;
def plugin_index_only
    : Flag<Both, "plugin-opt=thinlto-index-only">, Alias<thinlto_index_only>;
def thinlto_index_only_file : Joined<Double, "thinlto-index-only=">;
def plugin_index_only_file
    : Joined<Both, "plugin-opt=thinlto-index-only=">,
      Alias<thinlto_index_only_file>;
def opt_remarks_filename : Separate<Double, "opt-remarks-filename">;
def plugin_opt_remarks_filename
    : Joined<Both, "plugin-opt=opt-remarks-filename=">,
      Alias<opt_remarks_filename>;
def time_trace_file : Joined<Double, "time-trace=">;
def time_trace : Flag<Double, "time-trace">, Alias<time_trace_file>;
def plugin_time_trace
    : Joined<Both, "plugin-opt=time-trace=">, Alias<time_trace_file>;
def call_graph_profile_sort : Joined<Double, "call-graph-profile-sort=">;
def no_call_graph_profile_sort
    : Flag<Double, "no-call-graph-profile-sort">,
      Alias<call_graph_profile_sort>, AliasArgs<["none"]>;

def group_begins : Flag<Single, "(">;
def group_ends : Flag<Single, ")">;

//===----------------------------------------------------------------------===//
// Headstart's own options
//===----------------------------------------------------------------------===//

defm "" : PrefetchOptions<Both>;

//===----------------------------------------------------------------------===//
// Options with the names of their records
//===----------------------------------------------------------------------===//

foreach name = [
  "Bno-symbolic", "Bshareable", "Bsymbolic", "Bsymbolic-functions",
  "Bsymbolic-non-weak", "Bsymbolic-non-weak-functions", "EB", "EL",
  "allow-multiple-definition", "allow-shlib-undefined", "as-needed", "be8",
  "build-id", "check-sections", "demangle", "disable-new-dtags",
  "disable-verify", "discard-all", "discard-locals", "discard-none",
  "eh-frame-hdr", "emit-relocs", "enable-new-dtags", "end-group", "end-lib",
  "error-unresolved-symbols", "export-dynamic", "fatal-warnings",
  "fix-cortex-a53-843419", "fix-cortex-a8", "gc-sections", "help", "icf=all",
  "icf=none", "icf=safe", "long-plt", "merge-exidx-entries",
  "no-allow-multiple-definition", "no-allow-shlib-undefined", "no-as-needed",
  "no-check-sections", "no-copy-dt-needed-entries", "no-ctors-in-init-array",
  "no-demangle", "no-dynamic-linker", "no-eh-frame-hdr", "no-export-dynamic",
  "no-fatal-warnings", "no-gc-sections", "no-keep-memory",
  "no-merge-exidx-entries", "no-nmagic", "no-omagic", "no-pie",
  "no-print-gc-sections", "no-print-icf-sections", "no-undefined",
  "no-undefined-version", "no-warn-common", "no-warn-mismatch",
  "no-whole-archive", "noinhibit-exec", "nostdlib", "pic-executable",
  "pic-veneer", "pie", "plugin-opt=debug-pass-manager",
  "plugin-opt=disable-verify", "plugin-opt=opt-remarks-with-hotness",
  "plugin-opt=save-temps", "plugin-opt=thinlto-emit-imports-files",
  "pop-state", "print-gc-sections", "print-icf-sections", "print-map",
  "print-memory-usage", "push-state", "save-temps", "secure-plt", "shared",
  "sort-common", "start-group", "start-lib", "stats", "target1-abs",
  "target1-rel", "trace", "undefined-version", "unique", "verbose", "version",
  "warn-common", "warn-execstack", "warn-once", "warn-shared-textrel",
  "warn-unresolved-symbols", "whole-archive"
] in
  def Id<name>.ID : Flag<Both, name>;

foreach name = [
  "android-memtag-heap", "android-memtag-stack", "apply-dynamic-relocs",
  "bp-compression-sort-startup-functions", "branch-to-branch",
  "check-dynamic-relocations", "cmse-implib", "color-diagnostics", "cref",
  "debug-names", "dependent-libraries", "enable-non-contiguous-regions",
  "execute-only", "fat-lto-objects", "force-group-allocation",
  "fortran-common", "gdb-index", "gnu-unique", "ignore-data-address-equality",
  "ignore-function-address-equality", "lto-basic-block-address-map",
  "lto-debug-pass-manager", "lto-pgo-warn-mismatch",
  "lto-unique-basic-block-section-names",
  "lto-validate-all-vtables-have-type-infos", "lto-whole-program-visibility",
  "mmap-output-file", "no-add-needed", "no-android-memtag-heap",
  "no-android-memtag-stack", "no-apply-dynamic-relocs",
  "no-bp-compression-sort-startup-functions", "no-branch-to-branch",
  "no-check-dynamic-relocations", "no-color-diagnostics", "no-debug-names",
  "no-dependent-libraries", "no-execute-only", "no-fat-lto-objects",
  "no-fortran-common", "no-gdb-index", "no-gnu-unique",
  "no-lto-basic-block-address-map", "no-lto-pgo-warn-mismatch",
  "no-lto-unique-basic-block-section-names",
  "no-lto-validate-all-vtables-have-type-infos",
  "no-lto-whole-program-visibility", "no-mmap-output-file",
  "no-optimize-bb-jumps", "no-pcrel-optimize", "no-power10-stubs", "no-relax",
  "no-relax-gp", "no-rosegment", "no-toc-optimize",
  "no-use-android-relr-tags", "no-warn-backrefs", "no-warn-ifunc-textrel",
  "no-warn-symbol-ordering", "no-warnings", "no-xosegment",
  "opt-remarks-with-hotness", "optimize-bb-jumps", "pcrel-optimize",
  "power10-stubs", "relax", "relax-gp", "rosegment",
  "thinlto-emit-imports-files", "thinlto-emit-index-files", "toc-optimize",
  "use-android-relr-tags", "verbose-bp-section-orderer", "vs-diagnostics",
  "warn-backrefs", "warn-ifunc-textrel", "warn-symbol-ordering", "xosegment"
] in
  def Id<name>.ID : Flag<Double, name>;

foreach name = ["E", "M", "X", "d", "g", "q", "t", "w", "x"] in
  def Id<name>.ID : Flag<Single, name>;

foreach name = [
  "Map", "Tbss", "Tdata", "Ttext", "Ttext-segment", "auxiliary",
  "call-graph-ordering-file", "compress-debug-sections", "defsym",
  "dynamic-linker", "dynamic-list", "entry", "exclude-libs", "filter", "fini",
  "hash-style", "init", "just-symbols", "keep-unique", "mips-got-size",
  "mllvm", "orphan-handling", "plugin", "print-symbol-order",
  "retain-symbols-file", "rpath", "rpath-link", "section-start", "soname",
  "sort-section", "split-stack-adjust-size", "sysroot", "target2",
  "trace-symbol", "undefined", "unresolved-symbols", "version-script", "wrap"
] in
  defm Id<name>.ID : Value<Both, name>;

foreach name = [
  "android-memtag-mode", "compress-sections", "dependency-file",
  "error-handling-script", "error-limit", "export-dynamic-symbol",
  "export-dynamic-symbol-list", "image-base", "in-implib", "irpgo-profile",
  "load-pass-plugin", "lto-known-safe-vtables", "oformat",
  "opt-remarks-hotness-threshold", "out-implib", "pack-dyn-relocs",
  "remap-inputs", "reproduce", "rsp-quoting", "shuffle-sections",
  "symbol-ordering-file", "thinlto-cache-policy", "thinlto-distributor-arg",
  "thinlto-remote-compiler-arg", "thinlto-remote-compiler-prepend-arg",
  "threads", "time-trace-granularity", "undefined-glob",
  "warn-backrefs-exclude", "why-live"
] in
  defm Id<name>.ID : Value<Double, name>;

foreach name = [
  "build-id", "plugin-opt", "plugin-opt=-fresolution",
  "plugin-opt=-pass-through", "plugin-opt=dwo_dir", "plugin-opt=jobs",
  "plugin-opt=lto-partitions", "plugin-opt=mcpu",
  "plugin-opt=opt-remarks-format", "plugin-opt=opt-remarks-hotness-threshold",
  "plugin-opt=opt-remarks-passes", "plugin-opt=stats-file",
  "plugin-opt=thinlto-object-suffix-replace",
  "plugin-opt=thinlto-prefix-replace", "print-archive-stats"
] in
  def Id<name>.ID#_eq : Joined<Both, name#"=">;

foreach name = [
  "bp-compression-sort", "bp-startup-sort", "color-diagnostics", "lto",
  "lto-aa-pipeline", "lto-basic-block-sections", "lto-newpm-passes",
  "lto-partitions", "package-metadata", "power10-stubs", "print-gc-sections",
  "randomize-section-padding", "remap-inputs-file", "save-temps",
  "thinlto-cache-dir", "thinlto-distributor", "thinlto-jobs",
  "thinlto-object-suffix-replace", "thinlto-prefix-replace",
  "thinlto-remote-compiler", "thinlto-single-module", "why-extract"
] in
  def Id<name>.ID#_eq : Joined<Double, name#"=">;

foreach name = ["plugin-opt=-", "plugin-opt=O", "plugin-opt=thinlto"] in
  def Id<name>.ID#_joined : Joined<Both, name>;

foreach name = ["lto-CGO", "lto-O"] in
  def Id<name>.ID#_joined : Joined<Double, name>;

foreach name = ["chroot", "opt-remarks-format", "opt-remarks-passes"] in
  def Id<name>.ID : Separate<Double, name>;

foreach name = ["F", "f"] in
  def Id<name>.ID : Separate<Single, name>;

foreach name = ["G", "O", "R", "e", "h", "u", "y", "z"] in
  def Id<name>.ID : JoinedOrSeparate<Single, name>;
