"""The measured figures: how they are stored, summarized and formatted."""

import dataclasses
import statistics
from typing import Sequence


@dataclasses.dataclass
class Run:
    """The cost of one link."""
    seconds: float
    user: float
    system: float
    read_bytes: int      # from the disk, by this process
    outputs: str         # one hash of all output files

    @property
    def processor(self) -> float:
        return self.user + self.system


Runs = dict[str, list[Run]]  # by variant, in the order of the rounds


def kept(runs: Runs) -> dict:
    """Runs as benchmarks/figures.json stores them."""
    return {name: [vars(run) for run in several] for name, several in runs.items()}


def runs_of(figures: dict, kind: str) -> Runs:
    """The runs of one kind, "cold" or "warm", from stored figures."""
    return {name: [Run(**run) for run in several] for name, several in figures[kind].items()}


def rounds_in(runs: dict) -> int:
    """The number of rounds, which all variants have in common."""
    return len(next(iter(runs.values())))


def median(runs: Sequence[Run], what: str = "seconds") -> float:
    return statistics.median(getattr(run, what) for run in runs)


def pairs(times: Sequence[float], base: Sequence[float]) -> list[float]:
    """The ratios round by round: drift affects both runs of a pair."""
    return [a / max(b, 1e-9) for a, b in zip(times, base)]


def ratios(runs: Sequence[Run], base: Sequence[Run], what: str = "seconds") -> list[float]:
    return pairs([getattr(run, what) for run in runs], [getattr(run, what) for run in base])


def ratio(runs: Sequence[Run], base: Sequence[Run], what: str = "seconds") -> float:
    return statistics.median(ratios(runs, base, what))


def time_cell(runs: Sequence[Run], base: Sequence[Run]) -> str:
    return f"{median(runs):.2f} s ({ratio(runs, base):.2f})"


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The range of the middle half of the values; of all if fewer than four."""
    if len(values) < 4:
        return min(values), max(values)
    quarters = statistics.quantiles(values, n=4, method="inclusive")
    return quarters[0], quarters[2]


def saved(cold: float, cold_base: float, warm_base: float) -> float:
    """The share of the base's extra cost of a cold link that was saved."""
    return (cold_base - cold) / max(cold_base - warm_base, 1e-9)


def format_bytes(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        # Without round(), 999.6 kB would be shown as 1000 kB.
        if round(count) < 1000:
            return f"{count:.0f} {unit}" if count >= 9.95 or unit == "bytes" \
                else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.0f} GB" if count >= 9.95 else f"{count:.1f} GB"


def format_time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds >= 0.001 else f"{seconds * 1e6:.1f} µs"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown, as lines."""
    for row in rows:
        assert len(row) == len(head), row
    return [line(head), "| --- " * len(head) + "|", *map(line, rows)]


def section(title: str, about: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([f"## {title}", "", about, "", *table(head, rows)])


def grouped(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows without a first cell that the row above has as well."""
    return [["" if at and rows[at - 1][0] == row[0] else row[0], *row[1:]]
            for at, row in enumerate(rows)]


def line(cells: Sequence[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


DIFFERENT = "**The outputs differ.**"


def sameness(is_same: bool) -> str:
    """The end of a paragraph. The document says once that outputs are identical."""
    return "" if is_same else f" {DIFFERENT}"
