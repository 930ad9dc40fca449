"""The links that the benchmarks measure, and the conditions of the plain ones.

COFF: the medium corpus has 450 objects, 769 MB, with CodeView, in 40 directories. The large one has
2,000 objects, 2.3 GB, in 120 directories, and the same objects in archives, of which a link uses an
eighth. ELF: this project's ld.lld from LLVM's archives, as Debian packages them, and from their
members. Mach-O: objects with DWARF, of which ld64.lld reads a part.

The engine is tuned on these samples, and on none of HELD_BACK: other projects, sizes and kinds of
objects. Published results are measured on them as well.
"""

import functools
import importlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from typing import Callable, Iterator, Sequence

import harness
from links import Condition, Sample

# Building the seam reads archives, too. harness.py adds utils to the path.
seam = importlib.import_module("rename-seam")

ANY_SYMBOLS = ["--unresolved-symbols=ignore-all", "--allow-multiple-definition", "--no-demangle"]


# -- links of corpora, which make-corpus.py makes --------------------------------

def coff_arguments(directory: pathlib.Path, response: str = "link.rsp",
                   options: Sequence[str] = ("/debug",)) -> list[str]:
    return ["/Brepro", *options, "/entry:main", "/subsystem:console",
            "/nodefaultlib", f"@{directory}/{response}"]


def coff(title: str, corpus: str, recipe: Sequence[str] = (), response: str = "link.rsp",
         options: Sequence[str] = ("/debug",), directories: Sequence[str] = ("obj",)) -> Sample:
    directory = harness.make_corpus(corpus, recipe)
    return Sample(title, "lld-link", directory, [directory / name for name in directories],
                  coff_arguments(directory, response, options), "a.exe")


def elf(title: str, corpus: str, recipe: Sequence[str]) -> Sample:
    directory = harness.make_corpus(corpus, recipe, kind="elf")
    return Sample(title, "ld.lld", directory, [directory / "obj"],
                  ["-e", "_Z4mainv", *ANY_SYMBOLS, f"@{directory}/link.rsp"])


def macho(title: str, corpus: str, recipe: Sequence[str], arch: str = "arm64") -> Sample:
    directory = harness.make_corpus(corpus, recipe, kind="macho")
    # The code is freestanding, so main's name is mangled.
    return Sample(title, "ld64.lld", directory, [directory / "obj"], [
        "-arch", arch, "-platform_version", "macos", "13.0", "13.0", "-e", "__Z4mainv",
        str(directory / "libSystem.tbd"), f"@{directory}/link.rsp"])


LARGE = "--objects 2000 --bytes 2.2G --directories 120 --archive".split()
# The corpus keeps the name under which it was measured.
coff_medium = functools.partial(coff, "COFF: /debug", "demo")
coff_demo = functools.partial(coff, "COFF: /debug, 225 objects", "scale-225", ["--objects", "225"])
coff_quick = functools.partial(coff, "COFF: /debug, 60 objects", "quick",
                               "--objects 60 --bytes 100M".split())
coff_small = functools.partial(coff, "COFF: /debug, small", "small",
                               "--objects 120 --bytes 200M --directories 20".split())
coff_large = functools.partial(coff, "COFF, large: /debug", "large", LARGE)
coff_image = functools.partial(coff, "COFF, large: no /debug", "large", LARGE, options=())
coff_archives = functools.partial(
    coff, "COFF, large: /debug, archives, 1/8 linked", "large", LARGE,
    response="link-archives.rsp", directories=("obj/launch", "lib"))
macho_medium = functools.partial(macho, "Mach-O: objects with DWARF", "macho",
                                 "--objects 600 --bytes 1.5G --directories 40".split())
macho_small = functools.partial(macho, "Mach-O: objects with DWARF, small", "macho-small",
                                "--objects 80 --bytes 180M --directories 20".split())


# -- links of the objects of real programs ----------------------------------------

def link_arguments() -> list[str]:
    """The arguments with which the linker links ld.lld itself."""
    build = harness.ROOT / "build"
    command = subprocess.check_output(
        ["ninja", "-C", str(build), "-t", "commands", "bin/headstart"], text=True).splitlines()[-1]
    # ": && clang++ ... && :"
    driver = shlex.split(command.split("&&")[1])
    done = subprocess.run(driver + ["-###"], cwd=build, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("error: the objects of ld.lld are not in build/: ./dev build\n"
                 + done.stderr[:1000])
    # These options are for releases; a loop of editing and linking does not use them.
    return [argument for argument in shlex.split(done.stderr.splitlines()[-1])[1:]
            if argument not in ("--icf=all", "-O2")]


def copied_inputs(directory: pathlib.Path) -> list[str]:
    """Copies the inputs of that link to `directory`. Returns its arguments without the output."""
    arguments, number = [], 0
    rest = iter(link_arguments())
    for argument in rest:
        if argument == "-o":
            next(rest)
            continue
        path = harness.ROOT / "build" / argument
        if argument.endswith((".a", ".o")) and path.is_file():
            number += 1
            copy = directory / f"{number:03}-{path.name}"
            shutil.copyfile(path, copy)
            argument = str(copy)
        arguments.append(argument)
    return arguments


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
    directory = harness.corpus_directory(name)
    stamp = directory / "words.json"  # another name would make the inputs again
    if not stamp.exists():
        shutil.rmtree(directory, ignore_errors=True)
        (directory / "in").mkdir(parents=True)
        arguments = make(directory / "in")
        stamp.write_text(json.dumps(arguments))
    return Sample(title, "ld.lld", directory, [directory / "in"], json.loads(stamp.read_text()))


def as_objects(directory: pathlib.Path) -> list[str]:
    """Makes elf_archives' link from objects: --start-lib in place of each archive."""
    result = []
    for argument in elf_archives().arguments:
        if argument in ("--start-group", "--end-group"):
            continue  # --start-lib is not allowed in a group
        path = pathlib.Path(argument)
        if path.suffix != ".a" or not path.is_file():
            result.append(argument)
            continue
        result += ["--start-lib", *unpacked(path, directory / path.stem), "--end-lib"]
    return result


SMALL_OBJECTS = 10_000
SMALL_SOURCE = ".globl f00000\n.weak _start\nf00000: _start: ret\n" + "".join(
    f""".section .text.g{n},"axG",@progbits,g00000_{n},comdat
.globl g00000_{n}
g00000_{n}: .fill 40, 1, 0x90
 ret
""" for n in range(27))


def numbered(directory: pathlib.Path) -> list[str]:
    """Copies of one object, each with its number in its symbols."""
    done = subprocess.run(
        [str(harness.LLVM / "llvm-mc"), "-triple=x86_64-linux-gnu", "-filetype=obj", "-o", "-"],
        input=SMALL_SOURCE.encode(), stdout=subprocess.PIPE, check=True)
    arguments = []
    for number in range(SMALL_OBJECTS):
        file = directory / f"{number:05}.o"
        digits = b"%05d" % number
        file.write_bytes(done.stdout.replace(b"f00000", b"f" + digits)
                         .replace(b"g00000", b"g" + digits))
        arguments.append(str(file))
    return arguments


elf_archives = functools.partial(made, "ELF: ld.lld from LLVM's archives", "elf-archives",
                                 copied_inputs)
elf_objects = functools.partial(made, "ELF: ld.lld from objects", "elf-objects", as_objects)
elf_small = functools.partial(made, "ELF: many small objects", "elf-small", numbered)


# -- the samples that are held back ------------------------------------------------

def members_of(place: pathlib.Path, pattern: str, directory: pathlib.Path) -> list[str]:
    """Writes the ELF members of archives as objects. Returns the arguments of a link."""
    # A toolchain may be installed under two names.
    once = {archive.stem: archive for archive in sorted(place.glob(pattern), reverse=True)}
    if not once:
        sys.exit("error: the archives of this sample are not installed")
    return ["-shared", *ANY_SYMBOLS, *(argument for archive in sorted(once.values())
                                       for argument in unpacked(archive, directory / archive.stem))]


def elf_lto() -> Sample:
    """ThinLTO with all compiled modules in a cache, as in most links of a developer."""
    sample = elf("ELF: ThinLTO, compiled before", "elf-lto",
                 "--objects 250 --bytes 250M --seed 16 --lto".split())
    cache = sample.directory / "cache"
    sample.arguments[-1:-1] = ["--lto-O0", f"--thinlto-cache-dir={cache}"]
    # This link fills the cache.
    subprocess.run([harness.LLVM / "ld.lld", *sample.arguments, "-o", os.devnull],
                   cwd=sample.directory, check=True)
    sample.inputs.append(cache)
    return sample


HELD_BACK = {
    # The archives of package libclang-22-dev.
    "clang": functools.partial(made, "ELF: clang's objects, -O2", "elf-clang", functools.partial(
        members_of, harness.LLVM.parent / "lib", "libclang*.a")),
    # The libraries of all installed toolchains (rustup).
    "rust": functools.partial(made, "ELF: Rust's libraries", "elf-rust", functools.partial(
        members_of, pathlib.Path.home() / ".rustup/toolchains",
        "*/lib/rustlib/x86_64-unknown-linux-gnu/lib/*.rlib")),
    "dwarf": functools.partial(elf, "ELF: objects with DWARF", "elf-dwarf",
                               "--objects 300 --bytes 260M --seed 11".split()),
    "split": functools.partial(
        elf, "ELF: objects with split DWARF", "elf-split",
        "--objects 700 --bytes 200M --directories 30 --seed 12 --split-dwarf".split()),
    "lto": elf_lto,
    "many": functools.partial(coff, "COFF: many small objects", "coff-many",
                              "--objects 1200 --bytes 180M --directories 90 --seed 13".split()),
    "huge": functools.partial(coff, "COFF: few large objects", "coff-huge",
                              "--objects 24 --bytes 240M --directories 3 --seed 14".split()),
    "optimized": functools.partial(
        macho, "Mach-O: optimized objects", "macho-optimized", "--objects 260 --bytes 160M --arch "
        "x86_64 --optimize 1 --dwarf 5 --seed 15".split(), arch="x86_64")}


# -- the conditions ------------------------------------------------------------------

# The speeds of the disk in MB/s; one plot shows the link's time at each.
SPEEDS = (50, 100, 200, 400)

CONDITIONS: dict[str, Condition] = {
    "coff": Condition(coff_medium, rounds=7, warm_rounds=11),
    "coff-400": Condition(coff_medium, megabytes_per_second=400, rounds=3),
    "coff-others": Condition(coff_medium, others=True, warm_rounds=7),
    "large-debug": Condition(coff_large, rounds=5, warm_rounds=7),
    **{f"large-debug-{speed}": Condition(coff_large, megabytes_per_second=speed,
                                         rounds=3 if speed >= 100 else 2)
       for speed in SPEEDS},
    "large-debug-2000": Condition(coff_large, reads_per_second=2000, rounds=3),
    "large-image": Condition(coff_image, rounds=3, warm_rounds=5),
    "large-archives": Condition(coff_archives, rounds=5, warm_rounds=5),
    "elf-archives": Condition(elf_archives, warm_rounds=15),
    "elf-archives-400": Condition(elf_archives, megabytes_per_second=400, rounds=5),
    "elf-archives-run": Condition(elf_archives, around=True, warm_rounds=15),
    "elf-objects": Condition(elf_objects, warm_rounds=15),
    "elf-objects-400": Condition(elf_objects, megabytes_per_second=400, rounds=5),
    "elf-objects-others": Condition(elf_objects, others=True, warm_rounds=15),
    "elf-small": Condition(elf_small, rounds=5, warm_rounds=25),
    "macho": Condition(macho_medium, rounds=5, warm_rounds=7),
    "macho-400": Condition(macho_medium, megabytes_per_second=400, rounds=3),
    "macho-run": Condition(macho_medium, around=True, rounds=3, warm_rounds=5),
    **{f"held-{name}": Condition(sample, rounds=5, warm_rounds=7)
       for name, sample in HELD_BACK.items()},
    **{f"held-{name}-400": Condition(sample, megabytes_per_second=400, rounds=5)
       for name, sample in HELD_BACK.items()},
}
