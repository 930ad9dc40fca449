//===- MinGWOptions.td - The options of ld.lld for MinGW ---*- tablegen -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every option in the table of ld.lld 22.1.8 as MinGW's linker (`-m i386pep`),
// read from liblldMinGW.a (infoTable of Driver.cpp.o); ELFOptionTableTest
// compares the tables both ways. ELFOptions.td has Headstart's own options.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"
include "OptionForms.td"

//===----------------------------------------------------------------------===//
// Options with aliases, or with other names than their records
//===----------------------------------------------------------------------===//

def translate_only : Flag<Single, "###">;
def v : Flag<Single, "v">;
def m : JoinedOrSeparate<Single, "m">;
def o : JoinedOrSeparate<Single, "o">;
def library : JoinedOrSeparate<Single, "l">;
def library_path : JoinedOrSeparate<Single, "L">;

def Bstatic : Flag<Both, "Bstatic">;
foreach name = ["dn", "non_shared", "static"] in
  def name : Flag<Single, name>, Alias<Bstatic>;
def Bdynamic : Flag<Both, "Bdynamic">;
foreach name = ["dy", "call_shared"] in
  def name : Flag<Single, name>, Alias<Bdynamic>;
def shared : Flag<Both, "shared">;
def dll : Flag<Both, "dll">, Alias<shared>;
def strip_all : Flag<Both, "strip-all">;
def s : Flag<Single, "s">, Alias<strip_all>;
def strip_debug : Flag<Both, "strip-debug">;
def S : Flag<Single, "S">, Alias<strip_debug>;

def lto_emit_llvm : Flag<Both, "plugin-opt=emit-llvm">;
def lto_emit_asm : Flag<Double, "lto-emit-asm">;
def plugin_emit_asm : Flag<Both, "plugin-opt=emit-asm">, Alias<lto_emit_asm>;
def lto_cs_profile_generate : Flag<Double, "lto-cs-profile-generate">;
def plugin_cs_profile_generate
    : Flag<Both, "plugin-opt=cs-profile-generate">,
      Alias<lto_cs_profile_generate>;
def lto_cs_profile_file : Joined<Double, "lto-cs-profile-file=">;
def plugin_cs_profile_path
    : Joined<Both, "plugin-opt=cs-profile-path=">, Alias<lto_cs_profile_file>;

//===----------------------------------------------------------------------===//
// Options with the names of their records
//===----------------------------------------------------------------------===//

foreach name = [
  "allow-multiple-definition", "appcontainer", "as-needed", "build-id",
  "demangle", "disable-auto-image-base", "disable-auto-import",
  "disable-dynamicbase", "disable-high-entropy-va", "disable-no-seh",
  "disable-nxcompat", "disable-reloc-section", "disable-runtime-pseudo-reloc",
  "disable-stdcall-fixup", "disable-tsaware", "dynamicbase",
  "enable-auto-image-base", "enable-auto-import", "enable-reloc-section",
  "enable-runtime-pseudo-reloc", "enable-stdcall-fixup", "end-group",
  "exclude-all-symbols", "export-all-symbols", "fatal-warnings",
  "functionpadmin", "gc-sections", "guard-cf", "guard-longjmp", "help",
  "high-entropy-va", "insert-timestamp", "kill-at",
  "no-allow-multiple-definition", "no-demangle", "no-dynamicbase",
  "no-fatal-warnings", "no-gc-sections", "no-guard-cf", "no-guard-longjmp",
  "no-insert-timestamp", "no-seh", "no-undefined", "no-whole-archive",
  "nxcompat", "pic-executable", "sort-common", "start-group", "tsaware",
  "verbose", "version", "whole-archive"
] in
  def Id<name>.ID : Flag<Both, name>;

foreach name = [
  "fat-lto-objects", "full-shutdown", "large-address-aware",
  "no-fat-lto-objects", "thinlto-emit-imports-files", "thinlto-index-only"
] in
  def Id<name>.ID : Flag<Double, name>;

foreach name = [
  "Map", "Xlink", "delayload", "dll-search-prefix", "entry",
  "exclude-symbols", "file-alignment", "heap", "icf", "image-base",
  "major-image-version", "minor-image-version", "mllvm", "out-implib",
  "output-def", "pdb", "plugin", "reproduce", "require-defined", "rpath",
  "section-alignment", "stack", "subsystem", "sysroot", "undefined", "wrap"
] in
  defm Id<name>.ID : Value<Both, name>;

foreach name = [
  "dependent-load-flag", "error-limit", "major-os-version",
  "major-subsystem-version", "minor-os-version", "minor-subsystem-version",
  "thinlto-cache-policy", "threads", "undefined-glob"
] in
  defm Id<name>.ID : Value<Double, name>;

foreach name = [
  "build-id", "functionpadmin", "plugin-opt", "plugin-opt=-fresolution",
  "plugin-opt=-pass-through", "plugin-opt=dwo_dir", "plugin-opt=jobs",
  "plugin-opt=mcpu"
] in
  def Id<name>.ID#_eq : Joined<Both, name#"=">;

foreach name = [
  "lto-sample-profile", "thinlto-cache-dir", "thinlto-index-only",
  "thinlto-jobs", "thinlto-object-suffix-replace", "thinlto-prefix-replace"
] in
  def Id<name>.ID#_eq : Joined<Double, name#"=">;

foreach name = ["plugin-opt=-", "plugin-opt=O", "plugin-opt=thinlto"] in
  def Id<name>.ID#_joined : Joined<Both, name>;

foreach name = ["lto-CGO", "lto-O"] in
  def Id<name>.ID#_joined : Joined<Double, name>;

foreach name = ["O"] in
  def Id<name>.ID#_joined : Joined<Single, name>;

foreach name = ["e", "u"] in
  def Id<name>.ID : JoinedOrSeparate<Single, name>;
