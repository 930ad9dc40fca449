"""Command lines of ld64.lld, for check-discovery.py.

The oracle is the linker itself: a small library under LD_PRELOAD logs the files
that it opens, in order (opened.c says why not -dependency_info or --reproduce).
A second link with --reproduce must name the same files.

check-discovery.py sets `Case` in this module. The headings are those of
docs/internals/Discovery-MachO.md.
"""

import os
import pathlib
import random
import subprocess
import tarfile

NAME = "ld64.lld"
BASE = ["-arch", "arm64", "-platform_version", "macos", "13", "13",
        "--error-limit=0", "-o", "out/program"]
MEMBERS = "Members of thin archives"
IN_ARCHIVE = "Linker options in archives and bitcode"
PROFILE = "The profile of LTO"

OBJECTS = ["main", "f", "g", "h"]


def run(*args) -> None:
    subprocess.run(args, check=True, timeout=60)


def write(path: str, text: str) -> None:
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def assemble(path: str, text: str, arch: str = "arm64") -> None:
    source = path + ".s"
    write(source, text)
    run("clang", f"--target={arch}-apple-macos13", "-c", source, "-o", path)


def dylib(path: str, install_name: str, *args) -> None:
    """Links a dylib that exports one symbol."""
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    stem = path.replace("/", "_").replace(".", "_")
    assemble(stem + ".o", f".globl _{stem}\n_{stem}:\n  ret\n")
    run("ld64.lld", "-arch", "arm64", "-platform_version", "macos", "13", "13",
        "-dylib", "-install_name", install_name, "-o", path, stem + ".o",
        *args)


def stub4(path: str, install_name: str, reexports=(), targets="arm64-macos",
          more: str = "", clients: str = "") -> str:
    """Writes a .tbd of version 4. Returns its text."""
    text = f"""--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
install-name:    '{install_name}'
"""
    if clients:
        text += f"""allowable-clients:
  - targets:         [ arm64-macos ]
    clients:         [ {clients} ]
"""
    if reexports:
        names = ",\n                       ".join(f"'{n}'" for n in reexports)
        text += f"""reexported-libraries:
  - targets:         [ {targets} ]
    libraries:       [ {names} ]
"""
    text += """exports:
  - targets:         [ x86_64-macos, arm64-macos ]
    symbols:         [ dyld_stub_binder, _printf, '$ld$hide$os10.4$_x',
                       _puts ]
"""
    write(path, text + more + "...\n")
    return text


def prepare_objects() -> None:
    names = dict(main="_main:\n  bl _f", f="_f:", g="_g:", h="_h:")
    for name, code in names.items():
        symbol = code.split(":")[0]
        assemble(name + ".o", f".globl {symbol}\n{code}\n  ret\n")
        assemble(name + "_x86.o", f".globl {symbol}\n{symbol}:\n  ret\n",
                 "x86_64")
    assemble("empty.o", "")
    assemble("auto.o", """
.linker_option "-lz2"
.linker_option "-framework", "Auto"
.linker_option "-la1"
.linker_option "-lnowhere"
.linker_option "-framework", "Nowhere"
""")
    assemble("again.o", '.linker_option "-la1"\n.linker_option "-lchain"\n')
    assemble("auto_x86.o", '.linker_option "-lother"\n', "x86_64")
    assemble("chained.o", '.globl _chained\n_chained: ret\n'
             '.linker_option "-lz3"\n')
    write("bitcode.c", "int bitcode(void) { return 1; }\n")
    run("clang", "--target=arm64-apple-macos13", "-flto", "-c", "bitcode.c",
        "-o", "bitcode.o")


def prepare_archives() -> None:
    os.makedirs("lib")
    os.makedirs("lib2")
    os.makedirs("later")
    os.makedirs("thin/deep")
    run("llvm-ar", "rcs", "lib/libf.a", "f.o")
    run("llvm-ar", "rcs", "lib/libboth.a", "g.o")
    run("llvm-ar", "rcs", "later/libboth.a", "f.o")
    run("llvm-ar", "rcs", "lib2/libg.a", "g.o", "h.o")
    run("llvm-ar", "rcs", "lib2/libchain.a", "chained.o")
    run("llvm-ar", "rcs", "lib2/libauto.a", "auto.o")
    run("llvm-ar", "rcs", "lib2/libswiftCore.a", "g.o")
    run("llvm-ar", "rcsT", "thin/libthin.a", "f.o", "g.o", "h.o")
    run("llvm-ar", "rcsT", "thin/deep/libnested.a", "h.o", "g.o")
    run("llvm-ar", "rcS", "lib/libindexless.a", "f.o")


def prepare_dylibs() -> None:
    dylib("lib/libboth.dylib", "@rpath/libboth.dylib")
    dylib("lib2/libz2.dylib", "@rpath/libz2.dylib")
    dylib("lib2/libz3.dylib", "@rpath/libz3.dylib")
    dylib("lib2/liba1.dylib", "@rpath/liba1.dylib")
    dylib("lib2/libother.dylib", "@rpath/libother.dylib")
    # A chain: top re-exports middle and side, middle re-exports bottom.
    dylib("chain/libbottom.dylib", "@loader_path/libbottom.dylib")
    dylib("chain/libmiddle.dylib", "@loader_path/libmiddle.dylib",
          "-reexport_library", "chain/libbottom.dylib")
    dylib("chain/libside.dylib", "@loader_path/libside.dylib")
    dylib("chain/libtop.dylib", "@rpath/libtop.dylib",
          "-reexport_library", "chain/libmiddle.dylib",
          "-reexport_library", "chain/libside.dylib")
    # The linker finds this one by the run paths of the umbrella.
    dylib("run/inner/libinner.dylib", "@rpath/libinner.dylib")
    dylib("run/libouter.dylib", "@rpath/libouter.dylib", "-rpath", "nowhere",
          "-rpath", "@loader_path/inner", "-reexport_library",
          "run/inner/libinner.dylib")
    # Next to the program.
    dylib("out/libbeside.dylib", "@executable_path/libbeside.dylib")
    dylib("lib2/libprogram.dylib", "@rpath/libprogram.dylib",
          "-reexport_library", "out/libbeside.dylib")
    # Loaded, not re-exported.
    dylib("lib2/libloads.dylib", "@rpath/libloads.dylib",
          "lib2/libz3.dylib", "-reexport_library", "lib2/liba1.dylib")
    # By an absolute install name below the roots.
    dylib("sys/usr/lib/libpublic.dylib", "/usr/lib/libpublic.dylib")
    dylib("lib2/libusespublic.dylib", "@rpath/libusespublic.dylib",
          "-reexport_library", "sys/usr/lib/libpublic.dylib")
    dylib("sys2/opt/lib/libsecond.dylib", "/opt/lib/libsecond.dylib")
    run("ld64.lld", *BASE, "-bundle", "-o", "plugin.bundle", "g.o")
    run("ld64.lld", *BASE, "-o", "loader", "main.o", "f.o",
        "chain/libside.dylib", "-syslibroot", "sys", "-lSystem")


def prepare_stubs() -> None:
    stub4("sys/usr/lib/libSystem.tbd", "/usr/lib/libSystem.B.dylib")
    # One document is inside the file, one in its own file, one only for other
    # targets.
    inner = stub4("unused.tbd", "/usr/lib/system/libinlined.dylib",
                  ["/usr/lib/system/libdeeper.dylib"])
    stub4("sys/usr/lib/libumbrella.tbd", "/usr/lib/libumbrella.dylib",
          ["/usr/lib/system/libzfile.dylib",
           "/usr/lib/system/libinlined.dylib",
           "/usr/lib/system/libafile.dylib"], more=inner)
    for name in ("zfile", "afile", "deeper", "elsewhere"):
        stub4(f"sys/usr/lib/system/lib{name}.tbd",
              f"/usr/lib/system/lib{name}.dylib")
    stub4("sys/usr/lib/libforeign.tbd", "/usr/lib/libforeign.dylib",
          ["/usr/lib/system/libelsewhere.dylib"], "arm64-ios, x86_64-macos")
    stub4("sys/usr/lib/libkernel.tbd", "/usr/lib/libkernel.dylib",
          ["/usr/lib/system/libsystem_kernel.dylib"], "x86_64-ios")
    stub4("sys/usr/lib/system/libsystem_kernel.tbd",
          "/usr/lib/system/libsystem_kernel.dylib")
    stub4("sys/usr/lib/libcousin.tbd", "/usr/lib/libcousin.dylib",
          ["/usr/lib/system/libafile.dylib"], "arm64e-macos")
    write("sys/usr/lib/libthree.tbd", """--- !tapi-tbd-v3
archs:           [ x86_64, arm64 ]
uuids:           [ 'x86_64: 00000000-0000-0000-0000-000000000000' ]
platform:        macosx
install-name:    /usr/lib/libthree.dylib
exports:
  - archs:           [ x86_64 ]
    re-exports:      [ /usr/lib/system/libelsewhere.dylib ]
    symbols:         [ _only_there ]
  - archs:           [ x86_64, arm64 ]
    re-exports:      [ /usr/lib/system/libzfile.dylib,
                       /usr/lib/system/libafile.dylib ]
    symbols:         [ _three ]
...
""")
    write("sys/usr/lib/libfive.tbd", """{
"tapi_tbd_version": 5,
"main_library": {
  "target_info": [{"target": "arm64-macos", "min_deployment": "13"}],
  "install_names": [{"name": "/usr/lib/libfive.dylib"}],
  "reexported_libraries": [
    {"targets": ["arm64-macos"],
     "names": ["/usr/lib/system/libzfile.dylib", "/usr/lib/libinside.dylib"]}],
  "exported_symbols": [{"text": {"global": ["_five"]}}]
},
"libraries": [{
  "target_info": [{"target": "arm64-macos", "min_deployment": "13"}],
  "install_names": [{"name": "/usr/lib/libinside.dylib"}],
  "reexported_libraries": [
    {"names": ["/usr/lib/system/libdeeper.dylib"]}]
}]}
""")
    # The linker prefers the stub to the dylib next to it.
    dylib("lib/libstubbed.dylib", "@rpath/libstubbed.dylib")
    stub4("lib/libstubbed.tbd", "@rpath/libstubbed.dylib")


def prepare_frameworks() -> None:
    for directory, name in (("fw", "Plain"), ("fw", "Auto"), ("fw2", "Plain"),
                         ("sys/System/Library/Frameworks", "Public")):
        dylib(f"{directory}/{name}.framework/{name}",
              f"/System/Library/Frameworks/{name}.framework/{name}")
    dylib("fw/Deep.framework/Versions/A/Deep",
          "@rpath/Deep.framework/Versions/A/Deep")
    os.symlink("A", "fw/Deep.framework/Versions/Current")
    os.symlink("Versions/Current/Deep", "fw/Deep.framework/Deep")
    dylib("fw/Deep.framework/Versions/A/Deep_debug",
          "@rpath/Deep.framework/Versions/A/Deep")
    stub4("sys/System/Library/Frameworks/Kit.framework/Kit.tbd",
          "/System/Library/Frameworks/Kit.framework/Kit",
          ["/System/Library/Frameworks/Public.framework/Public"])
    os.makedirs("fw/Object.framework")
    run("cp", "g.o", "fw/Object.framework/Object")
    os.makedirs("fw/Static.framework")
    run("cp", "lib2/libg.a", "fw/Static.framework/Static")


def prepare_universal() -> None:
    run("llvm-lipo", "-create", "f.o", "f_x86.o", "-output", "fat.o")
    run("llvm-lipo", "-create", "auto.o", "auto_x86.o", "-output",
        "fat_auto.o")
    run("llvm-lipo", "-create", "chain/libtop.dylib", "f_x86.o", "-output",
        "chain/libfattop.dylib")
    run("llvm-lipo", "-create", "f_x86.o", "-output", "fat_x86.o")
    run("llvm-lipo", "-create", "-fat64", "f.o", "f_x86.o", "-output",
        "fat64.o")


def prepare_text() -> None:
    write("list", "main.o\n\n# g.o\n  f.o  \nh.o")
    write("list_abs", f"{os.getcwd()}/main.o\n/usr/lib/libpublic.dylib\n")
    write("list_libs", "lib/libf.a\nchain/libtop.dylib\n")
    write("symbols", "_main\n")
    write("symbols2", "_f\n")
    write("order", "_f\n_main\n")
    write("data", "data\n")
    write("args.rsp", "main.o -Llib 'f.o' -lSystem\n")
    write("outer.rsp", "@args.rsp -filelist list\n")
    os.symlink("libtop.dylib", "chain/liblink.dylib")


def prepare() -> None:
    # The source of this module's helper is next to it.
    here = pathlib.Path(__file__).parent
    run("clang", "-shared", "-fPIC", str(here / "opened.c"), "-o",
        "opened.so", "-ldl")
    prepare_objects()
    prepare_archives()
    prepare_stubs()
    prepare_dylibs()
    prepare_frameworks()
    prepare_universal()
    prepare_text()


def cases():
    number = 0
    for name, args, *rest in hand_made():
        yield Case(name, BASE + args, **(rest[0] if rest else {}))
    for args in generated():
        number += 1
        yield Case(f"generated {number}", BASE + args)


def hand_made():
    sys = ["-syslibroot", "sys", "-lSystem"]
    yield "objects", ["main.o", "f.o", "g.o"]
    yield "the same twice", ["main.o", "f.o", "main.o", "./f.o"]
    yield "archive between", ["main.o", "lib/libf.a", "g.o"]
    yield "archive without index", ["main.o", "lib/libindexless.a"]
    yield "values that look like files", [
        "-install_name", "f.o", "-e", "g.o", "-u", "h.o", "main.o", "-rpath",
        "lib/libf.a", "-map", "out/x.map"]
    yield "values of many", [
        "-sectalign", "f.o", "g.o", "4", "-segprot", "f.o", "rwx", "rw",
        "-rename_section", "f.o", "a", "b", "c", "main.o", "-alias", "g.o",
        "h.o"]
    yield "no system", ["main.o", "f.o", "-syslibroot", "sys", "-Z",
                        "-lSystem"]
    yield "system", ["main.o", "f.o"] + sys
    yield "library first", sys + ["main.o", "f.o"]
    yield "-l", ["main.o", "-Llib", "-lf"]
    yield "-L as two arguments", ["main.o", "-L", "lib", "-lf"]
    yield "-l with .o", ["-L.", "-lf.o", "main.o"]
    yield "-l twice", ["-Llib", "-lf", "main.o", "-lf"]
    yield "dylib before archive", ["main.o", "-Llib", "-lboth"]
    yield "stub before dylib", ["main.o", "-Llib", "-lstubbed"]
    yield "kinds of -l", ["-Llib", "-Llib2", "-weak-lboth", "-needed-lf",
                          "-reexport-lz2", "-hidden-lg", "main.o", "-dylib"]
    yield "ignored kinds of -l", ["-Llib", "main.o", "-upward-lboth",
                                  "-lazy-lf", "-lazy_library", "g.o",
                                  "-upward_library", "h.o"]
    yield "kinds of paths", ["-dylib", "main.o", "-weak_library",
                             "lib/libboth.dylib", "-needed_library",
                             "lib2/libz2.dylib", "-reexport_library",
                             "chain/libside.dylib", "-load_hidden",
                             "lib/libf.a"]
    yield "search paths first", ["main.o", "-Llater", "-Llib", "-lboth"]
    yield "search dylibs first", ["main.o", "-Llater", "-Llib",
                                  "-search_dylibs_first", "-lboth"]
    yield "the later of both", ["main.o", "-search_dylibs_first", "-Llater",
                                "-search_paths_first", "-Llib", "-lboth"]
    yield "a search path that is none", ["main.o", "-Lmain.o", "-Lnowhere",
                                         "-Llib", "-lf"]
    yield "missing library", ["main.o", "-Llib", "-lnowhere", "-lf"]
    yield "missing file", ["main.o", "nowhere.o", "f.o"]

    yield "-force_load", ["-force_load", "lib2/libg.a", "main.o", "f.o"]
    yield "-all_load", ["main.o", "-all_load", "-Llib2", "-lg", "f.o"]
    yield "thin archive", ["main.o", "thin/libthin.a", "empty.o"], dict(
        only_headstart={"thin/../g.o": MEMBERS, "thin/../h.o": MEMBERS})
    yield "thin archive, all of it", ["main.o", "-force_load",
                                      "thin/libthin.a", "empty.o"]
    yield "thin archive, -all_load", ["-all_load", "thin/deep/libnested.a",
                                      "main.o", "-Lthin", "-lthin"]
    yield "thin archive in a lazy group", ["thin/libthin.a", "empty.o", "main.o",
                                      "g.o"], dict(
        only_headstart={"thin/../g.o": MEMBERS, "thin/../h.o": MEMBERS})
    yield "start and end", ["main.o", "--start-lib", "g.o", "f.o", "--end-lib",
                            "h.o"]
    yield "options of lazy files", [
        "main.o", "f.o", "-Llib2", "-Ffw", "--start-lib", "auto.o",
        "--end-lib"]

    yield "file list", ["-filelist", "list", "g.o"]
    yield "file list with libraries", ["main.o", "-filelist", "list_libs"]
    yield "file list below a root", ["-filelist", "list_abs"] + sys
    yield "file list that is missing", ["-filelist", "nowhere", "main.o"]
    yield "file list with a directory", ["-filelist", "list,lib", "main.o"]
    yield "file list in a lazy group", ["main.o", "--start-lib", "-filelist",
                                   "list", "--end-lib", "g.o"]
    yield "response file", ["@args.rsp", "-syslibroot", "sys"]
    yield "nested response file", ["@outer.rsp", "g.o"]

    yield "framework", ["main.o", "-Ffw", "-framework", "Plain"]
    yield "-F as two arguments", ["main.o", "-F", "fw2", "-F", "fw", "-framework",
                              "Plain"]
    yield "kinds of frameworks", [
        "-dylib", "main.o", "-Ffw", "-weak_framework", "Plain",
        "-needed_framework", "Deep", "-reexport_framework", "Auto",
        "-upward_framework", "Object", "-lazy_framework", "Static"]
    yield "framework through links", ["main.o", "-Ffw", "-framework", "Deep"]
    yield "framework with suffix", ["main.o", "-Ffw", "-framework",
                                    "Deep,_debug", "-framework",
                                    "Plain,_debug"]
    yield "framework that is an object", ["main.o", "-Ffw", "-framework",
                                          "Object", "-framework", "Object"]
    yield "framework that is an archive", ["main.o", "-Ffw", "-framework",
                                           "Static"]
    yield "system framework", ["main.o", "-framework", "Public"] + sys
    yield "framework that re-exports", ["main.o", "-framework", "Kit"] + sys
    yield "missing framework", ["main.o", "-framework", "Nowhere", "f.o"]

    yield "re-exports", ["main.o", "chain/libtop.dylib", "f.o"]
    yield "re-exports through a link", ["main.o", "chain/liblink.dylib"]
    yield "both names of one dylib", ["chain/libtop.dylib", "main.o",
                                      "chain/liblink.dylib"]
    yield "re-exports on the search path", [
        "main.o", "-Lchain", "-ltop", "-lside"]
    yield "re-exports by run path", ["main.o", "run/libouter.dylib"]
    yield "re-exports next to the program", ["main.o", "-Llib2", "-lprogram"]
    yield "re-exports without a program", ["-dylib", "main.o", "-Llib2",
                                           "-lprogram"]
    yield "re-exports below a root", ["main.o", "lib2/libusespublic.dylib"] + sys
    yield "loads", ["main.o", "lib2/libloads.dylib", "-Llib2"]
    yield "loads, flat", ["main.o", "-flat_namespace", "-Llib2",
                          "lib2/libloads.dylib"]
    yield "stub of version 4", ["main.o", "-lumbrella"] + sys
    yield "stub of version 3", ["main.o", "-lthree"] + sys
    yield "stub of version 5", ["main.o", "-lfive"] + sys
    yield "stub for another target", ["main.o", "-lforeign"] + sys
    yield "stub with wrong targets", ["main.o", "-lkernel"] + sys
    yield "stub for another kind of processor", ["main.o", "-lcousin"] + sys
    yield "all stubs", ["main.o", "-lfive", "-lthree", "-lumbrella",
                        "-lcousin"] + sys
    yield "bundle loader", ["-bundle", "g.o", "-bundle_loader", "loader"]
    yield "bundle loader, flat", ["-bundle", "g.o", "-bundle_loader", "loader",
                                  "-flat_namespace", "-Lchain"]

    yield "two roots", ["main.o", "-syslibroot", "sys2", "-syslibroot", "sys",
                        "-lSystem", "/usr/lib/libpublic.dylib",
                        "/opt/lib/libsecond.dylib"]
    yield "-L below a root", ["main.o", "-syslibroot", "sys2", "-L/opt/lib",
                              "-lsecond"]
    yield "roots that end in /", ["main.o", "-syslibroot", "sys",
                                  "-syslibroot", "/", "-Llib", "-lf"]
    yield "absolute object below a root", [
        os.path.abspath("main.o"), "-syslibroot", "sys",
        os.path.abspath("lib/libf.a")]

    yield "universal object", ["main.o", "fat.o"]
    yield "universal dylib", ["main.o", "chain/libfattop.dylib"]
    yield "universal without our slice", ["main.o", "fat_x86.o", "f.o"]
    yield "universal with large offsets", ["main.o", "fat64.o", "f.o"]
    yield "options of our slice", ["main.o", "fat_auto.o", "f.o", "-Llib2",
                                   "-Ffw"]
    yield "the other slice", ["-arch", "x86_64", "main_x86.o", "fat_auto.o",
                              "-Llib2", "-Ffw"]
    yield "object of another processor", ["main.o", "auto_x86.o", "f.o",
                                          "-Llib2"]

    yield "linker options", ["auto.o", "main.o", "f.o", "-Llib2", "-Ffw"] + sys
    yield "linker options of two", ["again.o", "auto.o", "main.o", "f.o",
                                    "-Llib2", "-Ffw"]
    yield "linker options ignored", ["auto.o", "main.o", "-Llib2", "-Ffw",
                                     "-ignore_auto_link"]
    yield "one linker option ignored", [
        "auto.o", "main.o", "-Llib2", "-Ffw", "--ignore-auto-link-option=z2",
        "--ignore-auto-link-option", "Auto"]
    yield "linker options in an archive", [
        "main.o", "-Llib2", "-Ffw", "-all_load", "-lauto"], dict(
        only_lld={"lib2/libz2.dylib": IN_ARCHIVE, "lib2/liba1.dylib":
                  IN_ARCHIVE, "fw/Auto.framework/Auto": IN_ARCHIVE})
    yield "linker options and an order", [
        "auto.o", "main.o", "f.o", "-Llib2", "-Ffw", "-order_file", "order",
        "-sectcreate", "__DATA", "x", "data"]

    yield "lists of symbols", [
        "-unexported_symbols_list", "symbols2", "main.o", "f.o",
        "-non_global_symbols_strip_list", "symbols", "-Llib", "-lboth"]
    yield "exported symbols", ["main.o", "f.o", "-exported_symbols_list",
                               "symbols2", "-exported_symbols_list",
                               "symbols"] + sys
    yield "both kinds of local symbols", [
        "main.o", "-non_global_symbols_no_strip_list", "symbols",
        "-non_global_symbols_strip_list", "symbols2"]
    yield "order file", ["main.o", "-order_file", "symbols", "f.o",
                         "-order_file", "order"] + sys
    yield "created sections", ["-sectcreate", "__A", "b", "data", "main.o",
                               "f.o", "-segcreate", "__A", "c", "g.o",
                               "-order_file", "order"] + sys
    yield "created section that looks like an object", [
        "main.o", "f.o", "-sectcreate", "__A", "b", "auto.o", "-Llib2",
        "-Ffw"] + sys
    yield "option files that lld ignores", [
        "main.o", "f.o", "-alias_list", "symbols", "-lto_library", "g.o",
        "-dirty_data_list", "data", "-interposable_list", "data",
        "-reexported_symbols_list", "data", "-add_ast_path", "h.o"] + sys
    yield "an order that is also the output", [
        "main.o", "f.o", "-map", "order", "-order_file", "order"] + sys, dict(
        only_lld={"order": "Files that the link writes"})
    yield "bitcode", ["main.o", "bitcode.o", "f.o", "-order_file",
                      "order"] + sys
    yield "profile of functions", [
        "main.o", "f.o", "--irpgo-profile=data", "--bp-startup-sort=function",
        "-order_file", "order"] + sys
    yield "unused profile", [
        "main.o", "f.o", "--irpgo-profile", "data"] + sys
    yield "old profile of functions", ["main.o", "f.o",
                                       "--irpgo-profile-sort=data"] + sys
    yield "profile of LTO without bitcode", [
        "main.o", "f.o", "--cs-profile-path=data"] + sys, dict(
        only_headstart={"data": PROFILE})


POOL = [
    ["main.o"], ["f.o"], ["g.o"], ["h.o"], ["empty.o"], ["fat.o"],
    ["lib/libf.a"], ["lib2/libg.a"], ["lib/libboth.dylib"],
    ["chain/libtop.dylib"], ["chain/libmiddle.dylib"],
    ["chain/libfattop.dylib"], ["run/libouter.dylib"],
    ["-lf"], ["-lg"], ["-lboth"], ["-lSystem"], ["-lstubbed"], ["-lumbrella"],
    ["-lthree"], ["-lfive"], ["-lz2"], ["-ltop"], ["-lprogram"],
    ["-lusespublic"], ["-weak-lz3"], ["-needed-lboth"], ["-hidden-lf"],
    ["-framework", "Plain"], ["-framework", "Kit"], ["-framework", "Deep"],
    ["-weak_framework", "Public"], ["-force_load", "lib2/libg.a"],
    ["-filelist", "list"], ["-filelist", "list_libs"],
    ["/usr/lib/libpublic.dylib"], ["auto.o"], ["again.o"], ["fat_auto.o"],
]
OPTIONS = [
    ["-Llib"], ["-Llib2"], ["-L", "chain"], ["-Llater"], ["-Ffw"], ["-F",
                                                                     "fw2"],
    ["-syslibroot", "sys"], ["-syslibroot", "sys2"], ["-Z"],
    ["-search_dylibs_first"], ["-search_paths_first"], ["-all_load"],
    ["-dylib"], ["-dead_strip"], ["-S"], ["-ignore_auto_link"],
    ["-flat_namespace"], ["-exported_symbols_list", "symbols"],
    ["-x"], ["-demangle"], ["-ObjC"], ["-install_name", "f.o"],
]


def generated():
    """Mixtures in which the files that lld reads do not depend on symbols."""
    chance = random.Random(22)
    for _ in range(60):
        args = (chance.sample(POOL, chance.randint(3, 9)) +
                 chance.sample(OPTIONS, chance.randint(2, 8)))
        chance.shuffle(args)
        yield [word for group in args for word in group]


def read_by(lld: str, args) -> list:
    log = pathlib.Path("opened.log")
    log.unlink(missing_ok=True)
    environment = dict(os.environ, OPENED=str(log.absolute()),
                       LD_PRELOAD=os.path.abspath("opened.so"))
    subprocess.run([NAME] + args, executable=lld, env=environment,
                   stderr=subprocess.DEVNULL, timeout=60)
    opened = log.read_text().splitlines() if log.exists() else []
    # Response files are a part of the command line.
    opened = [p for p in opened if not p.endswith(".rsp") and
              not p.startswith(("/proc/", "/sys/", "/dev/", "/etc/"))]
    check_against_reproducer(lld, args, opened)
    return opened


def check_against_reproducer(lld: str, args, opened) -> None:
    """Checks that --reproduce packs the files that were opened, and no others."""
    subprocess.run([NAME] + args + ["--reproduce=repro.tar"], executable=lld,
                   stderr=subprocess.DEVNULL, timeout=60)
    with tarfile.open("repro.tar") as tar:
        packed = {os.path.realpath("/" + name.split("/", 1)[1])
                  for name in tar.getnames()}
    packed -= {"/response.txt", "/version.txt"}
    real = {os.path.realpath(p) for p in opened}
    thin = any("thin" in word for word in args)
    # --reproduce packs all members of a thin archive, but no universal file without
    # our slice, and no profile.
    more = packed - real
    less = {p for p in real - packed
            if os.path.basename(p) not in ("fat_x86.o", "data")}
    if (more and not thin) or less:
        raise RuntimeError(f"the oracles differ: {args}: {more} {less}")
