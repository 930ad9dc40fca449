#!/usr/bin/env python3
"""Make a realistic link to measure: the corpus of Headstart's benchmarks.

A prefetcher can only be judged on inputs like those of real programs: a
linker reads section headers and symbols first, then section contents, then
types, and the number of bytes of each kind in an object decides the reads of
the disk.  Real game code is not ours to distribute and takes hours to compile.
The script therefore writes C++ like it (an engine header with containers,
delegates and reflection, instantiated over many types; classes with virtual
functions; debug information), and compiles it to the requested objects.

    make-corpus.py coff --out /tmp/corpus
    cd /tmp && lld-link /Brepro /debug /entry:main /subsystem:console \
        /nodefaultlib @/tmp/corpus/link.rsp /out:a.exe /pdb:a.pdb

    make-corpus.py macho --out /tmp/corpus --arch arm64 --optimize 1
    cd /tmp && ld64.lld -arch arm64 -platform_version macos 11.0 11.0 \
        -e __Z4mainv @/tmp/corpus/link.rsp /tmp/corpus/libSystem.tbd

    make-corpus.py elf --out /tmp/corpus
    ld.lld -e _Z4mainv --unresolved-symbols=ignore-all @/tmp/corpus/link.rsp

It leaves these in the output directory:

    obj/<folder>/<name>.obj  the objects; obj/launch/main.obj has the entry
    link.rsp                 every object, directory by directory
    lib/<folder>.lib         with --archive: the same objects in archives
    link-archives.rsp        with --archive: a link that takes 1/8 of them
    src/                     the sources, to inspect
    made.jsonl               the recipe of each file: a run makes what is missing
    libSystem.tbd            macho: the system's library, as far as needed;
                             objects end in .o there, archives in .a

The code needs no header and no library.  Every object is its own translation
unit; as in real code, most of its bytes come from headers, so that objects
share types and inline functions (COMDATs), which the linker folds.
The headers are precompiled, one per module, because parsing and
instantiating them again in every object would take longer than all the rest.

The same seed and compiler give the same bytes, in any directory and with any
number of jobs.

This is the command line; the package corpus/ next to it does the work.
"""

import argparse
import os
import re
import signal
import sys
from typing import Sequence

from corpus.plan import STRIDE
from corpus.target import COFF, Target, elf, macho
from corpus.whole import Corpus
from corpus.workshop import Failure

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


def add_common(kind: argparse.ArgumentParser) -> None:
    kind.add_argument("--out", required=True, metavar="DIR",
                      help="new, empty, or made by this script")
    kind.add_argument("--objects", type=positive, default=DEFAULT_OBJECTS,
                      metavar="N", help="default: %(default)s")
    kind.add_argument("--bytes", type=byte_count, metavar="SIZE",
                      help="of all objects, such as 750M or 2.2G; the "
                      "result is a few percent above; default: "
                      f"{DEFAULT_BYTES_PER_OBJECT / 1e6:.2f} MB an object")
    kind.add_argument("--folders", type=positive, default=DEFAULT_FOLDERS,
                      metavar="K", help="default: %(default)s")
    kind.add_argument("--archive", action="store_true",
                      help="also make archives, and a link that takes "
                      f"1/{STRIDE} of their members")
    kind.add_argument("--jobs", type=positive, default=os.cpu_count() or 1,
                      metavar="J", help="default: one per core")
    kind.add_argument("--seed", type=int, default=1, metavar="S")


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Make a realistic link to measure.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    coff = kinds.add_parser(
        "coff", help="objects for Windows with CodeView, for lld-link")
    add_common(coff)
    mach = kinds.add_parser(
        "macho", help="objects for macOS with DWARF, for ld64.lld")
    add_common(mach)
    mach.add_argument("--arch", choices=("arm64", "x86_64"), default="arm64",
                      help="default: %(default)s")
    mach.add_argument("--dwarf", type=int, choices=(4, 5), default=4,
                      help="the version; default: %(default)s")
    unix = kinds.add_parser(
        "elf", help="objects for Linux with DWARF, for ld.lld")
    add_common(unix)
    unix.add_argument("--split-dwarf", action="store_true",
                      help="debug information in .dwo files")
    unix.add_argument("--lto", action="store_true",
                      help="bitcode for ThinLTO")
    for kind in (mach, unix):
        kind.add_argument("--optimize", type=int, choices=(0, 1, 2), default=0,
                          metavar="LEVEL", help="as in -O; default: %(default)s")
    options = parser.parse_args(arguments)
    if options.objects < 2:
        parser.error("--objects: main and at least one more")
    if options.bytes is None:
        options.bytes = options.objects * DEFAULT_BYTES_PER_OBJECT
    options.folders = min(options.folders, options.objects - 1)
    return options


def target_of(options: argparse.Namespace) -> Target:
    if options.kind == "coff":
        return COFF
    if options.kind == "elf":
        return elf(options.optimize, options.split_dwarf, options.lto)
    return macho(options.arch, options.optimize, options.dwarf)


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        Corpus(options, target_of(options)).make()
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
