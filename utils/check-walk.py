#!/usr/bin/env python3
"""Compares a walk of trees under Wine with the trees on the host.

Names, types and sizes must be those that the host's own system calls return. Wine shows
the host's links as their targets, so the script refuses trees with links.
"""

import argparse
import os
import stat
import subprocess
import sys


def on_the_host(root):
    lines = set()
    for directory, directories, files in os.walk(os.fsencode(root)):
        for name in directories + files:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                sys.exit(f"{os.fsdecode(path)}: a link; give a tree without")
            shown = os.path.relpath(path, os.fsencode(root))
            if stat.S_ISDIR(status.st_mode):
                lines.add(b"d\t-\t" + shown)
            else:
                lines.add(b"f\t%d\t%s" % (status.st_size, shown))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wine")
    parser.add_argument("program")
    parser.add_argument("roots", nargs="+", metavar="folder")
    arguments = parser.parse_args()
    wine, program = arguments.wine, arguments.program
    failed = False
    for root in arguments.roots:
        expected = on_the_host(root)
        if not expected:
            sys.exit(f"{root}: nothing there, which would show nothing")
        for jobs in ("1", "8"):
            run = subprocess.run([wine, program, "Z:" + os.path.abspath(root), jobs],
                                 stdout=subprocess.PIPE)
            lines = run.stdout.replace(b"\r\n", b"\n").splitlines()
            wrong = set(lines) ^ expected
            if run.returncode or wrong or len(lines) != len(expected):
                failed = True
                print(f"{root}, {jobs} jobs: status {run.returncode}, "
                      f"{len(lines)} entries, {len(expected)} expected")
                for line in sorted(wrong)[:20]:
                    print("+" if line in expected else "-", os.fsdecode(line))
            else:
                print(f"{root}, {jobs} jobs: {len(expected)} entries, the same")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
