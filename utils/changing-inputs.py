#!/usr/bin/env python3
"""Changes inputs of our linker while it links, and judges the result.

Each seed is one link of about 70 objects and archives, cached or not. At a random moment the script
replaces, truncates, grows, removes or makes unreadable one or two of them, or puts a directory in
their place. These results are right:

- A linker opens each input once, at its own moment. It may therefore see each changed file in its
  old or its new state, and the result must be one that stock gives for files in some of these
  states that do not change. A file that becomes a directory has a third state: for a moment, it
  does not exist.
- lld-link checks whether an input is a directory, which it skips, and opens it later. If the file
  becomes a directory in between, the open fails: a fourth state.
- Stock and ours read files under 16 KiB. If one is truncated between the stat of its size and the
  read, the rest is zeros (LLVM's rule): a third state.
- Stock and ours map larger files. A truncation then removes whole pages (stock dies of SIGBUS when
  it touches one), and turns the rest of the last page to zeros at any point of the link. Two more
  results are therefore right: death by SIGBUS if pages were removed, and otherwise any result of an
  input that turns to zeros half-way. Stock runs the same race, and the counts show both.
- If stock reads past the end of a truncated input in one of these states, it dies or its results
  differ (links/judge.py), since each process finds another byte there. Then only the exit status
  counts; if stock always fails, any failure is right.

Messages are compared in any order. If root starts the script, an unprivileged user runs the links,
since root can read every file.

The last line is a summary. The exit status is 1 if a result was wrong, or if links saw only old
files or only new ones, which would prove nothing.
"""

import argparse
import collections
import errno
import functools
import itertools
import mmap
import os
import pathlib
import random
import shlex
import shutil
import signal
import sys
import threading
import time

from common import temporary_directory
from links.judge import (Judge, Variant, draw_residency, fails, in_any_order, in_processes,
                         parser_of, prepare)
from links.pool import ALONE, CLEAN, DEBUG, ODD, Pool

HEAP = 16384  # LLVM reads smaller files and maps others
NOBODY = 65534
arguments = argparse.Namespace()
MISSING, UNREADABLE, DIRECTORY = "missing", "unreadable", "directory"
KINDS = ["replace", "replace", "truncate", "grow", "remove", "unreadable", "directory"]


class Change:
    """A change of one input, and the states in which a linker may see the file: its bytes,
    or MISSING, UNREADABLE or DIRECTORY."""

    def __init__(self, rng, path: pathlib.Path, others):
        self.path, self.kind = path, rng.choice(KINDS)
        self.old = path.read_bytes()
        size = len(self.old)
        self.new = {"remove": MISSING, "unreadable": UNREADABLE,
                    "directory": DIRECTORY}.get(self.kind)
        if self.kind == "replace":
            self.new = rng.choice([self.old + bytes(4096), rng.choice(others).read_bytes(), b"",
                                   self.old[:rng.randrange(size)], bytes(size)])
        elif self.kind == "truncate":
            self.new = self.old[:rng.choice([
                0, rng.randrange(size), rng.randrange(max(size - 64, 0), size)])]
        elif self.kind == "grow":
            self.new = self.old + bytes([rng.randrange(256)]) * rng.choice([1, 100, 4096, 20000])
        self.states = {"old": self.old, "new": self.new}
        if self.kind == "truncate":
            self.states["short"] = self.new + bytes(size - len(self.new))
        elif self.kind == "directory":
            self.states.update(missing=MISSING, between=MISSING)
        self.mapped = self.kind == "truncate" and size >= HEAP
        page = mmap.PAGESIZE
        self.removes_pages = self.mapped and -(-len(self.new) // page) < -(-size // page)

    def put(self, state: str) -> None:
        """Puts the file into a state, whatever its current one is."""
        if self.path.is_dir():
            self.path.rmdir()
        self.path.unlink(missing_ok=True)
        content = self.states[state]
        if content == DIRECTORY:
            self.path.mkdir()
        elif content == UNREADABLE:
            self.path.write_bytes(self.old)
            self.path.chmod(0)
        elif content != MISSING:
            self.path.write_bytes(content)

    def apply(self) -> None:
        """Changes the file as programs do, unlike `put`."""
        if self.kind == "replace":
            new = self.path.with_suffix(".new")
            new.write_bytes(self.new)
            new.replace(self.path)
        elif self.kind == "truncate":
            os.truncate(self.path, len(self.new))
        elif self.kind == "grow":
            with open(self.path, "ab", buffering=0) as file:
                file.write(self.new[len(self.old):])
        elif self.kind == "remove":
            self.path.unlink()
        elif self.kind == "unreadable":
            self.path.chmod(0)
        else:
            self.path.unlink()
            self.path.mkdir()


class RacedLink:
    """A link of one flavour, its inputs in a directory, and stock's results."""

    def __init__(self, flavour: str):
        self.directory = arguments.directory / f"{flavour}-{os.getpid()}"
        self.directory.mkdir()
        os.chdir(self.directory)
        os.environ["XDG_CACHE_HOME"] = str(self.directory / "cache")
        self.pool, self.judge = pool_of(flavour), Judge(arguments, flavour)
        pool = self.pool
        os.mkdir("p")
        for part in ("obj", "lib"):
            shutil.copytree(pool.directory / part, f"p/{part}")
        os.sync()  # unwritten files cannot be evicted
        suffix = pool.flavour.suffix
        files = [f"p/obj/o{o}.{suffix}" for o in ("start", *range(ALONE), *range(ODD, DEBUG))]
        whole = ["p/lib/" + pool.flavour.archive(f"whole{k}") for k in range(4)]
        # With several threads, an error names another of many references each time.
        self.arguments = {
            "coff": ["/threads:1", "/out:out/a.exe", "/timestamp:0", "/entry:main",
                     "/debug", "/libpath:p/lib", "/subsystem:console", *files,
                     *("/wholearchive:" + archive for archive in whole)],
            "elf": ["--threads=1", "-o", "out/a", "-Lp/lib", *files,
                    "--whole-archive", *whole, "--no-whole-archive"],
            "macho": ["--threads=1", "-arch", "x86_64", "-platform_version", "macos", "11", "11",
                      "-o", "out/a", "-no_uuid", "-no_adhoc_codesign", "-Lp/lib", "-syslibroot",
                      str(pool.directory), "p/lib/libSystem.tbd", *files,
                      *(part for archive in whole for part in ("-force_load", archive))],
        }[flavour]
        members = [f"p/obj/o{o}.{suffix}" for o in range(ALONE, CLEAN)]
        self.inputs = [pathlib.Path(f) for f in files + whole + members]
        self.thin = [pathlib.Path(m) for m in members[5:10]]
        begun = time.monotonic()
        self.old = self.stock()
        self.seconds = time.monotonic() - begun
        if self.old["exit status"] != b"0":
            raise RuntimeError(f"{flavour}: {self.old['standard error']}")

    def stock(self) -> dict:
        return in_any_order(self.judge.link(self.judge.stock, self.judge.linker, self.arguments))

    def race(self, link, changes, delays, variant: Variant) -> dict:
        for change in changes:
            change.put("old")
        draw_residency(variant, [str(change.path) for change in changes])
        timers = [threading.Timer(delay, change.apply) for change, delay in zip(changes, delays)]
        for timer in timers:
            timer.start()
        result = in_any_order(link())
        for timer in timers:
            timer.join()
        return result

    def static(self, changes, states) -> dict:
        """Stock's result for files in these states that do not change."""
        if set(states) == {"old"}:
            return self.old
        for change, state in zip(changes, states):
            change.put(state)
        result = self.stock()
        for change, state in zip(changes, states):
            if state == "between":
                message = f"could not open '{change.path}': "
                result["standard error"] = sorted(
                    line.replace(f"{message}{os.strerror(errno.ENOENT)}".encode(),
                                 f"{message}{os.strerror(errno.EISDIR)}".encode())
                    for line in result["standard error"])
        return result

    def verdict(self, result, changes):
        """The states that the link saw, or None if its result is wrong."""
        status = result["exit status"]
        if status == b"%d" % -signal.SIGBUS and any(c.removes_pages for c in changes):
            return "SIGBUS"
        for states in itertools.product(*(c.states for c in changes)):
            if result == self.static(changes, states):
                return " ".join(states)
        for states in itertools.product(*(c.states for c in changes)):
            self.static(changes, states)
            past_end, results = self.judge.results(self.judge.linker, self.arguments)
            if past_end and (status in [r["exit status"] for r in results] or
                             fails(result) and all(map(fails, results))):
                return "as stock, which reads past the end of an input"
        if any(c.mapped for c in changes) and status in (b"0", b"1"):
            return "zeros"
        return None


def trial(link: RacedLink, seed: int):
    """Runs one link. Returns counts of the states that ours and stock saw, and any error."""
    rng = random.Random(f"change {seed}")
    pool_objects = [link.pool.object(i) for i in range(CLEAN)]
    chosen = rng.sample([p for p in link.inputs
                         if p.stem[1:] not in map(str, range(ALONE + 5, CLEAN))
                         or p in link.thin], rng.choice([1, 1, 2]))
    changes = [Change(rng, path, pool_objects) for path in chosen]
    draw = rng.choice(["", "", "all evicted", "half", "half", "by kind"])
    variant = Variant(draw=draw, options=[
        f"--prefetch-jobs={rng.choice([1, 2, 8, 16])}",
        f"--prefetch-handover={rng.choice(['all', 'all', 'none'])}",
        "--prefetch-profile=" + rng.choice(["none", "none", "profile"])])
    span = link.seconds * (2 if draw else 1.2)
    delays = [rng.uniform(0, span) for _ in changes]
    counts = collections.Counter()

    judge, arguments = link.judge, link.arguments
    result = link.race(lambda: judge.ours_link(arguments, variant), changes, delays, variant)
    verdict = link.verdict(result, changes)
    counts["ours: " + (verdict or "wrong")] += 1
    if any(c.mapped for c in changes):
        theirs = link.verdict(link.race(lambda: judge.link(judge.stock, judge.linker, arguments),
                                        changes, delays, variant), changes)
        counts["truncated: ours " + (verdict or "wrong")] += 1
        counts["truncated: stock " + (theirs or "wrong")] += 1
    text = ""
    if verdict is None:
        text = (f"{judge.linker} {seed}: {shlex.join(variant.options)}, residency: "
                f"{draw or 'any'}: " + "; ".join(
                    f"{c.kind} {c.path} {len(c.old)} -> "
                    f"{c.new if isinstance(c.new, str) else len(c.new)} after "
                    f"{d * 1000:.1f} ms" for c, d in zip(changes, delays)))
        for what, lines in result.items():
            if not what.startswith("out"):
                shown = lines if isinstance(lines, bytes) else b"\n".join(lines)
                text += f"\n  {what}: {shown.decode(errors='replace')[:1500]}"
    for change in changes:
        change.put("old")
    return counts, text


def pool_of(flavour: str) -> Pool:
    return Pool(flavour, 0, arguments.stock, arguments.work, arguments.jobs)


link_of = functools.cache(RacedLink)  # one for each flavour and process


def one_seed(seed: int):
    link = link_of(arguments.flavours[seed % len(arguments.flavours)])
    os.chdir(link.directory)
    return trial(link, seed)


def without_rights() -> None:
    """Continues as a user who cannot read every file."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.parse_args(namespace=arguments)
    prepare(arguments)
    begun = time.monotonic()
    for flavour in arguments.flavours:  # before several processes would
        pool_of(flavour)
    Judge(arguments, arguments.flavours[0]).slack()
    seeds = range(arguments.first, arguments.first + arguments.count)
    if arguments.seed is not None:
        seeds = [arguments.seed] * 20
    counts = collections.Counter()
    with temporary_directory(dir=arguments.work) as arguments.directory:
        if os.geteuid() == 0:
            os.chown(arguments.directory, NOBODY, NOBODY)
        for more, text in in_processes(arguments, one_seed, seeds, 5, without_rights):
            counts.update(more)
            if text:
                print(text, flush=True)
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")
    wrong = counts["ours: wrong"]
    ours = {what: n for what, n in counts.items() if what.startswith("ours: ")}
    links = sum(ours.values())
    print(f"{links} links while inputs changed, {wrong} wrong, {time.monotonic() - begun:.0f} s")
    both = all(any(state in what for what in ours) for state in ("old", "new"))
    return bool(wrong) or (not both and links >= 50 and arguments.seed is None)


if __name__ == "__main__":
    sys.exit(main())
