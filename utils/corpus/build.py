"""Makes the files of a corpus for a target: writes their sources, and lets ninja run LLVM's tools
in the output directory, with relative names, so that no output contains its path. A tool writes
below tmp/, so that a file in its place is always whole."""

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Sequence

from .sources import MODULES, STRIDE, Unit, UnitWriter, write_headers, write_main


@dataclasses.dataclass(frozen=True)
class Target:
    flags: tuple[str, ...]
    object_suffix: str
    archive_suffix: str
    archivers: tuple[str, ...]
    archive_arguments: tuple[str, ...]  # "{out}" stands for the archive
    # sources.Budget estimates the sizes of COFF objects with CodeView at -O0. The corpus
    # requests its bytes times this factor from it.
    scale: float = 1.0
    files: tuple[str, ...] = ()  # of this directory, for the output directory


# The sources use neither headers nor a library.
FREESTANDING = ("-ffreestanding", "-nostdinc", "-fno-exceptions", "-fno-rtti",
                "-fno-threadsafe-statics", "-fno-stack-protector", "-fasynchronous-unwind-tables")

# -O0 gives twice the bytes of -O1 per second of compiling, and developers link it most often.
# Before C++20, clang parses templates late, so that the precompiled header would lack them.
COFF = Target(flags=("--target=x86_64-pc-windows-msvc", "-std=c++20", "-O0", "-g", "-gcodeview",
                     *FREESTANDING, "-mno-stack-arg-probe", "-ffunction-sections",
                     "-fdata-sections", "-mno-incremental-linker-compatible",
                     "-fdebug-compilation-dir=.", "-gno-codeview-command-line"),
              object_suffix=".obj", archive_suffix=".lib", archivers=("llvm-lib-22", "llvm-lib"),
              archive_arguments=("/nologo", "/machine:x64", "/out:{out}"))


def unix(triple: str, optimize: int, *flags: str) -> Target:
    return Target(flags=(f"--target={triple}", "-std=c++20", f"-O{optimize}", "-g", *flags,
                         "-fdebug-compilation-dir=."),
                  object_suffix=".o", archive_suffix=".a", archivers=("llvm-ar-22", "llvm-ar"),
                  archive_arguments=("rcs", "{out}"), scale=1.25)


def macho(arch: str, optimize: int, dwarf: int) -> Target:
    """The target for ld64.lld, with the given version of DWARF."""
    return dataclasses.replace(
        unix(f"{arch}-apple-macos11", optimize, f"-gdwarf-{dwarf}", *FREESTANDING),
        archive_arguments=("rcs", "--format=darwin", "{out}"),
        scale=1.25 if optimize == 0 else 1.45, files=("libSystem.tbd",))


def elf(optimize: int, split: bool, lto: bool) -> Target:
    """The target for ld.lld; split: debug information in .dwo files, which are not linked."""
    return unix("x86_64-linux-gnu", optimize, *["-gsplit-dwarf"] * split,
                *["-flto=thin"] * lto, *FREESTANDING, "-ffunction-sections", "-fdata-sections")


# The first object that needs a header precompiles it.
RULES = """\
compile = "$$CXX" {flags}
pch = -Xclang -fno-pch-timestamp -fpch-instantiate-templates
rule object
  command = flock src/$module.h sh -c '[ -e pch/$module.pch ] || {{ $compile $pch -x c++-header $
    src/$module.h -o tmp/$module.pch && mv tmp/$module.pch pch/; }}' && $
    $compile -include-pch pch/$module.pch -c $in -o tmp/$out && mv tmp/$out $out
  description = $out
rule archive
  command = "$$AR" {archive} $in && mv tmp/$out $out
  description = $out
"""


class Failure(Exception):
    """An error that is reported to the user in one message."""


def find_tool(*names: str) -> str:
    for found in filter(None, map(shutil.which, names)):
        return os.path.abspath(found)
    raise Failure(f"not found: {' or '.join(names)}")


class Build:
    """The objects, each with a module's header, and archives of them."""

    def __init__(self, root: Path, target: Target, units: Sequence[Unit], seed: int) -> None:
        self.root, self.target, self.units, self.seed = root, target, units, seed
        self.headers = write_headers(seed)
        find_tool("flock")
        compiler = find_tool("clang++-22", "clang++")
        self.tools = {"CXX": compiler, "AR": find_tool(*target.archivers)}
        # A precompiled header contains the whole path of its source.
        flags = [*target.flags, '-ffile-prefix-map="$$PWD"=.']
        archive = [part.replace("{out}", "tmp/$out") for part in target.archive_arguments]
        self.lines = [RULES.format(flags=" ".join(flags), archive=" ".join(archive))]
        self.write("src/compiler", subprocess.check_output([compiler, "--version"], text=True))

    def write(self, name: str, text: str) -> None:
        """Writes a file unless it has this text: ninja compares times."""
        path = self.root / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def object(self, stem: str, module: str, text: str) -> None:
        self.write(f"src/{stem}.cpp", text)
        (self.root / f"tmp/obj/{stem}").parent.mkdir(parents=True, exist_ok=True)
        self.lines.append(f"build obj/{stem}{self.target.object_suffix}: object src/{stem}.cpp | "
                          f"src/{module}.h src/compiler\n  module = {module}\n")

    def plan(self, archive: bool) -> tuple[list[str], list[str]]:
        """Writes the sources, and ninja's file with the largest objects first. Returns the inputs
        of the two links in their order: all objects, and archives of them."""
        for module in {MODULES[0], *(unit.module for unit in self.units)}:
            self.write(f"src/{module}.h", self.headers[module].text)
        for unit in sorted(self.units, key=lambda unit: -unit.wanted):
            peers = [peer for peer in self.units[unit.index % STRIDE::STRIDE] if peer is not unit]
            self.object(unit.stem, unit.module, UnitWriter(
                self.seed, unit, self.headers[unit.module], peers).write())
        self.object("launch/main", MODULES[0], write_main(self.units))
        suffix = self.target.object_suffix
        objects = {unit: f"obj/{unit.stem}{suffix}" for unit in self.units}
        archives = []
        if archive:
            self.object("launch/main_archives", MODULES[0], write_main(self.units[::STRIDE]))
            archives.append(f"obj/launch/main_archives{suffix}")
            (self.root / "tmp/lib").mkdir(exist_ok=True)
            for directory in dict.fromkeys(unit.directory for unit in self.units):
                archives.append(f"lib/{directory}{self.target.archive_suffix}")
                members = (name for unit, name in objects.items() if unit.directory == directory)
                self.lines.append(f"build {archives[-1]}: archive {' '.join(members)}\n")
        self.write("build.ninja", "".join(self.lines))
        return [f"obj/launch/main{suffix}", *objects.values()], archives

    def run(self) -> None:
        """Makes what is missing, and removes the files of earlier runs that are not planned."""
        ninja = [find_tool("ninja"), "-C", self.root, "-j", str(os.cpu_count() or 1)]
        (self.root / "pch").mkdir(exist_ok=True)
        self.compile(ninja)
        subprocess.run([*ninja, "-t", "cleandead"], stdout=subprocess.DEVNULL)

    def compile(self, ninja: list) -> None:
        stdout = None if sys.stdout.isatty() else subprocess.PIPE
        with subprocess.Popen(ninja, stdout=stdout, text=True,
                              env={**os.environ, **self.tools}) as process:
            try:
                output, _ = process.communicate()
            except BaseException:
                process.send_signal(signal.SIGINT)  # ninja then ends the compilers
                raise
        if process.returncode:
            print(output or "", end="", file=sys.stderr)
            raise Failure(f"{self.root}: not all objects could be made")
