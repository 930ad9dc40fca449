#!/usr/bin/env python3
"""Tests whether days.py notices a linker's errors, stops and continues, and shrinks a day.

A script takes the place of our linker: it runs the linker and then makes one error.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from common import ROOT
from days import campaign
from links.judge import parser_of, prepare

SCRIPT = """#!/bin/bash
exec -a ld.lld {ours} "$@"
"""
WRONG = """#!/bin/bash
(exec -a ld.lld {ours} "$@")
status=$?
{wrong}
exit $status
"""
OUTPUT = "[ ! -e out/app ] || echo >>out/app"
options = argparse.Namespace()


class Days(unittest.TestCase):
    def setUp(self):
        self.directory = options.work / "wrong"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        (self.directory / "headstart").symlink_to(options.ours / "headstart")

    def command(self, *args, script: str = SCRIPT):
        linker = self.directory / "ld.lld"
        linker.write_text(script.replace("{ours}", str(options.ours / "ld.lld")))
        linker.chmod(0o755)
        return [sys.executable, ROOT / "utils/days.py", "--flavour", "elf", "--size", "small",
                "--jobs", "1", "--stock", options.stock, "--ours", self.directory, "--work",
                options.work, *args]

    def differs(self, wrong: str, *args) -> str:
        """Returns the output of days.py if our linker makes this error."""
        done = subprocess.run(self.command(*args, script=WRONG.replace("{wrong}", wrong)),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stdout

    def test_errors(self):
        for wrong, message, *args in (
                (OUTPUT, "out/app: "),
                ("rm -f out/app", "only the stock linker made it"),
                ("echo hello >&2", "hello"),
                ("status=3", "exit status:"),
                ("setsid sleep 300 >/dev/null 2>&1 &", "left a process running"),
                ("d=$XDG_CACHE_HOME/headstart; mkdir -p $d 2>/dev/null && "
                 "touch $d/x.tmp1 2>/dev/null", ".tmp1"),
                ("sleep 300", "does not end", "--timeout", "2")):
            with self.subTest(wrong):
                self.assertIn(message, self.differs(wrong, "12", *args))

    def test_smaller(self):
        self.assertRegex(self.differs(OUTPUT, "--seed", "1"),
                         r"smallest: --objects \d+ --steps \d+\n")

    def test_stopped_and_continued(self):
        """Each run adds to the counts of earlier runs."""
        name = "results-elf-small.json"
        (options.work / name).unlink(missing_ok=True)
        steps = [0]
        for _ in range(2):
            with subprocess.Popen(self.command(), stdout=subprocess.PIPE,
                                  start_new_session=True) as running:
                self.wait_for_links()
                os.killpg(running.pid, signal.SIGINT)
                running.communicate(timeout=300)
            self.assertEqual(running.returncode, 130)
            steps.append(json.loads((options.work / name).read_text())["counts"]["steps"])
            self.assertGreater(steps[-1], steps[-2])
        (options.work / name).unlink()

    @staticmethod
    def wait_for_links():
        end = time.monotonic() + 200
        while time.monotonic() < end and not list(
                options.work.glob("worker-*/elf-small/tree/out/*")):
            time.sleep(0.1)
        time.sleep(5)

    def tearDown(self):
        left = list(options.work.glob("worker-*"))
        self.assertEqual(left, [])


class Report(unittest.TestCase):
    def test_tables(self):
        record = {"flavour": "coff", "size": "real",
                  "counts": {"days": 1, "steps": 1500, "kind: touch": 3}}
        self.assertIn("| coff | 500 inputs and more | 1 | 1,500 | 0 | 0 |",
                      campaign.table([record]))
        self.assertEqual("Steps: touch 3.", campaign.kinds([record]))
        self.assertIn("1500 steps, 0 different", campaign.plain([record]))


def main() -> None:
    _, rest = parser_of(__doc__).parse_known_args(namespace=options)
    prepare(options)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
