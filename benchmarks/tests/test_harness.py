"""How links are run, with a linker that is a few lines of shell."""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER))

# pylint: disable=wrong-import-position
import harness
import machine
from harness import Variant

# Writes what it is told into the last word's folder, and notes that it ran.
LINKER = """#!/bin/sh
for last; do :; done
echo "$1" >>"$last.log"
echo "${TEXT:-same}" >"$last/out"
exit "${STATUS:-0}"
"""


class Linking(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.linker = self.folder / "linker"
        self.linker.write_text(LINKER)
        self.linker.chmod(0o755)

    def way(self, name: str, **environment: str) -> Variant:
        # sh would take argv[0] for the script.
        return Variant(name, self.linker, [name], environment)

    def rounds(self, ways, count):
        with contextlib.redirect_stdout(io.StringIO()):
            return harness.run_rounds(ways, [str(self.out)], self.out, count)

    def test_in_turn(self):
        runs = self.rounds([self.way("a"), self.way("b")], 3)
        log = (self.folder / "out.log").read_text().split()
        self.assertEqual(log, ["a", "b"] * 3)
        self.assertEqual([len(several) for several in runs.values()], [3, 3])

    def test_outputs_are_compared_by_their_bytes(self):
        runs = self.rounds([self.way("a"), self.way("b"),
                            self.way("c", TEXT="other")], 1)
        a, b, c = (runs[name][0].outputs for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_what_an_earlier_link_left_is_gone(self):
        self.out.mkdir()
        (self.out / "stale").write_text("x")
        first = self.rounds([self.way("a")], 1)["a"][0].outputs
        self.assertEqual(self.rounds([self.way("a")], 1)["a"][0].outputs,
                         first)
        self.assertEqual([path.name for path in self.out.iterdir()], ["out"])

    def test_a_linker_that_fails_ends_the_benchmark(self):
        with self.assertRaises(SystemExit) as raised:
            self.rounds([self.way("a", STATUS="3")], 1)
        self.assertIn("a failed", str(raised.exception))

    def test_what_it_costs(self):
        done = harness.timed(["sh", "-c", "echo text; exit 5"],
                             dict(os.environ), stdout=subprocess.PIPE)
        self.assertEqual((done.status, done.output), (5, b"text\n"))
        self.assertGreater(done.usage.ru_maxrss, 0)
        done = harness.timed(["sh", "-c", "kill -9 $$"], dict(os.environ),
                             stdout=subprocess.PIPE)
        self.assertEqual(done.status, -signal.SIGKILL)


class Interrupted(unittest.TestCase):
    """What was changed is put back when a signal comes in the middle."""

    def test_once(self):
        script = (
            "import contextlib, sys, time\n"
            f"sys.path.insert(0, {str(FOLDER)!r})\n"
            "import harness\n"
            "harness.signals_as_exceptions()\n"
            "try:\n"
            "    print('ready', flush=True)\n"
            "    time.sleep(60)\n"
            "except KeyboardInterrupt:\n"
            "    time.sleep(0.2)\n"  # the second one comes now
            "    print('put back', flush=True)\n")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen([sys.executable, "-c", script],
                                       stdout=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            process.send_signal(number)
            self.assertEqual(process.communicate(timeout=60)[0], "put back\n")
            self.assertEqual(process.returncode, 0)


class Held(unittest.TestCase):
    """Without root, or the knobs, a sentence says so, and nothing fails."""

    def test_readahead_that_cannot_be_set(self):
        with tempfile.TemporaryDirectory() as name:
            knob = pathlib.Path(name) / "read_ahead_kb"
            knob.write_text("4096\n")
            before = machine.readahead_knob
            machine.readahead_knob = lambda folder: knob
            try:
                with machine.readahead(128, pathlib.Path(name)) as note:
                    self.assertIn("(was 4096)", note)
                    self.assertEqual(knob.read_text(), "128")
                self.assertEqual(knob.read_text(), "4096")
                machine.readahead_knob = lambda folder: None
                with machine.readahead(128, pathlib.Path(name)) as note:
                    self.assertIn("not known", note)
            finally:
                machine.readahead_knob = before

    def test_no_throttle_is_no_cgroup(self):
        with machine.throttle(0, pathlib.Path("/")) as note:
            self.assertEqual(note, "")


if __name__ == "__main__":
    unittest.main()
