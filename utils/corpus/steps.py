"""The files of a corpus: for each one a tool, its recipe and its output."""

import hashlib
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Callable, Sequence

from .plan import STRIDE, Unit
from .sources import UnitWriter, write_headers, write_main
from .target import Target
from .vocabulary import MODULES
from .workshop import Failure, Step, Workshop

PCH_FLAGS = ("-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates")


def find_tool(*names: str) -> str:
    for found in filter(None, map(shutil.which, names)):
        return os.path.abspath(found)
    raise Failure(f"not found: {' or '.join(names)}")


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def write_source(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


class Steps:
    """The steps that make the objects, each with a module's header, and archives."""

    def __init__(self, workshop: Workshop, target: Target, units: Sequence[Unit],
                 seed: int) -> None:
        self.workshop = workshop
        self.root = workshop.root
        self.target = target
        self.units = units
        self.seed = seed
        self.headers = write_headers(seed)
        self.header_locks = {module: threading.Lock() for module in self.headers}
        compiler = find_tool("clang++-22", "clang++")
        self.version = subprocess.run(
            [compiler, "--version"], check=True, stdout=subprocess.PIPE,
            text=True).stdout.splitlines()[0]
        # A precompiled header contains the whole path of its source.
        self.compile = [compiler, *target.flags, f"-ffile-prefix-map={self.root}=."]

    def recipe(self, *texts: str) -> str:
        return digest(self.version, *self.target.flags, *texts)

    def units_steps(self) -> list[Step]:
        return [self.unit(unit) for unit in self.units]

    def unit(self, unit: Unit) -> Step:
        peers = [peer for peer in self.units[unit.index % STRIDE::STRIDE]
                 if peer is not unit]
        return self.object(unit.stem, unit.module, unit.wanted, lambda: UnitWriter(
            self.seed, unit, self.headers[unit.module], peers).write())

    def main(self, name: str, stride: int) -> Step:
        """The step that makes an entry, which starts every `stride`-th unit."""
        return self.object(f"launch/{name}", MODULES[0], 20_000,
                           lambda: write_main(self.units[::stride]), stride == 1)

    def object(self, stem: str, module: str, wanted: int,
               write: Callable[[], str], counted: bool = True) -> Step:
        source = f"src/{stem}.cpp"

        def prepare() -> tuple[str, Callable[[str], list[str]]]:
            text = write()

            def command(target: str) -> list[str]:
                # The first object that needs a header precompiles it.
                with self.header_locks[module]:
                    self.workshop.make(self.header(module))
                write_source(self.root / source, text)
                return [*self.compile, "-include-pch", f"pch/{module}.pch", "-c",
                        source, "-o", target]
            return self.recipe(self.headers[module].text, text), command
        return Step(f"obj/{stem}{self.target.object_suffix}", wanted, prepare, counted)

    def header(self, module: str) -> Step:
        text = self.headers[module].text
        source = f"src/{module}.h"

        def command(target: str) -> list[str]:
            write_source(self.root / source, text)
            return [*self.compile, *PCH_FLAGS, "-x", "c++-header", source, "-o", target]
        recipe = self.recipe(text, str(self.root), *PCH_FLAGS)
        return Step(f"pch/{module}.pch", 0, lambda: (recipe, command))

    def archive(self, folder: str) -> Step:
        """The step that makes an archive of the objects of a directory."""
        librarian = find_tool(*self.target.archivers)
        made = self.workshop.ledger.made
        members = [f"obj/{unit.stem}{self.target.object_suffix}" for unit in self.units
                   if unit.folder == folder]
        recipe = digest(librarian, *(made[item][0] for item in members))

        def command(target: str) -> list[str]:
            words = [word.replace("{out}", target) for word in self.target.archive_words]
            return [librarian, *words, *members]
        return Step(f"lib/{folder}{self.target.archive_suffix}",
                    sum(made[item][1] for item in members), lambda: (recipe, command),
                    counted=False)
