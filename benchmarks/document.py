"""docs/Benchmarks.md and the README's table, from the figures."""

import pathlib
from typing import Dict, List

import published
from figures import format_bytes, median, ratio, runs_of, table
from links import FIRST, NEXT

HEADER = """# Benchmarks

Written by `./dev bench`; the raw figures are in `{raw}`. Runs are
interleaved, times are medians, ratios are medians of the ratios pair by pair. A
run counts as cold only when the page cache was asked and no more than 1% of the
inputs was in memory. {readahead}

`./dev bench NAME` measures one again, `./dev bench --short` the main ones with
smaller inputs, in ten minutes, into `build/benchmarks`.
"""

# Which section shows a plot: the one before which it stands.
BEFORE = {"scale": "scale", "throttled": "large-debug", "walks": "tree-warm",
          "far": "far"}
# What stands below the published experiment.
OVERVIEW = ("cold", "held", "warm")


def picture(name: str, plot: dict) -> str:
    """A plot as Markdown, for white pages and for dark ones."""
    return (f'<picture><source media="(prefers-color-scheme: dark)" '
            f'srcset="plots/{name}-dark.svg"><img alt="{plot["alt"]}" '
            f'src="plots/{name}.svg"></picture>\n')


def readahead_of(entry: dict) -> str:
    """What held for it, where that was written down."""
    told = entry["figures"].get("readahead")
    return f", {told}" if told else ""


def about_readahead(figures: Dict[str, dict]) -> str:
    usual = "Readahead is set to 128 KiB, what most disks have"
    if any(map(readahead_of, figures.values())):
        return usual + ", unless an\nentry says otherwise."
    return usual + "."


def short(entry: dict) -> str:
    return "--short " if entry.get("short") else ""


def document(figures: Dict[str, dict], benchmarks: dict, plots: dict,
             raw: str) -> str:
    """The whole of it. `benchmarks` has all by name, in order; `plots` is
    what plots.py makes of the figures."""
    parts = [HEADER.format(raw=raw, readahead=about_readahead(figures))]
    if top := published.text(figures):
        parts.append(top + "\n")
    overview = [picture(name, plots[name]) for name in OVERVIEW
                if name in plots]
    if overview:
        parts += ["## All links, relative to stock\n",
                  "A line spans the middle half of the ratios of all rounds, of "
                  "fewer than four rounds all.\n", *overview]
    for name, benchmark in benchmarks.items():
        if name not in figures:
            continue
        entry = figures[name]
        parts += [picture(plot, plots[plot]) for plot, section in
                  BEFORE.items() if section == name and plot in plots]
        parts.append(benchmark.text(entry["figures"])
                     + f"\n\n`./dev bench {short(entry)}{name}`, "
                     f"{entry['date']}, "
                     f"{entry['machine']}{readahead_of(entry)}.\n")
    return "\n".join(parts)


# What the README shows of the other flavours.
OTHERS = (("elf-archives", "`ld.lld`: itself, from LLVM's archives, {bytes}"),
          ("elf-objects", "the same from {inputs:,} objects, {bytes}"),
          ("macho", "`ld64.lld`: {inputs:,} objects with DWARF, {bytes}"))
BEGIN, END = "<!-- begin figures -->\n", "<!-- end figures -->"


def main_table(plain: dict, slow: dict) -> List[str]:
    cold, warm = runs_of(plain, "cold"), runs_of(plain, "warm")
    held = runs_of(slow, "cold")
    base = next(iter(cold))
    return table(
        ["", "cold", "cold, disk at 400 MB/s", "warm"],
        [[name, *(f"{median(runs[name]):.2f} s "
                  f"({ratio(runs[name], runs[base]):.2f})"
                  for runs in (cold, held, warm))] for name in cold])


def other_rows(figures: Dict[str, dict]) -> List[List[str]]:
    rows = []
    for name, title in OTHERS:
        if name not in figures:
            continue
        one = figures[name]["figures"]
        runs, warmed = (runs_of(one, kind) for kind in ("cold", "warm"))
        base = next(iter(runs))
        about = title.format(inputs=one["inputs"],
                             bytes=format_bytes(one["bytes"]))
        rows.append([about, f"{median(runs[base]):.2f} s",
                     *(f"{median(runs[way]):.2f} s "
                       f"({ratio(runs[way], runs[base]):.2f})"
                       for way in (FIRST, NEXT)),
                     f"{median(warmed[base]):.2f} s"])
    return rows


def readme(figures: Dict[str, dict], text: str) -> str:
    """The README with the main figures between its marks."""
    if "coff" not in figures or "coff-400" not in figures:
        return text
    plain = figures["coff"]["figures"]
    lines = [
        f"{plain['inputs']} objects, {format_bytes(plain['bytes'])}, "
        "`/debug`; medians, and ratios to stock in the same rounds.", "",
        *main_table(plain, figures["coff-400"]["figures"])]
    if rows := other_rows(figures):
        lines += ["", *table(["", "stock, cold", "first link", "next links",
                              "stock, warm"], rows)]
    lines += ["", f"{figures['coff']['machine']}, "
              f"{figures['coff']['date']}; `./dev bench`.", ""]
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n".join(lines) + END + rest.split(END)[1]


def differing(written: Dict[pathlib.Path, str]) -> List[pathlib.Path]:
    """Which of these files are not there, or not just so."""
    return [path for path, text in written.items()
            if not path.exists() or path.read_text(encoding="utf-8") != text]
