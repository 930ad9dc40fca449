#!/usr/bin/env python3
"""Checks the page of `headstart bench` in a headless browser.

The script draws the page of a report of test/Inputs/make-bench-report.py 1280 and 400 pixels wide,
in light and in dark, and for paper. The page must not load anything or cause an error, nothing may
be wider than the page, and no text may overlap another, leave its chart or be too pale to read. The
charts must have the marks that the report requires, and the pointer and the keyboard must show
figures. --out keeps the pictures. --self-test breaks a page in each of these respects and expects a
report. --refusals checks the pages of invalid reports.
"""

import argparse
import base64
import contextlib
import importlib
import json
import pathlib
import subprocess
import sys

from common import ROOT, skip, temporary_directory
from headless import Browser, Problem, find_browser

VIEWS = [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")]
STATES = ("cold", "warm")
FUNCTIONS = pathlib.Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def call(browser, function: str, *arguments: str):
    """The result of a function of check-page.js in the page."""
    return browser.evaluate(f"{FUNCTIONS}.{function}({', '.join(map(json.dumps, arguments))})")


def check_picture(browser, scheme: str):
    """Yields the problems of the page's picture: it is empty, or has the wrong brightness."""
    png = base64.b64encode(browser.picture(0.25)).decode()
    seen = call(browser, "picture", png)
    if seen["colours"] < 60:
        yield f"the picture has {seen['colours']} colours only"
    if seen["plain"] > 0.6 * seen["rows"]:
        yield f"{seen['plain']} of {seen['rows']} rows of the picture are empty"
    if scheme == "light" and seen["mean"] < 170 or scheme == "dark" and seen["mean"] > 85:
        yield f"a mean brightness of {seen['mean']:.0f} is not {scheme}"


class Expected:
    """The parts of a report that the page must show."""

    def __init__(self, report):
        self.report = report
        self.variants = variants = report["variants"]
        # The index of the variant with which the headline compares.
        self.base = next((at for at, v in enumerate(variants) if v["name"] == "off" and any(
            (one[state] or {}).get("to_off") for one in variants for state in STATES)), 0)
        # The headline's variant, which is not the first; None if it was not measured.
        self.best = next((at for name in ("on+profile", "on") for at, v in enumerate(variants)
                          if at and v["name"] == name and (v["cold"] or v["warm"])), None)
        # The variants of which a link was watched, and those that the strip charts first show.
        self.watched = watched = [at for at, v in enumerate(variants)
                                  if any(v["observed"][state] for state in STATES)]
        self.shown = sorted({self.base if self.base in watched else watched[0],
                             self.best if self.best in watched else watched[-1]}) if watched else []
        # The cold link that the map and the table of inputs show.
        self.mapped = variants[self.shown[-1]]["observed"]["cold"] if watched else None

    def counts(self, shown):
        """The number of marks that the report requires if the variants `shown` are shown."""
        variants = self.variants
        series = [v[state] for v in variants for state in STATES if v.get(state)]
        rounds = [entry for one in series for entry in one["rounds"]]
        lines, phases = {}, {}
        for state in STATES:
            links = [variants[index]["observed"][state] for index in shown]
            links = [link for link in links if link]
            # The page describes a lane that is always 0 in words.
            lines[state] = 0
            for lane in (("fetched_bytes", "touched_bytes"), ("read_bytes",),
                         ("major_faults",), ("memory_bytes",)):
                arrays = [link["samples"][key] for link in links for key in lane
                          if link["samples"][key] is not None]
                if any(max(array, default=0) > 0 for array in arrays):
                    lines[state] += len(arrays)
            phases[state] = sum(len(link["phases"] or []) for link in links)
        stats = [link["stats"] for v in variants for state in STATES
                 if (link := v["observed"][state]) and link["stats"]]
        return {"stores": sum(len(one.get("stores") or []) for one in stats),
                "decisions": sum(len(one.get("decisions") or []) for one in stats),
                "rounds": len(rounds), "variants": len(series),
                "away": sum(not entry["kept"] for entry in rounds),
                "outliers": sum(entry["kept"] and entry["outlier"] for entry in rounds),
                "lines": lines, "phases": phases, "files": len(self.report["inputs"]["files"])}


def compare_counts(found, expected):
    for name, value in expected.items():
        if found[name] != value:
            yield f"{name}: {found[name]} in the page, {value} in the report"


def check_events(browser, url):
    for event in browser.events:
        method, params = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            requested = params["request"]["url"]
            if requested != url and not requested.startswith("data:"):
                yield f"the page requests {requested[:80]}"
        elif method == "Runtime.exceptionThrown":
            yield "exception: " + str(params["exceptionDetails"].get(
                "exception", {}).get("description"))[:200]
        elif method == "Runtime.consoleAPICalled" and params["type"] in (
                "error", "warning", "assert"):
            yield "console: " + str(params["args"])[:200]
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            yield "log: " + params["entry"]["text"][:200]


def check_parts(expected, counts):
    """Yields the parts whose share of the map's area differs from their share of the bytes."""
    inputs = expected.mapped and expected.mapped["inputs"]
    if not inputs or any(inputs[key] is None for key in inputs):
        return
    size = sum(file["bytes"] for file in expected.report["inputs"]["files"])
    useful = sum(inputs["fetched_bytes"]) - sum(inputs["wasted_bytes"])
    areas = dict(counts["areas"])
    whole = sum(areas.values())
    for part, value in (("used", useful), ("wasted", sum(inputs["wasted_bytes"]))):
        share = areas.get(part, 0) / whole
        # The names of directories take space, relatively more in small directories.
        if abs(share - value / size) > 0.03:
            yield f"{part} has {share:.3f} of the map, {value / size:.3f} of the bytes"


def check_pointer(browser):
    """Yields the charts that do not describe what the pointer or keyboard selects."""
    for chart, mark, key in (("[data-state] svg", "[data-state] svg", "ArrowRight"),
                             (".map svg", ".map .file", "ArrowDown"),
                             ("table.results .round", "table.results .round", None)):
        place = call(browser, "place", mark)
        if not place:
            continue
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", **place)
        browser.settle()
        found = call(browser, "tip")
        if not found or len(found["text"]) < 10:
            yield f"{chart}: nothing is shown at the pointer"
        elif not found["inside"]:
            yield f"{chart}: the text at the pointer is outside of the window"
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        browser.settle()
        if call(browser, "tip"):
            yield f"{chart}: the text at the pointer stays"
        if not key:
            continue
        browser.evaluate(f"document.querySelectorAll('{chart}')[0].focus()")
        for _ in range(3):
            browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key)
        browser.settle()
        found = call(browser, "tip")
        if not found or len(found["spoken"]) < 10:
            yield f"{chart}: the arrow keys show nothing"
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Escape", code="Escape")
        if call(browser, "tip"):
            yield f"{chart}: Escape does not hide the text"


def check_choices(browser, expected):
    """Yields the page's problems when it shows all variants."""
    browser.evaluate("document.querySelectorAll('input[type=checkbox]:not(:checked)')"
                     ".forEach(box => box.click())")
    browser.settle()
    yield from compare_counts(call(browser, "counts"), expected.counts(expected.watched))
    yield from call(browser, "layout")
    # Each other choice is clicked once: it must draw something without errors.
    browser.evaluate("[...document.querySelectorAll('input[type=radio]')]"
                     ".filter(one => !one.disabled).forEach(one => one.click())")
    browser.settle()
    yield from call(browser, "layout")


def check_headline(browser, expected):
    text = browser.evaluate("document.querySelector('h1').textContent + ' ' + "
                            "document.querySelector('.tiles').textContent")
    if expected.best is None:
        return
    is_stock = expected.base == 0 and expected.report["linker"]["kind"] == "headstart"
    for state in STATES:
        series = expected.variants[expected.best][state]
        # The comparison that shows prefetching's effect if it is known, or the other one.
        main = series and (series.get("to_off") or series)
        if not series:
            wanted = "not measured"
        elif not main["ratio"]:
            wanted = "cannot be compared"
        else:
            share = round(main["ratio"]["median"] * 100)
            low, high = main["ratio"]["low"], main["ratio"]["high"]
            none = "no difference was found" if 0.9 <= low and high <= 1.1 else \
                "too noisy to tell a difference"
            base = "of stock lld" if main is series and is_stock else "without prefetching"
            wanted = {"no difference": f"{none} (ratio {low:.2f}\u2060–\u2060{high:.2f})",
                      "unknown": "too few rounds to tell"}.get(
                          main["verdict"], f"takes {share}% of the time {base}")
            if main is not series and series["ratio"] and expected.base:
                also = (f"Changing the linker: {series['ratio']['median']:.2f} "
                        "of the time of stock lld")
                if also not in text:
                    yield f"{state}: the tiles lack '{also}'"
        if wanted not in text:
            yield f"{state}: the headline lacks '{wanted}': '{text[:120]}'"


def check_bounds(browser, expected):
    """Yields the figures of used bytes that are lower bounds and do not say so, or the reverse."""
    rows = browser.evaluate("[...document.querySelectorAll('table.ends td[data-label=Used]')]"
                            ".map(cell => cell.textContent)")
    links = [(state, v["name"], v["observed"][state]) for state in STATES
             for v in expected.variants if v["observed"][state]]
    if len(rows) != len(links):
        yield f"{len(rows)} rows of watched links, {len(links)} in the report"
        return
    for text, (state, name, link) in zip(rows, links):
        inputs = link["inputs"] or {}
        is_bound = not text.startswith("not known") and inputs.get("wasted_bytes") is None
        if text.endswith(" at least") != is_bound:
            yield f"{state}, {name}: used '{text}'"
    link = expected.mapped
    if link and link["inputs"]["touched_bytes"] and expected.report["inputs"]["files"]:
        heads = browser.evaluate("document.querySelector('table.files thead').textContent")
        if ("Used, at least" in heads) != (link["inputs"]["wasted_bytes"] is None):
            yield f"the table of inputs is headed '{heads}'"


def check_view(browser, url, expected):
    yield from check_events(browser, url)
    yield from call(browser, "layout")
    counts = call(browser, "counts")
    yield from compare_counts(counts, expected.counts(expected.shown))
    yield from check_parts(expected, counts)
    yield from check_headline(browser, expected)
    yield from check_bounds(browser, expected)


def check_page(browser, url, expected, keep):
    for width, scheme in VIEWS:
        view = f"{width} {scheme}"
        browser.show(url, width, scheme)
        browser.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        found = list(check_view(browser, url, expected))
        if keep:
            keep.with_name(f"{keep.name}-{width}-{scheme}.png").write_bytes(browser.picture())
        found += check_picture(browser, scheme)
        found += check_pointer(browser)
        found += check_choices(browser, expected)
        found += check_events(browser, url)
        yield from ((view, text) for text in dict.fromkeys(found))
    browser.show(url, 720, "dark", "print")
    yield from (("print", text) for text in call(browser, "layout"))
    if keep:
        keep.with_name(f"{keep.name}-print.png").write_bytes(browser.picture())
    yield from (("print", text) for text in check_picture(browser, "light"))
    browser.view(1280, "light")
    pdf = browser.call("Page.printToPDF", printBackground=True)["data"]
    if not base64.b64decode(pdf).startswith(b"%PDF") or len(pdf) < 20_000:
        yield "print", "it does not print"


# The scripts that break a page, and a part of the message that must report each.
BREAKS = [
    ("document.querySelector('.tile').style.width = '2000px'", "outside of the page"),
    ("console.error('x')", "console"),
    ("setTimeout(() => { throw new Error('x'); }, 0)", "exception"),
    ("{ const i = new Image(); i.src = 'https://example.invalid/a.png';"
     " document.body.append(i); }", "log"),
    ("document.querySelector('.round').remove()", "rounds"),
    ("document.querySelector('path.line').remove()", "lines"),
    ("document.querySelector('table.stores tbody tr').remove()", "stores"),
    ("document.querySelector('table.decisions tbody tr').remove()", "decisions"),
    ("document.querySelector('.phase').remove()", "phases"),
    ("document.querySelector('.file').remove()", "files"),
    ("document.querySelector('.part').setAttribute('d', 'M0,0h1v1h-1z')", "of the map"),
    ("document.querySelector('path.line').setAttribute('d', 'M0,NaNL1,1')", "NaN"),
    ("document.querySelector('td').textContent = 'undefined'", "nothing to be read"),
    ("document.querySelector('td.num').firstChild.textContent = 'x'.repeat(60);"
     "document.querySelector('table').style.tableLayout = 'fixed'", "longer than its cell"),
    ("document.querySelectorAll('.lane-title')[1].setAttribute('y', 31)", "lies on"),
    ("document.querySelector('.lane-title').setAttribute('x', -90)", "cut by"),
    ("document.querySelector('h1').style.color = '#ddd'", "too pale"),
    ("document.querySelector('svg').removeAttribute('aria-label')", "without a label"),
    ("document.hacked = 1", "run as a script"),
    ("document.querySelector('h1').textContent = 'Fine.'", "the headline"),
    ("document.querySelector('.folder-name').textContent = 'W'.repeat(300)",
     "longer than its tile"),
    ("document.querySelector('table.ends .bound').remove()", "cold, stock: used"),
    ("document.querySelectorAll('table.files th')[4].textContent = 'Used, at least'",
     "the table of inputs is headed"),
]


def self_test(browser, url, expected):
    for code, message in BREAKS:
        browser.show(url, 1280, "light")
        if found := list(check_view(browser, url, expected)):
            yield "whole", found[0]
        browser.evaluate(code + ", 0" if not code.startswith("{") else code)
        browser.settle()
        if not any(message in text for text in check_view(browser, url, expected)):
            yield code, "this was not noticed"
    browser.show(url, 1280, "dark")
    if not any("brightness" in text for text in check_picture(browser, "light")):
        yield "brightness", "dark was taken for light"
    browser.evaluate("document.querySelector('main').replaceChildren()")
    if not list(check_picture(browser, "dark")):
        yield "picture", "an empty page was taken for a full one"


def check_refusals(browser, render, work):
    """Yields the invalid reports that the page does not refuse."""
    for text in ("", "{", "null", "[]", '{"version": 2}', '{"version": 1}',
                 '{"version": 1, "variants": [null]}', "</script>"):
        source, page = work / "no.json", work / "no.html"
        source.write_text(text, encoding="utf-8")
        subprocess.run([render, source, page], check=True)
        browser.show(page.as_uri(), 400, "light")
        yield from ((text, wrong) for wrong in check_events(browser, page.as_uri()))
        yield from ((text, wrong) for wrong in call(browser, "layout"))
        if not browser.evaluate("document.querySelector('.warning') !== null"):
            yield text, "this was not refused"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--render", required=True, help="a program that makes a page of a report")
    parser.add_argument("--out", type=pathlib.Path, help="a directory for the pictures")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("kind", nargs="?", default="normal")
    args = parser.parse_args()
    program = find_browser()
    if not program:
        skip("chromium-headless-shell is not installed (./dev setup installs it)")
    sys.path.append(str(ROOT / "test" / "Inputs"))
    make = importlib.import_module("make-bench-report").make
    report = make(args.kind)
    keep = args.out and args.out / args.kind
    if keep:
        args.out.mkdir(parents=True, exist_ok=True)
    found = 0
    with temporary_directory(prefix="headstart-page-") as work:
        source, page = (work / (args.kind + end) for end in (".json", ".html"))
        source.write_text(json.dumps(report), encoding="utf-8")
        done = subprocess.run([args.render, source, page])
        if done.returncode == 77:
            skip("this build has no page, D3 was not found (./dev setup installs node-d3)")
        if done.returncode:
            raise Problem(f"{args.render} failed")
        with contextlib.closing(Browser(program, str(work / "profile"))) as browser:
            if args.self_test:
                problems = self_test(browser, page.as_uri(), Expected(report))
            elif args.refusals:
                problems = check_refusals(browser, args.render, work)
            else:
                problems = check_page(browser, page.as_uri(), Expected(report), keep)
            for view, text in problems:
                print(f"{args.kind}, {view}: {text}")
                found += 1
    print(f"{found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(f"check-page.py: error: {problem}", file=sys.stderr)
        sys.exit(1)
