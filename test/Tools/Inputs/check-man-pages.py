#!/usr/bin/env python3
"""Compares the options in each man page with those that --help prints."""

import pathlib
import re
import subprocess
import sys


def main():
    program, folder = sys.argv[1:]
    wrong = 0
    for page in sorted(pathlib.Path(folder).glob("headstart-*.1")):
        subcommand = page.stem.split("-", 1)[1]
        text = page.read_text(encoding="utf-8")
        # ".It Fl -glob Ns = Ns Ar GLOB", ".It Fl h , Fl -help"
        described = set()
        for line in re.findall(r"^\.It (Fl .*)$", text, re.M):
            described |= set(re.findall(r"Fl (\S+)", line))
        synopsis = text.split(".Sh SYNOPSIS")[1].split(".Sh DESCRIPTION")[0]
        shown = set(re.findall(r"Fl (\S+)", synopsis))
        done = subprocess.run([program, subcommand, "--help"], check=True,
                              stdout=subprocess.PIPE, text=True)
        real = set()
        for line in done.stdout.splitlines():
            match = re.match(r"  -(-?[^ =]+)", line)
            if match:
                real.add(match.group(1))
        for name, found in (("described", described - {"h"}),
                            ("in the synopsis", shown | {"-help", "-version"})):
            if found != real:
                print(f"{page.name}: {name}: missing {real - found}, "
                      f"too many {found - real}")
                wrong += 1
        print(f"{page.stem}: {len(real)} options")
    sys.exit(1 if wrong or not real else 0)


main()
