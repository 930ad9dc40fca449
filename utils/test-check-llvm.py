#!/usr/bin/env python3
"""Tests check-llvm.py with a copy of the sources in which some parts do not fit.

    test-check-llvm.py LLVM
"""

import shutil
import subprocess
import sys
import unittest

from common import ROOT, temporary_directory

LLVM = sys.argv.pop(1)


class CheckLLVM(unittest.TestCase):
    """Each change is the reverse of one that a new LLVM would require."""

    @classmethod
    def setUpClass(cls):
        cls.root = cls.enterClassContext(temporary_directory())
        for name in ("lib", "include", "utils"):
            shutil.copytree(ROOT / name, cls.root / name)
        (cls.root / "cmake").mkdir()
        shutil.copy(ROOT / "cmake/HeadstartOptions.cmake", cls.root / "cmake")
        # lld has an option that the table lacks, and the reverse; another kind.
        cls.change("lib/Inputs/ELFOptions.td", ' "gc-sections",', "")
        cls.change("lib/Inputs/MachOOptions.td",
                   'def dylib : SingleFlag<"dylib">;', 'def dylib : SingleSeparate<"dylib">;\n'
                                                       'def newest : DoubleFlag<"newest">;')
        # A function that does not exist, and one with other parameters.
        cls.change("lib/Link/SeamFunctions.json", "llvm::sys::Process::Exit",
                   "llvm::sys::Process::Leave")
        cls.change("include/headstart/LLVM.h", "lld::elf::Ctx &Context", "lld::elf::Ctx *Context")
        # A timer with another name, and a function of lld's in no header.
        cls.change("lib/Link/LinkSession.cpp", '"Code Layout"', '"Layout"')
        cls.change("lib/Link/LinkerMain.cpp", "bool ExitEarly);", "int ExitEarly);")
        # A source that no longer compiles.
        cls.change("lib/Link/NoPolly.cpp", "LLVM_PLUGIN_API_VERSION", "\"none\"")
        done = subprocess.run([sys.executable, cls.root / "utils/check-llvm.py", LLVM,
                               "--known", LLVM], capture_output=True, text=True)
        cls.status, cls.output, cls.errors = (done.returncode, done.stdout, done.stderr)

    @classmethod
    def change(cls, name, old, new):
        path = cls.root / name
        text = path.read_text()
        assert old in text, (name, old)
        path.write_text(text.replace(old, new, 1))

    def test_finds_each_of_them(self):
        self.assertEqual((self.status, self.errors), (1, ""), self.output)
        for line in (
                "options: ELFOptions.td does not have ld.lld's --gc-sections (flag; after - --)",
                "options: MachOOptions.td does not have ld64.lld's -dylib (flag; after -)",
                "options: ld64.lld does not have MachOOptions.td's -dylib (separate; after -)",
                "options: ld64.lld does not have MachOOptions.td's --newest (flag; after --)",
                "seam: exit: lldCommon does not refer to llvm::sys::Process::Leave: without that "
                "call the seam would be dead",
                "seam: splitSections64LE: lld::elf::splitSections<llvm::object::ELFType<1, 1>> "
                "takes (lld::elf::Ctx&), the seam takes it for (lld::elf::Ctx*)",
                "stages: lld-link has no timer 'Layout', by which lib/Link/LinkSession.cpp knows a "
                "stage",
                "sources: lib/Link/LinkerMain.cpp: lld's archives have no lld::unsafeLldMain(",
                "sources: lib/Link/NoPolly.cpp:"):
            self.assertIn(line, self.output)

    def test_finds_nothing_else(self):
        # The four forms of splitSections, and other effects of the changes.
        lines = [line for line in self.output.splitlines()
                 if line.startswith(("options: ", "seam: ", "stages: ", "sources: "))]
        self.assertEqual(len(lines), 12, self.output)

    def test_there_is_no_such_llvm(self):
        done = subprocess.run([sys.executable, ROOT / "utils/check-llvm.py", "/nowhere"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "check-llvm: error: no /nowhere/lib/liblldMinGW.a: LLVM's "
                         "and lld's development files are needed\n")


if __name__ == "__main__":
    unittest.main()
