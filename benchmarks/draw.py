"""Draws the plots that plots.py describes as SVG, with matplotlib.

    draw.py DIRECTORY <PLOTS.json

Each plot becomes NAME.svg for light pages and NAME-dark.svg for dark ones. The same description
gives the same bytes.
"""

import io
import json
import math
import pathlib
import re
import sys

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullLocator

# The colours of each role, for light and for dark pages.
COLOURS = {"text": ("#1f2328", "#e6edf3"), "grid": ("#d1d9e0", "#343b43"),
           "stock": ("#818b98", "#848d97"), "other": ("#c46a10", "#e8923a"),
           "first": ("#54a3ff", "#79b8ff"), "next": ("#2f9e5f", "#3fae70"),
           "limit": ("#8250df", "#b083f0"), "page": ("#fffffe", "#0d1117")}
WIDTH = 8.0  # inches
SETTINGS = {"svg.hashsalt": "headstart", "svg.fonttype": "none",
            "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
            "axes.titlesize": 10, "axes.titlelocation": "left", "axes.titleweight": "bold",
            "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
            "legend.frameon": False, "lines.linewidth": 1.6, "path.simplify": False}


def colour(role: str) -> str:
    """The colour for light pages; `files` substitutes the others."""
    return COLOURS[role][0]


def dress(axes, grid: str) -> None:
    axes.grid(axis=grid, color=colour("grid"), linewidth=0.8)
    axes.tick_params(colors=colour("text"), length=0)
    for spine in axes.spines.values():
        spine.set_color(colour("grid"))
    axes.xaxis.label.set_color(colour("text"))
    axes.yaxis.label.set_color(colour("text"))


def title(axes, text: str, **keywords) -> None:
    axes.set_title(text, color=colour("text"), **keywords)


def bar(axes, place: float, height: float, one: dict, room: float) -> None:
    axes.barh(place, one["value"], height, color=colour(one["role"]))
    if one["high"] > one["low"]:
        axes.plot([one["low"], one["high"]], [place, place], color=colour("text"), linewidth=1)
    axes.text(max(one["high"], one["value"]) + room, place,
              f"{one['value']:.2f}", va="center", fontsize=7, color=colour("text"))


def draw_ratios(plot: dict) -> Figure:
    rows = sum(len(group["bars"]) + 0.8 for group in plot["groups"])
    figure = Figure(figsize=(WIDTH, 0.95 + 0.19 * rows))
    axes = figure.subplots()
    most = max(one["high"] for group in plot["groups"] for one in group["bars"])
    place, ticks, labels = 0.0, [], []
    for group in plot["groups"]:
        ticks.append(place + (len(group["bars"]) - 1) / 2)
        labels.append(group["title"])
        for one in group["bars"]:
            bar(axes, place, 0.84, one, most * 0.01)
            if one["role"] == "other":
                axes.text(most * 0.01, place, one["label"], va="center",
                          fontsize=7, color=colour("page"))
            place += 1
        place += 0.8
    axes.axvline(1, color=colour("text"), linewidth=1)
    axes.set_yticks(ticks, labels)
    axes.set_ylim(place - 1.3, -0.5)
    axes.set_xlim(0, most * 1.08)
    axes.set_xlabel(plot["axis"])
    for name, role in plot["legend"]:
        axes.barh(0, 0, color=colour(role), label=name)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=8,
                labelcolor=colour("text"), borderaxespad=0.1)
    figure.suptitle(plot["title"], x=0.01, ha="left", fontsize=10,
                    fontweight="bold", color=colour("text"))
    dress(axes, "x")
    return figure


def draw_curves(plot: dict) -> Figure:
    figure = Figure(figsize=(WIDTH, 4.2))
    axes = figure.subplots()
    for curve in plot["curves"]:
        axes.plot(*zip(*curve["points"]), color=colour(curve["role"]),
                  linestyle="--" if curve["dashed"] else "-", marker="o",
                  markersize=4, label=curve["label"])
    for style, limit in zip((":", "-."), plot["limits"]):
        axes.plot(*zip(*limit["points"]), color=colour("limit"),
                  linestyle=style, label=limit["label"])
    if plot.get("logarithmic"):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(sorted({point[0] for curve in plot["curves"] for point in curve["points"]}))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(0)
        axes.set_xlim(0)
    axes.set_xlabel(plot["x"])
    axes.set_ylabel(plot["y"])
    title(axes, plot["title"])
    axes.legend(labelcolor=colour("text"), fontsize=8, handlelength=3)
    dress(axes, "both")
    return figure


def draw_panels(plot: dict) -> Figure:
    columns = 2
    panels = plot["panels"]
    lines = -(-len(panels) // columns)
    heights = [max(len(panel["bars"]) for panel in panels[line * columns:(line + 1) * columns])
               for line in range(lines)]
    figure = Figure(figsize=(WIDTH, 0.6 + sum(0.75 + 0.17 * height for height in heights)))
    grid = figure.subplots(lines, columns, squeeze=False, gridspec_kw={
        "height_ratios": [0.6 + 0.17 * height for height in heights]})
    most = max(one["high"] for panel in panels for one in panel["bars"])
    for number, (axes, panel) in enumerate(zip(grid.flat, panels)):
        for place, one in enumerate(panel["bars"]):
            bar(axes, place, 0.75, one, most * 0.015)
        axes.set_yticks(range(len(panel["bars"])),
                        [one["label"] for one in panel["bars"]], fontsize=7)
        axes.set_ylim(len(panel["bars"]) - 0.4, -0.6)
        axes.set_xlim(0, most * 1.15)
        axes.axvline(1, color=colour("text"), linewidth=0.8)
        if number < len(panels) - columns:
            axes.tick_params(labelbottom=False)
        title(axes, panel["title"], fontsize=9)
        dress(axes, "x")
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    figure.supxlabel(plot["axis"], fontsize=9, color=colour("text"))
    return figure


def draw_heat(plot: dict) -> Figure:
    """Draws cells with their values; a value of at most the panel's middle is green."""
    columns = 2
    lines = -(-len(plot["panels"]) // columns)
    figure = Figure(figsize=(WIDTH, 0.6 + 1.35 * lines))
    grid = figure.subplots(lines, columns, squeeze=False)
    for number, (axes, panel) in enumerate(zip(grid.flat, plot["panels"])):
        for row, cells in enumerate(panel["cells"]):
            for column, value in enumerate(cells):
                good = value <= panel["middle"]
                far = min(1, abs(math.log(value / panel["middle"], 4)))
                axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1,
                                         facecolor=colour("next" if good else "other"),
                                         alpha=round(0.15 + 0.7 * far, 2)))
                axes.text(column, row, f"{value:.2f}", ha="center", va="center",
                          fontsize=8, color=colour("text"))
        axes.set_xlim(-0.5, len(plot["columns"]) - 0.5)
        axes.set_ylim(len(plot["rows"]) - 0.5, -0.5)
        axes.set_xticks(range(len(plot["columns"])), plot["columns"])
        axes.set_yticks(range(len(plot["rows"])), plot["rows"])
        if number % columns:
            axes.tick_params(labelleft=False)
        title(axes, panel["title"], fontsize=9)
        axes.tick_params(colors=colour("text"), length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return figure


KINDS = {"ratios": draw_ratios, "curves": draw_curves, "panels": draw_panels, "heat": draw_heat}


# The patterns that write the style of most text once and remove text that no browser needs.
PLAIN = (f"fill: {COLOURS['text'][0]}; font: 9px 'DejaVu Sans', sans-serif; ")
SMALLER = ((r"\n\s+", "\n"), (r"<!--.*?-->\n", ""),
           (r" transform=\"rotate\(-0 [^\"]*\"", ""),
           (r" clip-path=\"[^\"]*\"", ""), (r"<clipPath.*?</clipPath>\n", ""),
           (r"<g id=\"[^\"]*\"/>\n", ""), (r"<g id=\"[^\"]*\">", "<g>"),
           (r" ?\n(?=[LMzQC\"])", " "), (re.escape(PLAIN), ""),
           (r"(?<=text/css\">)", f"text{{{PLAIN}}}"),
           # A tenth of a pixel is the smallest visible difference.
           (r"<[^>]*>", lambda tag: re.sub(
               r"(?<![\w.])\d+\.\d{2,}(?![.\d])",
               lambda found: f"{float(found[0]):.1f}", tag[0])))


def smaller(text: str) -> str:
    """Returns the same picture in a third of the bytes."""
    for pattern, replacement in SMALLER:
        text = re.sub(pattern, replacement, text, flags=re.DOTALL)
    return text


def files(name: str, figure: Figure) -> dict[str, str]:
    """The two files of a figure. They have no date, so that the bytes repeat."""
    figure.set_layout_engine("constrained")
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Title": name})
    light = smaller(text.getvalue())
    dark = light
    for number, (white, _) in enumerate(COLOURS.values()):
        dark = dark.replace(white, f"#{number:06}")
    for number, (_, black) in enumerate(COLOURS.values()):
        dark = dark.replace(f"#{number:06}", black)
    return {f"{name}.svg": light, f"{name}-dark.svg": dark}


def main() -> int:
    directory = pathlib.Path(sys.argv[1])
    with matplotlib.rc_context(SETTINGS):
        for name, plot in json.load(sys.stdin).items():
            for file, text in files(name, KINDS[plot["kind"]](plot)).items():
                (directory / file).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
