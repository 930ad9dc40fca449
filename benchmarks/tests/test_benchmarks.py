"""Tests how the benchmarks summarize and describe figures, and how links run, with a shell script
as the linker. The test benchmarks.documents compares the documents with the stored figures."""

import contextlib
import io
import json
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import unittest
from unittest import mock

DIRECTORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(DIRECTORY))

# pylint: disable=wrong-import-position
import document
import figures
import harness
import links
import suite
import trees
from common import temporary_directory
from figures import Run
from harness import Variant


def runs(*seconds: float, outputs: str = "same") -> list[Run]:
    return [Run(one, 0.0, one / 10, 1000, outputs) for one in seconds]


def entry(**others) -> dict:
    """Stored figures of a link. A cold link takes stock twice as long as Headstart."""
    cold = {"lld-link 22 (stock)": runs(4.0, 8.0, 6.0), links.PREFETCHING: runs(3.0, 7.0, 5.0),
            links.FIRST: runs(2.0, 4.0, 3.0), links.NEXT: runs(1.0, 2.0, 1.5)}
    warm = {name: runs(1.0, 1.0, 1.0) for name in cold}
    stats = {"hinted_bytes": 50_000_000, "touched_bytes": 100_000_000}
    return {"date": "2026-01-02", "machine": "2 cores, Linux 6", "figures": {
        "title": "COFF: /debug", "inputs": 10, "bytes": 200_000_000, "megabytes_per_second": 0,
        "memory": None, "stats": [stats, stats], "same": True,
        "cold": figures.kept(cold), "warm": figures.kept(warm), **others}}


class Statistics(unittest.TestCase):
    def test_ratios_are_pair_by_pair(self):
        # The machine drifts: the second round is ten times as slow for both.
        base, ours = runs(2.0, 20.0, 4.0), runs(1.0, 10.0, 3.0)
        self.assertEqual(figures.ratios(ours, base), [0.5, 0.5, 0.75])
        self.assertEqual(figures.ratio(ours, base), 0.5)
        # The ratio of the medians differs.
        self.assertEqual(figures.median(ours) / figures.median(base), 0.75)

    def test_ratio_to_nothing_is_a_number(self):
        self.assertGreater(figures.ratio(runs(1.0), runs(0.0)), 1e6)

    def test_interval(self):
        self.assertEqual(figures.interval([0.7]), (0.7, 0.7))
        self.assertEqual(figures.interval([3, 1, 2]), (1, 3))
        self.assertEqual(figures.interval([1, 2, 3, 4, 100]), (2, 4))

    def test_bytes(self):
        for count, text in ((0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"),
                            (9_960, "10 kB"), (999_600, "1.0 MB"), (768_600_000, "769 MB"),
                            (5_000_000_000_000, "5000 GB")):
            self.assertEqual(figures.format_bytes(count), text)


class Links(unittest.TestCase):
    def test_kept_figures_come_back(self):
        kept = entry()["figures"]
        self.assertEqual(figures.kept(figures.runs_of(kept, "cold")), kept["cold"])

    def test_outputs(self):
        stock = {"lld-link 22 (stock)": runs(1.0)}
        same = {**stock, links.FIRST: runs(1.0)}
        self.assertTrue(links.all_same(same))
        self.assertFalse(links.all_same(stock, {links.FIRST: runs(1.0, outputs="other")}))
        # The outputs of these variants differ by design.
        for name in (links.PREFETCHING, "mold", "headstart run mold"):
            self.assertTrue(links.all_same(stock, {name: runs(1.0, outputs="other")}))

    @mock.patch.object(harness, "INSTALL_PEERS", False)
    def test_variants(self):
        """Stock is first and Headstart last, whatever variants are between them."""
        for linker in ("lld-link", "ld.lld", "ld64.lld"):
            for around in (False, True):
                sample = links.Sample("S", linker, pathlib.Path("/"), [], [])
                names = [variant.name for variant in links.variants(
                    sample, around, pathlib.Path("/p"))]
                self.assertEqual(names[0], f"{linker} 22 (stock)")
                self.assertEqual(names[-2:], [links.FIRST, links.NEXT])
                self.assertEqual(f"headstart run {linker} 22" in names, around)


class Trees(unittest.TestCase):
    def test_a_missing_program_is_a_row_and_a_reason(self):
        column = {"title": "A", "commands": ["headstart", "gone"], "seconds": {"headstart": [1.0]}}
        kept = {"columns": [column], "versions": {}, "missing": {"gone": "no such thing"}}
        self.assertIn("| gone | – |", trees.table(kept))
        self.assertIn("- gone is not available: no such thing.", trees.remarks(kept))


class Documents(unittest.TestCase):
    benchmarks = {"coff": suite.Benchmark(None, links.text)}

    def test_outputs(self):
        def text(same):
            return document.document({"coff": entry(same=same)},
                                     self.benchmarks, {}, "raw.json")
        self.assertIn(document.SAME, text(True))
        self.assertNotIn(document.SAME, text(False))
        self.assertIn(document.NOT_SAME, text(False))

    def test_nothing_measured(self):
        text = document.document({}, self.benchmarks, {}, "raw.json")
        self.assertTrue(text.startswith("# Benchmarks\n"))
        self.assertIn("`raw.json`", text)
        self.assertEqual(text.count("##"), 1)
        self.assertEqual(document.headline({}), "")

    def test_an_unusual_readahead_is_named(self):
        for readahead, shown in (("readahead set to the usual 128 KiB (was 8192)", ""),
                                 ("readahead 4096 KiB (the usual 128 needs root)",
                                  ", readahead 4096 KiB (the usual 128 needs root)")):
            text = document.document({"coff": entry(readahead=readahead)},
                                     self.benchmarks, {}, "raw")
            self.assertIn(f"- A: 2026-01-02, 2 cores, Linux 6{shown}.\n", text)

    def test_readme(self):
        all_figures = {"coff": entry(), "coff-400": entry()}
        before = f"head\n{document.BEGIN}former\n{document.END}\ntail\n"
        text = document.readme(all_figures, before)
        self.assertTrue(text.startswith(f"head\n{document.BEGIN}{document.headline(all_figures)}"))
        self.assertTrue(text.endswith(f"{document.END}\ntail\n"))
        self.assertNotIn("former", text)
        self.assertNotIn("objects with DWARF", text)
        self.assertEqual(document.readme({}, before), before)


class Suites(unittest.TestCase):
    def test_the_short_form_names_benchmarks_of_the_full(self):
        self.assertLessEqual(set(suite.short()), set(suite.full()))


# Logs a name, writes a text into the directory in the last argument, and exits.
LINKER = """#!/bin/sh
for last; do :; done
echo "$1" >>"$last.log"
echo "$2" >"$last/out"
exit "$3"
"""


class Linking(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(temporary_directory())
        self.out = self.directory / "out"
        self.linker = self.directory / "linker"
        self.linker.write_text(LINKER)
        self.linker.chmod(0o755)

    def variant(self, name: str, text: str = "same", status: int = 0) -> Variant:
        # The name is an option, since argv[0] of a script is its path.
        return Variant(name, self.linker, [name, text, str(status)])

    def rounds(self, variants, count):
        with contextlib.redirect_stdout(io.StringIO()):
            return harness.run_rounds(variants, [str(self.out)], self.out, count)

    def test_in_turn(self):
        runs = self.rounds([self.variant("a"), self.variant("b")], 3)
        log = (self.directory / "out.log").read_text().split()
        self.assertEqual(log, ["a", "b", "b", "a", "a", "b"])
        self.assertEqual([len(several) for several in runs.values()], [3, 3])

    def test_outputs_are_compared_by_their_bytes(self):
        runs = self.rounds([self.variant("a"), self.variant("b"),
                            self.variant("c", text="other")], 1)
        a, b, c = (runs[name][0].outputs for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_what_an_earlier_link_left_is_gone(self):
        self.out.mkdir()
        (self.out / "stale").write_text("x")
        first = self.rounds([self.variant("a")], 1)["a"][0].outputs
        self.assertEqual(self.rounds([self.variant("a")], 1)["a"][0].outputs, first)
        self.assertEqual([path.name for path in self.out.iterdir()], ["out"])

    def test_a_linker_that_fails_ends_the_benchmark(self):
        with self.assertRaises(SystemExit) as raised:
            self.rounds([self.variant("a", status=3)], 1)
        self.assertIn("a failed", str(raised.exception))

    def test_what_it_costs(self):
        done = harness.timed(["sh", "-c", "echo text; exit 5"],
                             dict(os.environ), stdout=subprocess.PIPE)
        self.assertEqual((done.status, done.output), (5, b"text\n"))
        self.assertGreater(done.usage.ru_maxrss, 0)
        done = harness.timed(["sh", "-c", "kill -9 $$"], dict(os.environ), stdout=subprocess.PIPE)
        self.assertEqual(done.status, -signal.SIGKILL)

    def test_a_linker_whose_memory_is_read_ends_with_a_signal(self):
        note = self.directory / "pid"
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
                harness.evict([self.directory])
        self.assertIn("headstart evict failed with status 3", str(raised.exception))


class Failing(unittest.TestCase):
    """A benchmark that fails does not affect the others."""

    def test_the_others_are_measured_and_kept(self):
        def fails(_):
            raise subprocess.CalledProcessError(1, ["headstart", "evict"])

        def ends(_):
            sys.exit("error: no such linker")
        program = runpy.run_path(str(DIRECTORY / "run"))
        benchmarks = {"a": mock.Mock(measure=fails), "b": mock.Mock(measure=ends),
                      "c": mock.Mock(measure=lambda factor: {"figure": factor})}
        with (temporary_directory() as directory,
              contextlib.redirect_stdout(io.StringIO()) as printed):
            failed = program["measure"](mock.Mock(names=[], benchmarks=benchmarks, rounds=2),
                                        program["Documents"](directory, benchmarks))
            kept = json.loads((directory / "figures.json").read_text())
            self.assertEqual([path.name for path in directory.iterdir()], ["figures.json"])
        self.assertEqual(failed, ["a", "b"])
        self.assertEqual(kept["c"]["figures"], {"figure": 2})
        self.assertIn("CalledProcessError", printed.getvalue())
        self.assertIn("no such linker", printed.getvalue())


class Interrupted(unittest.TestCase):
    """A signal starts the cleanup, and a second signal does not interrupt it."""

    def test_once(self):
        script = (
            "import contextlib, sys, time\n"
            f"sys.path.insert(0, {str(DIRECTORY)!r})\n"
            "import harness\n"
            "harness.signals_as_exceptions()\n"
            "try:\n"
            "    print('ready', flush=True)\n"
            "    time.sleep(60)\n"
            "except KeyboardInterrupt:\n"
            "    time.sleep(0.2)\n"  # the second signal arrives now
            "    print('restored', flush=True)\n")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen([sys.executable, "-c", script],
                                       stdout=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            process.send_signal(number)
            self.assertEqual(process.communicate(timeout=60)[0], "restored\n")
            self.assertEqual(process.returncode, 0)


class Held(unittest.TestCase):
    """Without root or a kernel's setting, a note says so and nothing fails."""

    def test_readahead_is_set_and_put_back_where_it_can_be(self):
        with temporary_directory() as directory:
            knob = directory / "read_ahead_kb"
            knob.write_text("4096\n")
            with mock.patch.object(harness, "readahead_knob") as find:
                find.return_value = knob
                with harness.readahead(128, directory) as note:
                    self.assertIn("(was 4096)", note)
                    self.assertEqual(knob.read_text(), "128")
                self.assertEqual(knob.read_text(), "4096")
                # Root may write to every file, so only a mock refuses for certain.
                find.return_value = refusing = mock.Mock()
                refusing.read_text.return_value = "4096\n"
                refusing.write_text.side_effect = PermissionError
                with harness.readahead(128, directory) as note:
                    self.assertEqual(note, "readahead 4096 KiB (the usual 128 needs root)")
                # harness.readahead does not restore what it did not change.
                refusing.write_text.assert_called_once_with("128")
                find.return_value = None
                with harness.readahead(128, directory) as note:
                    self.assertIn("not known", note)

    def test_a_signal_while_a_group_is_made(self):
        for problem, raised in ((KeyboardInterrupt, KeyboardInterrupt), (OSError, SystemExit)):
            with temporary_directory() as directory:
                settings = mock.Mock()
                settings.items.side_effect = problem
                with self.assertRaises(raised):
                    with harness.cgroup(directory, settings):
                        self.fail("it was entered")
                self.assertEqual(os.listdir(directory), [])
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
