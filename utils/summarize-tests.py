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


def of_lit(path):
    """Yields (name, seconds, whether it failed, the reason to skip it) of a suite's tests."""
    for case in xml.parse(path).getroot().iter("testcase"):
        reason = None
        if (skipped := case.find("skipped")) is not None:
            found = re.search(r"feature\(s\): (.*)", skipped.get("message", ""))
            reason = f"needs {found[1]}" if found else "excluded from this configuration"
        suite = case.get("classname", "").rpartition(".")[2]
        yield (f"{suite}/{case.get('name')}", float(case.get("time", 0)),
               case.find("failure") is not None, reason)


def of_ctest(build, cases):
    for case in cases:
        name = case.get("name").split(" ")[0]
        status = case.get("status")
        suite = build / "test" / f"{name.removeprefix('lit.')}.xml"
        if name.startswith("lit.") and suite.exists() and status != "notrun":
            yield from of_lit(suite)
            continue
        reason = None
        if status in ("notrun", "disabled"):
            output = case.findtext("system-out") or ""
            found = re.search(r"skipped: (.*)|Skipped\n?(.*)", output, re.I)
            reason = (found and (found[1] or found[2]) or "without a reason").strip()
        yield name, float(case.get("time", 0)), status == "fail", reason


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
    tests = list(of_ctest(given.build, root.iter("testcase")))
    failed = [name for name, _, has_failed, _ in tests if has_failed]
    skipped = collections.defaultdict(list)
    for name, _, has_failed, reason in tests:
        if reason and not has_failed:
            skipped[reason].append(name)
    count = sum(map(len, skipped.values()))
    minutes, seconds = divmod(round(float(root.get("time", 0))), 60)
    print(f"\n{len(tests) - len(failed) - count:,} tests passed, {len(failed)} failed, "
          f"{count} skipped in {minutes} min {seconds} s.")
    for name in failed:
        print(f"  failed: {name}")
    for reason, names in sorted(skipped.items()):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"  skipped: {', '.join(names[:3])}{more}: {reason}")
    slowest = sorted(tests, key=lambda test: -test[1])[:SLOWEST]
    print("  slowest: " + ", ".join(f"{name} {seconds:.0f} s" for name, seconds, *_ in slowest))
    if given.rest:
        print(f"`{given.rest}` adds: {rest(given.build)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
