#!/usr/bin/env python3
"""Tests rename-seam.py with small libraries of each object format.
The tests rename and link the libraries and, if the machine can, run the program."""

import argparse
import importlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
seam = importlib.import_module("rename-seam")

LLVM = pathlib.Path()  # set by main
WINE = pathlib.Path("/usr/lib/wine/wine64")
TARGETS = {
    "elf": "x86_64-linux-gnu",
    "coff": "x86_64-pc-windows-msvc",
    "macho": "arm64-apple-macos13",
}

TABLE = [
    # Like a function of libLLVM: no archive defines it.
    {"name": "open", "function": "demo::Box::open",
     "referenced_in": ["core"]},
    # A constructor, one of two.
    {"name": "timer", "function": "demo::Timer::Timer(demo::Text, demo::Timer&)",
     "referenced_in": ["core"], "defined_in": "common"},
    # An instance of a template.
    {"name": "split", "function": "demo::split<demo::Kind<1, 0>>",
     "referenced_in": ["core"], "defined_in": "core"},
]

DEMO = """
namespace demo {
struct Text { const char *Data; unsigned long long Size; };
struct Answer { int Value; ~Answer() {} };
struct Box { static Answer open(int Number); };
struct Timer { int Value; Timer(Text); Timer(Text, Timer &); };
template <int A, bool B> struct Kind {};
template <class K> int split();
}
"""
COMMON = DEMO + """
demo::Timer::Timer(Text T) { Value = T.Size; }
demo::Timer::Timer(Text T, Timer &P) { Value = T.Size + P.Value; }
// A reference beside the definition.
int beside(demo::Timer &P) { return demo::Timer({"", 1}, P).Value; }
"""
SPLIT = DEMO + """
template <class K> int demo::split() { return 5; }
template int demo::split<demo::Kind<1, false>>();
template int demo::split<demo::Kind<1, true>>();
"""
DRIVER = DEMO + """
int beside(demo::Timer &P);
int same();
int drive() {
  demo::Timer A({"", 1});              // not the one of the table
  demo::Timer B({"", 1}, A);           // 2, and 20 by the wrapper
  return A.Value + B.Value + beside(A) // 1 + 22 + 2
         + demo::split<demo::Kind<1, false>>()  // 5, and 30 by the wrapper
         + demo::split<demo::Kind<1, true>>()   // 5
         + same();                     // 1, and 40 by the wrapper
}
"""
SAME_A = "int unused() { return 0; }\n"
SAME_B = DEMO + "int same() { return demo::Box::open(0).Value; }\n"
# The counterpart of Headstart's Seam.cpp; the sum is 25 + 35 + 5 + 41 = 106.
PROGRAM = DEMO + """
int drive();
demo::Answer demo::Box::open(int Number) { return {Number + 1}; }
extern "C" {
void headstart_real_timer(demo::Timer *, demo::Text, demo::Timer &);
demo::Timer *headstart_wrap_timer(demo::Timer *This, demo::Text T,
                                  demo::Timer &P) {
  headstart_real_timer(This, T, P);
  This->Value += 20;
  return This;
}
int headstart_real_split();
int headstart_wrap_split() { return headstart_real_split() + 30; }
demo::Answer headstart_wrap_open(int Number) {
  return {demo::Box::open(Number).Value + 40};
}
int start() { return drive(); }
}
#ifdef MAIN
int main() { return start(); }
#endif
"""


class Directory:
    """A temporary directory in which sources are compiled."""

    compiled = {}  # (kind, text, options) -> object

    def __init__(self, path, kind):
        self.path = pathlib.Path(path)
        self.kind = kind

    def compile(self, name, text, *options):
        out = self.path / name
        out.parent.mkdir(parents=True, exist_ok=True)
        key = (self.kind, text, options)
        if key in self.compiled:
            out.write_bytes(self.compiled[key])
            return out
        source = self.path / (name.replace("/", "-") + ".cpp")
        source.write_text(text, encoding="utf-8")
        run(LLVM / "clang", f"--target={TARGETS[self.kind]}", "-std=c++20",
            "-O1", "-fno-exceptions", "-faddrsig", "-ffunction-sections",
            "-Wno-return-type-c-linkage", "-c", source, "-o", out, *options)
        self.compiled[key] = out.read_bytes()
        return out

    def archive(self, name, *objects):
        prefix, suffix = ("", ".lib") if self.kind == "coff" else ("lib", ".a")
        out = self.path / (prefix + name + suffix)
        out.unlink(missing_ok=True)
        run(LLVM / "llvm-ar", "qcs", out, *objects)
        return out

    def demo(self):
        common = self.archive("common", self.compile("timer.o", COMMON))
        lib = self.archive("core", self.compile("driver.o", DRIVER),
                           self.compile("a/same.o", SAME_A), self.compile("b/same.o", SAME_B),
                           self.compile("split.o", SPLIT))
        return common, lib

    def rename(self, *archives, table=None):
        """Runs the script. Returns the directory of the copies, or the error message."""
        table_file = self.path / "table.json"
        table_file.write_text(json.dumps(TABLE if table is None else table))
        out = self.path / "out"
        done = subprocess.run([sys.executable, HERE / "rename-seam.py", "--llvm", LLVM, "--table",
                               table_file, "--out", out, *archives], text=True, capture_output=True)
        return out if done.returncode == 0 else done.stderr


def run(*words, **options):
    program = pathlib.Path(words[0])
    found = shutil.which(program.name, path=str(program.parent)) or program
    done = subprocess.run([str(w) for w in (found, *words[1:])], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, **options)
    if done.returncode:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}")
    return done.stdout


def symbols(path):
    """Returns (llvm-nm's kind, name) of each symbol."""
    lines = run(LLVM / "llvm-nm", "--quiet", "--format=posix", path).splitlines()
    words = [line.split() for line in lines]
    return [(w[1], w[0]) for w in words if len(w) >= 2]


class Case(unittest.TestCase):
    def new_directory(self, kind):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        return Directory(holder.name, kind)

    def renamed(self, directory, *archives):
        """The copies of archives, which must be without an error."""
        out = directory.rename(*archives)
        self.assertIsInstance(out, pathlib.Path, out)
        return [out / archive.name for archive in archives]

    def with_demo(self, kind):
        directory = self.new_directory(kind)
        return directory, self.renamed(directory, *directory.demo())


class Renaming(Case):
    """The contents of the copies, for each format."""

    def check_symbols(self, kind):
        directory, (common, lib) = self.with_demo(kind)
        prefix = "_" if kind == "macho" else ""
        found = symbols(common) + symbols(lib)
        for name in ("open", "timer", "split"):
            self.assertIn(("U", f"{prefix}headstart_wrap_{name}"), found)
        for name in ("timer", "split"):
            defined = [k for k, n in found if n == f"{prefix}headstart_real_{name}" and k != "U"]
            self.assertEqual(len(defined), 1, found)
        self.assertNotIn(f"{prefix}headstart_real_open", [n for _, n in found])
        # The other constructor and the other instance keep their names.
        plain = symbols(directory.path / common.name) + symbols(directory.path / lib.name)
        kept = {n for _, n in plain} & {n for _, n in found}
        lost = {n for _, n in plain} - kept
        self.assertEqual(len(lost), 3, lost)
        return directory, common, lib

    def test_elf_symbols(self):
        directory, _, lib = self.check_symbols("elf")
        # The group of the instance has the symbol's new name.
        groups = run(LLVM / "llvm-readelf", "--section-groups", lib)
        self.assertIn("[headstart_real_split]", groups)
        self.assertIn("[_ZN4demo5splitINS_4KindILi1ELb1EEEEEiv]", groups)

    def test_coff_symbols(self):
        self.check_symbols("coff")

    def test_macho_symbols(self):
        self.check_symbols("macho")

    def test_members_keep_their_order_and_their_names(self):
        for kind in TARGETS:
            with self.subTest(kind):
                _, (_, lib) = self.with_demo(kind)
                names = [os.path.basename(line) for line in
                         run(LLVM / "llvm-ar", "t", lib).splitlines()]
                self.assertEqual(names, ["driver.o", "same.o", "same.o", "split.o"])

    def test_a_member_without_such_symbols_is_not_touched(self):
        for kind in TARGETS:
            with self.subTest(kind):
                directory, (_, lib) = self.with_demo(kind)
                bodies = dict(seam.members_of((directory.path / lib.name).read_bytes(), ""))
                copies = [body for name, body in seam.members_of(
                    lib.read_bytes(), "") if "same" in name]
                source = (directory.path / "a/same.o").read_bytes()
                self.assertTrue(copies[0].startswith(source))
                self.assertIn("driver.o", bodies)

    def test_address_significance_follows_the_symbol(self):
        text = DEMO + "int (*Kept)() = demo::split<demo::Kind<1, false>>;\n"
        driver = DEMO + ("int drive() { demo::Timer A({}); return "
                         "demo::Timer({}, A).Value + demo::Box::open(1).Value; }")
        # llvm-readobj does not know Mach-O's table.
        for kind in ("elf", "coff"):
            with self.subTest(kind):
                directory = self.new_directory(kind)
                common, _ = directory.demo()
                lib = directory.archive("core", directory.compile("kept.o", text),
                                     directory.compile("driver.o", driver),
                                     directory.compile("split.o", SPLIT))
                _, copy = self.renamed(directory, common, lib)
                table = run(LLVM / "llvm-readobj", "--addrsig", copy)
                self.assertIn("headstart_wrap_split", table)

    def test_a_local_symbol_of_the_same_name_is_left_alone(self):
        local = ('__asm__(".local _ZN4demo3Box4openEi\\n'
                 '_ZN4demo3Box4openEi: ret\\n");\n')
        directory = self.new_directory("elf")
        common, _ = directory.demo()
        lib = directory.archive(
            "core", directory.compile("driver.o", DRIVER), directory.compile("same.o", SAME_B),
            directory.compile("local.o", local), directory.compile("split.o", SPLIT))
        _, copy = self.renamed(directory, common, lib)
        self.assertIn(("t", "_ZN4demo3Box4openEi"), symbols(copy))


class Linking(Case):
    """The copies link, and calls go through the wrapper."""

    WORTH = 106

    def linked(self, kind, name, *options):
        directory, copies = self.with_demo(kind)
        program = directory.compile("program.o", PROGRAM, *options)
        return program, copies[::-1], directory.path / name

    def test_elf_program(self):
        program, archives, out = self.linked("elf", "program", "-DMAIN")
        run(LLVM / "clang", "--target=x86_64-linux-gnu", "-fuse-ld=lld",
            program, *archives, "-o", out)
        if sys.platform != "linux" or platform.machine() != "x86_64":
            self.skipTest("Linux on x86-64 is missing")
        self.assertEqual(subprocess.run([out]).returncode, self.WORTH)

    def test_coff_program(self):
        program, archives, out = self.linked("coff", "program.exe")
        run(LLVM / "lld-link", "/entry:start", "/subsystem:console",
            "/nodefaultlib", f"/out:{out}", program, *archives)
        if not WINE.exists():
            self.skipTest("Wine is missing")
        done = subprocess.run([HERE / "wine", out], timeout=300)
        self.assertEqual(done.returncode, self.WORTH)

    def test_macho_library(self):
        program, archives, out = self.linked("macho", "program.dylib")
        run(LLVM / "ld64.lld", "-arch", "arm64", "-platform_version", "macos",
            "13.0", "13.0", "-dylib", "-undefined", "dynamic_lookup", "-o", out, program, *archives)
        code = run(LLVM / "llvm-objdump", "-d", "--no-show-raw-insn", out)
        drive = code.split("<__Z5drivev>:")[1].split("\n\n")[0]
        for name in ("_headstart_wrap_timer", "_headstart_wrap_split"):
            self.assertIn(name, drive)
        self.assertIn(("T", "__ZN4demo5splitINS_4KindILi1ELb1EEEEEiv"), symbols(out))
        # The dynamic linker has no symbol left to find.
        self.assertEqual([n for k, n in symbols(out) if k == "U" and "demo" in n], [])


class Problems(Case):
    """Each error, and its message."""

    def setUp(self):
        self.directory = self.new_directory("elf")
        self.common, self.lib = self.directory.demo()

    def check(self, said, *archives, table=None):
        result = self.directory.rename(*(archives or (self.common, self.lib)), table=table)
        self.assertIsInstance(result, str)
        self.assertRegex(result, said)
        self.assertFalse((self.directory.path / "out").exists())

    def test_tables(self):
        for said, index, fields in (
                (r"core does not refer to demo::Box::shut", 0, {"function": "demo::Box::shut"}),
                (r"common does not refer to demo::Box::open", 0,
                 {"referenced_in": ["core", "common"]}),
                (r"demo::Timer::Timer is the name of 2 functions", 1,
                 {"function": "demo::Timer::Timer"}),
                (r"defines demo::split.*, common was to", 2, {"defined_in": "common"}),
                (r"split.o\) defines demo::split", 2, {"defined_in": None})):
            with self.subTest(said):
                table = json.loads(json.dumps(TABLE))
                table[index].update(fields)
                self.check(said, table=table)

    def test_archives(self):
        directory, compiled = self.directory, self.directory.compile
        two = [compiled("driver.o", DRIVER), compiled("same.o", SAME_B),
               compiled("split.o", SPLIT), compiled("again.o", SPLIT)]
        thin, universal = directory.path / "libthin.a", directory.path / "libuniversal.a"
        run(LLVM / "llvm-ar", "qcs", "--thin", thin, directory.path / "driver.o")
        universal.write_bytes(b"\xca\xfe\xba\xbe\0\0\0\2")

        def other(name, *objects):
            return Directory(tempfile.mkdtemp(dir=directory.path), "elf").archive(name, *objects)
        for said, *archives in (
                (r"core is not among the archives", self.common),
                (r"must be defined once, not 0 times",
                 other("common", compiled("e.o", SAME_A)), self.lib),
                (r"must be defined once, not 2 times: .*split.o.*again.o",
                 self.common, other("core", *two)),
                (r"libcore.a\(bitcode.o\): bitcode", self.common,
                 other("core", compiled("bitcode.o", DRIVER, "-flto"))),
                (r"a thin archive", self.common, thin),
                (r"a universal file", self.common, universal),
                (r"No such file", directory.path / "libnone.a")):
            with self.subTest(said):
                self.check(said, *archives)

    def test_from_a_dll(self):
        directory = Directory(self.directory.path / "dll", "coff")
        directory.path.mkdir()
        common, _ = directory.demo()
        lib = directory.archive("core", directory.compile(
            "driver.o",
            DRIVER.replace("static Answer open", "__declspec(dllimport) static Answer open")
            + "int same() { return demo::Box::open(0).Value; }"),
            directory.compile("split.o", SPLIT))
        said = directory.rename(common, lib)
        self.assertIsInstance(said, str)
        self.assertIn("takes demo::Box::open from a DLL", said)

    def test_damaged(self):
        whole = self.lib.read_bytes()
        for length, said in ((len(whole) - 7, "ends in the middle"),
                             (8 + 30, "damaged at offset 8"), (3, "not an archive")):
            with self.subTest(said):
                self.lib.write_bytes(whole[:length])
                self.check(said)

    def test_a_tool_is_missing(self):
        table = self.directory.path / "table.json"
        table.write_text(json.dumps(TABLE))
        done = subprocess.run([sys.executable, HERE / "rename-seam.py",
                               "--llvm", self.directory.path,
                               "--table", table, "--out", self.directory.path / "out",
                               self.common, self.lib], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no llvm-nm", done.stderr)

    def test_an_earlier_copy(self):
        out = self.directory.rename(self.common, self.lib)
        said = self.directory.rename(*(out / a.name for a in (self.common, self.lib)))
        self.assertRegex(said, "does not refer to demo::Box::open")


class Names(unittest.TestCase):
    """The names of two demanglers have one spelling."""

    def test_spellings(self):
        function = "lld::elf::splitSections<llvm::object::ELFType<1, 1>>"
        for demangled in ("void lld::elf::splitSections<llvm::object::ELFType<(llvm::endianness)1, "
                          "true>>(lld::elf::Ctx&)",
                          "void __cdecl lld::elf::splitSections<struct llvm::object::ELFType<1, "
                          "1>>(struct lld::elf::Ctx &)"):
            self.assertTrue(seam.matches(function, demangled), demangled)
        self.assertFalse(seam.matches(
            function, "void lld::elf::splitSections<llvm::object::ELFType<"
            "(llvm::endianness)1, false>>(lld::elf::Ctx&)"))

    def test_constructors(self):
        function = "lld::Timer::Timer(llvm::StringRef, lld::Timer&)"
        for demangled in ("lld::Timer::Timer(llvm::StringRef, lld::Timer&)",
                          "public: __cdecl lld::Timer::Timer(class llvm::StringRef, class "
                          "lld::Timer &)"):
            self.assertTrue(seam.matches(function, demangled), demangled)
        self.assertFalse(seam.matches(function, "lld::Timer::Timer(llvm::StringRef)"))

    def test_tags_and_inline_namespaces(self):
        self.assertTrue(seam.matches("llvm::sys::fs::getMainExecutable", "llvm::sys::fs::"
                                     "getMainExecutable[abi:cxx11](char const*, void*)"))
        self.assertEqual(seam.spelled("f(std::__1::optional<llvm::Align>)"),
                         seam.spelled("f(class std::optional<struct llvm::Align>)"))

    def test_what_only_contains_the_name(self):
        self.assertFalse(seam.matches("llvm::MemoryBuffer::getFile",
                                      "void call<llvm::MemoryBuffer::getFile(int)>(int)"))
        self.assertFalse(seam.matches("llvm::MemoryBuffer::getFile",
                                      "vtable for llvm::MemoryBuffer::getFile"))


def main():
    global LLVM
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm", type=pathlib.Path, required=True)
    args, rest = parser.parse_known_args()
    LLVM = args.llvm
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
