#!/usr/bin/env python3
"""Make a realistic link to measure: the corpus of Headstart's benchmarks.

A prefetcher can only be judged on inputs like those of real programs: a
linker reads section headers and symbols first, then section contents, then
types, and how many bytes of each kind an object holds decides what the disk
sees.  Real game code is not ours to hand out and takes hours to compile.  So
this script writes C++ that looks like it (an engine header with containers,
delegates and reflection, instantiated over many types; classes with virtual
functions; debug information) and compiles it to as many objects as asked.

    make-corpus.py coff --out /tmp/corpus
    cd /tmp && lld-link /Brepro /debug /entry:main /subsystem:console \
        /nodefaultlib @/tmp/corpus/link.rsp /out:a.exe /pdb:a.pdb

What it leaves in the output folder:

    obj/<folder>/<name>.obj  the objects; obj/launch/main.obj has the entry
    link.rsp                 every object, folder by folder
    lib/<folder>.lib         with --archive: the same objects in archives
    link-archives.rsp        with --archive: a link that takes 1/8 of them
    src/, pch/               the sources, kept to look at
    made.jsonl               what was made from which recipe, to resume from
    corpus.json              the stamp: written last, when all is there

The code needs no header and no library.  Every object is a translation unit
of its own; like in real code most of its bytes come from headers, so that
objects share types and inline functions (COMDATs) for the linker to fold.
The headers are precompiled, one per module, because parsing and
instantiating them again in every object would take longer than all the rest.

The same seed and compiler give the same bytes, in whatever folder and with
however many jobs.

This is the command line; the package corpus/ next to it does the work.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from typing import Sequence

from corpus.coff import CoffCorpus
from corpus.failure import Failure
from corpus.plan import STRIDE

DEFAULT_OBJECTS = 450
DEFAULT_BYTES_PER_OBJECT = 1_670_000
DEFAULT_FOLDERS = 40


def byte_count(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)B?", text.upper())
    if not match:
        raise argparse.ArgumentTypeError(
            f"not a size: {text!r} (750M, 2.2G, ...)")
    unit = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[match.group(2)]
    return int(float(match.group(1)) * unit)


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Make a realistic link to measure.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    coff = kinds.add_parser(
        "coff", help="objects for Windows with CodeView, for lld-link")
    coff.add_argument("--out", required=True, metavar="DIR",
                      help="new, empty, or made by this script")
    coff.add_argument("--objects", type=positive, default=DEFAULT_OBJECTS,
                      metavar="N", help="default: %(default)s")
    coff.add_argument("--bytes", type=byte_count, metavar="SIZE",
                      help="of all objects, such as 750M or 2.2G; the "
                      "result is a few percent above; default: "
                      f"{DEFAULT_BYTES_PER_OBJECT / 1e6:.2f} MB an object")
    coff.add_argument("--folders", type=positive, default=DEFAULT_FOLDERS,
                      metavar="K", help="default: %(default)s")
    coff.add_argument("--archive", action="store_true",
                      help="also make archives, and a link that takes "
                      f"1/{STRIDE} of their members")
    coff.add_argument("--jobs", type=positive, default=os.cpu_count() or 1,
                      metavar="J", help="default: one per core")
    coff.add_argument("--seed", type=int, default=1, metavar="S")
    coff.add_argument("--compiler", metavar="CLANG",
                      help="default: clang++-22, else clang++")
    coff.add_argument("--librarian", metavar="LIB",
                      help="default: llvm-lib-22, else llvm-lib")
    options = parser.parse_args(arguments)
    if options.objects < 2:
        parser.error("--objects: main and at least one more")
    if options.bytes is None:
        options.bytes = options.objects * DEFAULT_BYTES_PER_OBJECT
    options.folders = min(options.folders, options.objects - 1)
    return options


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        CoffCorpus(options).make()
    except Failure as failure:
        print(f"make-corpus: error: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make-corpus: interrupted; the next run goes on from here",
              file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
