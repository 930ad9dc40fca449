#!/usr/bin/env python3
"""Runs the benchmarks and writes docs/Benchmarks.md from what they measured.

    run.py [NAME...]     only the named ones; the others keep their figures

The figures lie in docs/benchmarks.json, so that no number in the docs was
typed by hand.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Callable, Dict

import flavours
import harness
import links
import trees
from harness import say

FIGURES = harness.ROOT / "docs" / "benchmarks.json"
DOCUMENT = harness.ROOT / "docs" / "Benchmarks.md"

HEADER = """# Benchmarks

Written by `./dev bench`; the raw figures are in `docs/benchmarks.json`. Runs are
interleaved, times are medians, ratios are medians of the ratios pair by pair. A
run counts as cold only when the page cache was asked and no more than 1% of the
inputs was in memory. Readahead is set to 128 KiB, what most disks have.
"""


def bench_coff(rounds: int, throttle: int = 0) -> dict:
    """The demonstration with more rounds: cold and warm, against stock."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        demo = subprocess.Popen(
            [sys.executable, str(harness.ROOT / "benchmarks" / "demo.py"),
             "--rounds", str(rounds), "--warm-rounds", str(rounds + 4),
             "--throttle", str(throttle), "--json", file.name])
        try:
            status = demo.wait()
        except KeyboardInterrupt:
            # It has settings of the machine to put back: let it.
            demo.terminate()
            demo.wait()
            raise
        if status != 0:
            sys.exit(status)
        return json.loads(pathlib.Path(file.name).read_text())


def text_coff(figures: dict) -> str:
    cold, warm = harness.runs_of(figures, "cold"), harness.runs_of(figures, "warm")
    base = next(iter(cold))
    held = figures.get("throttle")
    lines = [
        "## A cold COFF link with /debug"
        + (f", disk held to {held} MB/s" if held else ""),
        "",
        f"{figures['objects']} objects, "
        f"{harness.format_bytes(figures['bytes'])}, CodeView; "
        f"{len(cold[base])} cold and {len(warm[base])} warm rounds.",
        "",
        "| | cold | ratio | read from disk | warm | ratio |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in cold:
        read = harness.format_bytes(harness.median(cold[name], "read_bytes"))
        lines.append(
            f"| {name} | {harness.median(cold[name], 'seconds'):.2f} s "
            f"| {harness.ratio(cold[name], cold[base]):.2f} | {read} "
            f"| {harness.median(warm[name], 'seconds'):.2f} s "
            f"| {harness.ratio(warm[name], warm[base]):.2f} |")
    stats = figures["stats"]
    lines += [
        "",
        f"{stats['handed_over']} of {stats['inputs']} inputs were handed over "
        f"ready-made, {harness.format_bytes(stats['hinted_bytes'])} fetched "
        f"ahead in {stats['hint_calls']} calls, the last after "
        f"{stats['last_hint_ms']:.0f} ms of {stats['link_ms']:.0f} ms. The "
        "outputs of stock and Headstart are the same to the byte.",
    ]
    return "\n".join(lines)


def bench_startup(rounds: int) -> dict:
    """How long it takes to say /help: the cost of starting, and no link."""
    programs = {"lld-link 22 (stock)": harness.LLVM / "lld-link",
                "Headstart's lld-link": harness.BIN / "lld-link"}
    times: Dict[str, list] = {name: [] for name in programs}
    for number in range(10 * rounds + 1):
        for name, program in programs.items():
            start = time.perf_counter()
            subprocess.run([str(program), "/help"], check=True,
                           stdout=subprocess.DEVNULL)
            if number:  # the first is for warming up
                times[name].append(time.perf_counter() - start)
    return {"seconds": times}


def text_startup(figures: dict) -> str:
    times = figures["seconds"]
    base = next(iter(times.values()))
    lines = [
        "## Starting: `lld-link /help`, warm",
        "",
        f"{len(base)} rounds.",
        "",
        "| | time | ratio |",
        "| --- | --- | --- |",
    ]
    for name, runs in times.items():
        pairs = statistics.median(a / b for a, b in zip(runs, base))
        lines.append(f"| {name} | {statistics.median(runs) * 1000:.1f} ms "
                     f"| {pairs:.2f} |")
    return "\n".join(lines)


def bench_slow_disk(rounds: int) -> dict:
    """The same on a disk of known speed."""
    if not harness.can_throttle():
        say("   left out: holding the disk needs root and a blkio cgroup (v1)")
        return {}
    return bench_coff(max(3, rounds // 2), throttle=400)


def bench_large(name: str) -> Callable[[int], dict]:
    return lambda rounds: links.measure(name, rounds / DEFAULT_ROUNDS)


def bench_flavour(name: str) -> Callable[[int], dict]:
    return lambda rounds: flavours.measure(name, rounds / DEFAULT_ROUNDS)


def bench_trees(name: str) -> Callable[[int], dict]:
    return lambda rounds: trees.measure(name, rounds / DEFAULT_ROUNDS)


DEFAULT_ROUNDS = 7
BENCHES: Dict[str, Callable[[int], dict]] = {
    "coff": bench_coff, "coff-400": bench_slow_disk,
    "startup": bench_startup,
    **{f"large-{name}": bench_large(name) for name in links.CONDITIONS},
    **{name: bench_flavour(name) for name in flavours.CONDITIONS},
    **{name: bench_trees(name) for name in trees.MEASURES}}
TEXTS: Dict[str, Callable[[dict], str]] = {
    "coff": text_coff, "coff-400": text_coff, "startup": text_startup,
    **{f"large-{name}": links.text for name in links.CONDITIONS},
    **{name: links.text for name in flavours.CONDITIONS},
    **{name: trees.text for name in trees.MEASURES}}


def write_document(figures: dict) -> None:
    parts = [HEADER]
    for name in BENCHES:
        if name not in figures:
            continue
        entry = figures[name]
        parts.append(
            TEXTS[name](entry["figures"])
            + f"\n\n`./dev bench {name}`, {entry['date']}, "
            f"{entry['machine']}.\n")
    DOCUMENT.write_text("\n".join(parts))


# What the README shows of the other flavours.
OTHERS = (("elf-archives", "`ld.lld`: itself, from LLVM's archives"),
          ("elf-objects", "the same from 3,200 objects"),
          ("macho", "`ld64.lld`: 600 objects with DWARF, 1.4 GB"))


def write_readme(figures: dict) -> None:
    """Puts the main figures between the marks in the README."""
    begin, end = "<!-- begin figures -->\n", "<!-- end figures -->"
    if "coff" not in figures or "coff-400" not in figures:
        return
    plain, slow = (figures[name]["figures"] for name in ("coff", "coff-400"))
    cold, warm = harness.runs_of(plain, "cold"), harness.runs_of(plain, "warm")
    held = harness.runs_of(slow, "cold")
    base = next(iter(cold))
    lines = [
        f"{plain['objects']} objects, {harness.format_bytes(plain['bytes'])}, "
        "`/debug`; medians, and ratios to stock in the same rounds.",
        "",
        "| | cold | cold, disk at 400 MB/s | warm |",
        "| --- | --- | --- | --- |",
    ]
    for name in cold:
        cells = [
            f"{harness.median(runs[name], 'seconds'):.2f} s "
            f"({harness.ratio(runs[name], runs[base]):.2f})"
            for runs in (cold, held, warm)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    others = [(title, harness.runs_of(figures[name]["figures"], "cold"),
               harness.runs_of(figures[name]["figures"], "warm"))
              for name, title in OTHERS if name in figures]
    if others:
        lines += ["", "| | stock, cold | first link | next links | stock, warm |",
                  "| --- | --- | --- | --- | --- |"]
    for title, runs, warmed in others:
        base = next(iter(runs))
        cells = [f"{harness.median(runs[base], 'seconds'):.2f} s"]
        cells += [f"{harness.median(runs[name], 'seconds'):.2f} s "
                  f"({harness.ratio(runs[name], runs[base]):.2f})"
                  for name in ("Headstart, first link", "Headstart, next links")]
        cells.append(f"{harness.median(warmed[base], 'seconds'):.2f} s")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    if listed := trees.summary(figures):
        lines += ["", *listed]
    lines += ["", f"{figures['coff']['machine']}, "
              f"{figures['coff']['date']}; `./dev bench`.", ""]
    readme = harness.ROOT / "README.md"
    text = readme.read_text()
    head, rest = text.split(begin)
    readme.write_text(head + begin + "\n".join(lines)
                      + end + rest.split(end)[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"of {', '.join(BENCHES)} (default: all)")
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS)
    parser.add_argument("--write", action="store_true",
                        help="only write the documents from the figures")
    options = parser.parse_args()
    unknown = set(options.names) - set(BENCHES)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    harness.signals_as_exceptions()

    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    if options.write:
        write_document(figures)
        write_readme(figures)
        return 0
    try:
        for name in options.names or BENCHES:
            say(f"== {name}")
            measured = BENCHES[name](options.rounds)
            if not measured:
                continue
            figures[name] = {
                "date": datetime.date.today().isoformat(),
                "machine": harness.machine(),
                "figures": measured,
            }
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    except KeyboardInterrupt:
        say("\nstopped; what was finished is in docs/benchmarks.json")
        return 130
    write_document(figures)
    write_readme(figures)
    say(f"written: {DOCUMENT.relative_to(harness.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
