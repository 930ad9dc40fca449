"""Links of ELF and Mach-O under known conditions, against stock.

ELF: this project's own ld.lld from LLVM's archives, as a Debian machine has
them; and the same members as objects of their own. Mach-O: objects with DWARF,
of which ld64.lld reads a part. Each cold, several ways in turn, and warm;
and the same with `headstart run` around linkers that know nothing of it.
"""

import contextlib
import dataclasses
import json
import pathlib
import shlex
import shutil
import subprocess
import tempfile
from typing import Callable, Dict, Iterator, List

import harness
from harness import Run, Variant, say

MACHO_CORPUS = ["--objects", "600", "--bytes", "1.5G", "--folders", "40"]


@dataclasses.dataclass
class Sample:
    """One link: its inputs and its words."""
    title: str
    linker: str
    folder: pathlib.Path
    inputs: List[pathlib.Path]      # files and folders, to be made cold
    words: List[str]                # without the output
    output: str = "a.out"

    def size(self) -> int:
        return sum(f.stat().st_size for f in self.files())

    def files(self) -> List[pathlib.Path]:
        return [f for i in self.inputs for f in ([i] if i.is_file()
                else sorted(i.rglob("*"))) if f.is_file()]


@dataclasses.dataclass
class Condition:
    sample: Callable[[], Sample]
    megabytes_per_second: int = 0
    short_memory: bool = False
    rounds: int = 7
    warm_rounds: int = 0
    around: bool = False  # `headstart run` around other linkers


def link_words() -> List[str]:
    """How ld.lld itself is linked: the linker's own words."""
    build = harness.ROOT / "build"
    command = subprocess.run(
        ["ninja", "-C", str(build), "-t", "commands", "bin/ld.lld"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1]
    # ": && clang++ ... && :"
    driver = shlex.split(command.split("&&")[1])
    asked = subprocess.run(driver + ["-###"], cwd=build, check=True,
                           stderr=subprocess.PIPE, text=True).stderr
    return shlex.split(asked.splitlines()[-1])[1:]


def copied_inputs(folder: pathlib.Path) -> List[str]:
    """Copies the inputs of that link to `folder`; its words with the copies,
    and without the output."""
    words, number = [], 0
    rest = iter(link_words())
    for word in rest:
        if word == "-o":
            next(rest)
            continue
        path = harness.ROOT / "build" / word
        if word.endswith((".a", ".o")) and path.is_file():
            number += 1
            copy = folder / f"{number:03}-{path.name}"
            shutil.copyfile(path, copy)
            word = str(copy)
        words.append(word)
    return words


def members(archive: pathlib.Path) -> Iterator[bytes]:
    """The members of a System V archive, indexes left out."""
    data = archive.read_bytes()
    at = 8
    while at + 60 <= len(data):
        name = data[at:at + 16].decode().strip()
        size = int(data[at + 48:at + 58])
        if name not in ("/", "//", "/SYM64/"):
            yield data[at + 60:at + 60 + size]
        at += 60 + size + size % 2


def made(name: str, make: Callable[[pathlib.Path], List[str]]) -> List[str]:
    """The words of a sample that is made once."""
    folder = harness.corpus_folder(name)
    stamp = folder / "words.json"
    if not stamp.exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "in").mkdir(parents=True)
        words = make(folder / "in")
        stamp.write_text(json.dumps(words))
    return json.loads(stamp.read_text())


def elf_archives() -> Sample:
    words = made("elf-archives", copied_inputs)
    folder = harness.corpus_folder("elf-archives")
    return Sample("ELF: ld.lld from LLVM's archives", "ld.lld", folder,
                  [folder / "in"], words)


def as_objects(folder: pathlib.Path) -> List[str]:
    """The same link from objects: --start-lib in place of each archive."""
    result = []
    for word in elf_archives().words:
        if word in ("--start-group", "--end-group"):
            continue  # no place for --start-lib
        path = pathlib.Path(word)
        if path.suffix != ".a" or not path.is_file():
            result.append(word)
            continue
        into = folder / path.stem
        into.mkdir()
        result.append("--start-lib")
        for number, member in enumerate(members(path)):
            file = into / f"{number:04}.o"
            file.write_bytes(member)
            result.append(str(file))
        result.append("--end-lib")
    return result


def elf_objects() -> Sample:
    words = made("elf-objects", as_objects)
    folder = harness.corpus_folder("elf-objects")
    return Sample("ELF: the same from objects", "ld.lld", folder,
                  [folder / "in"], words)


SYSTEM_STUB = """--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '/usr/lib/libSystem.B.dylib'
exports:
  - targets: [ arm64-macos ]
    symbols: [ ___cxa_pure_virtual, _bzero, _memcpy, _memmove, _memset,
               dyld_stub_binder ]
...
"""


def macho() -> Sample:
    folder = harness.make_corpus("macho", MACHO_CORPUS, kind="macho")
    (folder / "libSystem.tbd").write_text(SYSTEM_STUB)
    return Sample("Mach-O: objects with DWARF", "ld64.lld", folder,
                  [folder / "obj"], ["-arch", "arm64", "-platform_version",
                                     "macos", "13.0", "13.0",
                                     # freestanding, so with C++'s name
                                     "-e", "__Z4mainv", str(folder / "libSystem.tbd"),
                                     f"@{folder}/link.rsp"])


CONDITIONS: Dict[str, Condition] = {
    "elf-archives": Condition(elf_archives, warm_rounds=15),
    "elf-archives-400": Condition(elf_archives, megabytes_per_second=400,
                                  rounds=5),
    "elf-archives-memory": Condition(elf_archives, short_memory=True,
                                     rounds=5),
    "elf-archives-run": Condition(elf_archives, around=True, warm_rounds=15),
    "elf-objects": Condition(elf_objects, warm_rounds=15),
    "elf-objects-400": Condition(elf_objects, megabytes_per_second=400,
                                 rounds=5),
    "macho": Condition(macho, rounds=5, warm_rounds=7),
    "macho-400": Condition(macho, megabytes_per_second=400, rounds=3),
    "macho-memory": Condition(macho, short_memory=True, rounds=3),
    "macho-run": Condition(macho, around=True, rounds=3, warm_rounds=5),
}


def variants(sample: Sample, around: bool,
             profile: pathlib.Path) -> List[Variant]:
    stock = harness.LLVM / sample.linker
    ours = harness.BIN / sample.linker
    ways = [Variant(f"{sample.linker} 22 (stock)", stock, argv0=sample.linker)]
    if around:
        ways.append(wrapped(f"headstart run {sample.linker} 22", stock))
        mold = shutil.which("mold")
        if mold and sample.linker == "ld.lld":
            ways += [Variant("mold", pathlib.Path(mold), argv0="mold"),
                     wrapped("headstart run mold", pathlib.Path(mold))]
    elif sample.linker == "ld64.lld":
        ways.append(Variant("ld64.lld 22 --read-workers=8", stock,
                            ["--read-workers=8"], argv0=sample.linker))
    ways += [
        Variant("Headstart, first link", ours, ["--prefetch-profile=none"],
                argv0=sample.linker),
        Variant("Headstart, next links", ours,
                [f"--prefetch-profile={profile}"], argv0=sample.linker)]
    return ways


def wrapped(name: str, linker: pathlib.Path) -> Variant:
    """`headstart run` around a linker."""
    return Variant(name, harness.HEADSTART, ["run", "--", str(linker)],
                   argv0="headstart")


def statistics_of(sample: Sample, arguments: List[str], out: pathlib.Path,
                  size: int) -> List[dict]:
    """What the prefetcher says of a first link and of the next. Not throttled:
    bytes do not depend on the disk's speed."""
    report = out.parent / "stats.json"
    result = []
    for way in variants(sample, False, out.parent / "profile")[-2:]:
        # The first has no record and leaves one; the next has it.
        way.options = [f"--prefetch-profile={out.parent / 'profile'}",
                       f"--prefetch-stats={report}"]
        harness.make_cold(sample.inputs, size)
        harness.link(way, arguments, out)
        result.append(json.loads(report.read_text()))
    return result


def measure(name: str, factor: float) -> dict:
    """Measures one condition; `factor` scales the number of rounds."""
    condition = CONDITIONS[name]
    if condition.megabytes_per_second and not harness.can_throttle():
        say("   left out: holding the disk needs root and a blkio cgroup (v1)")
        return {}
    if condition.short_memory and not harness.can_limit_memory():
        say("   left out: holding memory needs root and a memory cgroup (v1)")
        return {}
    sample = condition.sample()
    size = sample.size()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="headstart-bench-",
                                            dir=sample.folder))
    out = scratch / "out"
    arguments = [*sample.words, "-o", str(out / sample.output)]
    ways = variants(sample, condition.around, scratch / "profile")
    rounds = max(1, round(condition.rounds * factor))
    warm: Dict[str, List[Run]] = {}
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, scratch, ignore_errors=True)
        stats = statistics_of(sample, arguments, out, size)
        memory = own = None
        if condition.short_memory:
            own = harness.own_memory(harness.LLVM / sample.linker, arguments)
            memory = own + size // 2
        with harness.held(sample.folder, condition.megabytes_per_second,
                          memory=memory):
            cold = harness.run_rounds(ways, arguments, out, rounds,
                                      sample.inputs, size)
        if condition.warm_rounds:
            harness.warm_up(sample.inputs)
            # The first only settles which pages are mapped in large ones.
            harness.run_rounds(ways, arguments, out, 1)
            warm = harness.run_rounds(
                ways, arguments, out,
                max(1, round(condition.warm_rounds * factor)))
    # Other linkers make other outputs.
    hashes = {run.outputs for runs in (cold, warm)
              for way, several in runs.items() if "mold" not in way
              for run in several}
    title = sample.title
    if condition.megabytes_per_second:
        title += f", disk held to {condition.megabytes_per_second} MB/s"
    if condition.short_memory:
        title += ", memory for the linker's own data and half of the inputs"
    if condition.around:
        title += ", headstart run around other linkers"
    return {
        "title": title, "inputs": len(sample.files()), "bytes": size,
        "memory": memory, "own_memory": own, "stats": stats,
        "same": len(hashes) == 1,
        "cold": {n: [vars(r) for r in runs] for n, runs in cold.items()},
        "warm": {n: [vars(r) for r in runs] for n, runs in warm.items()},
    }
