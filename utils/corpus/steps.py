"""The files of a corpus: for each one a tool, its recipe and its output. The workshop runs
the tools, and stores what they made."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Callable, Iterable, Sequence

from .plan import STRIDE, Unit
from .sources import UnitWriter, write_headers, write_main
from .target import Target
from .vocabulary import MODULES

PCH_FLAGS = ("-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates")


class Failure(Exception):
    """An error that is reported to the user in one message."""


@dataclasses.dataclass
class Step:
    """One file to make: `prepare` returns its recipe and its command."""

    target: str
    wanted: int
    prepare: Callable[[], tuple[str, Callable[[str], list[str]]]]
    counted: bool = True


class Progress:
    """Reports the progress and the remaining time on standard error, ten times."""

    def __init__(self, count: int, wanted: int) -> None:
        self.count, self.left, self.wanted = count, wanted, wanted
        self.done = self.bytes = self.fresh = self.tenths = 0
        self.start = time.monotonic()

    def add(self, size: int, wanted: int, is_fresh: bool) -> None:
        self.done += 1
        self.bytes += size
        self.left -= wanted
        self.fresh += size if is_fresh else 0
        tenths = 10 * (self.wanted - self.left) // max(1, self.wanted)
        if is_fresh and tenths > self.tenths:
            rate = self.fresh / max(0.001, time.monotonic() - self.start)
            print(f"{self.done}/{self.count} objects, {self.bytes / 1e6:.0f} MB, {rate / 1e6:.1f} "
                  f"MB/s, {self.left / rate:.0f} s left", file=sys.stderr, flush=True)
        self.tenths = tenths


class Ledger:
    """Remembers which file was made from which recipe, across runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / "made.jsonl"
        self.made: dict[str, tuple[str, int]] = {}
        self.lock = threading.Lock()

    def load(self) -> None:
        for line in self.path.read_text().splitlines() if self.path.exists() else ():
            try:
                entry = json.loads(line)
                self.made[entry["path"]] = (entry["recipe"], entry["bytes"])
            except (ValueError, KeyError, TypeError):
                pass  # An interruption tore the line, so the file is made again.

    def size_here(self, target: str) -> int:
        """The bytes of a file, 0 if it does not exist."""
        path = self.root / target
        return path.stat().st_size if path.exists() else 0

    def has(self, target: str, recipe: str) -> bool:
        return self.made.get(target) == (recipe, self.size_here(target))

    def add(self, target: str, recipe: str) -> None:
        with self.lock:
            self.made[target] = (recipe, self.size_here(target))
            with self.path.open("a") as out:
                out.write(self.line(target))

    def line(self, target: str) -> str:
        recipe, size = self.made[target]
        return json.dumps({"path": target, "recipe": recipe, "bytes": size}) + "\n"

    def keep_only(self, targets: Iterable[str]) -> None:
        """Deletes the files of earlier runs that are not in `targets`."""
        for target in self.made.keys() - set(targets):
            path = self.root / target
            path.unlink(missing_ok=True)
            if path.parent.is_dir() and not any(path.parent.iterdir()):
                path.parent.rmdir()
            del self.made[target]
        fresh = self.path.with_suffix(".new")
        fresh.write_text("".join(map(self.line, self.made)))
        fresh.replace(self.path)


class Workshop:
    """Runs `jobs` compilers at a time, and starts none after a failure.

    A tool writes below tmp/, and the workshop then renames the file to its
    place, so that a file in its place is always whole.  All tools run in the
    output directory with relative names, so that no output has its name.
    """

    def __init__(self, root: Path, jobs: int, ledger: Ledger) -> None:
        self.root = root
        self.jobs = jobs
        self.ledger = ledger
        self.stopped = False
        self.lock = threading.Lock()
        self.running: set[subprocess.Popen[str]] = set()

    def run(self, steps: Sequence[Step], progress: Progress) -> None:
        """Makes every step's target, the largest first."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            started = {pool.submit(self.make, step): step
                       for step in sorted(steps, key=lambda item: -item.wanted)}
            try:
                for future in concurrent.futures.as_completed(started):
                    is_fresh, step = future.result(), started[future]
                    if step.counted:
                        progress.add(self.ledger.made[step.target][1], step.wanted, is_fresh)
            except BaseException:
                self.halt()
                pool.shutdown(cancel_futures=True)
                raise

    def halt(self) -> None:
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()

    def make(self, step: Step) -> bool:
        """Returns whether the file is new."""
        recipe, command = step.prepare()
        if self.ledger.has(step.target, recipe):
            return False
        unfinished = "tmp/" + step.target
        for name in (unfinished, step.target):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        self.execute(command(unfinished), step.target)
        os.replace(self.root / unfinished, self.root / step.target)
        self.ledger.add(step.target, recipe)
        return True

    def execute(self, command: list[str], target: str) -> None:
        with self.lock:
            if self.stopped:
                raise Failure("stopped")
            # In its own session, since Ctrl-C must reach only this script, which
            # then ends the compilers and does not report them as failed.
            process = subprocess.Popen(command, cwd=self.root, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       start_new_session=True)
            self.running.add(process)
        try:
            output, _ = process.communicate()
        finally:
            with self.lock:
                self.running.discard(process)
        if process.returncode != 0:
            raise Failure(f"making {self.root / target} failed (exit code {process.returncode})\n"
                          f"  {' '.join(command)}\n{output.rstrip()}")


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
        self.version = subprocess.run([compiler, "--version"], check=True, stdout=subprocess.PIPE,
                                      text=True).stdout.splitlines()[0]
        # A precompiled header contains the whole path of its source.
        self.compile = [compiler, *target.flags, f"-ffile-prefix-map={self.root}=."]

    def recipe(self, *texts: str) -> str:
        return digest(self.version, *self.target.flags, *texts)

    def units_steps(self) -> list[Step]:
        return [self.unit(unit) for unit in self.units]

    def unit(self, unit: Unit) -> Step:
        peers = [peer for peer in self.units[unit.index % STRIDE::STRIDE] if peer is not unit]
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
