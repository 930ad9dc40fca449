"""Measures cold links in less memory than stock lld needs without reading anything twice."""

import coff
import flavours
import heldback
import links
import machine
from figures import format_bytes, grouped, median, runs_of, sameness, table
from links import Condition
from linktables import processor_times, read, times
from machine import say

SHARES = (1.2, 1.0, 0.8, 0.6)
SAMPLES = (coff.medium, heldback.SAMPLES["many"], flavours.elf_objects, heldback.SAMPLES["dwarf"],
           flavours.macho_small, heldback.SAMPLES["optimized"])


def measure(factor: float, samples=SAMPLES) -> dict | None:
    if not machine.can_limit_memory():
        say("   skipped: limiting memory needs root and a memory cgroup (v1)")
        return None
    result = []
    for make in samples:
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
