#!/usr/bin/env python3
"""Tests rename-seam.py with small libraries of each object format.
The tests rename and link the libraries and, if the machine can, run the program."""

import argparse
import importlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import unittest

from common import ROOT, temporary_directory

seam = importlib.import_module("rename-seam")

LLVM = pathlib.Path()  # set by main
WINE = pathlib.Path("/usr/lib/wine/wine64")
TARGETS = {"elf": "x86_64-linux-gnu", "coff": "x86_64-pc-windows-msvc",
           "macho": "arm64-apple-macos13"}
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

INPUTS = ROOT / "test" / "Seam"
COMMON, DRIVER, SAME, SPLIT, PROGRAM = (
    (INPUTS / f"{name}.cpp").read_text(encoding="utf-8")
    for name in ("timer", "driver", "same", "split", "program"))
UNUSED = "int unused() { return 0; }\n"


def run(program, *arguments):
    done = subprocess.run([shutil.which(program, path=str(LLVM)), *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"{program} {arguments}: {done.returncode}\n{done.stdout}")
    return done.stdout


def symbols(*paths):
    """Returns (llvm-nm's kind, name) of each symbol."""
    text = run("llvm-nm", "--quiet", "--format=posix", *paths)
    return [(kind, name) for name, kind in re.findall(r"(?m)^(\S+) (\S)", text)]


class Directory:
    """A temporary directory in which sources are compiled."""

    compiled = {}  # (kind, text, options) -> object

    def __init__(self, path, kind):
        self.path, self.kind = path, kind

    def compile(self, name, text, *options):
        out = self.path / name
        out.parent.mkdir(parents=True, exist_ok=True)
        key = (self.kind, text, options)
        if key not in self.compiled:
            source = self.path / "source.cpp"
            source.write_text(text, encoding="utf-8")
            run("clang", f"--target={TARGETS[self.kind]}", "-std=c++20", "-O1", "-fno-exceptions",
                "-faddrsig", "-ffunction-sections", "-Wno-return-type-c-linkage", "-c", source,
                f"-I{INPUTS}", "-o", out, *options)
            self.compiled[key] = out.read_bytes()
        out.write_bytes(self.compiled[key])
        return out

    def archive(self, name, *objects):
        out = self.path / (f"{name}.lib" if self.kind == "coff" else f"lib{name}.a")
        out.unlink(missing_ok=True)
        run("llvm-ar", "qcs", out, *objects)
        return out

    def demo(self):
        return (self.archive("common", self.compile("timer.o", COMMON)),
                self.archive("core", self.compile("driver.o", DRIVER),
                             self.compile("a/same.o", UNUSED), self.compile("b/same.o", SAME),
                             self.compile("split.o", SPLIT)))

    def rename(self, *archives, table=TABLE, llvm=None):
        """Runs the script. Returns the directory of the copies, or the error message."""
        table_file, out = self.path / "table.json", self.path / "out"
        table_file.write_text(json.dumps(table))
        done = subprocess.run([sys.executable, ROOT / "utils/rename-seam.py", "--llvm",
                               llvm or LLVM, "--table", table_file, "--out", out, *archives],
                              text=True, capture_output=True)
        return out if done.returncode == 0 else done.stderr


class Case(unittest.TestCase):
    def new_directory(self, kind):
        return Directory(self.enterContext(temporary_directory()), kind)

    def renamed(self, directory, *archives):
        """The copies of archives, which must be without an error."""
        out = directory.rename(*archives)
        self.assertIsInstance(out, pathlib.Path, out)
        return [out / archive.name for archive in archives]


class Renaming(Case):
    def check_copies(self, kind):
        directory = self.new_directory(kind)
        archives = directory.demo()
        copies = self.renamed(directory, *archives)
        before, after = symbols(*archives), symbols(*copies)
        prefix = "_headstart_" if kind == "macho" else "headstart_"
        for name in ("open", "timer", "split"):
            self.assertIn(("U", f"{prefix}wrap_{name}"), after)
            real = [k for k, n in after if n == f"{prefix}real_{name}" and k != "U"]
            self.assertEqual(len(real), name != "open", after)
        # The other constructor and the other instance keep their names.
        lost = {n for _, n in before} - {n for _, n in after}
        self.assertEqual(len(lost), 3, lost)
        # Members keep their order and names; those without such symbols keep their bytes.
        members = [(os.path.basename(name), body) for name, body in
                   seam.members_of(copies[1].read_bytes(), "")]
        self.assertEqual([name for name, _ in members],
                         ["driver.o", "same.o", "same.o", "split.o"])
        self.assertTrue(members[1][1].startswith((directory.path / "a/same.o").read_bytes()))
        return copies

    def test_elf(self):
        _, core = self.check_copies("elf")
        # The group of the instance has the symbol's new name.
        groups = run("llvm-readelf", "--section-groups", core)
        self.assertIn("[headstart_real_split]", groups)
        self.assertIn("[_ZN4demo5splitINS_4KindILi1ELb1EEEEEiv]", groups)

    def test_coff(self):
        self.check_copies("coff")

    def test_macho(self):
        self.check_copies("macho")

    def test_address_significance_follows_the_symbol(self):
        text = '#include "demo.h"\nint (*Kept)() = demo::split<demo::Kind<1, false>>;\n'
        driver = ('#include "demo.h"\nint drive() { demo::Timer A({}); return '
                  'demo::Timer({}, A).Value + demo::Box::open(1).Value; }')
        # llvm-readobj does not know Mach-O's table.
        for kind in ("elf", "coff"):
            with self.subTest(kind):
                directory = self.new_directory(kind)
                common, _ = directory.demo()
                core = directory.archive("core", directory.compile("kept.o", text),
                                         directory.compile("driver.o", driver),
                                         directory.compile("split.o", SPLIT))
                _, copy = self.renamed(directory, common, core)
                self.assertIn("headstart_wrap_split", run("llvm-readobj", "--addrsig", copy))

    def test_a_local_symbol_of_the_same_name_is_left_alone(self):
        local = ('__asm__(".local _ZN4demo3Box4openEi\\n'
                 '_ZN4demo3Box4openEi: ret\\n");\n')
        directory = self.new_directory("elf")
        common, core = directory.demo()
        run("llvm-ar", "q", core, directory.compile("local.o", local))
        _, copy = self.renamed(directory, common, core)
        self.assertIn(("t", "_ZN4demo3Box4openEi"), symbols(copy))


class Linking(Case):
    """The copies link, and calls go through the wrapper."""

    WORTH = 106

    def linked(self, kind, name, *options):
        directory = self.new_directory(kind)
        copies = self.renamed(directory, *directory.demo())
        program = directory.compile("program.o", PROGRAM, *options)
        return program, copies[::-1], directory.path / name

    def test_elf_program(self):
        program, archives, out = self.linked("elf", "program", "-DMAIN")
        run("clang", "--target=x86_64-linux-gnu", "-fuse-ld=lld", program, *archives, "-o", out)
        if sys.platform != "linux" or platform.machine() != "x86_64":
            self.skipTest("Linux on x86-64 is missing")
        self.assertEqual(subprocess.run([out]).returncode, self.WORTH)

    def test_coff_program(self):
        program, archives, out = self.linked("coff", "program.exe")
        run("lld-link", "/entry:start", "/subsystem:console", "/nodefaultlib", f"/out:{out}",
            program, *archives)
        if not WINE.exists():
            self.skipTest("Wine is missing")
        done = subprocess.run([ROOT / "utils/wine", out], timeout=300)
        self.assertEqual(done.returncode, self.WORTH)

    def test_macho_library(self):
        program, archives, out = self.linked("macho", "program.dylib")
        run("ld64.lld", "-arch", "arm64", "-platform_version", "macos", "13.0", "13.0", "-dylib",
            "-undefined", "dynamic_lookup", "-o", out, program, *archives)
        code = run("llvm-objdump", "-d", "--no-show-raw-insn", out)
        drive = code.split("<__Z5drivev>:")[1].split("\n\n")[0]
        for name in ("_headstart_wrap_timer", "_headstart_wrap_split"):
            self.assertIn(name, drive)
        self.assertIn(("T", "__ZN4demo5splitINS_4KindILi1ELb1EEEEEiv"), symbols(out))
        # The dynamic linker has no symbol left to find.
        self.assertEqual([n for k, n in symbols(out) if k == "U" and "demo" in n], [])


class Problems(Case):
    def setUp(self):
        self.directory = self.new_directory("elf")
        self.common, self.core = self.directory.demo()

    def check(self, message, *archives, **others):
        with self.subTest(message):
            result = self.directory.rename(*(archives or (self.common, self.core)), **others)
            self.assertIsInstance(result, str)
            self.assertRegex(result, message)
            self.assertFalse((self.directory.path / "out").exists())

    def test_tables(self):
        for message, index, fields in (
                (r"core does not refer to demo::Box::shut", 0, {"function": "demo::Box::shut"}),
                (r"common does not refer to demo::Box::open", 0,
                 {"referenced_in": ["core", "common"]}),
                (r"demo::Timer::Timer is the name of 2 functions", 1,
                 {"function": "demo::Timer::Timer"}),
                (r"defines demo::split.*, not common", 2, {"defined_in": "common"}),
                (r"split.o\) defines demo::split", 2, {"defined_in": None})):
            table = [dict(entry) for entry in TABLE]
            table[index].update(fields)
            self.check(message, table=table)

    def test_archives(self):
        compiled = self.directory.compile
        two = [compiled("driver.o", DRIVER), compiled("same.o", SAME),
               compiled("split.o", SPLIT), compiled("again.o", SPLIT)]
        thin, universal = (self.directory.path / f"lib{name}.a" for name in ("thin", "universal"))
        run("llvm-ar", "qcs", "--thin", thin, two[0])
        universal.write_bytes(b"\xca\xfe\xba\xbe\0\0\0\2")

        def other(name, *objects):
            return self.new_directory("elf").archive(name, *objects)
        self.check(r"core is not among the archives", self.common)
        self.check(r"must be defined once, not 0 times",
                   other("common", compiled("e.o", UNUSED)), self.core)
        self.check(r"must be defined once, not 2 times: .*split.o.*again.o",
                   self.common, other("core", *two))
        self.check(r"libcore.a\(bitcode.o\): bitcode", self.common,
                   other("core", compiled("bitcode.o", DRIVER, "-flto")))
        self.check(r"a thin archive", self.common, thin)
        self.check(r"a universal file", self.common, universal)
        self.check(r"No such file", self.directory.path / "libnone.a")
        self.check(r"has no llvm-nm", llvm=self.directory.path)

    def test_from_a_dll(self):
        directory = self.new_directory("coff")
        common, _ = directory.demo()
        core = directory.archive(
            "core", directory.compile("driver.o", DRIVER),
            directory.compile("same.o", SAME, "-DIMPORT=__declspec(dllimport)"),
            directory.compile("split.o", SPLIT))
        self.assertIn("takes demo::Box::open from a DLL", directory.rename(common, core))

    def test_damaged(self):
        whole = self.core.read_bytes()
        for length, message in ((len(whole) - 7, "ends in the middle"),
                                (8 + 30, "damaged at offset 8"), (3, "not an archive")):
            self.core.write_bytes(whole[:length])
            self.check(message)

    def test_an_earlier_copy(self):
        copies = self.renamed(self.directory, self.common, self.core)
        self.assertRegex(self.directory.rename(*copies), "does not refer to demo::Box::open")


class Names(unittest.TestCase):
    """The names of two demanglers have one spelling."""

    def test_matches(self):
        split = "lld::elf::splitSections<llvm::object::ELFType<1, 1>>"
        timer = "lld::Timer::Timer(llvm::StringRef, lld::Timer&)"
        get_file = "llvm::MemoryBuffer::getFile"
        for is_same, function, demangled in (
                (True, split, "void lld::elf::splitSections<llvm::object::ELFType<"
                 "(llvm::endianness)1, true>>(lld::elf::Ctx&)"),
                (True, split, "void __cdecl lld::elf::splitSections<struct llvm::object::ELFType<1,"
                 " 1>>(struct lld::elf::Ctx &)"),
                (False, split, "void lld::elf::splitSections<llvm::object::ELFType<"
                 "(llvm::endianness)1, false>>(lld::elf::Ctx&)"),
                (True, timer, timer),
                (True, timer, "public: __cdecl lld::Timer::Timer(class llvm::StringRef, class "
                 "lld::Timer &)"),
                (False, timer, "lld::Timer::Timer(llvm::StringRef)"),
                (True, "llvm::sys::fs::getMainExecutable",
                 "llvm::sys::fs::getMainExecutable[abi:cxx11](char const*, void*)"),
                (False, get_file, f"void call<{get_file}(int)>(int)"),
                (False, get_file, f"vtable for {get_file}")):
            self.assertEqual(seam.matches(function, demangled), is_same, demangled)
        self.assertEqual(seam.spelled("f(std::__1::optional<llvm::Align>)"),
                         seam.spelled("f(class std::optional<struct llvm::Align>)"))


def main():
    global LLVM
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm", type=pathlib.Path, required=True)
    args, rest = parser.parse_known_args()
    LLVM = args.llvm
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
