"""Makes objects for links through farfs, and checks the requests of such a link.

    high-latency-objects.py make LLVM-MC     far/0.o to far/59.o, and their names in `args`
    high-latency-objects.py check STOCK OURS LOG    compares the counts of two links
    high-latency-objects.py names STOCK OURS        compares the counts of lookups
    high-latency-objects.py order LOG               checks the order of a link with eight threads
"""

import json
import pathlib
import subprocess
import sys

COUNT = 60


def make(assembler: str) -> None:
    directory = pathlib.Path("far")
    directory.mkdir()
    for number in range(COUNT):
        # Sections that lld reads, and one that it does not.
        text = (f".globl f{number}\nf{number}: ret\n"
                f".data\n.fill {20_000 + 5_000 * number}, 1, {number}\n"
                ".section .unused,\"e\"\n.fill 3000, 1, 1\n")
        subprocess.run([assembler, "-filetype=obj", "-triple=x86_64",
                        "-o", str(directory / f"{number}.o")],
                       input=text.encode(), check=True)
    pathlib.Path("args").write_text(
        "-e f0 " + " ".join(f"far/{n}.o" for n in range(COUNT)))


def counts_of(*names: str) -> list:
    return [json.loads(pathlib.Path(name).read_text()) for name in names]


def calls_of(log: str) -> list:
    return [line.split() for line in pathlib.Path(log).read_text().splitlines()]


def order(log: str) -> int:
    """Checks that reads are in the linker's order, except for concurrent threads."""
    places = [int(path[1:-2]) for _, call, path, offset, _ in calls_of(log)
              if call == "read" and offset == "0"]
    if sum(abs(place - at) for at, place in enumerate(places)) <= 8 * COUNT:
        return 0
    print(f"out of order: {places}")
    return 1


def names(stock: str, ours: str) -> int:
    """Checks that listings replace at least a quarter of stock's lookups."""
    before, after = counts_of(stock, ours)
    if after["listings"] and after["lookups"] * 4 <= before["lookups"] * 3:
        return 0
    print(before, after, "too many lookups", sep="\n")
    return 1


def check(stock: str, ours: str, log: str) -> int:
    before, after = counts_of(stock, ours)
    problems = []
    if after["reads"] > before["reads"]:
        problems.append("more requests than stock")
    if after["rounds"] * 2 > before["rounds"]:
        problems.append("waits more than half as often as stock")
    if after["bytes"] > before["bytes"] * 1.1:
        problems.append("more bytes than stock")
    opened = [path for _, call, path, _, _ in calls_of(log) if call == "open"]
    # A file is opened again if FUSE has skipped a request for large pages. All requests
    # that were in flight then are skipped.
    if len(opened) > len(set(opened)) + COUNT // 4:
        problems.append("files are opened twice")
    if problems:
        print(before, after, *problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        checks = {"check": check, "names": names, "order": order}
        sys.exit(checks[sys.argv[1]](*sys.argv[2:]))
