"""Runs eight links at once in memory for three of them.

ninja starts as many links as there are processors. Headstart's links wait for each other
(LinkQueue.h). This benchmark compares them with stock's links and with pools of fixed size.
"""

import concurrent.futures
import pathlib
import statistics
import subprocess
import time
from typing import Sequence

import harness
import links
import samples
from figures import format_bytes, grouped, table
from harness import Variant, say
from links import Sample

LINKS = 8
SHARE = 3.3     # the memory as a multiple of one link's inputs
POOLS = (2, 3, 4)
ROUNDS = 3
# Starts a program in a group. With threads, only a program can do that safely.
ENTER = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"']
Link = tuple[Variant, Sample]


def run_all(each: Sequence[Link], scratch: pathlib.Path, pool: int) -> dict:
    """Runs all links, `pool` at a time. Returns the seconds and the failures."""
    for sample in {id(sample): sample for _, sample in each}.values():
        harness.make_cold(sample.inputs, sample.size())

    def one(number: int) -> int:
        out = scratch / f"out{number}"
        out.mkdir(exist_ok=True)
        way, sample = each[number]
        return subprocess.run([*ENTER, harness.entered[-1], str(way.program), *way.options,
                               *sample.arguments(out)], stdout=subprocess.DEVNULL).returncode

    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(pool) as executor:
        failed = sum(map(bool, executor.map(one, range(len(each)))))
    seconds = time.monotonic() - begin
    return {"seconds": seconds, "failed": failed}


def lld(sample: Sample) -> dict[str, Link]:
    """A link without Headstart, with it, and with it but outside of the queue."""
    ours = harness.BIN / sample.linker
    return {"stock": (Variant("", harness.LLVM / sample.linker), sample),
            "Headstart": (Variant("", ours), sample),
            "Headstart, no queue": (Variant("", ours, ["--prefetch-queue=none"]), sample)}


def mold(sample: Sample) -> dict[str, Link]:
    program = harness.find_peer("mold").program
    return {"stock": (Variant("", pathlib.Path(program)), sample),
            "Headstart": (Variant("", harness.HEADSTART, ["run", "--", program]), sample),
            "Headstart, no queue": (Variant("", harness.HEADSTART, [
                "run", "--prefetch-queue=none", "--", program]), sample)}


def measure_group(title: str, kinds: Sequence[dict[str, Link]], factor: float) -> dict:
    """Measures eight links, which are of these kinds in turn."""
    size = sum(kind["stock"][1].size() for kind in kinds) // len(kinds)
    memory = int(SHARE * size)
    # Eight links of several kinds without the queue take minutes (Experiments.md).
    pools = POOLS if len(kinds) > 1 else (LINKS, *POOLS)
    ways = [("stock", LINKS), ("Headstart", LINKS),
            *(("Headstart, no queue", pool) for pool in pools)]
    folder = kinds[0]["stock"][1].folder
    with harness.scratch_in(folder) as scratch, harness.held(scratch, memory=memory):
        def one(way: tuple[str, int]) -> dict:
            name, pool = way
            run = run_all([kinds[number % len(kinds)][name] for number in range(LINKS)],
                          scratch, pool)
            say(f"    {name}, {pool} at a time: {run['seconds']:.1f} s, {run['failed']} failed")
            return run
        runs = harness.in_turn({way: way for way in ways}, links.scaled(ROUNDS, factor), one)
    return {"title": title, "bytes": size, "memory": memory, "ways": [
        {"name": name, "pool": pool, "runs": several} for (name, pool), several in runs.items()]}


def measure(factor: float) -> dict:
    if not harness.can_limit_memory():
        return {}
    linker = lld(samples.coff_medium())
    groups = {"lld-link": [linker]}
    if missing := harness.find_peer("mold").missing:
        say(f"   without mold: {missing}")
    else:
        groups["lld-link and mold"] = [linker, mold(samples.HELD_BACK["dwarf"]())]
    return {"groups": [measure_group(title, kinds, factor) for title, kinds in groups.items()]}


def rows(group: dict) -> list[list[str]]:
    ways = group["ways"]
    seconds = [statistics.median(run["seconds"] for run in way["runs"]) for way in ways]
    best = min((median for median, way in zip(seconds, ways)
                if way["pool"] < LINKS and not any(run["failed"] for run in way["runs"])),
               default=min(seconds))
    return [[group["title"], way["name"], str(way["pool"]), f"{median:.1f} s",
             ", ".join(str(run["failed"]) for run in way["runs"]), f"{median / best:.2f}"]
            for median, way in zip(seconds, ways)]


def text(figures: dict) -> str:
    groups = figures["groups"]
    memory = "; ".join(f"{group['title']} {format_bytes(group['bytes'])} and "
                       f"{format_bytes(group['memory'])}" for group in groups)
    return "\n".join(["## Eight links at once in memory for three", "",
                      f"Inputs of one link, on average, and memory: {memory}. All links start "
                      f"cold. {len(groups[0]['ways'][0]['runs'])} rounds; *failed*: links that the "
                      "kernel killed for lack of memory, in each round. Ratios are to the fastest "
                      "pool without failures. *No queue*: `--prefetch-queue=none`.", "",
                      *table(["links", "variant", "at a time", "all eight", "failed", "ratio"],
                             grouped([row for group in groups for row in rows(group)]))])
