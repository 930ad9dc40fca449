#!/usr/bin/env python3
"""Compares a walk of trees under Wine with the trees on the host: names, types and sizes.

Wine shows the host's links as their targets, so the script refuses trees with links.
"""

import argparse
import pathlib
import subprocess
import sys


def on_the_host(root):
    lines = set()
    for path in root.rglob("*"):
        if path.is_symlink():
            sys.exit(f"{path}: a link, which this test cannot compare")
        kind, size = ("d", "-") if path.is_dir() else ("f", path.stat().st_size)
        lines.add(f"{kind}\t{size}\t{path.relative_to(root)}")
    if not lines:
        sys.exit(f"{root}: empty, which would prove nothing")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wine")
    parser.add_argument("program")
    parser.add_argument("roots", nargs="+", type=pathlib.Path, metavar="directory")
    arguments = parser.parse_args()
    failed = False
    sys.stdout.reconfigure(errors="backslashreplace")
    for root in arguments.roots:
        expected = on_the_host(root)
        for jobs in ("1", "8"):
            run = subprocess.run([arguments.wine, arguments.program, f"Z:{root.resolve()}", jobs],
                                 stdout=subprocess.PIPE, encoding="utf-8",
                                 errors="surrogateescape")
            lines = run.stdout.splitlines()
            wrong = bool(run.returncode) or sorted(lines) != sorted(expected)
            failed |= wrong
            print(f"{root}, {jobs} jobs: {'DIFFERENT' if wrong else 'the same'}, {len(lines)} of "
                  f"{len(expected)} entries, status {run.returncode}",
                  *sorted(set(lines) ^ expected)[:20], sep="\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
