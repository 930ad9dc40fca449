"""Command lines of lld-link for check-discovery.py.

lld reports the files that it read in three ways, in one link: /reproduce: puts
every file into an archive, in the order of reading; /linkreprofullpathrsp:
lists the objects, libraries and type servers that it resolved; /verbose prints
the files in lld's spelling. The first list has the most files and is compared;
the second must not have a file that the first lacks.
"""

import contextlib
import os
import pathlib
import random
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import coff_objects as coff  # noqa: E402 (it is next to this file)

NAME = "lld-link"

# Headings of docs/internals/Discovery-COFF.md.
MEMBERS = "Members of archives"
LAZY = "Objects between /start-lib and /end-lib"
EXCLUSION = "/nodefaultlib: in another object"
OWN_PDB = "The PDB that the link writes"
SPELLING = "/wholearchive: by another spelling"
NOT_REPORTED = "Files that /reproduce: leaves out"

# The files that /reproduce: adds, and the manifest that lld makes itself.
NOT_READ = ("r/response.txt", "r/version.txt",
            "r" + os.path.join(os.getcwd(), "out.exe.manifest.res"))

# The paths of members of thin archives outside of the current directory, as lld opens
# them.
THIN = {"sub/thin.lib": ("sub/two.obj", "sub/../d.obj"),
        "gnu/libgthin.a": ("gnu/../g.obj", "gnu/../says/a.obj")}

LINK = ["/entry:main", "/subsystem:console", "/out:out.exe"]


def run(*args) -> None:
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL)


def write(path: str, text="", encoding="utf-8") -> None:
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_bytes(text.encode(encoding))


def library(path: str, *members, thin=False) -> None:
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    run("llvm-ar", "rcsT" if thin else "rcs", path, *members)


def bitcode(path: str, says, flag="-flto", defines="main") -> None:
    source = "".join(f'#pragma comment(lib, "{s}")\n' for s in says)
    write(path + ".c", source + f"int {defines}(void) {{ return 0; }}\n")
    run("clang", "--target=x86_64-pc-windows-msvc", flag, "-c", path + ".c",
        "-o", path)


def prepare() -> None:
    headings = (pathlib.Path(__file__).parents[3] / "docs" / "internals" /
                "Discovery-COFF.md").read_text().splitlines()
    for heading in (MEMBERS, LAZY, EXCLUSION, SPELLING, OWN_PDB,
                    NOT_REPORTED):
        assert f"## {heading}" in headings, heading
    for letter in "abcdefghij":
        coff.write(f"{letter}.obj", f"in_{letter}")
        library(f"{letter}.lib", f"{letter}.obj")
    coff.write("main.obj", "main")
    for directory, letter in (("p1", "a"), ("p1", "k"), ("p2", "b"), ("p2", "k"),
                           ("p2", "l")):
        coff.write(f"{directory}/{letter}.obj", f"in_{directory}_{letter}")
        library(f"{directory}/{letter}.lib", f"{directory}/{letter}.obj")
    prepare_directives()
    prepare_archives()
    prepare_debug()
    prepare_others()


def prepare_directives() -> None:
    def says(name, text, **more):
        coff.write(f"says/{name}.obj", f"says_{name}", text, **more)

    says("a", "/defaultlib:a")
    says("abc", '/DEFAULTLIB:"a.lib" -defaultlib:b "/DefaultLib:c.lib"')
    says("big", "/defaultlib:a /defaultlib:b.lib", big=True)
    says("spaces", '  /defaultlib:"with space.lib"\t/defaultlib:a\r\n'
                   '"-defaultlib:b"\n')
    says("zeros", b" /defaultlib:a\0\0 /defaultlib:b\0\0\0\0")
    says("bom", b"\xef\xbb\xbf /defaultlib:a")
    says("others", "/manifestdependency:\"type='win32' name='x'\" "
                   "/include:says_others /merge:.foo=.bar "
                   "/alternatename:not=there /failifmismatch:\"k=v\" "
                   "/export:says_others /section:.x,R /defaultlib:a "
                   "/editandcontinue /guardsym:x,y /throwingnew")
    says("excludes_own", "/nodefaultlib:a /defaultlib:a /defaultlib:b")
    says("excludes_late", "/defaultlib:a /nodefaultlib:a /defaultlib:a.lib")
    says("excludes_b", "/nodefaultlib:b")
    says("b", "/defaultlib:b")
    says("same", "/defaultlib:a /defaultlib:A /defaultlib:a.lib "
                 "/defaultlib:./a.lib")
    says("k", "/defaultlib:k.lib")
    says("k_bare", "/defaultlib:k")
    says("l", "/defaultlib:l")
    says("folder", "/defaultlib:p1/a /defaultlib:p2/b.lib")
    says("object", "/defaultlib:says/chain.obj /defaultlib:b")
    says("chain", "/defaultlib:c /defaultlib:says/chain2.obj")
    says("chain2", "/defaultlib:d /defaultlib:says/chain.obj")
    says("none", "/include:says_none")
    says("two", "/defaultlib:a",
         sections=[coff.directives(" /defaultlib:b")])
    says("missing", "/defaultlib:nowhere /defaultlib:a")
    says("many", " ".join(f"/export:x{i}=says_many" for i in range(3000)) +
         " /defaultlib:e " + "/defaultlib:a " * 100)
    coff.write("says/resource.obj", "says_res",
               "/defaultlib:res.lib /defaultlib:vc /defaultlib:crt")
    library("with space.lib", "a.obj")


def prepare_archives() -> None:
    coff.write("sub/one.obj", "one", "/defaultlib:a")
    coff.write("sub/two.obj", "two", "/defaultlib:b")
    coff.write("wants_one.obj", "wants_one", wants=["one"])
    library("fat.lib", "sub/one.obj", "sub/two.obj", "c.obj")
    library("thin.lib", "sub/one.obj", "sub/two.obj", "c.obj", thin=True)
    library("sub/thin.lib", "sub/two.obj", "d.obj", thin=True)
    run("llvm-lib", "/llvmlibthin", "/out:thin2.lib", "e.obj", "sub/one.obj")
    run("llvm-ar", "rcs", "--format=bsd", "bsd.lib", "sub/one.obj",
        "sub/two.obj")
    long = "sub/a name that is much longer than sixteen characters.obj"
    coff.write(long, "long_name", "/defaultlib:c")
    library("long.lib", long, "sub/one.obj")
    library("empty.lib")
    for name in ("main", "other"):
        coff.write(f"ec/{name}.obj", name, "/defaultlib:d",
                   machine=coff.ARM64EC)
    library("ec/thin.lib", "ec/other.obj", thin=True)
    bitcode("lto/member.obj", ["d"], defines="lto_member")
    library("lto.lib", "lto/member.obj", "sub/one.obj")


def prepare_debug() -> None:
    run("lld-link", "main.obj", "/debug", *LINK, "/pdb:types.pdb")
    for copy in ("sub/beside.pdb", "near.pdb", "sub/near.pdb", "p1/o.pdb",
                 "image/apart.pdb", "own.pdb"):
        pathlib.Path(copy).parent.mkdir(exist_ok=True)
        pathlib.Path(copy).write_bytes(pathlib.Path("types.pdb").read_bytes())

    def types(name, path, says="", **more):
        coff.write(name, name.replace("/", "_"), says,
                   sections=[coff.type_server(path)], **more)

    types("types.obj", "types.pdb", "/defaultlib:a")
    types("types2.obj", "types.pdb")
    types("bigtypes.obj", "types.pdb", "/defaultlib:b", big=True)
    types("sub/beside.obj", "C:\\build\\obj\\beside.pdb")
    types("sub/near.obj", "C:\\x\\near.pdb")
    types("gone.obj", "C:\\x\\gone.pdb", "/defaultlib:c")
    types("sub/apart.obj", "C:\\x\\apart.pdb")
    types("own.obj", "C:\\x\\own.pdb")
    library("sub/typesthin.lib", "sub/near.obj", thin=True)
    types("absolute.obj", os.path.abspath("p1/o.pdb"))
    types("slashes.obj", "p1/o.pdb")
    coff.write("precompiled.obj", "precompiled",
               sections=[coff.precompiled("C:\\x\\a.obj")])
    coff.write("isheader.obj", "isheader",
               sections=[(".debug$P",) + coff.type_server("types.pdb")[1:],
                         coff.type_server("types.pdb")])
    coff.write("later.obj", "later",
               sections=[(".debug$T", b"\4\0\0\0" +
                          b"\x0e\0\x08\x10\x74\0\0\0\0\0\0\0\0\0\0\0" +
                          coff.type_server("types.pdb")[1][4:], coff.DEBUG)])
    library("types.lib", "sub/near.obj", "b.obj")
    library("sub/types.lib", "sub/near.obj", "sub/beside.obj")
    library("typesthin.lib", "sub/near.obj", "types.obj", thin=True)


def prepare_others() -> None:
    bitcode("lto/main.obj", ["a", "b.lib"])
    bitcode("lto/thin.obj", ["c"], "-flto=thin", "lto_thin")
    bitcode("lto/plain.obj", [], defines="lto_plain")
    write("empty.def", "EXPORTS\n")
    write("order.txt", "main\n")
    write("layout.txt", ".text\n")
    write("graph.txt", "main main 1\n")
    write("x.natvis", "<AutoVisualizer/>\n")
    write("y.natvis", "<AutoVisualizer/>\n")
    write("stream.txt", "text\n")
    write("stub.exe", "MZ" + "\0" * 126)
    write("x.manifest",
          '<assembly xmlns="urn:schemas-microsoft-com:asm.v1" '
          'manifestVersion="1.0"></assembly>\n')
    pathlib.Path("x.res").write_bytes(
        bytes.fromhex("00000000200000 00ffff0000ffff0000") + bytes(16))
    write("one.rsp", "main.obj says/a.obj /libpath:p1")
    write("outer.rsp", '"says/abc.obj"\n@inner.rsp\n/defaultlib:d')
    write("inner.rsp", "main.obj /nodefaultlib:b")
    write("wide.rsp", "main.obj says/abc.obj", "utf-16")
    tools = "root/VC/Tools/MSVC/14.40.1/lib/x64/"
    kits = "root/Windows Kits/10/Lib/10.0.22621.0/"
    for path in (tools + "vc.lib", kits + "ucrt/x64/crt.lib",
                 kits + "um/x64/res.lib", "root/DIA SDK/lib/amd64/dia.lib"):
        write(path)
        os.remove(path)
        library(path, "i.obj")
    pathlib.Path("root/Windows Kits/10/Include/10.0.22621.0").mkdir(
        parents=True)
    run("lld-link", "/dll", "/noentry", "/export:in_j", "j.obj",
        "/out:imported.dll", "/implib:imported.lib")
    coff.write("gnu/main.o", "main", "-defaultlib:g -exclude-symbols:x")
    coff.write("gnu/named.o", "named", "-defaultlib:libh.a -aligncomm:x,3")
    library("gnu/libg.a", "g.obj")
    library("gnu/libh.a", "h.obj")
    library("gnu/libgthin.a", "g.obj", "says/a.obj", thin=True)
    os.symlink("a.obj", "link.obj")
    os.link("b.lib", "hard.lib")


@contextlib.contextmanager
def environment(**variables):
    os.environ.update(variables)
    yield
    for name in variables:
        del os.environ[name]


def cases():
    yield from plain_cases()
    yield from directive_cases()
    yield from archive_cases()
    yield from debug_cases()
    yield from option_cases()
    yield from environment_cases()
    yield from bitcode_cases()
    yield from random_cases()


def case(name, *args, **more):
    return Case(name, LINK + list(args), **more)  # noqa: F821


def plain_cases():
    yield case("one object", "main.obj")
    yield case("objects in order", "c.obj", "main.obj", "a.obj", "b.obj")
    yield case("a library first", "a.lib", "main.obj", "b.lib")
    yield case("extension added", "main", "a", "p1/k")
    yield case("searched for", "main.obj", "k.lib", "l", "/libpath:p2")
    yield case("first directory", "main.obj", "k.lib", "a.lib", "/libpath:p1",
               "/libpath:p2")
    yield case("twice", "main.obj", "a.obj", "main.obj", "a.obj")
    yield case("two spellings", "main.obj", "a.obj", "./a.obj", "p1/../a.obj")
    yield case("a link", "main.obj", "a.obj", "link.obj")
    yield case("a link first", "main.obj", "link.obj", "a.obj")
    yield case("a hard link", "main.obj", "hard.lib", "b.lib")
    yield case("a hard link by default", "main.obj", "b.lib",
               "/defaultlib:hard", "says/b.obj")
    yield case("absolute", os.path.abspath("main.obj"), "a.lib")
    yield case("missing object", "main.obj", "nowhere.obj", "a.obj")
    yield case("response file", "@one.rsp", "/defaultlib:k")
    yield case("response files", "@outer.rsp", "a.obj")
    yield case("utf-16", "@wide.rsp")
    yield case("a resource", "main.obj", "x.res", "a.obj")
    yield case("an import library", "main.obj", "imported.lib")
    yield case("a lazy object", "main.obj", "/start-lib", "a.obj",
               "says/a.obj", "/end-lib", "b.obj")
    yield case("a lazy object that is wanted", "main.obj", "wants_one.obj",
               "/start-lib", "sub/one.obj", "/end-lib",
               only_lld={"a.lib": LAZY})
    yield case("lazy archives", "main.obj", "/start-lib", "a.lib", "fat.lib",
               "/end-lib", "says/b.obj")


def directive_cases():
    for name in ("a", "abc", "big", "spaces", "zeros", "bom", "others",
                 "excludes_own", "excludes_late", "same", "folder", "object",
                 "none", "two", "missing", "many"):
        yield case(f"directives: {name}", "main.obj", f"says/{name}.obj")
    yield case("directives of two", "says/b.obj", "main.obj", "says/abc.obj",
               "says/a.obj", "d.lib")
    yield case("before /defaultlib", "main.obj", "/defaultlib:c",
               "says/a.obj", "/defaultlib:b")
    yield case("before /defaultlib, same", "main.obj", "/defaultlib:b",
               "/defaultlib:a", "says/a.obj")
    yield case("of a default library", "main.obj",
               "/defaultlib:says/chain.obj", "/defaultlib:a", "b.obj")
    yield case("chain", "says/object.obj", "main.obj", "/defaultlib:a")
    yield case("named by another directory's", "main.obj", "p1/k.lib",
               "says/k.obj", "/libpath:p2")
    yield case("named differently", "main.obj", "p1/k.lib", "says/k_bare.obj",
               "/libpath:p2")
    yield case("nodefaultlib", "main.obj", "says/abc.obj", "/nodefaultlib:b",
               "/nodefaultlib:c.lib")
    yield case("nodefaultlib, all", "main.obj", "says/abc.obj",
               "/nodefaultlib", "/defaultlib:d")
    yield case("nodefaultlib, another directory's", "main.obj", "says/k.obj",
               "/libpath:p1", "/nodefaultlib:p2/k.lib")
    yield case("nodefaultlib, the same file", "main.obj", "says/k.obj",
               "/libpath:p1", "/nodefaultlib:p1/k.lib")
    yield case("disallowlib", "main.obj", "says/abc.obj", "/disallowlib:a")
    yield case("excluded elsewhere", "main.obj", "says/excludes_b.obj",
               "says/b.obj", only_headstart={"b.lib": EXCLUSION})
    yield case("excluded elsewhere, on the command line", "main.obj",
               "says/excludes_b.obj", "/defaultlib:b", "/defaultlib:c",
               only_headstart={"b.lib": EXCLUSION})
    yield case("excluded elsewhere, too late", "main.obj", "says/b.obj",
               "says/excludes_b.obj")
    yield case("searched for", "main.obj", "says/k.obj", "says/l.obj",
               "/libpath:p1", "/libpath:p2")
    yield case("a library between", "says/a.obj", "fat.lib", "says/b.obj",
               "main.obj")


def archive_cases():
    yield case("unused members", "main.obj", "fat.lib", "thin.lib")
    yield case("a used member", "main.obj", "wants_one.obj", "fat.lib",
               only_lld={"a.lib": MEMBERS})
    yield case("a used thin member", "main.obj", "wants_one.obj", "thin.lib",
               only_lld={"sub/one.obj": MEMBERS, "a.lib": MEMBERS})
    yield case("a member by default", "main.obj", "wants_one.obj",
               "/defaultlib:fat", only_lld={"a.lib": MEMBERS})
    yield case("whole", "main.obj", "/wholearchive:fat.lib", "d.obj")
    yield case("whole, bsd", "main.obj", "/wholearchive:bsd.lib")
    yield case("whole, long names", "main.obj", "/wholearchive:long.lib")
    yield case("whole, empty", "main.obj", "/wholearchive:empty.lib")
    yield case("whole, bitcode", "main.obj", "/wholearchive:lto.lib")
    yield case("whole, also named before", "main.obj", "fat.lib",
               "/wholearchive:fat.lib")
    yield case("whole, also named after", "/wholearchive:fat.lib", "main.obj",
               "fat.lib")
    yield case("whole, all", "main.obj", "/wholearchive", "fat.lib", "a.obj")
    yield case("whole, not default libraries", "main.obj", "/wholearchive",
               "/defaultlib:thin.lib", "says/b.obj")
    yield case("whole, thin", "main.obj", "/wholearchive:thin.lib", "d.obj",
               "says/abc.obj")
    yield case("whole, llvm-lib thin", "main.obj", "/wholearchive:thin2.lib")
    yield case("whole, thin in a directory", "main.obj", "/wholearchive:thin.lib",
               "/libpath:sub", "a.obj")
    yield case("whole, thin, found in a directory", "main.obj",
               "/wholearchive:sub/thin.lib", "e.obj")
    yield case("whole, thin and lazy", "main.obj", "/start-lib",
               "/wholearchive:thin.lib", "/end-lib")
    yield case("whole by another spelling", "main.obj", "thin.lib",
               "/wholearchive:./thin.lib",
               only_lld={path: SPELLING for path in
                         ("sub/one.obj", "sub/two.obj", "c.obj", "a.lib",
                          "b.lib")})
    yield case("thin, arm64ec", "/machine:arm64ec", "ec/main.obj",
               "ec/thin.lib", "c.lib", "/force",
               only_headstart={"ec/other.obj": NOT_REPORTED})
    yield case("whole object", "main.obj", "/wholearchive:says/a.obj")
    yield case("whole, nodefaultlib", "main.obj", "/wholearchive:fat.lib",
               "/nodefaultlib:a")


def debug_cases():
    for debug in ("/debug", "/debug:full", "/debug:ghash", "/debug:noghash",
                  "/debug:dwarf", "/debug:symtab", "/debug:none"):
        yield case(f"type server with {debug}", debug, "main.obj",
                   "types.obj", "b.obj")
    yield case("type server, no /debug", "main.obj", "types.obj")
    yield case("type server, shared", "/debug", "types.obj", "types2.obj",
               "main.obj")
    yield case("type server, /bigobj", "/debug", "main.obj", "bigtypes.obj",
               "types2.obj")
    yield case("type server next to the object", "/debug", "main.obj", "sub/beside.obj")
    yield case("type servers next to objects", "/debug", "sub/near.obj", "main.obj",
               "sub/beside.obj", "types.obj", "/defaultlib:c",
               "/def:empty.def", "/natvis:x.natvis")
    yield case("type server next to the image", "/debug", "main.obj",
               "sub/apart.obj", "/out:image/out.exe")
    yield case("type server next to neither", "/debug", "main.obj",
               "sub/apart.obj")
    yield case("type server next to the archive's name", "/debug", "main.obj",
               "/wholearchive:sub/typesthin.lib")
    yield case("type server that is the link's own PDB", "/debug", "main.obj",
               "own.obj", "/pdb:own.pdb", only_lld={"own.pdb": OWN_PDB})
    yield case("type server, nowhere", "/debug", "main.obj", "gone.obj")
    yield case("type server, absolute", "/debug", "main.obj", "absolute.obj")
    yield case("type server, relative", "/debug", "main.obj", "slashes.obj")
    yield case("type server as an input", "/debug", "types.pdb", "main.obj",
               "types.obj")
    yield case("type server of a lazy object", "/debug", "main.obj",
               "/start-lib", "types.obj", "/end-lib")
    yield case("type server not first", "/debug", "main.obj", "later.obj")
    yield case("a precompiled header", "/debug", "main.obj",
               "precompiled.obj")
    yield case("is a precompiled header", "/debug", "main.obj",
               "isheader.obj")
    yield case("type server in an archive", "/debug", "main.obj",
               "/wholearchive:types.lib")
    yield case("type servers in an archive", "/debug", "main.obj",
               "/wholearchive:sub/types.lib", "a.obj")
    yield case("type servers in a thin archive", "/debug", "main.obj",
               "/wholearchive:typesthin.lib", "a.obj")
    yield case("type server, nodefaultlib", "/debug", "/nodefaultlib",
               "main.obj", "types.obj")


def option_cases():
    yield case("def", "main.obj", "says/a.obj", "/def:empty.def",
               "/defaultlib:b")
    yield case("order", "main.obj", "says/a.obj", "/order:@order.txt")
    yield case("call graph", "main.obj", "/call-graph-ordering-file:graph.txt")
    yield case("natvis", "main.obj", "/debug", "/natvis:x.natvis",
               "/natvis:y.natvis", "types.obj")
    yield case("natvis without a PDB", "main.obj", "/natvis:x.natvis")
    yield case("pdbstream", "main.obj", "/debug",
               "/pdbstream:s=stream.txt")
    yield case("manifest", "main.obj", "/manifest:embed",
               "/manifestinput:x.manifest", "says/a.obj")
    yield case("stub", "main.obj", "/stub:stub.exe", "says/a.obj",
               only_headstart={"stub.exe": NOT_REPORTED})
    yield case("section layout", "main.obj", "/sectionlayout:@layout.txt",
               only_headstart={"layout.txt": NOT_REPORTED})
    yield case("all of them", "main.obj", "/debug", "says/a.obj",
               "/natvis:x.natvis", "/def:empty.def", "/order:@order.txt",
               "/manifest:embed", "/manifestinput:x.manifest",
               "/defaultlib:c", "types.obj", "/pdbstream:s=stream.txt")
    root = "/winsysroot:root"
    yield case("winsysroot", "main.obj", "says/resource.obj", root)
    yield case("winsysroot, machine", "/machine:x64", "main.obj", root,
               "/defaultlib:dia", "/defaultlib:vc.lib", "says/a.obj")
    yield case("winsysroot, nodefaultlib", "main.obj", "says/resource.obj",
               root, "/nodefaultlib:vc")
    yield case("vctoolsdir", "main.obj", "/defaultlib:vc",
               "/vctoolsdir:root/VC/Tools/MSVC/14.40.1")
    gnu = ["/lldmingw", "/libpath:gnu"]
    yield case("mingw", "gnu/main.o", *gnu)
    yield case("mingw, named", "gnu/main.o", "gnu/named.o", "gnu/libh.a", *gnu)
    yield case("mingw, whole thin", "gnu/main.o", *gnu,
               "/wholearchive:gnu/libgthin.a")
    yield case("mingw, nodefaultlib", "gnu/main.o", *gnu, "/nodefaultlib:g")
    yield case("mingw, a DLL", "gnu/main.o", "imported.dll", *gnu)
    yield case("dll", "main.obj", "/dll", "/export:main", "says/a.obj",
               "/implib:out.lib")
    yield case("unresolved", "main.obj", "wants_one.obj", "says/a.obj")
    yield case("unresolved, forced", "main.obj", "wants_one.obj",
               "says/a.obj", "/force", "/defaultlib:b")


def environment_cases():
    with environment(LIB="p2;p1"):
        yield case("LIB", "main.obj", "says/k.obj", "says/l.obj", "a.lib")
        yield case("LIB after /libpath", "main.obj", "says/k.obj",
                   "/libpath:p1", "l.lib")
        yield case("LIB ignored", "main.obj", "says/k.obj",
                   "/lldignoreenv", "/libpath:p1")
    with environment(LINK="says/a.obj /defaultlib:c", _LINK_="b.obj"):
        yield case("LINK", "main.obj", "/defaultlib:d")
        yield case("LINK ignored", "main.obj", "/lldignoreenv")
    with environment(LINK="/nodefaultlib:a", LIB="p1"):
        yield case("LINK excludes", "main.obj", "says/abc.obj", "says/k.obj")


def bitcode_cases():
    yield case("bitcode", "lto/main.obj")
    yield case("bitcode and objects", "says/b.obj", "lto/main.obj",
               "lto/thin.obj", "/defaultlib:d")
    yield case("bitcode without directives", "main.obj", "lto/plain.obj")
    yield case("bitcode, nodefaultlib", "lto/main.obj", "/nodefaultlib:a")
    yield case("lazy bitcode", "main.obj", "/start-lib", "lto/thin.obj",
               "/end-lib", "says/a.obj")


def random_cases():
    """Mixtures that need no member of an archive, so that the files that lld reads do
    not depend on symbols."""
    chance = random.Random(22)
    objects = ["a.obj", "b.obj", "says/a.obj", "says/abc.obj", "says/big.obj",
               "says/k.obj", "says/k_bare.obj", "says/l.obj",
               "says/folder.obj", "says/object.obj", "says/two.obj",
               "says/same.obj", "types.obj", "sub/near.obj", "lto/thin.obj",
               "link.obj", "sub/one.obj"]
    libraries = ["a.lib", "b.lib", "p1/k.lib", "k.lib", "hard.lib", "fat.lib",
                 "thin.lib", "/wholearchive:thin.lib",
                 "/wholearchive:typesthin.lib", "/wholearchive:types.lib",
                 "/wholearchive:long.lib", "/wholearchive:sub/thin.lib"]
    options = ["/defaultlib:a", "/defaultlib:b.lib", "/defaultlib:k",
               "/defaultlib:l.lib", "/nodefaultlib:a", "/nodefaultlib:k.lib",
               "/nodefaultlib:b", "/debug", "/def:empty.def",
               "/natvis:x.natvis", "/force", "/nodefaultlib:p1/k.lib",
               "/machine:x64"]
    for number in range(60):
        args = ["main.obj", "/force", "/libpath:p1", "/libpath:p2"]
        args += chance.sample(objects, chance.randint(1, 7))
        args += chance.sample(libraries, chance.randint(0, 3))
        args += chance.sample(options, chance.randint(0, 5))
        chance.shuffle(args)
        yield case(f"mixture {number}", *args)


def read_by(lld: str, args):
    for name in ("r.tar", "r.rsp"):
        pathlib.Path(name).unlink(missing_ok=True)
    # A link that fails has read its inputs as well.
    done = subprocess.run(
        [lld, "/reproduce:r.tar", "/linkreprofullpathrsp:r.rsp", "/verbose"] +
        list(args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=60)
    # The archive has absolute paths without dots.
    spelled = {}
    for line in done.stdout.decode(errors="replace").splitlines():
        _, reading, name = line.partition(": Reading ")
        if reading:
            spelled[os.path.abspath(name)] = name
    with tarfile.open("r.tar") as archive:
        inside = [n[1:] for n in archive.getnames() if n not in NOT_READ]
    check_resolved(inside)
    # /verbose has the names that thin archives have for their members.
    for archive, members in THIN.items():
        if any(word.endswith(archive) for word in args):
            spelled.update((os.path.abspath(m), m) for m in members)
    here = os.getcwd() + "/"
    return [spelled.get(path, path.removeprefix(here)) for path in inside]


def check_resolved(inside) -> None:
    for line in pathlib.Path("r.rsp").read_text().splitlines():
        # A path, or an option with one.
        path = "/" + line.strip().strip('"').partition(":/")[2] \
            if ":/" in line else line.strip().strip('"')
        if path not in inside:
            raise RuntimeError(f"only /linkreprofullpathrsp: has {path}")
