//===- COFFOptions.td - The options of lld-link ------------*- tablegen -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headstart's options, and every option in the table of lld-link 22.1.8
// (documented or not), so that the parser takes none for an input. The names
// were read from liblldCOFF.a; COFFOptionTableTest compares them both ways.
//
// Options that change which files are read or written have records of their
// own; the others are in lists. The parser relies on two properties (see
// COFF/Options.cpp): every option is a flag or ends in ':' or '=', and none has
// a separate value.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"
include "PrefetchOptions.td"

defvar Prefixes = ["/", "-", "/?", "-?"];

class F<string name> : Flag<Prefixes, name>;
class V<string name> : Joined<Prefixes, name#":">;

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

def help : F<"help">;
def help_question : Flag<["/??", "-??", "/?", "-?"], "">, Alias<help>;
def version_flag : Flag<["--"], "version">;
def lib : F<"lib">;
def lldignoreenv : F<"lldignoreenv">;
def lldmingw : F<"lldmingw">;
def rsp_quoting : Joined<["--"], "rsp-quoting=">;
def dll : F<"dll">;
def driver : F<"driver">;
def driver_uponly : F<"driver:uponly">;
def driver_uponly_wdm : F<"driver:uponly,wdm">;
def driver_wdm : F<"driver:wdm">;
def driver_wdm_uponly : F<"driver:wdm,uponly">;
def machine : V<"machine">;
def debug_flag : F<"debug">;
def debug_value : V<"debug">;
def export : V<"export">;
def lldemit : V<"lldemit">;
def thinlto_index_only : F<"thinlto-index-only">;
def thinlto_index_only_file : V<"thinlto-index-only">;
def lto_cs_profile_generate : F<"lto-cs-profile-generate">;
def call_graph_profile_sort : F<"call-graph-profile-sort">;
def call_graph_profile_sort_no : F<"call-graph-profile-sort:no">;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

def wholearchive_flag : F<"wholearchive">;
def wholearchive_file : V<"wholearchive">;
def start_lib : F<"start-lib">;
def end_lib : F<"end-lib">;
def defaultlib : V<"defaultlib">;
def nodefaultlib : V<"nodefaultlib">;
def nodefaultlib_all : F<"nodefaultlib">;
def disallowlib : V<"disallowlib">, Alias<nodefaultlib>;

def call_graph_ordering_file : V<"call-graph-ordering-file">;
def deffile : V<"def">;
def defarm64native : V<"defarm64native">;
def lto_cs_profile_file : V<"lto-cs-profile-file">;
def lto_sample_profile : V<"lto-sample-profile">;
def manifestinput : V<"manifestinput">;
def natvis : V<"natvis">;
def order : V<"order">;
def pdbstream : V<"pdbstream">;
def sectionlayout : V<"sectionlayout">;
def stub : V<"stub">;
def vfsoverlay : V<"vfsoverlay">;

//===----------------------------------------------------------------------===//
// Search paths
//===----------------------------------------------------------------------===//

def libpath : V<"libpath">;
def diasdkdir : V<"diasdkdir">;
def vctoolsdir : V<"vctoolsdir">;
def vctoolsversion : V<"vctoolsversion">;
def winsdkdir : V<"winsdkdir">;
def winsdkversion : V<"winsdkversion">;
def winsysroot : V<"winsysroot">;

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

def out : V<"out">;
def pdb : V<"pdb">;
def pdbstripped : V<"pdbstripped">;
def implib : V<"implib">;
def noimplib : F<"noimplib">;
def map_flag : F<"map">;
def map_file : V<"map">;
def lldmap_flag : F<"lldmap">;
def lldmap_file : V<"lldmap">;
def manifest_flag : F<"manifest">;
def manifest_value : V<"manifest">;
def manifestdependency : V<"manifestdependency">;
def manifestfile : V<"manifestfile">;
def dwodir : V<"dwodir">;
def linkrepro : V<"linkrepro">;
def linkreprofullpathrsp : V<"linkreprofullpathrsp">;
def lto_obj_path : V<"lto-obj-path">;
def output_def : V<"output-def">;
def print_symbol_order : V<"print-symbol-order">;
def reproduce : V<"reproduce">;
def time_trace_file : Joined<["--"], "time-trace=">;
def time_trace : Flag<["--"], "time-trace">, Alias<time_trace_file>;

//===----------------------------------------------------------------------===//
// Headstart's own options
//===----------------------------------------------------------------------===//

// lld-link has `prefetch-inputs` and `prefetch-inputs:no` too; Headstart
// handles them. With "/" Headstart has only the form of lld-link's options; lld
// takes any other argument that begins with "/" for a path.
class OwnFlag<string name>
    : Flag<["/", "--", "-", "/?", "-?"], name>, Group<grp_headstart>;
class OwnDashFlag<string name>
    : Flag<["--", "-"], name>, Group<grp_headstart>;
class OwnValue<string name>
    : Joined<["/", "--", "-", "/?", "-?"], name#":">, Group<grp_headstart>;
class OwnDashValue<string name>
    : Joined<["--", "-"], name#"=">, Group<grp_headstart>;

def prefetch_inputs : OwnFlag<"prefetch-inputs">, HelpText<PrefetchInputsHelp>;
def prefetch_inputs_no
    : OwnFlag<"prefetch-inputs:no">, HelpText<NoPrefetchInputsHelp>;
def no_prefetch_inputs : OwnDashFlag<"no-prefetch-inputs">;

// The flag is `--prefetch-stats`, or an option whose value is missing.
foreach name = PrefetchNames in {
  def prefetch_#name#_flag : OwnFlag<"prefetch-"#name>,
                             HelpText<PrefetchHelp<name>.FlagText>;
  def prefetch_#name#_colon : OwnValue<"prefetch-"#name>,
                              MetaVarName<PrefetchHelp<name>.Value>,
                              HelpText<PrefetchHelp<name>.Text>;
  def prefetch_#name#_equals : OwnDashValue<"prefetch-"#name>,
                               MetaVarName<PrefetchHelp<name>.Value>;
}

//===----------------------------------------------------------------------===//
// Options that do not affect which files are read
//===----------------------------------------------------------------------===//

// Flags with a form ":no" that turns them off.
foreach name = [
  "allowbind", "allowisolation", "appcontainer", "auto-import", "build-id",
  "cetcompat", "cetcompatstrict", "cetdynamicapisinproc",
  "cetipvalidationrelaxed", "demangle", "dynamicbase", "emittoolversioninfo",
  "fat-lto-objects", "fixed", "highentropyva", "hotpatchcompatible",
  "incremental", "inferasanlibs", "integritycheck", "largeaddressaware",
  "lld-allow-duplicate-weak", "lto-pgo-warn-mismatch", "nxcompat",
  "runtime-pseudo-reloc", "safeseh", "stdcall-fixup", "tsaware", "WX"
] in {
  def switch_#!subst("-", "_", name) : F<name>;
  def switch_#!subst("-", "_", name)#_no : F<name#":no">;
}

foreach name = [
  "assemblydebug", "Brepro", "dependentloadflag", "editandcontinue",
  "emitpogophaseinfo", "exclude-all-symbols", "export-all-symbols", "fastfail",
  "force", "force:multiple", "force:multipleres", "force:unresolved",
  "functionpadmin", "ignoreidl", "kernel", "kill-at", "link", "lldsavetemps",
  "ltcg", "nocoffgrpinfo", "nodbgdirmerge", "noentry", "noexp", "nologo",
  "noseh", "novcfeature", "pdbcompress", "print-search-paths", "profile",
  "release", "summary", "swaprun:cd", "swaprun:net",
  "thinlto-emit-imports-files", "throwingnew", "time", "verbose"
] in
  def flag_#!subst(":", "_", !subst("-", "_", name)) : F<name>;

foreach name = [
  "align", "aligncomm", "alternatename", "arm64xsameaddress", "assemblydebug",
  "base", "debugtype", "delay", "delayload", "dependentloadflag", "entry",
  "errorlimit", "errorreport", "exclude-symbols", "failifmismatch",
  "filealign", "functionpadmin", "guard", "guardsym", "heap", "idlout",
  "ignore", "ilk", "include", "includeglob", "includeoptional", "lldltocache",
  "lldltocachepolicy", "lldsavetemps", "ltcg", "ltcgout", "manifestuac",
  "mapinfo", "maxilksize", "merge", "mllvm", "opt", "osversion", "pdbaltpath",
  "pdbpagesize", "pdbsourcepath", "section", "stack", "subsystem", "swaprun",
  "thinlto-distributor", "thinlto-distributor-arg",
  "thinlto-object-suffix-replace", "thinlto-prefix-replace",
  "thinlto-remote-compiler", "thinlto-remote-compiler-arg",
  "thinlto-remote-compiler-prepend-arg", "threads", "timestamp", "tlbid",
  "tlbout", "verbose", "version", "wrap"
] in
  def value_#!subst("-", "_", name) : V<name>;

foreach name = ["color-diagnostics", "no-color-diagnostics"] in
  def dash_#!subst("-", "_", name) : Flag<["--"], name>;
foreach name = ["color-diagnostics", "time-trace-granularity"] in
  def dash_value_#!subst("-", "_", name)
      : Joined<["--"], name#"=">;
