"""The tables of the links that have the usual variants: a row for each link."""

from typing import Callable

import plots
from figures import Runs, format_bytes, median, runs_of, sameness, table, time_cell
from links import FIRST, NEXT, PREFETCHING, READ_WORKERS, processor

OWN = (PREFETCHING, READ_WORKERS)
HEAD = ["stock", "lld's own prefetching", "first link", "next links", "read, MB"]


def is_row(entry: dict) -> bool:
    """Whether this is a link without other variants, which need a table of their own."""
    if not plots.is_link(entry):
        return False
    _, *others = entry["figures"]["cold"]
    return set(others) - set(OWN) == {FIRST, NEXT}


def times(runs: Runs, own: str = "") -> list[str]:
    """The times with their ratios. `own` is the name of lld's own prefetching, or the
    cell of a link that has none."""
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


def cold_row(entry: dict) -> list[str]:
    one = entry["figures"]
    runs = runs_of(one, "cold")
    own = next((name for name in OWN if name in runs), "–")
    return [plots.heading(one["title"]) + sameness(one["same"]), *times(runs, own), read(runs)]


def processor_times(runs: Runs) -> str:
    base = next(iter(runs.values()))
    return " / ".join(processor(runs[name], base) for name in (FIRST, NEXT))


def section(title: str, pictures: str, head: list[str], rows: list[list[str]]) -> str:
    return "\n".join([f"## {title}", "", *([pictures] if pictures else []),
                      *table(head, rows), ""]) if rows else ""


def text(figures: dict[str, dict], picture: Callable[[str], str],
         source: Callable[[str, str], str]) -> str:
    """Returns the sections. `picture` returns a plot, or an empty string; `source` says
    by which command, in how many rounds, when and where a link was measured."""
    cold, limited, warm = [], [], []
    for name, entry in figures.items():
        if not is_row(entry):
            continue
        one = entry["figures"]
        rounds = len(next(iter(one["cold"].values())))
        row = cold_row(entry)
        if plots.is_limited(entry):
            limited.append([*row, source(name, str(rounds))])
            continue
        # Without limits, the link that made the statistics is one of these.
        touched = one["stats"][-1]["touched_bytes"]
        inputs = f"{one['inputs']:,}, {format_bytes(one['bytes'])}"
        cold.append([row[0], inputs, *row[1:], megabytes(touched) if touched else "–",
                     processor_times(runs_of(one, "cold")), source(name, str(rounds))])
        if one["warm"]:
            warm.append([row[0], *times(runs_of(one, "warm")),
                         str(len(next(iter(one["warm"].values()))))])
    measured = "command, rounds, date"
    return "\n".join(filter(None, [
        section("Cold links", picture("cold"), ["link", "inputs", *HEAD, "touched, MB", "processor",
                                                     measured], cold),
        section("Cold links, disk limited",
                picture("throttled") + picture("limited"), ["link", *HEAD, measured], limited),
        section("Warm links", picture("warm"),
                ["link", "stock", "first link", "next links", "rounds"], warm)]))

