"""Writes docs/Benchmarks.md and the README's table from the figures."""

import string

import build
import linktables
import plots as plotting
import published
from figures import DIFFERENT, format_bytes, ratio, runs_of, table, time_cell
from links import FIRST, NEXT

HEADER = """# Benchmarks

[The method](#how-the-figures-were-measured) explains columns and letters.
"""
ABOUT = """
## How the figures were measured

`./dev bench` writes this page and its plots from `{raw}`, which has every
round. `./dev bench NAME` repeats one benchmark; `./dev bench --short` takes ten minutes.

- Variants run in turn. Times are medians. A ratio is the median of the ratios of the
  rounds; *processor* is the ratio of processor times.
- A round counts as cold if at most 1% of the bytes of the inputs are in the page cache.
  The disk's readahead is 128 KiB unless a line below has another one.
- A *first link* has no profile; *next links* have the profile of an earlier link. *lld's own
  prefetching* is `/prefetch-inputs` or `--read-workers=8`.
- *Processor* has two numbers, for the first link and the next ones. *Read* has three: stock
  comes before them.
- *Touched* bytes come from the page tables. A page fault also maps cached neighbours, so
  the linker needs at most that much.
- The inputs of `ld.lld` are this project's own objects and LLVM's archives, so their
  number and size change with the date.
- {outputs}

Letters stand for dates and machines:

{days}
"""
SAME = ("In every link, the outputs of Headstart are identical to those of stock lld,\n  "
        "byte for byte.")
NOT_SAME = "A link is marked if its outputs differ from those of stock lld."

# The plot of each section, except those of linktables.py.
PLOTS = {"scale": "scale", "tree-warm": "walks", "far": "far"}


def picture(name: str, plot: dict) -> str:
    """A plot as Markdown, for light pages and for dark ones."""
    return (f'<picture><source media="(prefers-color-scheme: dark)" '
            f'srcset="plots/{name}-dark.svg"><img alt="{plot["alt"]}" '
            f'src="plots/{name}.svg"></picture>\n')


def day_of(entry: dict) -> str:
    """The date and the machine, and its readahead if it is not the usual one."""
    told = entry["figures"].get("readahead") or ""
    if told.startswith(("readahead 128 KiB", "readahead set to the usual 128 KiB")):
        told = ""
    return ", ".join(filter(None, [entry["date"], entry["machine"], told]))


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
        found["warm"] += [ratio(warm[way], warm[base]) for way in (FIRST, NEXT)]
    if not found["cold"]:
        return ""
    return (f"Without limits on disk and memory, the {len(found['cold'])} measured cold links take "
            f"{span(found['cold'])} of stock lld's time as first links and {span(found['next'])} "
            f"as next links. Warm links take {span(found['warm'])}.\n")


def short(entry: dict) -> str:
    return "--short " if entry.get("short") else ""


def document(figures: dict[str, dict], benchmarks: dict, plots: dict, raw: str) -> str:
    """Returns the page. `benchmarks` has all benchmarks by name, in order; `plots` is
    the result of plots.py."""
    letters = days(figures)
    ordered = {name: figures[name] for name in benchmarks if name in figures}

    def row_source(name: str, rounds: str) -> str:
        entry = figures[name]
        return f"`{short(entry)}{name}`, {rounds}, {letters[day_of(entry)]}"

    def plot(name: str) -> str:
        return picture(name, plots[name]) if name in plots else ""

    parts = [linktables.text(ordered, plot, row_source)]
    if top := published.text(figures):
        parts.append(top + "\n")
    about = len(parts)
    for name, entry in ordered.items():
        if linktables.is_row(entry):
            continue
        title, text = benchmarks[name].text(entry["figures"]).split("\n", 1)
        shown = "\n" + plot(PLOTS[name]) if PLOTS.get(name) in plots else ""
        parts.append(f"{title}\n{shown}{text}\n\n"
                     f"`./dev bench {short(entry)}{name}`, {letters[day_of(entry)]}.\n")
    differ = any(DIFFERENT in part for part in parts)
    parts.insert(about, ABOUT.lstrip("\n").format(
        raw=raw, outputs=NOT_SAME if differ or not ordered else SAME,
        days="\n".join(f"- {letter}: {name}." for name, letter in letters.items()) or "- None."))
    return "\n".join(filter(None, [HEADER, headline(figures), *parts]))


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
        warm, *_ = linktables.times(runs_of(one, "warm"))
        rows.append([title.format(inputs=one["inputs"], bytes=format_bytes(one["bytes"])),
                     *linktables.times(runs_of(one, "cold")), warm])
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
    lines += ["", f"Medians (ratios to stock), by `./dev bench`; `coff`: {day_of(figures['coff'])}"
              + ("; [the others](docs/Benchmarks.md)" * several) + ".", ""]
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n".join(lines) + END + rest.split(END)[1]
