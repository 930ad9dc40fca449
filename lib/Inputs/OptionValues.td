//===- OptionValues.td - The values of options -------------*- tablegen -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that shells complete (headstart --autocomplete); no parser uses
// them. An option that is not listed may take a file. A name has the same
// meaning in all linkers that have it.
//
//===----------------------------------------------------------------------===//

/// The values of lld's options, or their beginnings, if they form a closed set;
/// with a dash, those of ld64.lld. test/Tools/completions.test compares them
/// with the help of stock lld, which has most, and tries them. The values of -z
/// were read from liblldELF.a: no table of lld has them.
class ValuesOf<string name> {
  defvar Name = !subst("=", "", name);
  code Values = !cond(
    !eq(Name, "bp-compression-sort"): "both,data,function,none",
    !eq(Name, "bp-startup-sort"): "function,none",
    !eq(Name, "color-diagnostics"): "always,auto,never",
    !eq(Name, "rsp-quoting"): "posix,windows",
    // ELF
    !eq(Name, "build-id"): "fast,md5,none,sha1,uuid",
    !eq(Name, "call-graph-profile-sort"): "cdsort,hfsort,none",
    !eq(Name, "compress-debug-sections"): "none,zlib,zstd",
    !eq(Name, "format"): "binary,default,elf",
    !eq(Name, "hash-style"): "both,gnu,sysv",
    !eq(Name, "lto"): "full,thin",
    !eq(Name, "oformat"): "binary,elf",
    !eq(Name, "orphan-handling"): "error,place,warn",
    !eq(Name, "pack-dyn-relocs"): "android,android+relr,none,relr",
    !eq(Name, "sort-section"): "alignment,name",
    !eq(Name, "target2"): "abs,got-rel,rel",
    !eq(Name, "unresolved-symbols"):
      "ignore-all,ignore-in-object-files,ignore-in-shared-libs,report-all",
    !eq(Name, "z"):
      "bti-report=,cet-report=,combreloc,common-page-size=,copyreloc,"
      "dead-reloc-in-nonalloc=,defs,dynamic-undefined-weak,execstack,"
      "execute-only-report=,force-bti,force-ibt,gcs-report-dynamic=,"
      "gcs-report=,gcs=,global,hazardplt,ifunc-noplt,initfirst,interpose,"
      "keep-data-section-prefix,keep-text-section-prefix,lazy,"
      "lrodata-after-bss,max-page-size=,muldefs,nobtcfi,nocombreloc,"
      "nocopyreloc,nodefaultlib,nodelete,nodlopen,nodynamic-undefined-weak,"
      "noexecstack,nognustack,nokeep-data-section-prefix,"
      "nokeep-text-section-prefix,nolrodata-after-bss,nopac-plt,"
      "nopack-relative-relocs,norelro,nosectionheader,noseparate-code,"
      "nostart-stop-gc,notext,now,origin,pac-plt,pack-relative-relocs,"
      "pauth-report=,rel,rela,relro,retpolineplt,rodynamic,sectionheader,"
      "separate-code,separate-loadable-segments,shstk,stack-size=,"
      "start-stop-gc,start-stop-visibility=,text,undefs,wxneeded,"
      "zicfilp-func-sig-report=,zicfilp-unlabeled-report=,zicfilp=,"
      "zicfiss-report=,zicfiss=",
    // COFF
    !eq(Name, "guard"): "cf,ehcont,longjmp,no,noehcont,nolongjmp",
    !eq(Name, "machine"): "arm,arm64,arm64ec,arm64x,x64,x86",
    !eq(Name, "subsystem"):
      "boot_application,console,default,efi_application,"
      "efi_boot_service_driver,efi_rom,efi_runtime_driver,native,posix,windows",
    !eq(Name, "opt"): "icf,lbr,lldlto=,lldltojobs=,noicf,nolbr,noref,ref,safeicf",
    // Mach-O
    !eq(Name, "compression-sort"): "both,data,function,none",
    !eq(Name, "icf"): "all,none,safe,safe_thunks",
    !eq(Name, "-undefined"): "dynamic_lookup,error,suppress,warning",
    true: ?);
}

// The forms of ld.lld's options, also for MinGW.
defvar Both = ["--", "-"];
defvar Double = ["--"];
defvar Single = ["-"];

/// The name of an option's record.
class Id<string name> {
  string ID = !subst("=", "_eq_", !subst("-", "_", name));
}

/// `--name value` and `--name=value`.
multiclass Value<list<string> prefixes, string name> {
  def NAME : Separate<prefixes, name>, ValuesOf<name>;
  def NAME#_eq : Joined<prefixes, name#"=">, Alias<!cast<Option>(NAME)>;
}
