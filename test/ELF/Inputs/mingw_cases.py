"""Command lines of ld.lld as MinGW's linker for utils/check-discovery.py.

The tar of --reproduce has the files that lld read, in the order of reading.
The tests for lld-link cover the references in .drectve and the members of thin
archives.
"""

import functools
import itertools
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import discovery_cases as elf  # noqa: E402 (it is next to this file)
from discovery_cases import archive, run, write  # noqa: E402

NAME = "ld.lld"
object_file = functools.partial(elf.object_file, triple="x86_64-w64-mingw32")


def import_library(name, dll):
    write("imports.def", f"LIBRARY {dll}\nEXPORTS\n  from_{dll[:-4]}\n")
    run("llvm-dlltool", "-m", "i386:x86-64", "-d", "imports.def", "-l", name)


def prepare():
    object_file("a.o", "mainCRTStartup")
    for name in "bcd":
        object_file(f"{name}.o", name)
    for directory in ("l1", "l2", "l3", "l4"):
        for lib in ("x", "y", "z"):
            object_file(f"{directory}/{lib}.o", f"{directory}_{lib}")
    import_library("l1/libx.dll.a", "x.dll")
    archive("l1/libx.a", "l1/x.o")
    archive("l1/liby.a", "l1/y.o")
    import_library("l2/x.dll.a", "xx.dll")
    archive("l2/x.lib", "l2/x.o")
    import_library("l2/y.dll.a", "y.dll")
    archive("l2/y.lib", "l2/y.o")
    archive("l2/libz.a", "l2/z.o")
    archive("l3/z.lib", "l3/z.o")
    archive("l3/odd.name", "l3/x.o")
    run("ld.lld", "-m", "i386pep", "-shared", "--entry=", "l4/x.o",
        "--export-all-symbols", "-o", "l4/libw.dll")
    run("ld.lld", "-m", "i386pep", "-shared", "--entry=", "l4/y.o",
        "--export-all-symbols", "-o", "l4/cygw.dll")
    run("ld.lld", "-m", "i386pep", "-shared", "--entry=", "l4/z.o",
        "--export-all-symbols", "-o", "l4/v.dll")
    archive("own.a", "d.o")
    archive("twice.a", "c.o")
    write("exports.def", "EXPORTS\n  b\n")
    write("more.def", "EXPORTS\n  c\n")
    write("order.txt", "b\n")
    write("calls.txt", "b c 1\n")
    write("stub.bin", "MZ" + "x" * 62)
    write("x.rsp", "b.o -L l2 -lz\n")
    write("personality.rsp", "-m i386pep b.o\n")
    write("outer.rsp", "@x.rsp 'c.o'\n")


PEP = ["-m", "i386pep"]


def search_cases():
    places = [["-L", "l1", "-Ll2", "-L", "l3"], ["-Ll2", "-L", "l1"],
              ["-L", "l3", "-L", "l2", "-L", "l1"]]
    modes = [[], ["-Bstatic"], ["-static"], ["-dn", "--Bdynamic"]]
    for (p, place), mode in itertools.product(enumerate(places), modes):
        yield Case(f"search {p} {' '.join(mode)}",
                   PEP + mode + ["a.o", "-lx", "-l", "y"] + place + ["-lz"])
    for name in ("-l:odd.name", "-l:libx.a", "-l:x.o", "-lz"):
        yield Case(f"search for {name}",
                   PEP + ["a.o", "-L", "l3", name, "-L", "l2", "-L", "l1"])
    yield Case("a DLL itself", PEP + ["a.o", "-L", "l4", "-lw", "-lv"])
    yield Case("a DLL with another prefix",
               PEP + ["a.o", "-L", "l4", "-lw", "--dll-search-prefix=cyg"])
    yield Case("static and dynamic in turn",
               PEP + ["a.o", "-L", "l1", "-Bstatic", "-lx", "-Bdynamic", "-lx",
                      "-L", "l2", "-non_shared", "-lx", "-call_shared",
                      "-ly"])
    yield Case("the current directory as a search path",
               PEP + ["a.o", "-L", "", "-l:own.a", "-l:twice.a"])
    yield Case("invalid search paths",
               PEP + ["a.o", "-La.o", "-Lnowhere", "-Ll1", "-lx"])
    yield Case("a library twice", PEP + ["a.o", "-Ll1", "-lx", "-lx", "b.o"])


def order_cases():
    yield Case("objects", PEP + ["a.o", "b.o", "c.o", "d.o"])
    yield Case("objects twice", PEP + ["d.o", "a.o", "d.o", "b.o"])
    yield Case("archives among objects",
               PEP + ["own.a", "a.o", "l1/liby.a", "b.o"])
    yield Case("whole archives",
               PEP + ["a.o", "--whole-archive", "own.a", "-L", "l1", "-ly",
                      "--no-whole-archive", "twice.a", "-lx"])
    yield Case("ignored groups and flags",
               PEP + ["a.o", "--start-group", "own.a", "--end-group",
                      "--as-needed", "b.o", "-O2", "--no-seh"])
    yield Case("absolute paths", PEP + [os.path.abspath("a.o"), "b.o"])
    yield Case("response files", PEP + ["a.o", "@x.rsp", "d.o"])
    yield Case("nested response files", PEP + ["a.o", "@outer.rsp", "d.o"])
    yield Case("personality in a response file",
               ["@personality.rsp", "a.o", "-L", "l1", "-lx"])
    yield Case("-v with inputs", PEP + ["-v", "a.o", "b.o"])
    for value in ("i386pe", "arm64pe"):
        # The machine does not match; lld reads all inputs before it notices.
        yield Case(f"-m {value}",
                   ["-m", value, "a.o", "-L", "l2", "-lz", "b.o"],
                   ordered=True)


def option_cases():
    yield Case("definitions",
               PEP + ["exports.def", "a.o", "b.o", "-shared"])
    yield Case("definitions: the last wins",
               PEP + ["exports.def", "a.o", "more.def", "b.o", "c.o"])
    yield Case("a stub", PEP + ["a.o", "-Xlink=-stub:stub.bin", "b.o"],
               only_headstart={"stub.bin": "Not every list is in the tar"})
    yield Case("an order", PEP + ["a.o", "b.o", "-Xlink", "-order:@order.txt"])
    yield Case("a call graph",
               PEP + ["a.o", "b.o", "c.o",
                      "--Xlink=-call-graph-ordering-file:calls.txt"])
    yield Case("inputs passed by -Xlink",
               PEP + ["a.o", "-Xlink", "c.o", "--Xlink=-wholearchive:own.a",
                      "b.o"])
    yield Case("default libraries passed by -Xlink",
               PEP + ["a.o", "-Xlink=-defaultlib:l1/liby.a", "b.o"])
    yield Case("values that look like inputs",
               PEP + ["a.o", "-e", "mainCRTStartup", "-u", "b.o", "-rpath",
                      "c.o", "--image-base", "0x140000000", "--stack",
                      "1000000", "--subsystem", "console", "-sysroot", "d.o",
                      "--heap=1", "-plugin", "own.a", "--delayload", "b.o",
                      "--undefined=c.o", "--wrap", "d.o", "--threads", "1",
                      "--major-os-version", "6", "--require-defined",
                      "mainCRTStartup", "--exclude-symbols", "own.a"])
    yield Case("plugin options",
               PEP + ["a.o", "-plugin-opt=O2", "--plugin-opt=mcpu=x86-64",
                      "-plugin-opt=-pass-through=b.o", "c.o"])
    yield Case("a program database",
               PEP + ["a.o", "--pdb=x.pdb", "b.o", "-Map", "out.map"])
    yield Case("a program database by default",
               PEP + ["a.o", "-pdb=", "b.o", "--build-id"])
    yield Case("stripped", PEP + ["-s", "a.o", "-S", "b.o"])
    yield Case("an import library, a definition, a map",
               PEP + ["a.o", "b.o", "--shared", "--out-implib=out.a",
                      "--output-def", "out.def", "-Map=out.map"])
    yield Case("collected", PEP + ["a.o", "--gc-sections", "own.a", "b.o"])
    profiles = "Profiles are listed where lld may do without them"
    yield Case("profiles",
               PEP + ["a.o", "--lto-sample-profile=order.txt",
                      "--lto-cs-profile-file=calls.txt"],
               only_headstart={"order.txt": profiles, "calls.txt": profiles})


def cases():
    for group in (order_cases, search_cases, option_cases):
        yield from group()


def read_by(lld, args):
    pathlib.Path("repro.tar").unlink(missing_ok=True)
    subprocess.run([NAME, *args, "--reproduce=repro.tar", "-o", "out.exe"],
                   executable=lld, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)
    here = os.getcwd() + "/"
    absolute = {w for w in args if w.startswith("/")}
    return [path if path in absolute else path.removeprefix(here)
            for path in elf.reproduced()]
