"""Samples that were not used to choose any number of the engine.

The engine is tuned on the samples of coff.py and flavours.py. The samples here are other projects,
sizes and kinds of objects: clang's own objects (-O2, no debug information), Rust's libraries,
objects with DWARF, with split DWARF, with bitcode, many small objects for lld-link, few huge ones,
and optimized Mach-O objects. Published results are measured on them.
"""

import functools
import os
import pathlib
import subprocess
import sys
from typing import Iterable

import coff
import flavours
import harness
from links import Condition, Sample

ANY_SYMBOLS = ["--unresolved-symbols=ignore-all", "--allow-multiple-definition", "--no-demangle"]


def unpacked(folder: pathlib.Path, archives: Iterable[pathlib.Path]) -> list[str]:
    """Writes the ELF members of archives as objects. Returns the arguments of a link."""
    # A toolchain may be installed under two names.
    once = {archive.stem: archive for archive in sorted(archives, reverse=True)}
    if not once:
        sys.exit("error: the archives of this sample are not installed")
    return ["-shared", *ANY_SYMBOLS,
            *(word for archive in sorted(once.values())
              for word in flavours.unpacked(archive, folder / archive.stem))]


def elf_clang() -> Sample:
    """The archives of package libclang-22-dev."""
    return flavours.made("ELF: clang's objects, -O2", "elf-clang", lambda folder: unpacked(
        folder, (harness.LLVM.parent / "lib").glob("libclang*.a")))


def elf_rust() -> Sample:
    """The libraries of all installed toolchains (rustup)."""
    return flavours.made("ELF: Rust's libraries", "elf-rust", lambda folder: unpacked(
        folder, (pathlib.Path.home() / ".rustup/toolchains").glob(
            "*/lib/rustlib/x86_64-unknown-linux-gnu/lib/*.rlib")))


def elf(title: str, corpus: str, recipe: list[str]) -> Sample:
    folder = harness.make_corpus(corpus, recipe, kind="elf")
    return Sample(title, "ld.lld", folder, [folder / "obj"],
                  ["-e", "_Z4mainv", *ANY_SYMBOLS, f"@{folder}/link.rsp"])


def elf_lto() -> Sample:
    """ThinLTO with a cache that has everything that the link compiles: after a change, a
    developer's link mostly reads from the cache."""
    folder = harness.make_corpus(
        "elf-lto", ["--objects", "250", "--bytes", "250M", "--seed", "16", "--lto"], kind="elf")
    cache = folder / "cache"
    words = ["-e", "_Z4mainv", *ANY_SYMBOLS, "--lto-O0",
             f"--thinlto-cache-dir={cache}", f"@{folder}/link.rsp"]
    # This link compiles what the cache lacks.
    subprocess.run([harness.LLVM / "ld.lld", *words, "-o", os.devnull], cwd=folder, check=True)
    return Sample("ELF: ThinLTO, compiled before", "ld.lld", folder, [folder / "obj", cache], words)


SAMPLES = {"clang": elf_clang, "rust": elf_rust,
           "dwarf": functools.partial(elf, "ELF: objects with DWARF", "elf-dwarf",
                                      ["--objects", "300", "--bytes", "260M", "--seed", "11"]),
           "split": functools.partial(elf, "ELF: objects with split DWARF", "elf-split",
                                      ["--objects", "700", "--bytes",
                                       "200M", "--folders", "30", "--seed", "12", "--split-dwarf"]),
           "lto": elf_lto, "many": functools.partial(
               coff.sample, "COFF: many small objects", "coff-many",
               ["--objects", "1200", "--bytes", "180M", "--folders", "90", "--seed", "13"]),
           "huge": functools.partial(
               coff.sample, "COFF: few large objects", "coff-huge",
               ["--objects", "24", "--bytes", "240M", "--folders", "3", "--seed", "14"]),
           "optimized": functools.partial(
               flavours.macho, "Mach-O: optimized objects", "macho-optimized",
               ["--objects", "260", "--bytes", "160M", "--arch", "x86_64", "--optimize", "1",
                "--dwarf", "5", "--seed", "15"], arch="x86_64")}

CONDITIONS: dict[str, Condition] = {
    **{f"held-{name}": Condition(sample, rounds=5, warm_rounds=7)
       for name, sample in SAMPLES.items()},
    **{f"held-{name}-400": Condition(sample, megabytes_per_second=400, rounds=5)
       for name, sample in SAMPLES.items()},
}
