#!/usr/bin/env python3
"""The demonstration: measures four variants of one link, cold and warm.

Links 225 COFF objects (about 385 MB, with CodeView) in turn with stock lld-link, with its
/prefetch-inputs, and with Headstart's lld-link without and with a profile.
"""

import argparse
import sys

import harness
import links
import samples
from figures import Runs, format_bytes, median, ratio, runs_of
from harness import say

ROUNDS = 3


def table(cold: Runs, warm: Runs) -> str:
    base = next(iter(cold))
    lines = [f"{'':31}{'cold':>8} {'ratio':>7} {'read':>9} {'warm':>8} {'ratio':>7}"]
    for name, runs in cold.items():
        lines.append(f"{name:31}{median(runs):6.2f} s {ratio(runs, cold[base]):7.2f}"
                     f" {format_bytes(median(runs, 'read_bytes')):>9} {median(warm[name]):6.2f} s "
                     f"{ratio(warm[name], warm[base]):7.2f}")
    return "\n".join(lines)


def report(figures: dict) -> str:
    return "\n".join([
        "", f"{figures['inputs']} objects, {format_bytes(figures['bytes'])}, "
        f"/debug; {harness.description()}",
        f"medians of {ROUNDS} cold and {ROUNDS} warm rounds, ratios to stock pair by pair", "",
        table(runs_of(figures, "cold"), runs_of(figures, "warm")), "",
        f"Headstart fetched {format_bytes(figures['stats'][0]['hinted_bytes'])} ahead of the "
        "linker.",
        "Outputs (.exe and .pdb) of stock and Headstart, cold and warm: "
        + ("identical to the byte." if figures["same"] else "DIFFERENT!")])


NEXT = """
Next, on a project of yours (you own its inputs, or you are root):

    export PATH=$PWD/build/bin:$PATH
    headstart bench clang++-22 *.o -fuse-ld=headstart -o app    # measure any link
    clang++-22 *.o -fuse-ld=headstart -o app                    # use Headstart
    headstart run mold @app.rsp                                 # prefetch for another linker
    headstart doctor                                            # check this machine

CMake, Cargo, Meson, Bazel, gcc: docs/Guide.md. To install it: ./dev packages"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="60 objects instead of 225")
    parser.add_argument("--only-inputs", action="store_true",
                        help="make the sample objects, and stop")
    options = parser.parse_args()
    harness.signals_as_exceptions()
    sample = samples.coff_quick if options.quick else samples.coff_demo
    if options.only_inputs:
        sample()
        return 0
    harness.installed()
    say("Sample inputs (made once; a minute on two cores), then links in turn, cold and warm")
    try:
        figures = links.measure(links.Condition(sample, rounds=ROUNDS, warm_rounds=ROUNDS))
    except KeyboardInterrupt:
        say("\nstopped; the machine is as before")
        return 130
    if not figures:
        return 1
    say(report(figures))
    say(NEXT)
    return 0 if figures["same"] else 1


if __name__ == "__main__":
    sys.exit(main())
