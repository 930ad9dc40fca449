#!/usr/bin/env python3
"""Makes a realistic link to measure: the corpus of Headstart's benchmarks.

The bytes of each kind in an object (headers, symbols, contents, types) decide the reads of the
disk, so only inputs like those of real programs can judge a prefetcher. Real game code is not ours
to distribute and takes hours to compile. The script therefore writes C++ like it (an engine header
with containers, delegates and reflection, instantiated over many types; classes with virtual
functions), and compiles it to the requested objects.

    make-corpus.py coff --out /tmp/corpus
    lld-link /Brepro /debug /entry:main /subsystem:console /nodefaultlib @/tmp/corpus/link.rsp

    make-corpus.py macho --out /tmp/corpus --arch arm64 --optimize 1
    ld64.lld -arch arm64 -platform_version macos 11.0 11.0 -e __Z4mainv @/tmp/corpus/link.rsp \
        /tmp/corpus/libSystem.tbd

    make-corpus.py elf --out /tmp/corpus
    ld.lld -e _Z4mainv --unresolved-symbols=ignore-all @/tmp/corpus/link.rsp

It leaves these in the output directory:

    obj/<directory>/<name>.obj  the objects; obj/launch/main.obj has the entry
    link.rsp                    every object, directory by directory
    lib/<directory>.lib         with --archive: the same objects in archives
    link-archives.rsp           with --archive: a link that takes 1/8 of them
    src/                        the sources, to inspect
    build.ninja                 how each file is made: a run makes the missing ones
    libSystem.tbd               macho: the system's library, as far as the link needs it

The code needs no header and no library. As in real code, most bytes of an object come from headers,
so that objects share types and inline functions (COMDATs), which the linker folds. The headers are
precompiled, one per module: to parse them again for every object would take longer than all the
rest. The same seed and compiler give the same bytes, in any directory.
"""

import argparse
import fcntl
import re
import shutil
import signal
import sys
import time
from pathlib import Path

from corpus.build import COFF, Build, Failure, elf, macho
from corpus.sources import STRIDE, plan_units

DEFAULT_BYTES_PER_OBJECT = 1_670_000


def byte_count(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)B?", text.upper())
    if not match:
        raise argparse.ArgumentTypeError(f"not a size: {text!r} (750M, 2.2G, ...)")
    unit = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[match.group(2)]
    return int(float(match.group(1)) * unit)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("coff", "macho", "elf"),
                        help="objects for Windows with CodeView, for macOS or Linux with DWARF")
    parser.add_argument("--out", required=True, metavar="DIR",
                        help="new, empty, or made by this script")
    parser.add_argument("--objects", type=int, default=450, metavar="N",
                        help="default: %(default)s")
    parser.add_argument("--bytes", type=byte_count, metavar="SIZE",
                        help="of all objects, such as 750M or 2.2G; the result is a few percent "
                        f"above; default: {DEFAULT_BYTES_PER_OBJECT / 1e6:.2f} MB an object")
    parser.add_argument("--directories", type=int, default=40, metavar="K",
                        help="default: %(default)s")
    parser.add_argument("--archive", action="store_true",
                        help=f"also make archives, and a link that takes 1/{STRIDE} of their "
                        "members")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--optimize", type=int, choices=(0, 1, 2), default=0, metavar="LEVEL",
                        help="macho, elf: as in -O; default: %(default)s")
    parser.add_argument("--arch", choices=("arm64", "x86_64"), default="arm64",
                        help="macho; default: %(default)s")
    parser.add_argument("--dwarf", type=int, choices=(4, 5), default=4,
                        help="macho: the version; default: %(default)s")
    parser.add_argument("--split-dwarf", action="store_true",
                        help="elf: debug information in .dwo files")
    parser.add_argument("--lto", action="store_true", help="elf: bitcode for ThinLTO")
    options = parser.parse_args()
    if options.objects < 2 or options.directories < 1:
        parser.error("main and at least one more object are needed, and a directory")
    if options.bytes is None:
        options.bytes = options.objects * DEFAULT_BYTES_PER_OBJECT
    options.directories = min(options.directories, options.objects - 1)
    options.target = {"coff": lambda: COFF,
                      "elf": lambda: elf(options.optimize, options.split_dwarf, options.lto),
                      "macho": lambda: macho(options.arch, options.optimize, options.dwarf),
                      }[options.kind]()
    return options


def make(options: argparse.Namespace, root: Path) -> None:
    start = time.monotonic()
    units = plan_units(options.objects, int(options.bytes * options.target.scale),
                       options.directories, options.seed)
    build = Build(root, options.target, units, options.seed)
    objects, archives = build.plan(options.archive)
    build.run()
    (root / "link-archives.rsp").unlink(missing_ok=True)
    for name, inputs in (("link.rsp", objects), ("link-archives.rsp", archives)):
        if inputs:
            paths = [str(root / path) for path in inputs]
            (root / name).write_text("".join(
                f'"{path}"\n' if re.search(r"\s", path) else f"{path}\n" for path in paths))
    for name in options.target.files:
        shutil.copy(Path(__file__).parent / "corpus" / name, root)
    total = sum((root / path).stat().st_size for path in objects)
    if total < options.bytes:
        print(f"make-corpus: warning: {total} bytes, fewer than the requested {options.bytes}",
              file=sys.stderr)
    print(f"{root}: {len(objects)} objects, {total / 1e6:.0f} MB, "
          f"in {time.monotonic() - start:.0f} s")


def make_alone(options: argparse.Namespace) -> None:
    """Makes a corpus while no other process does, without the files of a run that was killed."""
    root = Path(options.out).resolve()
    if '"' in str(root):
        raise Failure(f"{root}: a response file cannot quote this")
    root.mkdir(parents=True, exist_ok=True)
    others = {path.name for path in root.iterdir()} - {"lock"}
    if others and not (root / "src/compiler").exists():
        raise Failure(f"{root} has files that are not a corpus")

    def remove_temporary() -> None:
        for name in ("tmp", "pch"):
            shutil.rmtree(root / name, ignore_errors=True)
    with open(root / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        remove_temporary()
        try:
            make(options, root)
        finally:
            remove_temporary()


def main() -> int:
    options = parse_arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        make_alone(options)
    except Failure as failure:
        print(f"make-corpus: error: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make-corpus: interrupted; the next run continues", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
