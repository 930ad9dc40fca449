#!/usr/bin/env python3
"""Tests fault-archives.py with an archive of one object."""

import argparse
import pathlib
import subprocess
import sys
import unittest

from common import ROOT, temporary_directory

CALLS_KNOWN = ("#include <unistd.h>\n#include <string.h>\n"
               "int known(const char *P) { return access(P, 0) + (int)strlen(P); }\n")
CALLS_NEW = "int nice(int); int unknown(void) { return nice(1); }\n"
CALLS_LLVM = ('#include "llvm/Support/Jobserver.h"\n'
              "void *reached() { return llvm::JobserverClient::getInstance(); }\n")
options = None


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True)


class Archives(unittest.TestCase):
    def copy(self, source, suffix="c"):
        """Returns (the run of fault-archives.py, the copy's undefined symbols)."""
        llvm = options.llvm
        with temporary_directory() as work:
            (work / f"a.{suffix}").write_text(source)
            run(llvm / "clang", "-O1", f"-I{llvm.parent / 'include'}", "-c", work / f"a.{suffix}",
                "-o", work / "a.o")
            run(llvm / "llvm-ar", "rcs", work / "in.a", work / "a.o")
            done = run(sys.executable, ROOT / "utils/fault-archives.py", "--table",
                       ROOT / "test/Faults/SystemCalls.json", "--llvm", llvm, "--support",
                       options.support, "--out", work / "out.a", work / "in.a", check=False)
            if done.returncode != 0:
                self.assertFalse((work / "out.a").exists())
                return done, []
            run(llvm / "llvm-ar", "x", f"--output={work}", work / "out.a", "a.o")
            return done, run(llvm / "llvm-nm", "-u", "-j", work / "a.o").stdout.split()

    def test_known_call_is_renamed(self):
        done, names = self.copy(CALLS_KNOWN)
        self.assertEqual(done.stderr, "")
        self.assertIn("headstart_fault_access", names)
        self.assertIn("strlen", names)
        self.assertNotIn("access", names)

    def test_unknown_call_ends_the_build(self):
        done, _ = self.copy(CALLS_NEW)
        self.assertEqual(done.returncode, 1)
        self.assertIn("in.a(a.o) calls nice(), which test/Faults/SystemCalls.json does "
                      "not know", done.stderr)

    def test_unknown_part_of_llvm_ends_the_build(self):
        done, _ = self.copy(CALLS_LLVM, "cpp")
        self.assertEqual(done.returncode, 1)
        self.assertIn("LLVM's Jobserver.cpp.o is used", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm", type=pathlib.Path, required=True)
    parser.add_argument("--support", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
