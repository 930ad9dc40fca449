"""Measures cold links in less memory than stock lld needs without reading anything twice."""

import contextlib
import subprocess
import sys

import far
import harness
import links
import samples
from figures import format_bytes, grouped, median, runs_of, sameness, table
from links import Condition, Sample, processor_times, read, times
from harness import say

SHARES = (1.2, 1.0, 0.8, 0.6)
SAMPLES = (samples.coff_medium, samples.HELD_BACK["many"], samples.elf_objects,
           samples.HELD_BACK["dwarf"], samples.macho_small, samples.HELD_BACK["optimized"])


def measure(factor: float, makers=SAMPLES) -> dict | None:
    if not harness.can_limit_memory():
        return None
    result = []
    for make in makers:
        sample = make()
        own, touched = links.memory_of(sample)
        for share in SHARES:
            say(f"   {sample.title}, memory for {share} of the need")
            limit = int(share * (own + touched))
            if limit < own:
                say("   left out: stock lld allocates more")
                continue
            result.append({"share": share, **links.measure(
                Condition(lambda: sample, memory=limit, rounds=5), factor)})
    return {"links": result} if result else None


def bytes_ratios(runs: dict) -> str:
    base, *_ = runs.values()
    return " / ".join(f"{median(runs[name], 'read_bytes') / max(median(base, 'read_bytes'), 1):.2f}"
                      for name in (links.FIRST, links.NEXT))


def text(figures: dict) -> str:
    rows = []
    for one in figures["links"]:
        cold = runs_of(one, "cold")
        rows.append([one["title"] + sameness(one["same"]), f"{one['share']:.1f}",
                     format_bytes(one["memory"]), *times(cold), processor_times(cold),
                     read(cold), bytes_ratios(cold)])
    rounds = len(next(iter(figures["links"][0]["cold"].values())))
    return "\n".join([
        "## Little memory", "",
        "Memory is limited to a share of the need: what stock lld allocates, and the bytes of the "
        f"inputs that it touches. {rounds} cold rounds. The last column has the ratios of the "
        "bytes to stock's. A share that is less than stock allocates is left out.", "",
        *table(["link", "share", "memory", "stock", "first link", "next links", "processor",
                "read, MB", "read, ratios"], grouped(rows))])


# Five times the memory, on a store of 1 GB/s.
HUGE_OBJECTS, HUGE_MEMORY = 12_800, 20_000_000_000
HUGE_STORE = ["--latency=0.1", "--bandwidth=1000", f"--copies={HUGE_OBJECTS}"]
# 130 records of the largest size; lld stores each of them once.
HUGE_TYPES = """
.globl main
.section .text,"xr",discard,main
main: ret
.section .debug$T,"dr"
.p2align 2
.long 4
.set number, 0
.rept 130
.short 61006, 0x1605
.long 0, number
.fill 60992, 1, 65
.long 0
.set number, number + 1
.endr
"""


def huge() -> Sample:
    """100 GB of equal type records: the view has copies of one object. The linker reads all of
    them, but allocates little and writes little."""
    root = harness.corpus_folder("coff-huge-types")
    folder = root / "obj"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([harness.LLVM / "llvm-mc", "-triple=x86_64-windows", "-filetype=obj",
                    "-o", folder / "types.obj"], input=HUGE_TYPES, text=True, check=True)
    (root / "link.rsp").write_text("".join(
        f"{folder}/{number}/types.obj\n" for number in range(HUGE_OBJECTS)))
    return Sample("COFF: equal types", "lld-link", folder, [folder], samples.coff_words(root),
                  "a.exe")


def measure_huge(_: float) -> dict | None:
    if not harness.can_limit_memory() or not far.has_view():
        return None
    sample = huge()
    harness.warm_up(sample.inputs)
    with harness.scratch_in(sample.folder.parent) as scratch:
        # A link that is short of memory stores no profile, so all links are first ones.
        *ways, _ = links.variants(sample, False, scratch / "profile")
        with harness.held(sample.folder.parent, memory=HUGE_MEMORY):
            def one(way: harness.Variant) -> dict:
                run = far.link(sample, way, HUGE_STORE, scratch)
                say(f"    {way.name}: {run['seconds']:.1f} s, {format_bytes(run['bytes'])} read")
                return run
            runs = {way.name: one(way) for way in ways}
    return {"objects": HUGE_OBJECTS, "bytes": HUGE_OBJECTS * sample.size(),
            "memory": HUGE_MEMORY, "runs": runs}


def text_huge(figures: dict) -> str:
    base, *_ = figures["runs"].values()
    rows = [[name, f"{run['seconds']:.0f} s ({run['seconds'] / base['seconds']:.2f})",
             format_bytes(run["bytes"])] for name, run in figures["runs"].items()]
    same = len({run["outputs"] for name, run in figures["runs"].items()
                if links.comparable(name)}) == 1
    return "\n".join([
        "## Inputs of five times the memory", "",
        f"{figures['objects']:,} objects, {format_bytes(figures['bytes'])} of equal CodeView types, "
        f"on a store of 1 GB/s (`utils/farfs`); memory of {format_bytes(figures['memory'])}. "
        "Each link ran once; as it is short of memory, it stores no profile." + sameness(same), "",
        *table(["", "time", "read"], rows)])


# Less memory than the inputs have bytes, beside busy processes.
BUSY_SHARE, BUSY, BUSY_ROUNDS = 0.88, 2, 10


def measure_busy(factor: float) -> dict | None:
    if not harness.can_limit_memory():
        return None
    sample = samples.coff_demo()
    with contextlib.ExitStack() as stack:
        for _ in range(BUSY):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(busy.wait)
            stack.callback(busy.kill)
        return {"link": links.measure(Condition(
            lambda: sample, memory=int(BUSY_SHARE * sample.size()), rounds=BUSY_ROUNDS), factor)}


def text_busy(figures: dict) -> str:
    figures = figures["link"]
    cold = runs_of(figures, "cold")
    rows = [[name, f"{min(run.seconds for run in runs):.1f} s", f"{median(runs):.1f} s",
             f"{max(run.seconds for run in runs):.1f} s",
             format_bytes(median(runs, "read_bytes")),
             format_bytes(max(run.read_bytes for run in runs))] for name, runs in cold.items()]
    return "\n".join([
        "## Little memory beside busy processes", "",
        f"{figures['title']}, {format_bytes(figures['bytes'])}; memory of "
        f"{format_bytes(figures['memory'])}; {BUSY} processes compute. "
        f"{len(next(iter(cold.values())))} cold rounds." + sameness(figures["same"]), "",
        *table(["", "fastest", "median", "slowest", "read, median", "read, most"], rows)])
