"""Every benchmark by name: its measurement and its text."""

import dataclasses
import functools
import os
import statistics
import subprocess
import sys
from typing import Callable

import build
import conditions
import far
import harness
import links
import samples
import trees
from figures import pairs, section
from harness import Variant
from links import Condition


@dataclasses.dataclass
class Benchmark:
    """`measure` takes a factor of the number of rounds. It prints a reason and
    returns nothing if this machine cannot run it."""
    measure: Callable[[float], dict]
    text: Callable[[dict], str]


def measure_startup(factor: float) -> dict:
    """The seconds of /help for stock and for Headstart: the cost of starting them."""
    def start(variant: Variant) -> float:
        done = harness.timed([variant.argv0, "/help"], dict(os.environ), str(variant.program),
                             stdout=subprocess.PIPE)
        if done.status != 0:
            sys.exit(f"error: {variant.program} /help failed")
        return done.seconds
    seconds = harness.in_turn([Variant("lld-link 22 (stock)", harness.LLVM / "lld-link"),
                               Variant("Headstart's lld-link", harness.BIN / "lld-link")],
                              links.scaled(70, factor) + 1, start)
    # The first round warms up.
    return {"seconds": {name: times[1:] for name, times in seconds.items()}}


def text_startup(figures: dict) -> str:
    base, *_ = figures["seconds"].values()
    rows = [[name, f"{statistics.median(times) * 1000:.1f} ms "
             f"({statistics.median(pairs(times, base)):.2f})"]
            for name, times in figures["seconds"].items()]
    return section("Starting: `lld-link /help`, warm",
                   f"{len(base)} rounds of the programs as an installation writes them. Stock "
                   "loads libLLVM as a shared library; Headstart contains it.",
                   ["", "time (ratio)"], rows)


def link(condition: Condition) -> Benchmark:
    return Benchmark(functools.partial(links.measure, condition), links.text)


def tree(name: str) -> Benchmark:
    return Benchmark(functools.partial(trees.measure, name), functools.partial(trees.text, name))


def full() -> dict[str, Benchmark]:
    """All benchmarks, in the order of the document."""
    return {
        **{name: link(condition) for name, condition in samples.CONDITIONS.items()},
        "scale": Benchmark(conditions.measure_scale, conditions.text_scale),
        "far": Benchmark(far.measure, far.text),
        "far-names": Benchmark(far.measure_names, far.text_names),
        "far-mounts": Benchmark(far.measure_mounts, far.text_mounts),
        "file-systems": Benchmark(conditions.measure_file_systems,
                                  conditions.text_file_systems),
        "memory": Benchmark(conditions.measure_memory, conditions.text_memory),
        "memory-busy": Benchmark(conditions.measure_busy, conditions.text_busy),
        "memory-huge": Benchmark(conditions.measure_huge, conditions.text_huge),
        "together": Benchmark(build.measure_links, build.text_links),
        "build": Benchmark(build.measure, build.text),
        "windows": Benchmark(conditions.measure_windows, conditions.text_windows),
        "startup": Benchmark(measure_startup, text_startup),
        **{name: tree(name) for name in trees.MEASURES}}


def short() -> dict[str, Benchmark]:
    """The benchmarks that fit into ten minutes on two cores, with smaller corpora."""
    return {
        "coff": link(Condition(samples.coff_small, rounds=5, warm_rounds=5)),
        "coff-400": link(Condition(samples.coff_small, megabytes_per_second=400, rounds=3)),
        "memory": Benchmark(lambda factor: conditions.measure_memory(factor, [samples.coff_small]),
                            conditions.text_memory),
        "elf-archives": link(Condition(samples.elf_archives, rounds=3, warm_rounds=5)),
        "macho": link(Condition(samples.macho_small, rounds=3, warm_rounds=3)),
        "scale": Benchmark(
            lambda factor: conditions.measure_scale(
                factor * 3 / conditions.SCALE_ROUNDS, conditions.SMALL_OBJECTS),
            conditions.text_scale),
        "tree-warm": Benchmark(lambda factor: trees.measure_warm(links.scaled(7, factor), "S"),
                               functools.partial(trees.text, "tree-warm"))}
