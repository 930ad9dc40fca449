#!/usr/bin/env python3
"""Checks residency from both sides: the actions and reports of a Windows program under Wine,
and the contents of the host's page cache.

    check-wine-residency.py WINDOWS_BUILD DIRECTORY

WINDOWS_BUILD is the directory of the preset windows-cross, DIRECTORY a directory on a real disk.

PrefetchVirtualMemory of a file's second half must read just that half into the host's page cache.
Under Wine 8, QueryWorkingSetEx reads /proc/self/pagemap, so that it knows only the pages that the
program has touched. The program must report this limit.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from common import skip
from links.residency import PAGE, page_map

WINE = Path(__file__).resolve().parent / "wine"
# Half of it exceeds any common readahead (8 MiB at most), to which the kernel would cut
# a hint that is not split into steps.
SIZE = 32 << 20
HALF = SIZE // 2
# Wine 8 itself reads the head of a file that is opened and mapped.
HEAD = 8
# The pages that readahead may read around a range.
SLACK = 32
TRIES = 4


class Retry(Exception):
    """The kernel reclaims pages during the test."""


def need(program, preset):
    """Skips the test unless a program for Windows is built and can run here."""
    if not program.exists():
        skip(f"the preset {preset} is not built")
    if not Path("/usr/lib/wine/wine64").exists():
        skip("Wine is not installed (./dev setup installs it)")


def check(truth, message):
    if not truth:
        sys.exit("FAILED: " + message)


def cached(path):
    return sum(page_map(path))


def evict(path):
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Probe(subprocess.Popen):
    def __init__(self, program):
        super().__init__([WINE, program, "page-cache"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True, bufsize=1)

    def run(self, command):
        """Returns the program's response to a command."""
        self.stdin.write(command + "\n")
        response = self.stdout.readline().strip()
        print(f"  windows: {command.split('/')[0]:24} -> {response}")
        check(response and not response.startswith("error"), f"{command}: {response}")
        return response


def compare(probe, path, touched):
    """Compares the reports of both sides after the program touched `touched` pages."""
    host = cached(path)
    print(f"  host:    mincore                  -> {host}")
    check(int(probe.run("touched")) == touched, f"touched is not {touched}")
    mapped = probe.run("mapped")
    if mapped.startswith("at-least"):
        if host < touched:
            raise Retry
        check(int(mapped.split()[1]) == touched, "the lower bound is not the touched pages")
        check(probe.run("resident") == "unknown", "the residency is reported as known")
    else:
        check(int(mapped) == host and int(probe.run("resident")) == host, "the two sides disagree")
    return host


def run_once(program, path):
    evict(path)
    if cached(path) != 0:
        raise Retry
    with Probe(program) as probe:
        check(int(probe.run(f"open Z:{path}")) == SIZE, "size")
        # Both sides report that nothing is cached, and the query reads nothing.
        before = compare(probe, path, 0)
        check(before <= HEAD, "something was read")
        check(cached(path) <= before, "the query of residency read pages")

        # While the system reports low memory, the program requests nothing.
        check(probe.run("pressure") == "0", "pressure")
        if probe.run("low-memory 1") == "0":
            try:
                response = probe.run(f"hint {HALF} {HALF}")
                check(response == "low memory, took 0", "a hint while memory is low")
                check(probe.run("pressure") == "100", "pressure")
            finally:
                probe.run("low-memory 0")
            check(cached(path) <= before, "low memory, and something was read")
        else:
            print("  not run: hints while memory is low")

        check(int(probe.run(f"hint {HALF} {HALF}")) == HALF, "hint")
        half = HALF // PAGE
        for _ in range(250):
            pages = page_map(path)
            if sum(pages) >= half:
                break
            time.sleep(0.02)
        print(f"  host:    {sum(pages[:half])} pages of the first half, "
              f"{sum(pages[half:])} of the hinted one's {half}")
        check(sum(pages[:half]) <= HEAD + SLACK, "more was read than hinted")
        if sum(pages[half:]) != half:
            raise Retry
        compare(probe, path, 0)

        check(int(probe.run(f"touch {HALF} {HALF}")) == half, "touch")
        host = compare(probe, path, half)
        check(host <= half + HEAD + SLACK, "more was read than hinted")

        check(int(probe.run(f"touch 0 {HALF}")) == half, "touch")
        if compare(probe, path, 2 * half) != 2 * half:
            raise Retry

        probe.run("close")
        probe.run(f"open Z:{path}")
        probe.run("unmap")  # mapped pages are not evicted
        probe.run("evict")
        rest = cached(path)
        print(f"  host:    {rest} pages after the Windows program's evict"
              + (": Wine evicts nothing" if rest == 2 * half else ""))
        if rest not in (0, 2 * half):
            raise Retry


def main():
    build, directory = sys.argv[1:]
    program = Path(build, "unittests", "WindowsProbe.exe")
    need(program, "windows-cross")
    path = Path(directory).resolve() / f"wine-residency-{os.getpid()}"
    try:
        path.write_bytes(os.urandom(SIZE))
        os.sync()  # unwritten pages cannot be evicted
        evict(path)
        if cached(path) == SIZE // PAGE:
            skip("the directory's file system evicts no pages (tmpfs?)")
        for attempt in range(TRIES):
            print(f"try {attempt + 1}")
            try:
                run_once(program, path)
                print("ok: both sides agree")
                return
            except Retry:
                print("  the kernel evicted pages during the test")
        sys.exit("FAILED: the kernel evicted pages during each try")
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
