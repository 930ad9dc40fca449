#!/usr/bin/env python3
"""Checks a link by lld-link.exe from both sides: the requests that it reports under Wine, and
the contents of the host's page cache.

    check-wine-link.py WINDOWS_BUILD DIRECTORY [--program]

WINDOWS_BUILD is the directory of the preset windows, DIRECTORY a directory on a real disk.

The first input is a pipe, at which the linker waits until the script continues it. Meanwhile the
prefetcher must read the other inputs into the host's page cache, in order and as far as it is
allowed. With /prefetch-inputs:no, only the pages that Wine itself reads of an opened file may be
cached.

With --program, the script links a real C++ program instead, lld.exe, from the inputs from which
utils/build-windows-llvm.py linked it, and runs it."""

import importlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import LLVM, ROOT, skip, temporary_directory

LLVM_WINDOWS = ROOT / "build-tools" / "llvm-windows" / "build"
COUNT = 4
BYTES = 8 << 20
PAGE = 4096
EACH = BYTES // PAGE
# The pages around a range, which Wine or readahead reads, and those that the plan omits.
SLACK = 64
# The prefetcher inspects the next input meanwhile, and the host's readahead continues.
AHEAD = 256
TIMEOUT = 20
# The arguments of every link.
PLAIN = ["/entry:main", "/subsystem:console", "/nodefaultlib", "/Brepro", "/out:x.exe"]

residency = importlib.import_module("check-wine-residency")
check, cached, evict = residency.check, residency.cached, residency.evict


def assemble(path: Path, text: str) -> Path:
    subprocess.run([LLVM / "llvm-mc", "-triple=x86_64-windows-msvc", "-filetype=obj", "-o", path,
                    "-"], input=text, text=True, check=True, cwd=path.parent)
    return path


def make_main(directory: Path) -> None:
    assemble(directory / "main.obj", ".globl main\nmain:\n ret\n")


def make_inputs(directory: Path) -> list:
    """Makes main.obj, and returns objects of data that the link keeps."""
    make_main(directory)
    big = []
    for i in range(COUNT):
        (directory / "data").write_bytes(os.urandom(BYTES))
        big.append(assemble(directory / f"big{i}.obj",
                            f".data\n.globl big{i}\nbig{i}:\n.incbin \"data\"\n"))
    os.sync()
    return big


class Link:
    """A link that waits at its first input."""

    def __init__(self, build: Path, directory: Path, options: list, linker: Path | None = None):
        ours = [] if linker else ["/prefetch-profile:none", "/prefetch-stats:s.json"]
        self.pipe = subprocess.Popen(
            [residency.WINE, build / "unittests" / "WindowsProbe.exe", "pipe", f"hold{os.getpid()}",
             "main.obj"], cwd=directory, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        check(self.pipe.stdout.readline().strip() == "ready", "no pipe")
        self.link = subprocess.Popen(
            [residency.WINE, linker or build / "bin" / "lld-link.exe", *PLAIN, *ours, *options,
             f"\\\\.\\pipe\\hold{os.getpid()}", *(f"big{i}.obj" for i in range(COUNT))],
            cwd=directory)
        check(self.pipe.stdout.readline().strip() == "opened", "not opened")
        self.directory = directory

    def end(self) -> dict:
        self.pipe.stdin.write("\n")
        self.pipe.stdin.flush()
        check(self.link.wait(60) == 0, "the link failed")
        self.pipe.wait(60)
        return json.loads((self.directory / "s.json").read_text())

    def kill(self):
        for process in (self.link, self.pipe):
            if process.poll() is None:
                process.kill()


def watch(big: list) -> list:
    """Returns the cached pages of each file when nothing has changed for 1.5 s. Each file must be
    cached before the next begins, in lld's order: from the last to the first. The first one may be
    another, while the last is still being opened."""
    before, begun = None, []
    begin = since = time.monotonic()
    while time.monotonic() - begin < TIMEOUT:
        pages = [cached(path) for path in big]
        if pages != before:
            before, since = pages, time.monotonic()
            new = {at for at, count in enumerate(pages) if count > AHEAD} - set(begun)
            begun += sorted(new, reverse=True)
            check(begun[1:] == sorted(begun[1:], reverse=True) and
                  all(pages[at] >= EACH - AHEAD for at in begun[:-1]),
                  f"not in the plan's order: {begun}, {pages}")
        if time.monotonic() - since > 1.5:
            return pages
        time.sleep(0.005)
    return before


def run(build: Path, directory: Path, options: list, check_pages) -> dict:
    big = make_inputs(directory)
    for path in big:
        evict(path)
    check(sum(map(cached, big)) == 0, "the host could not evict")
    link = Link(build, directory, options)
    try:
        pages = watch(big)
        print(f"  {' '.join(options)}: while the linker waits, the host has {pages} pages of "
              f"{EACH} each")
        check_pages(pages)
        stats = link.end()
        print(f"    hinted {stats['hinted_bytes'] // PAGE} pages in "
              f"{stats['hint_calls']} calls, handed over {stats['handed_over']}")
        return stats
    finally:
        link.kill()


def interrupt(build: Path, directory: Path):
    """Sends Ctrl-C, after which stock and ours must end alike, without an output. Wine's own
    handler ends a program with status 0."""
    seen = []
    for linker in (LLVM_WINDOWS / "bin" / "lld-link.exe", None):
        link = Link(build, directory, [], linker)
        try:
            link.link.send_signal(signal.SIGINT)
            seen.append((link.link.wait(60), (directory / "x.exe").exists()))
        finally:
            link.kill()
    print(f"  Ctrl-C: stock and ours end with {seen}")
    check(seen[0] == seen[1] and not seen[0][1], "not as stock ends")


def last_line(command: list) -> str:
    done = subprocess.run(command, cwd=LLVM_WINDOWS, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout.splitlines()[-1]


def link_arguments() -> list:
    """The arguments with which lld-link links lld.exe."""
    command = last_line(["ninja", "-t", "commands", "bin/lld.exe"]).split("&&")[1]
    # With -###, the compiler prints the command of ld.lld, and that prints lld-link's.
    gnu = last_line([*shlex.split(command), "-###"])
    _, *arguments = last_line([*shlex.split(gnu), "-###"]).split()
    return [for_windows(arg) for arg in arguments if not re.match(r"-(out|implib):", arg)]


def for_windows(argument: str) -> str:
    """Converts an argument's path on the host to one on Wine's drive Z."""
    option, path = re.fullmatch(r"(-[\w-]+:)?(.*)", argument).groups()
    if path and not path.startswith("-") and (LLVM_WINDOWS / path).exists():
        return f"{option or ''}Z:{LLVM_WINDOWS / path}"
    return argument


def check_program(build: Path, directory: Path) -> None:
    """Links lld.exe from 107 archives, of which a link takes two thousand objects. Stock and
    ours must make the same program, which must itself link."""
    stock, ours = LLVM_WINDOWS / "bin" / "lld-link.exe", build / "bin" / "lld-link.exe"
    if not stock.exists() or not ours.exists():
        skip("the programs for Windows are not built (./dev windows)")
    with temporary_directory(dir=directory) as work:
        (work / "arguments").write_text("\n".join(link_arguments()))
        same = subprocess.run(
            [sys.executable, ROOT / "utils" / "same-link.py", "--name", "lld-link", "--stock",
             stock, "--ours", ours, "--runner", residency.WINE, "--with=",
             "--with=/prefetch-inputs:no", "--", "@arguments", "/Brepro", "/out:out/lld.exe"],
            cwd=work)
        check(same.returncode == 0, "the programs differ")
        make_main(work)
        made = []
        for linker in ([stock], ["out/lld.exe", "-flavor", "link"]):
            subprocess.run([residency.WINE, *linker, "main.obj", *PLAIN], cwd=work, check=True,
                           stdout=subprocess.DEVNULL)
            made.append((work / "x.exe").read_bytes())
        check(made[0] == made[1], "the linked lld.exe makes another program than stock")


def main() -> int:
    build, directory = (Path(argument).resolve() for argument in sys.argv[1:3])
    if sys.argv[3:] not in ([], ["--program"]):
        sys.exit(__doc__)
    if sys.argv[3:]:
        check_program(build, directory)
        print("passed: the linked lld.exe links")
        return 0
    residency.need(build / "bin" / "lld-link.exe", "windows")
    residency.need(LLVM_WINDOWS / "bin" / "lld-link.exe", "windows")
    with temporary_directory(dir=directory) as work:
        stats = run(build, work, ["/prefetch-jobs:1"], lambda pages: check(
            min(pages) >= EACH - SLACK, "not all was fetched ahead"))
        check(abs(stats["hinted_bytes"] // PAGE - COUNT * EACH) <= COUNT * SLACK,
              "the program's count is not the host's")
        check(stats["handed_over"] >= COUNT, "not handed over")

        run(build, work, ["/prefetch-jobs:1", "/prefetch-memory:16M"], lambda pages: check(
            EACH <= sum(pages) <= 2 * EACH + COUNT * SLACK, "not within the memory window"))

        # Wine reads the head of each file that lld opens and maps.
        stats = run(build, work, ["/prefetch-inputs:no"], lambda pages: check(
            max(pages) <= residency.HEAD, "something was fetched"))
        check(stats["mode"] == "off" and stats["hinted_bytes"] == 0, "not off")
        (work / "x.exe").unlink()
        interrupt(build, work)
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
