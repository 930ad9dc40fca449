"""Runs eight links at once in memory for three of them.

ninja starts as many links as there are processors. Headstart's links wait for each other
(LinkQueue.h). This benchmark compares them with stock's links and with pools of fixed size.
"""

import concurrent.futures
import pathlib
import statistics
import subprocess
import time

import coff
import harness
import links
import machine
from figures import format_bytes, table
from harness import Variant
from machine import say

LINKS = 8
SHARE = 3.3     # the memory as a multiple of one link's inputs
POOLS = (2, 3, 4)
ROUNDS = 3


def run_all(way: Variant, sample: links.Sample, scratch: pathlib.Path, pool: int) -> dict:
    """Runs all links, `pool` at a time. Returns the seconds and the failures."""
    harness.make_cold(sample.inputs, sample.size())

    def one(number: int) -> int:
        out = scratch / f"out{number}"
        out.mkdir(exist_ok=True)
        return subprocess.run([str(way.program), *sample.arguments(out), *way.options],
                              stdout=subprocess.DEVNULL).returncode

    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(pool) as executor:
        failed = sum(map(bool, executor.map(one, range(LINKS))))
    seconds = time.monotonic() - begin
    say(f"    {way.name}, {pool} at a time: {seconds:.1f} s, {failed} failed")
    return {"seconds": seconds, "failed": failed}


def measure(factor: float) -> dict:
    if not machine.can_limit_memory():
        return {}
    sample = coff.medium()
    memory = int(SHARE * sample.size())
    ours = harness.BIN / sample.linker
    with harness.scratch_in(sample.folder) as scratch, machine.held(scratch, memory=memory):
        waits = Variant("Headstart", ours)
        never = Variant("Headstart, `/prefetch-queue:none`", ours, ["/prefetch-queue:none"])
        stock = Variant("lld-link 22 (stock)", harness.LLVM / sample.linker)
        ways = [(stock, LINKS), (never, LINKS), (waits, LINKS), *((never, pool) for pool in POOLS)]
        runs = harness.in_turn({(way.name, pool): (way, pool) for way, pool in ways},
                               links.scaled(ROUNDS, factor),
                               lambda each: run_all(each[0], sample, scratch, each[1]))
    return {"bytes": sample.size(), "memory": memory, "ways": [
        {"name": name, "pool": pool, "runs": several} for (name, pool), several in runs.items()]}


def text(figures: dict) -> str:
    ways = figures["ways"]
    seconds = [statistics.median(run["seconds"] for run in way["runs"]) for way in ways]
    best = min(median for median, way in zip(seconds, ways)
               if not any(run["failed"] for run in way["runs"]))
    rows = [[way["name"], str(way["pool"]), f"{median:.1f} s",
             ", ".join(str(run["failed"]) for run in way["runs"]),
             f"{median / best:.2f}"] for median, way in zip(seconds, ways)]
    return "\n".join(["## Eight links at once in memory for three", "",
                      f"Each link has {format_bytes(figures['bytes'])} of inputs; memory is "
                      f"limited to {format_bytes(figures['memory'])}; all links start cold. "
                      f"{len(figures['ways'][0]['runs'])} rounds; *failed*: links that the kernel "
                      "killed for lack of memory, in each round. Ratios are to the fastest variant "
                      "without failures.", "",
                      *table(["", "at a time", "all eight", "failed", "ratio"], rows)])
