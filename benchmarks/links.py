"""A link of sample inputs under one known condition, against stock.

Cold, every way to link in turn, and for some conditions warm. What is linked is
a `Sample` (coff.py, flavours.py), what is held fixed a `Condition`.
"""

import contextlib
import dataclasses
import json
import pathlib
import shutil
import tempfile
from typing import Callable, Iterator, List, Optional

import harness
import machine
import peers
from figures import (Run, Runs, format_bytes, kept, median, ratio, runs_of,
                     sameness, table)
from harness import Variant
from machine import say

FIRST, NEXT = "Headstart, first link", "Headstart, next links"
PREFETCHING = "lld-link 22 /prefetch-inputs"
SETTLING = "settling, not counted, round"


@dataclasses.dataclass
class Sample:
    """One link: its inputs and its words."""
    title: str
    linker: str
    folder: pathlib.Path
    inputs: List[pathlib.Path]      # files and folders, to be made cold
    words: List[str]                # without the output
    output: str = "a.out"

    def size(self) -> int:
        return sum(file.stat().st_size for file in self.files())

    def files(self) -> List[pathlib.Path]:
        return [file for place in self.inputs
                for file in ([place] if place.is_file()
                             else sorted(place.rglob("*")))
                if file.is_file()]

    def arguments(self, out: pathlib.Path) -> List[str]:
        if self.linker == "lld-link":
            return [*self.words, f"/out:{out / self.output}"]
        return [*self.words, "-o", str(out / self.output)]


@dataclasses.dataclass
class Condition:
    """What one benchmark holds fixed."""
    sample: Callable[[], Sample]
    megabytes_per_second: int = 0   # of the disk; 0: as it is
    reads_per_second: int = 0
    short_memory: bool = False
    rounds: int = 7
    warm_rounds: int = 0
    around: bool = False            # `headstart run` around other linkers

    def missing(self) -> str:
        """What this machine cannot hold, or nothing."""
        if ((self.megabytes_per_second or self.reads_per_second)
                and not machine.can_throttle()):
            return "holding the disk needs root and a blkio cgroup (v1)"
        if self.short_memory and not machine.can_limit_memory():
            return "holding memory needs root and a memory cgroup (v1)"
        return ""

    def title(self, sample: Sample) -> str:
        parts = [sample.title]
        if self.megabytes_per_second:
            parts.append(f"disk held to {self.megabytes_per_second} MB/s")
        if self.reads_per_second:
            parts.append(f"disk held to {self.reads_per_second:,} reads/s")
        if self.short_memory:
            parts.append("memory for the linker's own data and half of the "
                         "inputs")
        if self.around:
            parts.append("headstart run around other linkers")
        return ", ".join(parts)


def wrapped(name: str, linker: pathlib.Path) -> Variant:
    """`headstart run` around a linker."""
    return Variant(name, harness.HEADSTART, ["run", "--", str(linker)],
                   argv0="headstart")


def variants(sample: Sample, around: bool,
             profile: pathlib.Path) -> List[Variant]:
    """The ways to link: stock first, last ours without and with a record."""
    linker = sample.linker
    stock, ours = harness.LLVM / linker, harness.BIN / linker
    ways = [Variant(f"{linker} 22 (stock)", stock, argv0=linker)]
    if around:
        ways.append(wrapped(f"headstart run {linker} 22", stock))
        for name in ("mold", "wild") if linker == "ld.lld" else ():
            peer = peers.find(name)
            if not peer.missing:
                ways += [Variant(name, pathlib.Path(peer.program), argv0=name),
                         wrapped(f"headstart run {name}",
                                 pathlib.Path(peer.program))]
    elif linker == "lld-link":
        ways.append(Variant(PREFETCHING, stock, ["/prefetch-inputs"],
                            argv0=linker))
    elif linker == "ld64.lld":
        ways.append(Variant("ld64.lld 22 --read-workers=8", stock,
                            ["--read-workers=8"], argv0=linker))
    return ways + [
        Variant(FIRST, ours, ["--prefetch-profile=none"], argv0=linker),
        Variant(NEXT, ours, [f"--prefetch-profile={profile}"], argv0=linker)]


def statistics_of(sample: Sample, out: pathlib.Path, size: int) -> List[dict]:
    """What the prefetcher says of a first link and of the next. Not throttled:
    bytes do not depend on the disk's speed."""
    report = out.parent / "stats.json"
    profile = out.parent / "profile"
    result = []
    for way in variants(sample, False, profile)[-2:]:
        # The first has no record and leaves one; the next has it.
        way.options = [f"--prefetch-profile={profile}",
                       f"--prefetch-stats={report}"]
        harness.make_cold(sample.inputs, size)
        harness.link(way, sample.arguments(out), out)
        result.append(json.loads(report.read_text()))
    return result


def comparable(name: str) -> bool:
    """Whether a variant is to make stock's very outputs. Stock lld writes its
    /prefetch-inputs into the PDB's command line, and other linkers make other
    files."""
    return name != PREFETCHING and "mold" not in name and "wild" not in name


def all_same(*groups: Runs) -> bool:
    return len({run.outputs for group in groups
                for name, several in group.items() if comparable(name)
                for run in several}) == 1


@contextlib.contextmanager
def beside(sample: Sample) -> Iterator[pathlib.Path]:
    """A folder that is not in the sample's, over which something is mounted."""
    with tempfile.TemporaryDirectory(
            prefix="headstart-", dir=sample.folder.parent) as name:
        yield pathlib.Path(name)


def ways(sample: Sample, scratch: pathlib.Path) -> List[Variant]:
    """Stock, a first link, and one with the record in that folder."""
    ours = harness.BIN / sample.linker
    return [Variant("stock", harness.LLVM / sample.linker, argv0=sample.linker),
            Variant(FIRST, ours, ["--prefetch-profile=none"],
                    argv0=sample.linker),
            Variant(NEXT, ours, [f"--prefetch-profile={scratch / 'profile'}"],
                    argv0=sample.linker)]


def scaled(rounds: int, factor: float) -> int:
    """So many rounds, but at least one where there are any."""
    return max(1, round(rounds * factor)) if rounds else 0


def measure(condition: Condition, factor: float = 1) -> dict:
    """Measures one condition; `factor` scales the number of rounds."""
    if missing := condition.missing():
        say(f"   left out: {missing}")
        return {}
    sample = condition.sample()
    size = sample.size()
    say(f"   {len(sample.files())} inputs, {format_bytes(size)}, "
        f"in {sample.folder}")
    with contextlib.ExitStack() as stack:
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="headstart-bench-",
                                                dir=sample.folder))
        stack.callback(shutil.rmtree, scratch, ignore_errors=True)
        out = scratch / "out"
        ways = variants(sample, condition.around, scratch / "profile")
        arguments = sample.arguments(out)
        stats = statistics_of(sample, out, size)
        memory: Optional[int] = None
        own: Optional[int] = None
        if condition.short_memory:
            own = harness.own_memory(harness.LLVM / sample.linker, arguments)
            memory = own + size // 2
        with machine.held(sample.folder, condition.megabytes_per_second,
                          condition.reads_per_second,
                          memory) as readahead:
            cold = harness.run_rounds(ways, arguments, out,
                                      scaled(condition.rounds, factor),
                                      sample.inputs, size)
        warm: Runs = {}
        if condition.warm_rounds:
            harness.warm_up(sample.inputs)
            # The first only settles which pages are mapped in large ones.
            harness.run_rounds(ways, arguments, out, 1, called=SETTLING)
            warm = harness.run_rounds(ways, arguments, out,
                                      scaled(condition.warm_rounds, factor))
    return {
        "title": condition.title(sample), "inputs": len(sample.files()),
        "bytes": size, "megabytes_per_second": condition.megabytes_per_second,
        "memory": memory, "own_memory": own, "readahead": readahead,
        "stats": stats, "same": all_same(cold, warm), "cold": kept(cold), "warm": kept(warm),
    }


def processor(runs: List[Run], base: List[Run]) -> str:
    """Processor time as a ratio; mold and wild leave theirs to a process that
    nobody waits for."""
    value = ratio(runs, base, "processor")
    return f"{value:.2f}" if value > 0.2 else "not known"


def rows(cold: Runs, warm: Runs) -> List[List[str]]:
    """A row for each way to link: names, times, ratios, bytes."""
    base = next(iter(cold))
    result = []
    for name, runs in cold.items():
        cells = [name, f"{median(runs):.2f} s",
                 f"{ratio(runs, cold[base]):.2f}",
                 processor(runs, cold[base]),
                 format_bytes(median(runs, "read_bytes"))]
        if warm:
            cells += [f"{median(warm[name]):.2f} s",
                      f"{ratio(warm[name], warm[base]):.2f}",
                      processor(warm[name], warm[base])]
        result.append(cells)
    return result


def text(figures: dict) -> str:
    cold, warm = runs_of(figures, "cold"), runs_of(figures, "warm")
    base = next(iter(cold))
    about = (f"{figures['inputs']} files, {format_bytes(figures['bytes'])}; "
             f"{len(cold[base])} cold"
             + (f" and {len(warm[base])} warm" if warm else "") + " rounds.")
    if figures.get("memory"):
        about += (f" Memory held to {format_bytes(figures['memory'])}, of "
                  "which the linker allocates "
                  f"{format_bytes(figures['own_memory'])}.")
    head = ["", "cold", "ratio", "processor", "read from disk"]
    if warm:
        head += ["warm", "ratio", "processor"]
    told = "; ".join(
        f"{who} fetched {fetched(stats)}" for who, stats in
        zip(("a first link", "the next one"), figures["stats"]))
    return "\n".join([
        f"## {figures['title']}", "", about, "", *table(head, rows(cold, warm)),
        "", f"With the disk as it is, {told}. The outputs of stock and "
        "Headstart are "
        + sameness(figures["same"])])


def fetched(stats: dict) -> str:
    touched = stats["touched_bytes"]
    if not touched:
        return f"{format_bytes(stats['hinted_bytes'])} ahead of the linker"
    return (f"{format_bytes(stats['hinted_bytes'])} ahead of the linker, which "
            f"touched {format_bytes(touched)} "
            f"({stats['hinted_bytes'] / touched:.2f} of it)")
