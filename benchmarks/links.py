"""Compares links of sample inputs with stock lld under one known condition, cold and for some
conditions warm. A `Sample` is the link, a `Condition` has the settings that stay fixed."""

import dataclasses
import json
import os
import pathlib
from typing import Callable

import harness
from figures import (Run, Runs, format_bytes, kept, median, ratio, rounds_in, runs_of,
                     sameness, section, time_cell)
from harness import Variant, say

FIRST, NEXT = "Headstart, first link", "Headstart, next links"
PREFETCHING = "lld-link 22 /prefetch-inputs"
READ_WORKERS = "ld64.lld 22 --read-workers=8"
NOBODY = 65534
OWNER = ", as the owner"  # the end of the name of a variant that NOBODY does not run


@dataclasses.dataclass
class Sample:
    title: str
    linker: str
    directory: pathlib.Path
    inputs: list[pathlib.Path]      # files and directories to evict
    arguments: list[str]            # without the output
    output: str = "a.out"

    def size(self) -> int:
        return sum(file.stat().st_size for file in self.files())

    def files(self) -> list[pathlib.Path]:
        return [file for place in self.inputs
                for file in ([place] if place.is_file() else sorted(place.rglob("*")))
                if file.is_file()]

    def arguments_for(self, out: pathlib.Path) -> list[str]:
        if self.linker == "lld-link":
            return [*self.arguments, f"/out:{out / self.output}"]
        return [*self.arguments, "-o", str(out / self.output)]


@dataclasses.dataclass
class Condition:
    sample: Callable[[], Sample]
    megabytes_per_second: int = 0   # of the disk; 0: no limit
    reads_per_second: int = 0
    memory: int = 0                 # the limit in bytes; 0: none
    rounds: int = 7
    warm_rounds: int = 0
    around: bool = False            # `headstart run` around other linkers
    others: bool = False            # an ordinary user links inputs of root

    def missing(self) -> str:
        """The reason why this machine cannot set the condition, or an empty string."""
        if (self.megabytes_per_second or self.reads_per_second) and not harness.can_throttle():
            return "limiting the disk needs root and a blkio cgroup (v1)"
        if self.others and os.geteuid() != 0:
            return "linking as another user needs root"
        return ""

    def title(self, sample: Sample) -> str:
        parts = [sample.title]
        if self.megabytes_per_second:
            parts.append(f"disk limited to {self.megabytes_per_second} MB/s")
        if self.reads_per_second:
            parts.append(f"disk limited to {self.reads_per_second:,} reads/s")
        if self.around:
            parts.append("other linkers under headstart run")
        if self.others:
            parts.append("inputs of another user")
        return ", ".join(parts)


def plain_variants(sample: Sample, profile: pathlib.Path) -> list[Variant]:
    """Stock, a first link, and a link with a profile."""
    linker = sample.linker
    ours = harness.BIN / linker
    return [Variant("stock", harness.LLVM / linker, argv0=linker),
            Variant(FIRST, ours, ["--prefetch-profile=none"], argv0=linker),
            Variant(NEXT, ours, [f"--prefetch-profile={profile}"], argv0=linker)]


def wrapped(name: str, linker: pathlib.Path) -> Variant:
    return Variant(name, harness.HEADSTART, ["run", "--", str(linker)], argv0="headstart")


def variants(sample: Sample, around: bool, profile: pathlib.Path) -> list[Variant]:
    """Returns the variants: stock first, Headstart without and with a profile last."""
    linker = sample.linker
    plain, *ours = plain_variants(sample, profile)
    stock = plain.program
    result = [dataclasses.replace(plain, name=f"{linker} 22 (stock)")]
    if around:
        result.append(wrapped(f"headstart run {linker} 22", stock))
        for name in ("mold", "wild") if linker == "ld.lld" else ():
            peer = harness.find_peer(name)
            if not peer.missing:
                result += [Variant(name, pathlib.Path(peer.program), argv0=name),
                           wrapped(f"headstart run {name}", pathlib.Path(peer.program))]
    elif linker == "lld-link":
        result.append(dataclasses.replace(plain, name=PREFETCHING, options=["/prefetch-inputs"]))
    elif linker == "ld64.lld":
        result.append(dataclasses.replace(plain, name=READ_WORKERS, options=["--read-workers=8"]))
    return result + ours


# The values of `--prefetch-stats` that the figures store.
STATISTICS = ("hinted_bytes", "touched_bytes")


def statistics_of(sample: Sample, out: pathlib.Path, size: int) -> list[dict]:
    """The prefetcher's statistics of a first link and of the next one, without limits."""
    report = out.parent / "stats.json"
    profile = out.parent / "profile"
    result = []
    for variant in plain_variants(sample, profile)[-2:]:
        # The first link stores the profile that the next one uses.
        variant.options = [f"--prefetch-profile={profile}", f"--prefetch-stats={report}"]
        harness.make_cold(sample.inputs, size)
        harness.link(variant, sample.arguments_for(out), out)
        figures = json.loads(report.read_text())
        result.append({name: figures[name] for name in STATISTICS})
    return result


def memory_of(sample: Sample) -> tuple[int, int]:
    """The bytes that stock allocates, and those of the inputs that the linker touches."""
    with harness.scratch_in(sample.directory) as scratch:
        out = scratch / "out"
        *_, following = statistics_of(sample, out, sample.size())
        return (harness.own_memory(harness.LLVM / sample.linker, sample.arguments_for(out)),
                following["touched_bytes"])


def is_peer(name: str) -> bool:
    return "mold" in name or "wild" in name


def comparable(name: str) -> bool:
    """Whether the outputs of a variant must be those of stock. Stock lld writes /prefetch-inputs
    into the PDB's command line, and the outputs of other linkers differ."""
    return name != PREFETCHING and not is_peer(name)


def all_same(*groups: Runs) -> bool:
    return len({run.outputs for group in groups
                for name, several in group.items() if comparable(name) for run in several}) == 1


def scaled(rounds: int, factor: float) -> int:
    """The number of rounds times the factor, at least 1 unless `rounds` is 0."""
    return max(1, round(rounds * factor)) if rounds else 0


def measure(condition: Condition, factor: float = 1) -> dict:
    """Measures one condition; `factor` scales the number of rounds."""
    if missing := condition.missing():
        say(f"   omitted: {missing}")
        return {}
    sample = condition.sample()
    size = sample.size()
    say(f"   {len(sample.files())} inputs, {format_bytes(size)}, in {sample.directory}")
    with harness.scratch_in(sample.directory) as scratch:
        out = scratch / "out"
        every = variants(sample, condition.around, scratch / "profile")
        if condition.others:
            # The variants as an ordinary user's, and Headstart's as the owner's too.
            every = [dataclasses.replace(variant, user=NOBODY) for variant in every] + [
                dataclasses.replace(variant, name=variant.name + OWNER) for variant in every[-2:]]
            scratch.chmod(0o777)
            out.mkdir()
            out.chmod(0o777)
        arguments = sample.arguments_for(out)
        stats = statistics_of(sample, out, size)
        with harness.held(sample.directory, condition.megabytes_per_second,
                          condition.reads_per_second) as readahead:
            cold = harness.run_rounds(every, arguments, out, scaled(condition.rounds, factor),
                                      sample.inputs, size, memory=condition.memory)
        warm: Runs = harness.run_warm(
            every, arguments, out, sample.inputs, scaled(condition.warm_rounds, factor)
        ) if condition.warm_rounds else {}
    return {
        "title": condition.title(sample), "inputs": len(sample.files()),
        "bytes": size, "megabytes_per_second": condition.megabytes_per_second,
        "memory": condition.memory, "readahead": readahead, "stats": stats,
        "same": all_same(cold, warm), "cold": kept(cold), "warm": kept(warm)}


def processor(runs: list[Run], base: list[Run]) -> str:
    return f"{ratio(runs, base, 'processor'):.2f}"


def rows(cold: Runs, warm: Runs) -> list[list[str]]:
    base = next(iter(cold))
    result = []
    for name, runs in cold.items():
        # mold and wild work in a process for which their parent does not wait.
        costs = ["not known"] * 2 if is_peer(name) else [
            processor(runs, cold[base]), format_bytes(median(runs, "read_bytes"))]
        cells = [name, time_cell(runs, cold[base]), *costs]
        if warm:
            cells.append(time_cell(warm[name], warm[base]))
        result.append(cells)
    return result


def times(runs: Runs, own: str = "") -> list[str]:
    """The times with their ratios. `own`: lld's own prefetching, or the cell of a link without."""
    base, *_ = runs
    return [f"{median(runs[base]):.2f} s",
            *(time_cell(runs[name], runs[base]) if name in runs else name
              for name in (own, FIRST, NEXT) if name)]


def megabytes(count: float) -> str:
    return f"{count / 1e6:,.0f}"


def read(runs: Runs) -> str:
    """The MB that stock and Headstart's two links read."""
    return " / ".join(megabytes(median(runs[name], "read_bytes"))
                      for name in (next(iter(runs)), FIRST, NEXT))


def processor_times(runs: Runs) -> str:
    base = next(iter(runs.values()))
    return " / ".join(processor(runs[name], base) for name in (FIRST, NEXT))


def rows_of_others(*kinds: Runs) -> list[list[str]]:
    """A row for each variant: the times of another user, then those of the owner."""
    result = []
    for name in kinds[0]:
        if name.endswith(OWNER):
            continue
        cells = [name]
        for runs in kinds:
            base = next(iter(runs.values()), [])
            cells += [time_cell(runs[each], base) if each in runs else "–"
                      for each in (name, name + OWNER)]
        result.append(cells)
    return result


def text(figures: dict) -> str:
    cold, warm = runs_of(figures, "cold"), runs_of(figures, "warm")
    about = (f"{figures['inputs']:,} files, {format_bytes(figures['bytes'])}; {rounds_in(cold)} "
             "cold" + (f" and {rounds_in(warm)} warm" if warm else "") + " rounds.")
    if any(name.endswith(OWNER) for name in cold):
        shown = (["", "cold", "cold" + OWNER, "warm", "warm" + OWNER], rows_of_others(cold, warm))
    else:
        shown = (["", "cold", "processor", "read from disk", *(["warm"] if warm else [])],
                 rows(cold, warm))
    return section(figures["title"], about + sameness(figures["same"]), *shown)
