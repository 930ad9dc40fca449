#!/usr/bin/env python3
"""Summarizes a run of ctest: passed, failed, skipped (with the reason) and slow tests.

Reads BUILD/tests.xml, which `ctest --output-junit` wrote, and the files that lit
wrote for each suite. A test of lit counts as one test."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

SLOWEST = 5


class Run:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = collections.defaultdict(list)  # reason -> names
        self.seconds = {}

    def add(self, name, seconds, failed, reason):
        self.seconds[name] = seconds
        if failed:
            self.failed.append(name)
        elif reason:
            self.skipped[reason].append(name)
        else:
            self.passed += 1


def of_lit(run, path):
    for case in xml.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        reason = None if skipped is None else skipped.get("message", "")
        if reason is not None:
            found = re.search(r"feature\(s\): (.*)", reason)
            reason = f"needs {found[1]}" if found else "excluded from this configuration"
        suite = case.get("classname", "").rpartition(".")[2]
        run.add(f"{suite}/{case.get('name')}", float(case.get("time", 0)),
                case.find("failure") is not None, reason)


def of_ctest(run, build, cases):
    for case in cases:
        name = case.get("name").split(" ")[0]
        status = case.get("status")
        suite = build / "test" / f"{name.removeprefix('lit.')}.xml"
        if name.startswith("lit.") and suite.exists() and status != "notrun":
            of_lit(run, suite)
            continue
        reason = None
        if status in ("notrun", "disabled"):
            output = case.findtext("system-out") or ""
            found = re.search(r"skipped: (.*)|Skipped\n?(.*)", output, re.I)
            reason = (found and (found[1] or found[2]) or "it did not say why").strip()
        run.add(name, float(case.get("time", 0)), status == "fail", reason)


def rest(build):
    """The groups of tests that do not have the label "quick", by size."""
    listed = subprocess.check_output(["ctest", "--test-dir", build, "-N", "-LE", "quick"],
                                     text=True)
    groups = collections.Counter(re.sub(r"^(?:lit|unit)\.|Tests_NOT_BUILT$", "", name).split(".")[0]
                                 for name in re.findall(r"Test +#\d+: (\S+)", listed))
    return ", ".join(sorted(groups))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rest", metavar="COMMAND",
                        help="the command that runs the tests without the label quick")
    given = parser.parse_args()
    root = xml.parse(given.build / "tests.xml").getroot()
    run = Run()
    of_ctest(run, given.build, root.iter("testcase"))
    minutes, seconds = divmod(round(float(root.get("time", 0))), 60)
    skipped = sum(map(len, run.skipped.values()))
    print(f"\n{run.passed:,} tests passed, {len(run.failed)} failed, "
          f"{skipped} skipped in {minutes} min {seconds} s.")
    for name in run.failed:
        print(f"  failed: {name}")
    for reason, names in sorted(run.skipped.items()):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"  skipped: {', '.join(names[:3])}{more}: {reason}")
    slowest = sorted(run.seconds, key=run.seconds.get, reverse=True)[:SLOWEST]
    print("  slowest: " + ", ".join(f"{n} {run.seconds[n]:.0f} s" for n in slowest))
    if given.rest:
        print(f"`{given.rest}` adds: {rest(given.build)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
