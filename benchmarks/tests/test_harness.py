"""Tests how the benchmarks run links, with a shell script as the linker."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER))

# pylint: disable=wrong-import-position
import harness
from harness import Variant

# Logs a name, writes a text into the directory in the last argument, and exits.
LINKER = """#!/bin/sh
for last; do :; done
echo "$1" >>"$last.log"
echo "$2" >"$last/out"
exit "$3"
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

    def way(self, name: str, text: str = "same", status: int = 0) -> Variant:
        # The name is an option, since argv[0] of a script is its path.
        return Variant(name, self.linker, [name, text, str(status)])

    def rounds(self, ways, count):
        with contextlib.redirect_stdout(io.StringIO()):
            return harness.run_rounds(ways, [str(self.out)], self.out, count)

    def test_in_turn(self):
        runs = self.rounds([self.way("a"), self.way("b")], 3)
        log = (self.folder / "out.log").read_text().split()
        self.assertEqual(log, ["a", "b", "b", "a", "a", "b"])
        self.assertEqual([len(several) for several in runs.values()], [3, 3])

    def test_outputs_are_compared_by_their_bytes(self):
        runs = self.rounds([self.way("a"), self.way("b"), self.way("c", text="other")], 1)
        a, b, c = (runs[name][0].outputs for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_what_an_earlier_link_left_is_gone(self):
        self.out.mkdir()
        (self.out / "stale").write_text("x")
        first = self.rounds([self.way("a")], 1)["a"][0].outputs
        self.assertEqual(self.rounds([self.way("a")], 1)["a"][0].outputs, first)
        self.assertEqual([path.name for path in self.out.iterdir()], ["out"])

    def test_a_linker_that_fails_ends_the_benchmark(self):
        with self.assertRaises(SystemExit) as raised:
            self.rounds([self.way("a", status=3)], 1)
        self.assertIn("a failed", str(raised.exception))

    def test_what_it_costs(self):
        done = harness.timed(["sh", "-c", "echo text; exit 5"],
                             dict(os.environ), stdout=subprocess.PIPE)
        self.assertEqual((done.status, done.output), (5, b"text\n"))
        self.assertGreater(done.usage.ru_maxrss, 0)
        done = harness.timed(["sh", "-c", "kill -9 $$"], dict(os.environ), stdout=subprocess.PIPE)
        self.assertEqual(done.status, -signal.SIGKILL)


    def test_the_memory_of_a_link(self):
        self.linker.write_text("#!/bin/sh\nexec sleep 0.3\n")
        self.assertGreater(harness.own_memory(self.linker, []), 0)

    def test_a_linker_whose_memory_is_read_ends_with_a_signal(self):
        note = self.folder / "pid"
        self.linker.write_text(f"#!/bin/sh\necho $$ >{note}\nexec sleep 60\n")

        def stop(_):
            if note.exists() and note.read_text().strip():
                raise KeyboardInterrupt
        with mock.patch.object(harness.time, "sleep", stop):
            with self.assertRaises(KeyboardInterrupt):
                harness.own_memory(self.linker, [])
        with self.assertRaises(ProcessLookupError):
            os.kill(int(note.read_text()), 0)

    def test_headstart_that_fails_ends_the_benchmark(self):
        self.linker.write_text("#!/bin/sh\nexit 3\n")
        with mock.patch.object(harness, "HEADSTART", self.linker):
            with self.assertRaises(SystemExit) as raised:
                harness.evict([self.folder])
        self.assertIn("headstart evict failed with status 3", str(raised.exception))


class Failing(unittest.TestCase):
    """A benchmark that fails does not affect the others."""

    def setUp(self):
        loader = importlib.machinery.SourceFileLoader("run", str(FOLDER / "run"))
        spec = importlib.util.spec_from_loader("run", loader)
        self.run = importlib.util.module_from_spec(spec)
        loader.exec_module(self.run)

    def test_the_others_are_measured_and_kept(self):
        def fails(_):
            raise subprocess.CalledProcessError(1, ["headstart", "evict"])

        def ends(_):
            sys.exit("error: no such linker")
        benchmarks = {"a": mock.Mock(measure=fails), "b": mock.Mock(measure=ends),
                      "c": mock.Mock(measure=lambda factor: {"figure": factor})}
        with tempfile.TemporaryDirectory() as name, \
                contextlib.redirect_stdout(io.StringIO()) as said:
            folder = pathlib.Path(name)
            documents = self.run.Documents(folder, benchmarks, False)
            failed = self.run.measure(mock.Mock(
                names=[], benchmarks=benchmarks, rounds=2), documents)
            kept = json.loads((folder / "figures.json").read_text())
            self.assertEqual([path.name for path in folder.iterdir()], ["figures.json"])
        self.assertEqual(failed, ["a", "b"])
        self.assertEqual(kept["c"]["figures"], {"figure": 2})
        self.assertIn("CalledProcessError", said.getvalue())
        self.assertIn("no such linker", said.getvalue())


class Interrupted(unittest.TestCase):
    """A signal starts the cleanup, and a second signal does not interrupt it."""

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
            "    time.sleep(0.2)\n"  # the second signal arrives now
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
    """Without root or a kernel's setting, a note says so and nothing fails."""

    def test_readahead_is_set_and_put_back_where_it_can_be(self):
        with tempfile.TemporaryDirectory() as name:
            knob = pathlib.Path(name) / "read_ahead_kb"
            knob.write_text("4096\n")
            before = harness.readahead_knob
            harness.readahead_knob = lambda folder: knob
            try:
                with harness.readahead(128, pathlib.Path(name)) as note:
                    self.assertIn("(was 4096)", note)
                    self.assertEqual(knob.read_text(), "128")
                self.assertEqual(knob.read_text(), "4096")
                # Root may write to every file, so only a mock refuses for certain.
                refusing = mock.Mock()
                refusing.read_text.return_value = "4096\n"
                refusing.write_text.side_effect = PermissionError
                harness.readahead_knob = lambda folder: refusing
                with harness.readahead(128, pathlib.Path(name)) as note:
                    self.assertEqual(note, "readahead 4096 KiB (the usual 128 needs root)")
                # harness.readahead does not restore what it did not change.
                refusing.write_text.assert_called_once_with("128")
                harness.readahead_knob = lambda folder: None
                with harness.readahead(128, pathlib.Path(name)) as note:
                    self.assertIn("not known", note)
            finally:
                harness.readahead_knob = before

    def test_a_signal_while_a_group_is_made(self):
        for problem, raised in ((KeyboardInterrupt, KeyboardInterrupt), (OSError, SystemExit)):
            with tempfile.TemporaryDirectory() as name:
                settings = mock.Mock()
                settings.items.side_effect = problem
                with self.assertRaises(raised):
                    with harness.cgroup(pathlib.Path(name), settings):
                        self.fail("it was entered")
                self.assertEqual(os.listdir(name), [])
                self.assertEqual(harness.entered, [])

    @unittest.skipUnless(harness.can_limit_memory(), "needs root and a cgroup of memory")
    def test_programs_enter_the_group_and_this_process_does_not(self):
        def here():
            return pathlib.Path("/proc/self/cgroup").read_bytes()
        before = here()
        with harness.limit_memory(1 << 30):
            (group,) = harness.entered
            done = harness.timed(["cat", "/proc/self/cgroup"], dict(os.environ),
                                 stdout=subprocess.PIPE)
            self.assertEqual(here(), before)
        self.assertIn(group.name.encode(), done.output)
        self.assertFalse(group.exists())

    def test_no_throttle_is_no_cgroup(self):
        with harness.throttle(0, pathlib.Path("/")) as note:
            self.assertEqual(note, "")


if __name__ == "__main__":
    unittest.main()
