"""Links of ELF and Mach-O under known conditions, compared with stock lld.

ELF: this project's ld.lld from LLVM's archives, as Debian packages them, and from the
same members as separate objects. Mach-O: objects with DWARF, of which ld64.lld reads a
part. All variants link each sample in turn, cold and warm; so do other linkers under
`headstart run`.
"""

import functools
import importlib
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
from typing import Callable, Iterator, Sequence

import harness
from links import Condition, Sample

# Building the seam reads archives, too.
sys.path.append(str(harness.ROOT / "utils"))
seam = importlib.import_module("rename-seam")

MACHO_CORPUS = ["--objects", "600", "--bytes", "1.5G", "--folders", "40"]
MACHO_SMALL = ["--objects", "80", "--bytes", "180M", "--folders", "20"]


def link_words() -> list[str]:
    """The arguments with which the linker links ld.lld itself."""
    build = harness.ROOT / "build"
    command = subprocess.check_output(
        ["ninja", "-C", str(build), "-t", "commands", "bin/headstart"], text=True).splitlines()[-1]
    # ": && clang++ ... && :"
    driver = shlex.split(command.split("&&")[1])
    done = subprocess.run(driver + ["-###"], cwd=build, stderr=subprocess.PIPE, text=True)
    asked = done.stderr
    if done.returncode != 0:
        sys.exit("error: ld.lld is linked from what is in build/, which is not "
                 "all there: ./dev build\n" + asked[:1000])
    # These options are for releases; a loop of editing and linking does not use them.
    return [word for word in shlex.split(asked.splitlines()[-1])[1:]
            if word not in ("--icf=all", "-O2")]


def copied_inputs(folder: pathlib.Path) -> list[str]:
    """Copies the inputs of that link to `folder`. Returns its arguments with the
    copies and without the output."""
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


def unpacked(archive: pathlib.Path, into: pathlib.Path) -> Iterator[str]:
    """Writes the ELF members of an archive to a new directory. Yields their paths."""
    into.mkdir()
    members = seam.members_of(archive.read_bytes(), str(archive))
    for number, (_, member) in enumerate(members):
        if member.startswith(b"\x7fELF"):
            file = into / f"{number:04}.o"
            file.write_bytes(member)
            yield str(file)


def made(title: str, name: str, make: Callable[[pathlib.Path], list[str]]) -> Sample:
    """A link by ld.lld, whose inputs `make` makes once. It returns the arguments."""
    folder = harness.corpus_folder(name)
    stamp = folder / "words.json"
    if not stamp.exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "in").mkdir(parents=True)
        words = make(folder / "in")
        stamp.write_text(json.dumps(words))
    return Sample(title, "ld.lld", folder, [folder / "in"], json.loads(stamp.read_text()))


def elf_archives() -> Sample:
    return made("ELF: ld.lld from LLVM's archives", "elf-archives", copied_inputs)


def as_objects(folder: pathlib.Path) -> list[str]:
    """Makes elf_archives' link from objects: --start-lib in place of each archive."""
    result = []
    for word in elf_archives().words:
        if word in ("--start-group", "--end-group"):
            continue  # --start-lib is not allowed in a group
        path = pathlib.Path(word)
        if path.suffix != ".a" or not path.is_file():
            result.append(word)
            continue
        result += ["--start-lib", *unpacked(path, folder / path.stem), "--end-lib"]
    return result


def elf_objects() -> Sample:
    return made("ELF: ld.lld from objects", "elf-objects", as_objects)


SMALL_OBJECTS = 10_000
SMALL_SOURCE = ".globl f00000\n.weak _start\nf00000: _start: ret\n" + "".join(
    f""".section .text.g{n},"axG",@progbits,g00000_{n},comdat
.globl g00000_{n}
g00000_{n}: .fill 40, 1, 0x90
 ret
""" for n in range(27))


def numbered(folder: pathlib.Path) -> list[str]:
    """Copies of one object, each with its number in its symbols."""
    done = subprocess.run(
        [str(harness.LLVM / "llvm-mc"), "-triple=x86_64-linux-gnu", "-filetype=obj", "-o", "-"],
        input=SMALL_SOURCE.encode(), stdout=subprocess.PIPE, check=True)
    words = []
    for number in range(SMALL_OBJECTS):
        file = folder / f"{number:05}.o"
        digits = b"%05d" % number
        file.write_bytes(done.stdout.replace(b"f00000", b"f" + digits)
                         .replace(b"g00000", b"g" + digits))
        words.append(str(file))
    return words


def elf_small() -> Sample:
    return made("ELF: many small objects", "elf-small", numbered)


def macho(title: str = "Mach-O: objects with DWARF", corpus: str = "macho",
          recipe: Sequence[str] = MACHO_CORPUS, arch: str = "arm64") -> Sample:
    folder = harness.make_corpus(corpus, recipe, kind="macho")
    return Sample(title, "ld64.lld", folder,
                  [folder / "obj"], ["-arch", arch, "-platform_version",
                                     "macos", "13.0", "13.0",
                                     # freestanding, so main's name is mangled
                                     "-e", "__Z4mainv", str(folder / "libSystem.tbd"),
                                     f"@{folder}/link.rsp"])


macho_small = functools.partial(macho, "Mach-O: objects with DWARF, small",
                                "macho-small", MACHO_SMALL)


CONDITIONS: dict[str, Condition] = {
    "elf-archives": Condition(elf_archives, warm_rounds=15),
    "elf-archives-400": Condition(elf_archives, megabytes_per_second=400,
                                  rounds=5),
    "elf-archives-run": Condition(elf_archives, around=True, warm_rounds=15),
    "elf-objects": Condition(elf_objects, warm_rounds=15),
    "elf-objects-400": Condition(elf_objects, megabytes_per_second=400,
                                 rounds=5),
    "elf-objects-others": Condition(elf_objects, others=True, warm_rounds=15),
    "elf-small": Condition(elf_small, rounds=5, warm_rounds=25),
    "macho": Condition(macho, rounds=5, warm_rounds=7),
    "macho-400": Condition(macho, megabytes_per_second=400, rounds=3),
    "macho-run": Condition(macho, around=True, rounds=3, warm_rounds=5),
}
