#!/usr/bin/env python3
"""Checks a link by lld-link.exe from both sides: the requests that it reports under
Wine, and the contents of the host's page cache.

    check-wine-link.py WINDOWS_BUILD DIRECTORY [--program]

WINDOWS_BUILD is the directory of the preset windows, DIRECTORY a directory on a real disk.
If a prerequisite is missing, the script prints a reason and exits with status 77.

The first input is a pipe. The linker waits there and reads nothing else until the script
continues it. Meanwhile the prefetcher must read the other inputs into the host's page
cache, in order and as far as it is allowed. With /prefetch-inputs:no, only the pages that
Wine itself reads of an opened file may be cached.

With --program, it links a real C++ program instead, lld.exe, from the inputs from which
utils/build-windows-llvm.py linked it, and runs it."""

import importlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LLVM = Path(os.environ.get("HEADSTART_LLVM", "/usr/lib/llvm-22/bin"))
LLVM_WINDOWS = HERE.parent / "build-tools" / "llvm-windows" / "build"
COUNT = 4
BYTES = 8 << 20
PAGE = 4096
EACH = BYTES // PAGE
# The pages around a range, which Wine (a file's head) and readahead read, and those that
# the plan leaves out.
SLACK = 64
# The prefetcher inspects the next input meanwhile, and the host's readahead continues.
AHEAD = 256
PATIENCE = 20

residency = importlib.import_module("check-wine-residency")
check, cached, evict = residency.check, residency.cached, residency.evict


def make_inputs(directory: Path) -> list:
    """Makes main.obj, and returns objects of data that the link keeps."""
    def assemble(name: str, text: str) -> Path:
        path = directory / name
        subprocess.run([LLVM / "llvm-mc", "-triple=x86_64-windows-msvc", "-filetype=obj",
                        "-o", path, "-"], input=text, text=True, check=True, cwd=directory)
        return path
    assemble("main.obj", ".globl main\nmain:\n ret\n")
    big = []
    for i in range(COUNT):
        (directory / "data").write_bytes(os.urandom(BYTES))
        big.append(assemble(f"big{i}.obj", f".data\n.globl big{i}\nbig{i}:\n.incbin \"data\"\n"))
    os.sync()
    return big


class Link:
    """A link that waits at its first input."""

    def __init__(self, build: Path, directory: Path, words: list, linker: Path | None = None):
        ours = [] if linker else ["/prefetch-profile:none", "/prefetch-stats:s.json"]
        self.pipe = subprocess.Popen(
            [residency.WINE, build / "unittests" / "WindowsProbe.exe", "pipe", f"hold{os.getpid()}",
             "main.obj"], cwd=directory, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        check(self.pipe.stdout.readline().strip() == "ready", "no pipe")
        self.link = subprocess.Popen(
            [residency.WINE, linker or build / "bin" / "lld-link.exe", "/entry:main",
             "/subsystem:console", "/nodefaultlib", "/Brepro", "/out:x.exe", *ours, *words,
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


def watch(big: list, wanted: int) -> list:
    """Waits until `wanted` pages are cached or nothing has changed for 1.5 s. Returns the
    pages of each file. Each must be cached before the next begins, from the last file to
    the first, as lld copies their contents. The first that is fetched may be another one:
    the last may still be opening."""
    before, begun = None, []
    begin = since = time.monotonic()
    while time.monotonic() - begin < PATIENCE:
        pages = [cached(path) for path in big]
        if pages != before:
            before, since = pages, time.monotonic()
            new = {at for at, count in enumerate(pages) if count > AHEAD} - set(begun)
            begun += sorted(new, reverse=True)
            check(begun[1:] == sorted(begun[1:], reverse=True) and
                  all(pages[at] >= EACH - AHEAD for at in begun[:-1]),
                  f"not in the plan's order: {begun}, {pages}")
        if sum(pages) >= wanted or time.monotonic() - since > 1.5:
            return pages
        time.sleep(0.005)
    return before


def run(build: Path, directory: Path, words: list, check_held) -> dict:
    big = make_inputs(directory)
    for path in big:
        evict(path)
    check(sum(map(cached, big)) == 0, "the host could not evict")
    link = Link(build, directory, words)
    try:
        wanted = sum(path.stat().st_size for path in big) // PAGE
        pages = watch(big, wanted if not words else 1 << 60)
        print(f"  {' '.join(words) or 'as it comes'}: while the linker waits the "
              f"host has {pages} pages of {EACH} each")
        check_held(pages)
        stats = link.end()
        print(f"    hinted {stats['hinted_bytes'] // PAGE} pages in "
              f"{stats['hint_calls']} calls, handed over {stats['handed_over']}")
        return stats
    finally:
        link.kill()


def interrupt(build: Path, directory: Path):
    """Sends Ctrl-C as a terminal sends it to Wine. Stock and ours must end alike and leave
    no output. Wine's own handler ends a program with status 0."""
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


def told(command: list) -> str:
    """The command that a driver would run: the last line that it prints with -###."""
    done = subprocess.run([*command, "-###"], cwd=LLVM_WINDOWS, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.splitlines()[-1]


def link_words() -> list:
    """The arguments with which lld-link links lld.exe."""
    build = subprocess.run(["ninja", "-t", "commands", "bin/lld.exe"], cwd=LLVM_WINDOWS,
                           check=True, stdout=subprocess.PIPE, text=True)
    last = build.stdout.splitlines()[-1].split("&&")[1]
    gnu = shlex.split(told(shlex.split(last)))
    words = told(gnu).split()[1:]
    return [for_windows(word) for word in words if not re.match(r"-(out|implib):", word)]


def for_windows(word: str) -> str:
    """Converts an argument's path on the host to one on Wine's drive Z."""
    option, path = re.fullmatch(r"(-[\w-]+:)?(.*)", word).groups()
    if path and not path.startswith("-") and (LLVM_WINDOWS / path).exists():
        return f"{option or ''}Z:{LLVM_WINDOWS / path}"
    return word


def check_program(build: Path, directory: Path) -> None:
    """Links lld.exe from 107 archives, of which a link takes two thousand objects. Stock and
    ours must make the same program, which must itself link."""
    stock, ours = LLVM_WINDOWS / "bin" / "lld-link.exe", build / "bin" / "lld-link.exe"
    if not stock.exists() or not ours.exists():
        residency.skip("the programs for Windows are not built (./dev windows)")
    with tempfile.TemporaryDirectory(dir=directory) as name:
        (Path(name) / "words").write_text("\n".join(link_words()))
        same = subprocess.run(
            [sys.executable, HERE / "same-link.py", "--name", "lld-link",
             "--stock", stock, "--ours", ours, "--runner", residency.WINE, "--with=",
             "--with=/prefetch-inputs:no", "--", "@words", "/Brepro", "/out:out/lld.exe"], cwd=name)
        check(same.returncode == 0, "the programs differ")
        (Path(name) / "main.s").write_text(".globl main\nmain:\n ret\n")
        subprocess.run([LLVM / "llvm-mc", "-triple=x86_64-windows-msvc", "-filetype=obj",
                        "main.s", "-o", "main.obj"], cwd=name, check=True)
        made = []
        for linker in (stock, "out/lld.exe"):
            flavour = [] if linker is stock else ["-flavor", "link"]
            subprocess.run([residency.WINE, linker, *flavour, "main.obj", "/Brepro", "/entry:main",
                            "/subsystem:console", "/nodefaultlib", "/out:x.exe"], cwd=name,
                           check=True, stdout=subprocess.DEVNULL)
            made.append((Path(name) / "x.exe").read_bytes())
        check(made[0] == made[1], "what the linked lld.exe links is not what stock links")


def main() -> int:
    build, directory = (Path(word).resolve() for word in sys.argv[1:3])
    if sys.argv[3:] not in ([], ["--program"]):
        sys.exit(__doc__)
    if sys.argv[3:]:
        check_program(build, directory)
        print("passed: the linked lld.exe links")
        return 0
    residency.need(build / "bin" / "lld-link.exe", "windows")
    residency.need(LLVM_WINDOWS / "bin" / "lld-link.exe", "windows")
    work = directory / f"wine-link-{os.getpid()}"
    work.mkdir(parents=True)
    try:
        def all_there(pages):
            check(min(pages) >= EACH - SLACK, "not all was fetched ahead")
        stats = run(build, work, ["/prefetch-jobs:1"], all_there)
        check(abs(stats["hinted_bytes"] // PAGE - COUNT * EACH) <= COUNT * SLACK,
              "the program's count is not the host's")
        check(stats["handed_over"] >= COUNT, "not handed over")

        def as_allowed(pages):
            check(EACH <= sum(pages) <= 2 * EACH + COUNT * SLACK, "not within the memory window")
        run(build, work, ["/prefetch-jobs:1", "/prefetch-memory:16M"], as_allowed)

        # lld opens its inputs on threads, and Wine reads the head of a file that
        # is opened and mapped.
        def nothing(pages):
            check(max(pages) <= residency.HEAD, "something was fetched")
        stats = run(build, work, ["/prefetch-inputs:no"], nothing)
        check(stats["mode"] == "off" and stats["hinted_bytes"] == 0, "not off")
        (work / "x.exe").unlink()
        interrupt(build, work)
    finally:
        shutil.rmtree(work)
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
