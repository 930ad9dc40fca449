"""The plots of the documents, as plain data, from which draw.py makes files. It needs matplotlib;
this file does not, so that the documents can be written without it."""

import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
from typing import Iterator

import conditions
import far
import trees
from figures import interval, median, pairs, ratios, runs_of
from links import FIRST, NEXT

DRAW = pathlib.Path(__file__).resolve().parent / "draw.py"


def role(name: str) -> str:
    """The kind of a variant, which decides its colour."""
    if name == FIRST:
        return "first"
    if name == NEXT:
        return "next"
    return "stock" if name.endswith("(stock)") else "other"


def heading(title: str) -> str:
    """A benchmark's title, short enough for a label."""
    return title.replace("other linkers under headstart run", "headstart run").replace(
        "disk limited to ", "")


def is_link(entry: dict) -> bool:
    """Whether this is a native link. The one under Wine has no title."""
    return {"cold", "title"} <= entry["figures"].keys()


def is_limited(entry: dict) -> bool:
    return "limited" in entry["figures"]["title"]


def bar(label: str, kind: str, all_ratios: list[float]) -> dict:
    low, high = interval(all_ratios)
    return {"label": label, "role": kind, "low": low,
            "value": statistics.median(all_ratios), "high": high}


def ratio_groups(entries: list[dict], kind: str) -> list[dict]:
    """Bars of every variant except the first, stock, which is their base."""
    groups = []
    for entry in entries:
        runs = runs_of(entry["figures"], kind)
        if not runs:
            continue
        base, *others = runs.items()
        groups.append({"title": heading(entry["figures"]["title"]), "bars": [
            bar(name, role(name), ratios(several, base[1])) for name, several in others]})
    return groups


def ratio_plot(title: str, entries: list[dict], kind: str) -> dict | None:
    groups = ratio_groups(entries, kind)
    if not groups:
        return None
    return {"kind": "ratios", "title": title, "groups": groups,
            "axis": "time relative to stock; lines: middle half of the rounds (all of fewer than "
                    "four)", "legend": [[FIRST, "first"], [NEXT, "next"]],
            "alt": f"{title}: bars of the ratios to stock in the tables below"}


def scale_plot(figures: dict) -> dict:
    curves = []
    for (kind, name), points in conditions.curves(figures).items():
        curves.append({"label": f"{kind}, {name}", "role": role(name), "dashed": kind == "warm",
                       "points": [[size / 1e6, seconds] for size, seconds in points]})
    return {"kind": "curves", "title": figures["title"], "curves": curves,
            "x": "inputs, MB", "y": "seconds", "limits": [],
            "alt": "Time of a link by the size of its inputs, cold and warm, stock and Headstart"}


def throttled_plot(figures: dict[str, dict]) -> dict | None:
    """The links of one corpus on disks of known speeds."""
    measured = {entry["figures"]["megabytes_per_second"]: entry["figures"]
                for name, entry in figures.items() if name.startswith("large-debug-")}
    speeds = sorted(filter(None, measured))
    if len(speeds) < 2:
        return None
    curves: dict[str, dict] = {}
    limit = []
    for speed in speeds:
        one = measured[speed]
        touched = one["stats"][-1]["touched_bytes"]
        if touched:
            limit.append([speed, touched / (speed * 1e6)])
        for name, runs in runs_of(one, "cold").items():
            curve = curves.setdefault(name, {"label": name, "role": role(name), "dashed": False,
                                             "points": []})
            curve["points"].append([speed, median(runs)])
    limits = [{"label": "bytes that the linker touches / disk speed",
               "points": limit}] if limit else []
    if "large-debug" in figures:
        warm = runs_of(figures["large-debug"]["figures"], "warm")
        seconds = median(next(iter(warm.values())))
        limits.append({"label": "stock, warm",
                       "points": [[speeds[0], seconds], [speeds[-1], seconds]]})
    return {"kind": "curves", "title": "A cold link on slower disks",
            "curves": list(curves.values()), "limits": limits,
            "x": "disk speed, MB/s", "y": "seconds", "logarithmic": True,
            "alt": "Time of a cold link by disk speed, and the time that the disk "
                   "needs for the bytes alone"}


def walks(figures: dict[str, dict]) -> Iterator[dict]:
    for name in ("tree-warm", "tree-cold", "tree-ignore"):
        if name not in figures:
            continue
        for column in figures[name]["figures"]["columns"]:
            base = column["seconds"].get(trees.base_of(column))
            if not base:
                continue
            temperature = {"tree-warm": ", warm", "tree-cold": ", cold"}
            yield {"title": column["title"] + temperature.get(name, ""), "bars": [
                bar(row, "first" if row.startswith(trees.OURS) else "other", pairs(times, base))
                for row, times in column["seconds"].items()]}


def walks_plot(figures: dict[str, dict]) -> dict | None:
    panels = list(walks(figures))
    if not panels:
        return None
    return {"kind": "panels", "title": "Walking trees", "panels": panels,
            "axis": "time relative to the fastest peer",
            "alt": "Times of programs that walk trees, relative to the fastest peer, for each tree"}


def plots(figures: dict[str, dict], order: list[str]) -> dict[str, dict]:
    """Every plot that these figures allow, by the name of its file."""
    entries = [figures[name] for name in order if name in figures and is_link(figures[name])]
    free = [entry for entry in entries if not is_limited(entry)]
    limited = [entry for entry in entries if is_limited(entry)]
    found: dict[str, dict | None] = {
        "cold": ratio_plot("Cold links", free, "cold"),
        "limited": ratio_plot("Cold links, disk limited", limited, "cold"),
        "warm": ratio_plot("Warm links", free, "warm"),
        "scale": scale_plot(figures["scale"]["figures"]) if "scale" in figures else None,
        "throttled": throttled_plot(figures),
        "far": far.heat_plot(figures["far"]["figures"]) if "far" in figures else None,
        "walks": walks_plot(figures)}
    return {name: plot for name, plot in found.items() if plot}


def interpreter() -> tuple[str, str]:
    """A Python with matplotlib, this one or the system's, and matplotlib's version."""
    for program in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            return program, subprocess.run(
                [program, "-c", "import matplotlib; print(matplotlib.__version__)"],
                check=True, capture_output=True, text=True).stdout.strip()
    return "", ""


def draw(wanted: dict[str, dict], directory: pathlib.Path, python: str) -> None:
    """Writes two SVG files for each plot into `directory`; removes those no longer shown."""
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([python, str(DRAW), str(directory)], check=True,
                   input=json.dumps(wanted).encode())
    names = {f"{name}{ending}.svg" for name in wanted for ending in ("", "-dark")}
    for file in directory.glob("*.svg"):
        if file.name not in names:
            file.unlink()
