#!/usr/bin/env python3
"""Puts faults into a copy of the engine, one at a time, and tells after how many
seeds the simulation finds each.

usage: simulate-faults.py [--seeds N] [--jobs N] [FAULT...]

A fault is a patch in unittests/Simulation/Faults, whose first lines say what is
wrong. The copy is built in build-faults; the sources here are not touched. Exit
status 1: a fault was not found, or its patch no longer applies."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAULTS = ROOT / "unittests/Simulation/Faults"
COPY = ROOT / "build-faults"


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def update_copy():
    """Copies what is not there yet, or differs: the rest is not built again."""
    listed = run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT)
    for name in listed.stdout.splitlines():
        here, there = ROOT / name, COPY / "source" / name
        if not here.is_file():
            there.unlink(missing_ok=True)
        elif not there.is_file() or here.read_bytes() != there.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)


def build():
    """Whether the copy could be built; else prints why."""
    source = COPY / "source"
    for command in (["cmake", "--preset", "release"],
                    ["cmake", "--build", "build", "--target", "simulate"]):
        done = run(command, cwd=source)
        if done.returncode != 0:
            print(done.stdout[-2000:] + done.stderr)
            return False
    return True


def simulate(seeds, jobs):
    """The first seed that fails and why; None: none does."""
    done = run([COPY / "source/build/unittests/simulate", str(seeds),
                "--jobs", str(jobs)])
    found = re.search(r"^seed (\d+): (.*)$", done.stderr, re.MULTILINE)
    return found and (int(found[1]), found[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--seeds", type=int, default=100000)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    patches = [FAULTS / f"{name}.patch" for name in asked.faults]
    is_complete = True
    for patch in patches or sorted(FAULTS.glob("*.patch")):
        update_copy()
        applied = run(["patch", "-p0", "--force", "-i", patch],
                      cwd=COPY / "source")
        if applied.returncode != 0:
            print(f"{patch.stem:32} does not apply: {applied.stdout.strip()}")
            is_complete = False
            continue
        found = build() and simulate(asked.seeds, asked.jobs)
        print(f"{patch.stem:32} " +
              (f"seed {found[0]:6}  {found[1]}" if found else "not found"),
              flush=True)
        is_complete &= bool(found)
    update_copy()
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
