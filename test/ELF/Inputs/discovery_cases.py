"""Command lines of ld.lld for utils/check-discovery.py.

The tar of --reproduce has every file that lld read, in the order of reading,
including members of thin archives; --verbose prints the paths in lld's
spelling.
"""

import itertools
import os
import pathlib
import subprocess
import tarfile

NAME = "ld.lld"
TOOLS = os.environ["HEADSTART_LLVM_TOOLS"]


def run(tool, *args, text=None):
    subprocess.run([os.path.join(TOOLS, tool), *args], input=text, check=True,
                   text=True, timeout=60)


def write(name, text=""):
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def object_file(name, symbol, more="", triple="x86_64-linux"):
    pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
    run("llvm-mc", f"-triple={triple}", "-filetype=obj", "-o", name, "-",
        text=f".globl {symbol}\n{symbol}: ret\n{more}")


def dependent(*names):
    strings = "".join(f'.asciz "{n}"\n' for n in names)
    return ('.section .deplibs,"MS",@llvm_dependent_libraries,1\n' + strings)


def archive(name, *members, thin=False):
    run("llvm-ar", "rcST" if thin else "rcs", name, *members)


def shared(name, *objects):
    run("ld.lld", "-shared", "-o", name, *objects)


def prepare_libraries():
    for directory in ("l1", "l2", "l3"):
        for lib in ("x", "y", "z"):
            object_file(f"{directory}/{lib}.o", f"{directory}_{lib}")
    archive("l1/libx.a", "l1/x.o")
    archive("l1/libboth.a", "l1/y.o")
    shared("l1/libboth.so", "l1/y.o")
    archive("l2/libx.a", "l2/x.o")
    shared("l2/libx.so", "l2/x.o")
    archive("l2/liby.a", "l2/y.o")
    shared("l2/libshared.so", "l2/z.o")
    archive("l3/libz.a", "l3/z.o")
    archive("l3/liby.a", "l3/y.o")
    archive("l3/odd.name", "l3/x.o")
    shared("l3/libversion.so.1", "l3/x.o")
    write("l3/libbroken.so", "INPUT(libversion.so.1 libz.a)\n")
    os.makedirs("l3/libfolder.so", exist_ok=True)
    archive("l3/libfolder.a", "l3/x.o")


def prepare_thin_archives():
    for number in range(4):
        object_file(f"thin/m{number}.o", f"thin_m{number}")
        object_file(f"t{number}.o", f"t{number}")
    object_file("thin/a-member-with-a-long-name.o", "thin_long",
                dependent("z"))
    archive("thin.a", "t0.o", "t1.o", thin=True)
    archive("thin/libmore.a", "thin/m0.o", "thin/m1.o",
            "thin/a-member-with-a-long-name.o", thin=True)
    # This archive has a symbol table.
    run("llvm-ar", "rcsT", "indexed.a", "t2.o", "t3.o")


def prepare_scripts():
    write("s/plain.ld", "INPUT(near.o b.o)\n")
    object_file("s/near.o", "near")
    write("s/group.ld", "/* GNU ld script\n   Use the shared library. */\n"
          "OUTPUT_FORMAT(elf64-x86-64)\n"
          "GROUP ( l1/libx.a AS_NEEDED ( l2/libshared.so ) b.o )\n")
    write("s/libraries.ld", "INPUT(-lx -l:odd.name)\nINPUT(-lz)\n")
    write("s/searched.ld", "INPUT(odd.name \"libz.a\")\n")
    write("s/directory.ld", "SEARCH_DIR(\"l3\")\nINPUT(-lz)\n")
    write("s/includes.ld", "INPUT(b.o)\nINCLUDE s/inner.ld\nINPUT(d.o)\n")
    write("s/inner.ld", "# a comment\nINPUT(c.o)\n")
    write("s/sections.ld",
          "ENTRY(_start)\nMEMORY { ram : ORIGIN = 0, LENGTH = 1M }\n"
          "SECTIONS {\n  . = 0x1000;\n  .text : { *(.text .text.*) "
          "INCLUDE s/part.ld }\n  /DISCARD/ : { *(.note*) }\n}\n"
          "symbol = 1;\nPROVIDE(other = symbol + 2);\n"
          "ASSERT(1, \"INPUT(x.o)\")\nINPUT(b.o)\n")
    write("s/part.ld", "KEEP(*(.keep))\n")
    write("s/absolute.ld", f"INPUT({os.getcwd()}/b.o)\n")
    write("s/equals.ld", "INPUT(=b.o)\n")
    write("s/quoted.ld", "INPUT(\"a name.o\"c.o)\n")
    object_file("a name.o", "with_blank")
    write("s/nested.ld", "GROUP(s/plain.ld c.o)\n")
    write("s/repeated.ld", "INPUT(b.o b.o c.o b.o)\n")
    write("s/empty.ld", "\n/* nothing */\n")
    write("s/names-no-files.ld", "EXTERN(INPUT) ENTRY(INCLUDE)\nINPUT(c.o)\n")
    write("s/operators.ld", "x = 1; x += 2; x <<= 3;\nINPUT(c.o)\n")
    write("s/overwrite.ld",
          "OVERWRITE_SECTIONS { .x : { *(.x) } }\nINPUT(c.o)\n")
    write("s/version.ld", "VERSION { V1 { global: b; }; }\nINPUT(c.o)\n")
    write("s/thin.ld", "INPUT(thin.a)\n")


def prepare_sysroot():
    object_file("sys/usr/lib/n.o", "sys_n")
    object_file("sys/usr/lib/m.o", "sys_m")
    archive("sys/usr/lib/libn.a", "sys/usr/lib/n.o")
    shared("sys/usr/lib/libm.so.6", "sys/usr/lib/m.o")
    write("sys/usr/lib/libm.so",
          "GROUP ( /usr/lib/libm.so.6 AS_NEEDED ( /usr/lib/libn.a ) )\n")
    write("sys/usr/lib/relative.ld", "INPUT(libn.a)\n")
    write("sys/usr/lib/equals.ld", "INPUT(=usr/lib/libn.a)\n")
    write("sys/usr/lib/dir.ld", "SEARCH_DIR(=/usr/lib)\nINPUT(-ln)\n")
    os.symlink("sys", "link-to-sys")


def prepare_lists():
    write("v1.ver", "{ global: *; };\n")
    write("l3/v2.ver", "{ local: c*; };\n")
    write("dynamic.list", "{ _start; };\n")
    write("export.list", "{ b; };\n")
    write("retain.txt", "_start\n")
    write("order.txt", "_start\n")
    write("calls.txt", "_start b 3\n")
    write("remap.txt", "# a comment\nb.o=c.o\nl?/libx.a=l3/libz.a\n#\n")
    write("profile.txt", "main:1:1\n 1: 1\n")
    write("blob.txt", "INPUT(c.o)\n")
    write("x.rsp", "b.o -L l2 'a name.o'\n")
    write("windows.rsp", "\"a name.o\" l1\\x.o\n")
    write("outer.rsp", "@x.rsp -ly\n")
    write("empty.rsp", "")


def prepare():
    object_file("a.o", "_start")
    for name in "bcd":
        object_file(f"{name}.o", name)
    prepare_libraries()
    prepare_thin_archives()
    prepare_scripts()
    prepare_sysroot()
    prepare_lists()
    object_file("dep-x.o", "dep_x", dependent("x", "y"))
    object_file("dep-file.o", "dep_file", dependent("odd.name", "own.a"))
    object_file("dep-script.o", "dep_script", dependent("broken"))
    object_file("dep-dep.o", "dep_dep", dependent("dep-x.o"))
    object_file("dep-both.o", "dep_both", dependent("both"))
    object_file("dep-whole.o", "dep_whole", dependent("more"))
    archive("own.a", "d.o")
    archive("with-dep.a", "dep-x.o")
    run("clang", "--target=x86_64-linux-gnu", "-flto", "-c", "-x", "c", "-",
        "-o", "bitcode.o", text="void bitcode(void) {}\n")


def search_cases():
    """Libraries: their directories, their forms, and the options before them."""
    places = [["-L", "l1", "-Ll2"], ["--library-path=l2", "-L", "l1"],
              ["-L", "l3", "--library-path", "l2", "-L", "l1"]]
    modes = [[], ["-Bstatic"], ["-static"], ["-N"], ["-r"]]
    for (p, place), mode in itertools.product(enumerate(places), modes):
        yield Case(f"search {p} {' '.join(mode)}",
                   mode + ["a.o", "-lx", "--library", "both"] + place
                   + ["--library=y"])
    stopped = "A directory stops the search"
    yield Case("a directory with a library's name",
               ["a.o", "-L", "l3", "-lfolder", "b.o"],
               only_headstart={"l3/libfolder.so": stopped})
    for name in ("-l:odd.name", "-l:libx.a", "-lversion", "-lnone",
                 "-l:l3/odd.name", "-l:none"):
        yield Case(f"search for {name}",
                   ["a.o", "-L", "l3", name, "-L", "l2", "-ly", "-L."])
    yield Case("-Bdynamic again",
               ["a.o", "-L", "l1", "-Bstatic", "-lboth", "-Bdynamic",
                "-lboth", "-L", "l2", "-dn", "-lx", "-dy", "-lx"])
    yield Case("push and pop",
               ["a.o", "-L", "l2", "-L", "l1", "--push-state", "-Bstatic",
                "-lx", "--whole-archive", "--pop-state", "-lx",
                "--push-state", "--pop-state", "--pop-state", "-lboth"])
    yield Case("-r outweighs -Bdynamic",
               ["-r", "-Bdynamic", "a.o", "-L", "l1", "-lboth"])
    yield Case("-n searches archives", ["-n", "a.o", "-L", "l1", "-lboth"])
    yield Case("the current directory as a search path",
               ["a.o", "-L", "", "-l:own.a", "-L", ".", "-l:l1/libx.a"])
    yield Case("a search path that is a file, or nowhere",
               ["a.o", "-L", "a.o", "-L", "nowhere", "-L", "l1", "-lx"])
    yield Case("a library twice", ["a.o", "-L", "l1", "-lx", "-lx", "b.o"])


def order_cases():
    yield Case("objects", ["a.o", "b.o", "c.o", "d.o"])
    yield Case("objects twice", ["d.o", "a.o", "d.o", "b.o", "a.o"])
    yield Case("archives among objects", ["l1/libx.a", "a.o", "own.a", "b.o"])
    yield Case("groups",
               ["a.o", "--start-group", "l1/libx.a", "l2/liby.a",
                "--end-group", "-(", "b.o", "-)"])
    yield Case("lazy objects",
               ["a.o", "--start-lib", "b.o", "dep-x.o", "--end-lib", "c.o"])
    yield Case("whole archives",
               ["a.o", "--whole-archive", "own.a", "--no-whole-archive",
                "l1/libx.a"])
    yield Case("absolute paths", [os.path.abspath("a.o"), "b.o"])
    yield Case("missing files", ["a.o", "missing.o", "b.o", "missing.a"])
    yield Case("a shared library", ["a.o", "l2/libshared.so", "-shared"])
    yield Case("response file", ["a.o", "@x.rsp", "-lx", "c.o"])
    yield Case("nested response files", ["@empty.rsp", "@outer.rsp", "a.o"])
    yield Case("response file that is not there", ["a.o", "@none.rsp", "b.o"])
    yield Case("response file by the rules of Windows",
               ["--rsp-quoting=posix", "a.o", "--rsp-quoting", "windows",
                "@windows.rsp"])
    yield Case("binary inputs",
               ["a.o", "--format=binary", "blob.txt", "own.a", "thin.a",
                "-b", "elf", "b.o", "-b", "binary", "dep-x.o"])
    yield Case("values that look like inputs",
               ["a.o", "-e", "b.o", "-u", "c.o", "-h", "d.o", "-rpath",
                "own.a", "-z", "now", "-soname", "t0.o", "--defsym", "q=1",
                "--entry=t1.o", "-mllvm", "-time-passes", "-O", "2",
                "--threads", "1", "-m", "elf_x86_64", "-y", "t2.o",
                "--wrap", "t3.o", "--exclude-libs", "thin.a"])
    yield Case("plugin options",
               ["a.o", "-plugin", "b.o", "-plugin-opt", "lto-wrapper",
                "--plugin-opt", "mcpu=x86-64", "-plugin-opt=O2", "c.o"])


def list_cases():
    """Files that options name."""
    yield Case("version scripts",
               ["-shared", "a.o", "--version-script", "v1.ver",
                "--version-script=v2.ver", "-L", "l3"])
    yield Case("dynamic lists",
               ["-pie", "--export-dynamic-symbol-list=export.list", "a.o",
                "b.o", "--dynamic-list", "dynamic.list",
                "--dynamic-list=export.list"])
    yield Case("symbol orders",
               ["a.o", "--symbol-ordering-file", "calls.txt",
                "--symbol-ordering-file=order.txt"])
    yield Case("retained symbols",
               ["a.o", "--retain-symbols-file=retain.txt", "-shared"])
    yield Case("call graph", ["a.o", "b.o", "--call-graph-ordering-file",
                              "calls.txt"])
    yield Case("call graph that is not sorted by",
               ["a.o", "--call-graph-ordering-file=calls.txt",
                "--no-call-graph-profile-sort"])
    yield Case("just symbols",
               ["a.o", "--just-symbols=b.o", "c.o", "--just-symbols", "d.o"])
    yield Case("everything early",
               ["a.o", "--version-script=v1.ver", "-shared",
                "--retain-symbols-file", "retain.txt", "b.o",
                "--dynamic-list=dynamic.list", "--symbol-ordering-file",
                "order.txt", "--remap-inputs-file=remap.txt"])
    yield Case("remapped by arguments",
               ["a.o", "b.o", "-L", "l1", "-lx", "--remap-inputs=b.o=d.o",
                "--remap-inputs", "l?/*.a=own.a"])
    yield Case("remapped by a file",
               ["a.o", "b.o", "-L", "l1", "-lx",
                "--remap-inputs-file=remap.txt"])
    yield Case("remapped twice: the last name, the first pattern",
               ["a.o", "b.o", "c.o", "--remap-inputs=b.o=c.o",
                "--remap-inputs=b.o=d.o", "--remap-inputs=c*=t0.o",
                "--remap-inputs=c.?=t1.o"])
    yield Case("chroot",
               ["--chroot", os.getcwd(), "/a.o", "b.o", "/l1/libx.a"])
    yield Case("a profile, with --reproduce",
               ["a.o", "--lto-sample-profile=profile.txt",
                "--reproduce=repro.tar", "b.o"])
    profiles = "Profiles are listed where lld may do without them"
    yield Case("profiles",
               ["a.o", "--lto-cs-profile-file=profile.txt"],
               only_headstart={"profile.txt": profiles})
    yield Case("outputs named as inputs of options",
               ["a.o", "-o", "out.list", "-Map=map.list",
                "--symbol-ordering-file=order.txt"])
    yield Case("printed to nowhere",
               ["a.o", "--print-archive-stats=-", "--why-extract=-",
                "--print-symbol-order=out.order", "--cref"])


def script_cases():
    for script in sorted(pathlib.Path("s").glob("*.ld")):
        if script.name in ("inner.ld", "part.ld"):
            continue
        directories = ["-L", "l1", "-L", "l3"]
        yield Case(f"{script} as an input",
                   ["a.o", str(script), "t0.o"] + directories)
        if script.name in ("plain.ld", "sections.ld", "includes.ld",
                           "folder.ld", "libraries.ld"):
            yield Case(f"{script} with -T",
                       ["a.o", "-T", str(script), "t0.o"] + directories)
            yield Case(f"{script} as the default",
                       ["a.o", f"--default-script={script}", "t0.o"]
                       + directories)
    yield Case("-T searched for",
               ["a.o", "-Ls", "--script=group.ld", "t0.o"])
    yield Case("a default that -T replaces",
               ["a.o", "-dT", "s/plain.ld", "-T", "s/group.ld"])
    yield Case("a library that is a script",
               ["a.o", "-L", "l3", "-lbroken", "-lbroken"])
    yield Case("static libraries in scripts",
               ["a.o", "-L", "l1", "-L", "l2", "-Bstatic", "s/libraries.ld",
                "-Bdynamic", "-lboth", "-L", "l3"])
    yield Case("-nostdlib ignores the directories of scripts",
               ["a.o", "-nostdlib", "s/directory.ld", "-L", "l1", "-lx"])
    yield Case("directories of scripts come last, and only from there on",
               ["a.o", "-L", "l2", "-lx", "s/directory.ld", "-lz", "-ly"])


def sysroot_cases():
    for root in ("sys", os.path.abspath("sys"), "link-to-sys"):
        name = os.path.basename(root) + (" absolute" if root[0] == "/" else "")
        yield Case(f"sysroot {name}",
                   [f"--sysroot={root}", "a.o", "-L=/usr/lib", "-lm", "-ln"])
        yield Case(f"sysroot {name}, script by its path",
                   ["--sysroot", root, "a.o", f"{root}/usr/lib/libm.so"])
        yield Case(f"sysroot {name}, more scripts",
                   ["--sysroot", root, "a.o", f"{root}/usr/lib/relative.ld",
                    f"{root}/usr/lib/equals.ld", f"{root}/usr/lib/dir.ld"])
        yield Case(f"sysroot {name}, a script's own directory",
                   ["--sysroot", root, "a.o", f"{root}/usr/lib/dir.ld"])
    yield Case("a script outside the sysroot",
               ["--sysroot=sys", "a.o", "s/absolute.ld"])
    yield Case("no sysroot", ["a.o", "-L=l1", "-lx", "s/equals.ld"])


def inside_cases():
    """Thin archives and dependent libraries."""
    yield Case("thin archives", ["a.o", "thin.a", "thin/libmore.a", "b.o"])
    yield Case("thin archive with an index", ["a.o", "indexed.a", "b.o"])
    yield Case("thin archives, whole",
               ["a.o", "--whole-archive", "thin.a", "-L", "thin", "-lmore",
                "-L", "l3"])
    yield Case("a thin archive twice", ["a.o", "thin.a", "b.o", "thin.a"])
    for args in (["dep-x.o"], ["dep-file.o"], ["dep-script.o"],
                  ["dep-dep.o"], ["dep-x.o", "dep-file.o", "dep-both.o"],
                  ["-Bstatic", "dep-both.o"], ["dep-both.o", "-Bstatic"],
                  ["-r", "dep-x.o"], ["--no-dependent-libraries", "dep-x.o"],
                  ["dep-whole.o", "-L", "thin"],
                  ["--start-lib", "dep-x.o", "--end-lib"],
                  ["--whole-archive", "dep-whole.o", "-L", "thin"]):
        yield Case(f"dependents of {' '.join(args)}",
                   ["a.o"] + args + ["b.o", "-L", "l1", "-L", "l2",
                                      "-L", "l3"])
    extracted = "Members of archives are not inspected"
    yield Case("dependents of an extracted member",
               ["a.o", "-u", "dep_x", "with-dep.a", "-L", "l1", "-L", "l3"],
               only_lld={"l1/libx.a": extracted, "l3/liby.a": extracted})


def cases():
    for group in (order_cases, search_cases, list_cases, script_cases,
                  sysroot_cases, inside_cases):
        yield from group()


def reproduced():
    """Yields the absolute paths in the tar of --reproduce, in order."""
    with tarfile.open("repro.tar") as tar:
        for name in tar.getnames():
            path = "/" + name.partition("/")[2]
            if path not in ("/response.txt", "/version.txt"):
                yield path


def read_by(lld, args):
    pathlib.Path("repro.tar").unlink(missing_ok=True)
    done = subprocess.run(
        [NAME, "--reproduce=repro.tar", "--verbose", "-o", "out"] + args,
        executable=lld, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=60)
    here = os.getcwd() + "/"
    spelled = {}
    for line in done.stdout.decode(errors="replace").splitlines():
        path = line.removeprefix("ld.lld: ")
        spelled.setdefault(os.path.normpath(here + path)
                           if path[:1] != "/" else os.path.normpath(path),
                           path)
    return [spelled.get(path, path.removeprefix(here)) for path in reproduced()]
