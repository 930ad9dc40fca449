"""Writes docs/Benchmarks.md and the README's table from the figures."""

import pathlib
import string
from typing import Callable

import build
import links
import plots as plotting
from figures import (DIFFERENT, format_bytes, median, ratio, rounds_in, runs_of, sameness, saved,
                     table, time_cell)
from links import FIRST, NEXT, PREFETCHING, READ_WORKERS

PAGE = pathlib.Path(__file__).with_name("Benchmarks.md.in").read_text(encoding="utf-8")
SAME = ("In every link, the outputs of Headstart are identical to those of stock lld,\n  "
        "byte for byte.")
NOT_SAME = "A link is marked if its outputs differ from those of stock lld."

# The plot of each section, except those of `link_tables`.
PLOTS = {"scale": "scale", "tree-warm": "walks", "far": "far"}


def picture(name: str, plot: dict) -> str:
    """A plot as Markdown, for light pages and for dark ones."""
    return (f'<picture><source media="(prefers-color-scheme: dark)" '
            f'srcset="plots/{name}-dark.svg"><img alt="{plot["alt"]}" '
            f'src="plots/{name}.svg"></picture>\n')


def day_of(entry: dict) -> str:
    """The date and the machine, and its readahead if it is not the usual one."""
    readahead = entry["figures"].get("readahead") or ""
    if readahead.startswith(("readahead 128 KiB", "readahead set to the usual 128 KiB")):
        readahead = ""
    return ", ".join(filter(None, [entry["date"], entry["machine"], readahead]))


def days(figures: dict[str, dict]) -> dict[str, str]:
    """A letter for each day and machine, the newest first."""
    found = sorted(set(map(day_of, figures.values())), reverse=True)
    letters = ["", *string.ascii_uppercase]
    names = [first + second for first in letters for second in letters[1:]]
    return dict(zip(found, names))


def span(values: list[float]) -> str:
    low, high = (f"{value:.2f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def headline(figures: dict[str, dict]) -> str:
    """The range of ratios over all links without limits."""
    found: dict[str, list[float]] = {"cold": [], "next": [], "warm": []}
    for entry in figures.values():
        if not plotting.is_link(entry) or plotting.is_limited(entry):
            continue
        cold, warm = (runs_of(entry["figures"], kind) for kind in ("cold", "warm"))
        base = next(iter(cold))
        if FIRST not in cold or NEXT not in cold or not warm:
            continue
        found["cold"].append(ratio(cold[FIRST], cold[base]))
        found["next"].append(ratio(cold[NEXT], cold[base]))
        found["warm"] += [ratio(warm[variant], warm[base]) for variant in (FIRST, NEXT)]
    if not found["cold"]:
        return ""
    return (f"Without limits on disk and memory, the {len(found['cold'])} links that were measured "
            f"cold and warm take {span(found['cold'])} of stock lld's time as cold first links, "
            f"{span(found['next'])} as cold next links, and {span(found['warm'])} warm.\n")


def short(entry: dict) -> str:
    return "--short " if entry.get("short") else ""


# -- the links that have the usual variants: a row for each -----------------------

OWN = (PREFETCHING, READ_WORKERS)
HEAD = ["stock", "lld's own prefetching", "first link", "next links", "read, MB"]


def is_row(entry: dict) -> bool:
    """Whether this is a link without other variants, which need a table of their own."""
    if not plotting.is_link(entry):
        return False
    _, *others = entry["figures"]["cold"]
    return set(others) - set(OWN) == {FIRST, NEXT}


def section(title: str, pictures: str, head: list[str], rows: list[list[str]]) -> str:
    return "\n".join([f"## {title}", "", *([pictures] if pictures else []),
                      *table(head, rows), ""]) if rows else ""


def link_tables(figures: dict[str, dict], picture: Callable[[str], str],
                source: Callable[[str, str], str]) -> str:
    """Returns the sections. `picture` returns a plot or ""; `source` a link's command, rounds and
    day."""
    cold, limited, warm = [], [], []
    for name, entry in figures.items():
        if not is_row(entry):
            continue
        one = entry["figures"]
        rounds = rounds_in(one["cold"])
        runs = runs_of(one, "cold")
        own = next((name for name in OWN if name in runs), "–")
        row = [plotting.heading(one["title"]) + sameness(one["same"]), *links.times(runs, own),
               links.read(runs)]
        if plotting.is_limited(entry):
            limited.append([*row, source(name, str(rounds))])
            continue
        # Without limits, the link that made the statistics is one of these.
        touched = one["stats"][-1]["touched_bytes"]
        inputs = f"{one['inputs']:,}, {format_bytes(one['bytes'])}"
        cold.append([row[0], inputs, *row[1:], links.megabytes(touched) if touched else "–",
                     links.processor_times(runs), source(name, str(rounds))])
        if one["warm"]:
            warm.append([row[0], *links.times(runs_of(one, "warm")), str(rounds_in(one["warm"]))])
    measured = "command, rounds, date"
    return "\n".join(filter(None, [
        section("Cold links", picture("cold"),
                ["link", "inputs", *HEAD, "touched, MB", "processor", measured], cold),
        section("Cold links, disk limited",
                picture("throttled") + picture("limited"), ["link", *HEAD, measured], limited),
        section("Warm links", picture("warm"),
                ["link", "stock", "first link", "next links", "rounds"], warm)]))


# -- the published experiment: cold without and with prefetching, and warm ----------

# llvm/llvm-project#169224: Windows 11 with 32 cores, 128 GB and an NVMe disk. Warm times are means
# of 10 runs.
PUBLISHED = "https://github.com/llvm/llvm-project/pull/169224"
OBJECTS, BYTES = 4169, 26_325_429_114
COLD, COLD_PREFETCHED, WARM, WARM_PREFETCHED = 48.1, 34.2, 29.7, 29.6

STOCK = "lld-link 22 (stock)"
# The links that have all four variants, cold and warm; the largest first.
NAMES = ("large-debug", "coff")


def theirs() -> list[list[str]]:
    rows = [("published, without", COLD, WARM),
            ("published, `/prefetch-inputs`", COLD_PREFETCHED, WARM_PREFETCHED)]
    return [[name, f"{cold:.1f} s", f"{cold / COLD:.2f}",
             f"{saved(cold, COLD, WARM):.0%}" if cold != COLD else "–",
             f"{warm:.1f} s", f"{warm / WARM:.2f}"] for name, cold, warm in rows]


def ours(figures: dict) -> list[list[str]]:
    cold, warm = runs_of(figures, "cold"), runs_of(figures, "warm")
    base, warm_base = cold[STOCK], warm[STOCK]
    rows = []
    for name in (STOCK, PREFETCHING, FIRST, NEXT):
        less = saved(median(cold[name]), median(base), median(warm_base))
        rows.append([f"here, {name}", f"{median(cold[name]):.2f} s",
                     f"{ratio(cold[name], base):.2f}", f"{less:.0%}" if name != STOCK else "–",
                     f"{median(warm[name]):.2f} s", f"{ratio(warm[name], warm_base):.2f}"])
    return rows


def published(figures: dict[str, dict]) -> str:
    """Returns the table, or an empty string if the figures lack the link it needs."""
    name = next((name for name in NAMES
                 if name in figures and figures[name]["figures"]["warm"]), None)
    if not name:
        return ""
    here = figures[name]["figures"]
    return "\n".join([
        "## The published experiment, repeated", "",
        *table(["", "cold", "ratio", "saved", "warm", "ratio"], theirs() + ours(here)),
        "", f"Published: [the link]({PUBLISHED}) with which lld introduced `/prefetch-inputs`, "
        f"{OBJECTS:,} objects, {format_bytes(BYTES)}; Windows 11, 32 cores, 128 GB, an NVMe "
        f"disk. Here: `{name}`, {here['inputs']:,} files, {format_bytes(here['bytes'])}. "
        "Compare only ratios. *Saved* is the part of the difference between a cold and a warm "
        "link without prefetching that prefetching removes.", ""])


# -- the page, and the README -------------------------------------------------------

def document(figures: dict[str, dict], benchmarks: dict, plots: dict, raw: str) -> str:
    """Returns the page. `benchmarks` has all by name, in order; `plots` is plots.py's result."""
    letters = days(figures)
    ordered = {name: figures[name] for name in benchmarks if name in figures}

    def row_source(name: str, rounds: str) -> str:
        entry = figures[name]
        return f"`{short(entry)}{name}`, {rounds}, {letters[day_of(entry)]}"

    def plot(name: str) -> str:
        return picture(name, plots[name]) if name in plots else ""

    before = [headline(figures), link_tables(ordered, plot, row_source), published(figures)]
    after = []
    for name, entry in ordered.items():
        if is_row(entry):
            continue
        title, text = benchmarks[name].text(entry["figures"]).split("\n", 1)
        shown = "\n" + plot(PLOTS[name]) if PLOTS.get(name) in plots else ""
        after.append(f"{title}\n{shown}{text}\n\n"
                     f"`./dev bench {short(entry)}{name}`, {letters[day_of(entry)]}.\n")
    differ = any(DIFFERENT in part for part in before + after)
    return PAGE.rstrip("\n").format(
        before="".join(part + "\n" for part in before if part),
        after="".join("\n" + part for part in after),
        raw=raw, outputs=NOT_SAME if differ or not ordered else SAME,
        days="\n".join(f"- {letter}: {name}." for name, letter in letters.items()) or "- None.")


# The README's rows for the other flavours.
OTHERS = (("elf-archives", "`ld.lld`: itself, from LLVM's archives, {bytes}"),
          ("elf-objects", "`ld.lld`: itself, from {inputs:,} objects, {bytes}"),
          ("macho", "`ld64.lld`: {inputs:,} objects with DWARF, {bytes}"))
BEGIN, END = "<!-- begin figures -->\n", "<!-- end figures -->"


def main_table(plain: dict, slow: dict) -> list[str]:
    cold, warm = runs_of(plain, "cold"), runs_of(plain, "warm")
    held = runs_of(slow, "cold")
    base = next(iter(cold))
    return table([f"`lld-link`: {plain['inputs']:,} objects, {format_bytes(plain['bytes'])}, "
                  "`/debug`", "cold", "cold, disk limited to 400 MB/s", "warm"],
                 [[name, *(time_cell(runs[name], runs[base]) for runs in (cold, held, warm))]
                  for name in cold])


def other_rows(figures: dict[str, dict]) -> list[list[str]]:
    rows = []
    for name, title in OTHERS:
        if name not in figures:
            continue
        one = figures[name]["figures"]
        warm, *_ = links.times(runs_of(one, "warm"))
        rows.append([title.format(inputs=one["inputs"], bytes=format_bytes(one["bytes"])),
                     *links.times(runs_of(one, "cold")), warm])
    return rows


def readme(figures: dict[str, dict], text: str) -> str:
    """Returns the README with the main figures between its marks."""
    if "coff" not in figures or "coff-400" not in figures:
        return text
    lines = [headline(figures), *main_table(figures["coff"]["figures"],
                                            figures["coff-400"]["figures"])]
    if rows := other_rows(figures):
        lines += ["", *table(["", "stock, cold", "first link", "next links", "stock, warm"], rows)]
    used = ["coff", "coff-400", *(name for name, _ in OTHERS if name in figures)]
    if "build" in figures:
        lines += ["", *build.short_table(figures["build"]["figures"])]
        used.append("build")
    several = len({day_of(figures[name]) for name in used}) > 1
    lines += ["", "Medians of times and ratios, by `./dev bench`; "
              f"`coff`: {day_of(figures['coff'])}"
              + ("; [the others](docs/Benchmarks.md)" * several) + ".", ""]
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n".join(lines) + END + rest.split(END)[1]
