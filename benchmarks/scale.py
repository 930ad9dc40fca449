"""Measures how the cost of a link grows with its inputs.

Links the medium corpus at an eighth, a quarter, half, the whole and twice its number of
objects, cold and warm, with stock and Headstart in turn.
"""

import fractions
import statistics

import harness
import links
import samples
from figures import Runs, format_bytes, kept, median, runs_of, sameness, table, time_cell
from harness import say

SIZES = [fractions.Fraction(size) for size in ("1/8", "1/4", "1/2", "1", "2")]
OBJECTS = 450           # in the medium corpus
SMALL_OBJECTS = 48      # of the short form
ROUNDS, WARM_ROUNDS = 5, 7


def corpus(size: fractions.Fraction, objects: int) -> links.Sample:
    count = round(objects * size)
    if count == OBJECTS:
        return samples.coff_medium()
    return samples.coff(f"COFF: {count} objects", f"scale-{count}", ["--objects", str(count)])


def measure_one(sample: links.Sample, factor: float) -> dict:
    size = sample.size()
    with harness.scratch_in(sample.folder) as scratch:
        out = scratch / "out"
        arguments = sample.arguments(out)
        every = links.variants(sample, False, scratch / "profile")
        ways = [every[0], every[-2]]  # stock, and Headstart without a profile
        cold = harness.run_rounds(ways, arguments, out,
                                  links.scaled(ROUNDS, factor), sample.inputs, size)
        warm = harness.run_warm(ways, arguments, out, sample.inputs,
                                links.scaled(WARM_ROUNDS, factor))
    return {"objects": len(sample.files()), "bytes": size,
            "same": links.all_same(cold, warm), "cold": kept(cold), "warm": kept(warm)}


def measure(factor: float, objects: int = OBJECTS) -> dict:
    # Makes all corpora first: the kernel still writes a new one for a while.
    corpora = [(size, corpus(size, objects)) for size in SIZES]
    points = []
    with harness.held(corpora[0][1].folder) as readahead:
        for size, sample in corpora:
            say(f"   {size}: {len(sample.files())} objects, {format_bytes(sample.size())}")
            points.append({"size": str(size), **measure_one(sample, factor)})
    return {"title": "How the cost grows with the inputs", "readahead": readahead, "points": points}


def curves(figures: dict) -> dict:
    """The seconds at each size in bytes, by kind and variant."""
    result: dict = {}
    for point in figures["points"]:
        for kind in ("cold", "warm"):
            for name, runs in runs_of(point, kind).items():
                result.setdefault((kind, name), []).append((point["bytes"], median(runs)))
    return result


def text(figures: dict) -> str:
    rows = []
    for point in figures["points"]:
        cells = [point["size"], str(point["objects"]), format_bytes(point["bytes"])]
        for kind in ("cold", "warm"):
            runs: Runs = runs_of(point, kind)
            base, ours = runs.values()
            cells += [f"{median(base):.2f} s", time_cell(ours, base)]
        rows.append(cells)
    rounds = [len(next(iter(figures["points"][0][kind].values()))) for kind in ("cold", "warm")]
    grown = ", ".join(
        f"{kind} {statistics.linear_regression(*zip(*points)).slope * 1e9:.2f} s ({name})"
        for (kind, name), points in curves(figures).items())
    return "\n".join([f"## {figures['title']}", "",
                      "The corpus of `coff` at several sizes; Headstart without a profile; "
                      f"{rounds[0]} cold and {rounds[1]} warm rounds. Another GB of inputs takes, "
                      f"by least squares: {grown}."
                      + sameness(all(point["same"] for point in figures["points"])), "",
                      *table(["size", "objects", "bytes", "stock, cold", "Headstart, cold",
                              "stock, warm", "Headstart, warm"], rows)])
