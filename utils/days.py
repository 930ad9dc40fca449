#!/usr/bin/env python3
"""Runs ordinary working days of many projects with stock lld and with Headstart.

A day is a project and 5 to 30 steps: links, edits, rebuilds, branches, Ctrl-C, two links at once,
little memory (modules in days/). Random pages of the inputs are cached before each link. Outputs,
messages and exit status must be those of stock lld, and Headstart must not leave a process or a
lock.

Without COUNT the command runs the whole campaign: for each flavour 10,000 steps on small projects
and 1,500 on projects of 500 inputs and more. After Ctrl-C it continues where it stopped; the counts
are in the work directory, for one build of the programs. With COUNT it runs that many steps, spread
over flavours and sizes.

--seed N repeats one day of --flavour and --size. If a day differs, the command shrinks it, and
prints the --objects and --steps that repeat the small one. It ends with a line for each flavour and
size; it exits with 1 if there was a difference.
"""

import argparse
import os
import signal
import sys

from common import ROOT, skip
from days import campaign
from days.campaign import TARGETS, Campaign, Totals, digest_of_programs
from days.day import outline
from days.objects import Objects
from links.judge import parser_of, prepare

REAL_SHARE = 4
QUICK = (0, 2, 4)  # the real sizes that a COUNT uses (days/project.py)


def parse() -> argparse.Namespace:
    parser = parser_of(__doc__)
    # The days wait for the disk. A link with sanitizers takes longer.
    parser.set_defaults(jobs=(os.cpu_count() or 1) + 1, timeout=None, work=ROOT / "build" / "days")
    parser.add_argument("count", type=int, nargs="?", help="steps in all")
    parser.add_argument("--size", choices=list(TARGETS))
    parser.add_argument("--objects", type=int, default=0,
                        help="with --seed: at most this many objects")
    parser.add_argument("--steps", help="with --seed: only these, as 1,2,5")
    parser.add_argument("--write", action="store_true",
                        help="write the section of docs/Correctness.md")
    arguments = parser.parse_args()
    prepare(arguments)
    if arguments.seed is not None and not (len(arguments.flavours) == 1 and arguments.size):
        parser.error("--seed needs --flavour and --size")
    return arguments


def parts_of(arguments):
    """The flavours and sizes; the real sizes are first, since they find the most."""
    return [(flavour, size) for flavour in arguments.flavours
            for size in ("real", "small") if arguments.size in (None, size)]


def days_of(count: int, first: int, flavour: str, size: str, abilities):
    """Days of `count` steps in all; the last day is shortened."""
    seed = first
    while count > 0:
        if size == "small" or seed % 6 in QUICK:
            steps = len(outline(flavour, size, seed, abilities)[1])
            yield flavour, size, seed, min(steps, count)
            count -= steps
        seed += 1


def go_through(run: Campaign, days, totals: dict):
    """Runs the days, and stores their results. Returns the records, and whether all days ran."""
    def on_result(result):
        if result["text"]:
            print(result["text"], flush=True)
        totals[result["flavour"], result["size"]].add(result)
    finished = run.go_through(days, on_result)
    return [total.record for total in totals.values()], finished


def sample(arguments, run: Campaign):
    """Runs COUNT steps, without storing their counts."""
    parts = parts_of(arguments)
    days = []
    for flavour, size in parts:
        # With both sizes, one of REAL_SHARE steps has a real size.
        share = REAL_SHARE if arguments.size else 1 if size == "real" else REAL_SHARE - 1
        count = -(-arguments.count * share // (REAL_SHARE * len(arguments.flavours)))
        days += days_of(count, arguments.first, flavour, size, run.abilities)
    days.sort(key=lambda day: day[1] != "real")  # the longest first
    return go_through(run, days, {part: Totals(None, *part, "") for part in parts})


def whole(arguments, run: Campaign):
    programs = digest_of_programs(arguments.ours)
    totals = {part: Totals(arguments.work, *part, programs) for part in parts_of(arguments)}

    def days():
        for (flavour, size), total in totals.items():
            seed = 0
            while total.steps() < TARGETS[size]:
                if seed not in total.record["done"]:
                    yield flavour, size, seed, 0
                seed += 1
    return go_through(run, days(), totals)


def main() -> int:
    arguments = parse()
    if not sys.platform.startswith("linux"):
        skip("days need Linux (process ids as files, evicting)")
    run = Campaign(arguments)
    if not run.abilities.evict:
        skip(f"pages of files in {arguments.work} cannot be evicted")
    if arguments.write and arguments.count is None:
        programs = digest_of_programs(arguments.ours)
        records = [Totals(arguments.work, *part, programs).record for part in parts_of(arguments)]
        print(campaign.plain(records))
        campaign.write(records)
        return 0
    for flavour in arguments.flavours:  # makes the pools
        Objects(flavour, arguments.stock, arguments.work, arguments.jobs)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if arguments.seed is not None:
        steps = arguments.steps and [int(n) for n in arguments.steps.split(",")]
        return campaign.show(arguments, run.abilities, steps)
    records, finished = (sample if arguments.count else whole)(arguments, run)
    print(campaign.plain(records))
    if not finished:
        print("stopped; the steps so far count" if arguments.count is None else "stopped")
        return 130
    return any(r["different"] for r in records)


if __name__ == "__main__":
    sys.exit(main())
