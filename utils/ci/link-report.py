#!/usr/bin/env python3
"""Reports as Markdown the figures of Headstart for the links of a build.

DIRECTORY has the reports of --prefetch-stats=DIRECTORY/ (headstart-linkers(7)). Each of the
links with the largest inputs has its own row; the others share one.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

# The reason not to prefetch of a linker that only printed its version (LinkSession.cpp).
NO_LINK = "this command does not link"
# The keys that are added up, and the names of their columns.
COLUMNS = {
    "inputs": "inputs",
    "inputs_bytes": "size",
    "resident_bytes_before": "cached before",
    "hinted_bytes": "fetched ahead",
    "wasted_bytes": "unused",
    "linker_read_bytes": "read by the linker",
    "linker_stops": "waits for the disk",
    "waited_ms": "wait for inputs being opened",
    "link_ms": "link",
}


def shown(key, value):
    """A figure for people; a dash if the system did not report it."""
    if value is None:
        return "–"
    if key.endswith("_ms"):
        return f"{value / 1000:.2f} s"
    if key == "linker_stops":
        return f"{value} ×"
    return in_bytes(value) if "bytes" in key else str(value)


def in_bytes(value):
    """Formats bytes as the linkers do: with powers of ten."""
    if value < 1000:
        return f"{value} byte" + ("s" if value != 1 else "")
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        value /= 1000
        if value < 999.5:
            break
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def counted(number, what):
    return f"{number} {what}" + ("s" if number != 1 else "")


def as_text(name):
    """Escapes a name, so that it stays within its cell."""
    name = re.sub(r"[\x00-\x1f\x7f]", " ", name)
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&$])", r"\\\1", name)


def name_of(report):
    return as_text(str(report.get("output") or report.get("tool")))


def is_report(report):
    return (isinstance(report, dict) and report.get("version") == 1
            and report.get("mode") in ("on", "off")
            and all(isinstance(report.get(key, 0), (int, float, type(None))) for key in COLUMNS)
            and all(isinstance(report.get(key), (int, float))
                    for key in ("inputs_bytes", "resident_bytes_before",
                                "hinted_bytes", "link_ms")))


def read(directory):
    """Returns (the reports in the order of time, the names of other files)."""
    reports, others = [], []
    for path in sorted(directory.glob("*.json")):
        try:
            report = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            report = None
        if is_report(report):
            reports.append(report)
        else:
            others.append(path.name)
    return reports, others


def added(reports):
    known = {key: [r[key] for r in reports if r.get(key) is not None] for key in COLUMNS}
    return {key: sum(values) if values else None for key, values in known.items()}


def row(name, figures):
    cells = [name] + [shown(key, figures.get(key)) for key in COLUMNS]
    return "| " + " | ".join(cells) + " |"


def table(links, most):
    """The links with the largest inputs in the order of time, and the sum."""
    largest = sorted(links, key=lambda r: -r["inputs_bytes"])[:most]
    rest = [r for r in links if not any(r is one for one in largest)]
    lines = ["| output | " + " | ".join(COLUMNS.values()) + " |",
             "| --- |" + " ---: |" * len(COLUMNS)]
    lines += [row(name_of(r), r) for r in links if any(r is one for one in largest)]
    if rest:
        lines.append(row(f"*{counted(len(rest), 'smaller link')}*", added(rest)))
    if len(links) > 1:
        lines.append(row(f"**{counted(len(links), 'link')}**", added(links)))
    return lines


def summary(links):
    total = added(links)
    cold = total["hinted_bytes"]
    verb = "has" if len(links) == 1 else "have"
    lines = [f"{counted(len(links), 'link')} {verb} {in_bytes(total['inputs_bytes'])} of inputs; "
             f"{in_bytes(total['resident_bytes_before'])} of them were cached before."]
    if not cold:
        lines.append("Headstart had nothing to fetch.")
    else:
        unused = total["wasted_bytes"]
        missing = total["inputs_bytes"] - total["resident_bytes_before"]
        lines.append(f"Headstart requested {in_bytes(cold)} ahead of the linkers"
                     + (f" (at most {in_bytes(missing)} of it not cached)"
                        if missing < cold else "")
                     + (f"; they did not use {in_bytes(unused)} of this" if unused else "") + ".")
    if total["linker_read_bytes"] is not None:
        lines.append(f"The linkers read {in_bytes(total['linker_read_bytes'])} "
                     "themselves, including their program, and waited for the disk "
                     f"{counted(total['linker_stops'] or 0, 'time')} (major page faults).")
    if cold:
        lines.append("One build cannot show the time that this saved; `headstart "
                     "bench` measures a link with and without prefetching.")
    return " ".join(lines)


def write(directory, most):
    reports, others = read(directory)
    links = [r for r in reports if r["mode"] == "on"]
    print("### Headstart\n")
    if links:
        print(summary(links) + "\n")
        print("\n".join(table(links, most)))
    elif not directory.is_dir():
        # The first link creates it, so a build without links is no error.
        print(f"There is no directory {as_text(str(directory))}: the build did not run "
              "Headstart's linkers, or their reports are elsewhere.")
    else:
        print("Headstart prefetched for no link: the build did not run its linkers, "
              "or prefetching was off.")
    off = collections.Counter(r.get("why_off") for r in reports
                              if r["mode"] != "on" and r.get("why_off") != NO_LINK)
    problems = [f"{counted(count, 'link')} without prefetching: {as_text(str(why))}"
                for why, count in off.items()]
    problems += [f"{as_text(r.get('output') or r['tool'])}: {as_text(str(e.get('message')))} "
                 f"({e.get('count')} ×)" for r in links for e in r.get("errors", [])]
    problems += [f"{as_text(name)} is not a report of a link" for name in others]
    if problems:
        print("\n" + "\n".join(f"- {p}" for p in problems[:most]))
        if len(problems) > most:
            print(f"- and {len(problems) - most} more")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--links", type=int, default=20, metavar="N",
                        help="at most so many rows (20)")
    args = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    write(args.directory, args.links)
    return 0


if __name__ == "__main__":
    sys.exit(main())
