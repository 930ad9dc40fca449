"""The compiler's options, and the steps that compile sources to objects."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Callable, Sequence

from .files import digest, write_if_different
from .headers import Header
from .plan import STRIDE, Unit
from .target import Target
from .tools import first_line
from .units import UnitWriter, write_main
from .vocabulary import MODULES
from .workshop import Step, Workshop

PCH_FLAGS = ("-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates")


class Compiler:
    """A compiler, its version and the options of this corpus."""

    def __init__(self, program: str, root: Path, target: Target) -> None:
        self.program = program
        self.version = first_line(program, "--version")
        self.root = root
        self.target = target

    def command(self) -> list[str]:
        # A precompiled header contains the whole path of its source.
        return [self.program, *self.target.flags,
                f"-ffile-prefix-map={self.root}=."]

    def recipe(self, *texts: str) -> str:
        return digest(self.version, *self.target.flags, *texts)


class Objects:
    """The steps that make the objects, each with a module's header."""

    def __init__(self, compiler: Compiler, workshop: Workshop,
                 units: Sequence[Unit], headers: dict[str, Header],
                 seed: int) -> None:
        self.compiler = compiler
        self.workshop = workshop
        self.root = workshop.root
        self.units = units
        self.headers = headers
        self.header_locks = {module: threading.Lock() for module in headers}
        self.seed = seed

    def unit_steps(self) -> list[Step]:
        return [self.unit_step(unit) for unit in self.units]

    def unit_step(self, unit: Unit) -> Step:
        peers = [peer for peer in self.units[unit.index % STRIDE::STRIDE]
                 if peer is not unit]

        def write() -> str:
            header = self.headers[unit.module]
            return UnitWriter(self.seed, unit, header, peers).write()

        return self.compile_step(unit.stem, unit.module, unit.wanted, write)

    def main_step(self) -> Step:
        """The step that makes the entry, which starts all units."""
        return self.compile_step("launch/main", MODULES[0], 20_000,
                                 lambda: write_main(self.units))

    def main_archives_step(self) -> Step:
        """The step that makes the archives' entry, which starts every STRIDE-th unit."""
        every = self.units[::STRIDE]
        return self.compile_step("launch/main_archives", MODULES[0], 20_000,
                                 lambda: write_main(every), counted=False)

    def compile_step(self, stem: str, module: str, wanted: int,
                     write: Callable[[], str],
                     counted: bool = True) -> Step:
        source = f"src/{stem}.cpp"

        def prepare() -> tuple[str, Callable[[str], list[str]]]:
            text = write()

            def command(target: str) -> list[str]:
                self.ensure_header(module)
                write_if_different(self.root / source, text)
                return [*self.compiler.command(), "-include-pch",
                        f"pch/{module}.pch", "-c", source, "-o", target]

            header = self.headers[module].text
            return self.compiler.recipe(header, text), command

        suffix = self.compiler.target.object_suffix
        return Step(f"obj/{stem}{suffix}", wanted, prepare, counted)

    def ensure_header(self, module: str) -> None:
        """Precompiles a header before the first object that needs it."""
        with self.header_locks[module]:
            self.workshop.make(self.header_step(module))

    def header_step(self, module: str) -> Step:
        text = self.headers[module].text
        source = f"src/{module}.h"

        def command(target: str) -> list[str]:
            write_if_different(self.root / source, text)
            return [*self.compiler.command(), *PCH_FLAGS, "-x", "c++-header",
                    source, "-o", target]

        recipe = self.compiler.recipe(text, str(self.root), *PCH_FLAGS)
        return Step(f"pch/{module}.pch", 0, lambda: (recipe, command))
