"""Which plots the documents show, and what is on them, as plain data.

draw.py, which needs matplotlib, turns each into two files, one for white and one
for dark pages. Nothing here does, so that the documents can be written without.
"""

import json
import pathlib
import statistics
import subprocess
import sys
from typing import Dict, Iterator, List, Optional

import contest
import far
import scale
from figures import interval, median, pairs, ratios, runs_of
from links import FIRST, NEXT

DRAW = pathlib.Path(__file__).resolve().parent / "draw.py"


def role(name: str) -> str:
    """What a variant is, which decides its colour."""
    if name == FIRST:
        return "first"
    if name == NEXT:
        return "next"
    return "stock" if name.endswith("(stock)") else "other"


def heading(title: str) -> str:
    """A benchmark's title, short enough to stand beside bars."""
    for long, short in (
            ("memory for the linker's own data and half of the inputs",
             "short of memory"),
            ("headstart run around other linkers", "headstart run"),
            ("disk held to ", "")):
        title = title.replace(long, short)
    return title


def is_link(entry: dict) -> bool:
    """Under Wine ratios are of another kind, and have no title."""
    return {"cold", "title"} <= entry["figures"].keys()


def is_held(entry: dict) -> bool:
    """Whether the disk or memory was held."""
    return "held" in entry["figures"]["title"] or \
        bool(entry["figures"].get("memory"))


def ratio_groups(entries: List[dict], kind: str) -> List[dict]:
    """Bars of every variant but stock, the first, which all are relative to."""
    groups = []
    for entry in entries:
        runs = runs_of(entry["figures"], kind)
        if not runs:
            continue
        base, *others = runs.items()
        bars = []
        for name, several in others:
            all_ratios = ratios(several, base[1])
            low, high = interval(all_ratios)
            bars.append({"label": name, "role": role(name), "low": low,
                         "value": statistics.median(all_ratios), "high": high})
        groups.append({"title": heading(entry["figures"]["title"]),
                       "bars": bars})
    return groups


def ratio_plot(title: str, entries: List[dict], kind: str) -> Optional[dict]:
    groups = ratio_groups(entries, kind)
    if not groups:
        return None
    return {"kind": "ratios", "title": title, "groups": groups,
            "axis": "time, relative to stock; lines: the middle half of the "
                    "rounds",
            "legend": [[FIRST, "first"], [NEXT, "next"]],
            "alt": f"{title}: bars of ratios to stock, the figures of the "
                   "tables below"}


def scale_plot(figures: dict) -> dict:
    curves = []
    for (kind, name), points in scale.curves(figures).items():
        curves.append({"label": f"{kind}, {name}", "role": role(name),
                       "dashed": kind == "warm",
                       "points": [[size / 1e6, seconds]
                                  for size, seconds in points]})
    return {"kind": "curves", "title": figures["title"], "curves": curves,
            "x": "inputs, MB", "y": "seconds", "limits": [],
            "alt": "Seconds of a link against the bytes of its inputs, cold and "
                   "warm, stock and Headstart"}


def throttled(figures: Dict[str, dict]) -> List[dict]:
    """The links of one corpus on disks of known speeds, slowest first."""
    held = [entry for name, entry in figures.items()
            if name.startswith("large-debug-")
            and entry["figures"].get("megabytes_per_second")]
    return sorted(held,
                  key=lambda entry: entry["figures"]["megabytes_per_second"])


def throttled_plot(figures: Dict[str, dict]) -> Optional[dict]:
    entries = throttled(figures)
    if len(entries) < 2:
        return None
    curves: Dict[str, dict] = {}
    limit = []
    for entry in entries:
        one = entry["figures"]
        speed = one["megabytes_per_second"]
        touched = one["stats"][-1]["touched_bytes"]
        if touched:
            limit.append([speed, touched / (speed * 1e6)])
        for name, runs in runs_of(one, "cold").items():
            curve = curves.setdefault(name, {
                "label": name, "role": role(name), "dashed": False,
                "points": []})
            curve["points"].append([speed, median(runs)])
    limits = [{"label": "what the linker touches / the disk's speed",
               "points": limit}] if limit else []
    if "large-debug" in figures:
        warm = runs_of(figures["large-debug"]["figures"], "warm")
        seconds = median(next(iter(warm.values())))
        speeds = [entry["figures"]["megabytes_per_second"] for entry in entries]
        limits.append({"label": "stock, warm",
                       "points": [[speeds[0], seconds],
                                  [speeds[-1], seconds]]})
    return {"kind": "curves", "title": "A cold link on slower disks",
            "curves": list(curves.values()), "limits": limits,
            "x": "the disk's speed, MB/s", "y": "seconds", "logarithmic": True,
            "alt": "Seconds of a cold link against the disk's speed, with the "
                   "time that the bytes alone need"}


def walker_kind(kind: str) -> str:
    return {"ours": "first", "floor": "stock"}.get(kind, "other")


def walks(figures: Dict[str, dict]) -> Iterator[dict]:
    for name in ("tree-warm", "tree-cold", "tree-ignore"):
        if name not in figures:
            continue
        # The last part has whole programs.
        for column in figures[name]["figures"]["parts"][-1]["columns"]:
            base = column["seconds"].get(contest.base_of(column))
            if not base:
                continue
            bars = []
            for row, times in column["seconds"].items():
                all_ratios = pairs(times, base)
                low, high = interval(all_ratios)
                bars.append({"label": row, "role": walker_kind(
                    column["kinds"].get(row, "peer")), "low": low,
                    "value": statistics.median(all_ratios), "high": high})
            temperature = {"tree-warm": ", warm", "tree-cold": ", cold"}
            yield {"title": column["title"] + temperature.get(name, ""),
                   "bars": bars}


def walks_plot(figures: Dict[str, dict]) -> Optional[dict]:
    panels = list(walks(figures))
    if not panels:
        return None
    return {"kind": "panels", "title": "Walking trees", "panels": panels,
            "axis": "time, relative to the fastest peer",
            "alt": "Times of programs that walk trees, relative to the fastest "
                   "peer, by tree"}


def plots(figures: Dict[str, dict], order: List[str]) -> Dict[str, dict]:
    """Every plot that these figures allow, by the name of its file."""
    entries = [figures[name] for name in order
               if name in figures and is_link(figures[name])]
    free = [entry for entry in entries if not is_held(entry)]
    held = [entry for entry in entries if is_held(entry)]
    found: Dict[str, Optional[dict]] = {
        "cold": ratio_plot("Cold links", free, "cold"),
        "held": ratio_plot("Cold links, disk or memory held", held, "cold"),
        "warm": ratio_plot("Warm links", free, "warm"),
        "scale": scale_plot(figures["scale"]["figures"])
        if "scale" in figures else None,
        "throttled": throttled_plot(figures),
        "far": far.heat_plot(figures["far"]["figures"])
        if "far" in figures else None,
        "walks": walks_plot(figures)}
    return {name: plot for name, plot in found.items() if plot}


def interpreter() -> Optional[str]:
    """A Python that has matplotlib: this one, or the system's, for which
    Debian packages it."""
    for program in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        try:
            if subprocess.run([program, "-c", "import matplotlib"],
                              stderr=subprocess.DEVNULL).returncode == 0:
                return program
        except OSError:
            pass
    return None


def version(python: str) -> str:
    """Of that Python's matplotlib: another draws other bytes."""
    return subprocess.run(
        [python, "-c", "import matplotlib; print(matplotlib.__version__)"],
        check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def draw(wanted: Dict[str, dict], folder: pathlib.Path, python: str) -> None:
    """Writes the SVG files, two for each plot, into `folder`; takes away those
    that are no longer shown."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([python, str(DRAW), str(folder)], check=True,
                   input=json.dumps(wanted).encode())
    names = {f"{name}{ending}.svg" for name in wanted
             for ending in ("", "-dark")}
    for file in folder.glob("*.svg"):
        if file.name not in names:
            file.unlink()
