"""Makes a whole corpus, in order."""

import argparse
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Iterable

from .plan import STRIDE, plan_units
from .steps import Steps
from .target import Target
from .workshop import Failure, Ledger, Progress, Workshop


class Corpus:
    """Plans a corpus, makes the missing files, and writes its links."""

    def __init__(self, options: argparse.Namespace, target: Target) -> None:
        self.options = options
        self.target = target
        self.root = Path(options.out).resolve()
        units = plan_units(options.objects, int(options.bytes * target.scale),
                           options.folders, options.seed)
        self.folders = list(dict.fromkeys(unit.folder for unit in units))
        self.ledger = Ledger(self.root)
        self.workshop = Workshop(self.root, options.jobs, self.ledger)
        self.steps = Steps(self.workshop, target, units, options.seed)
        # The inputs of the two links, in their order: all objects, and some members.
        suffix = target.object_suffix
        self.objects = [f"obj/launch/main{suffix}"] + [
            f"obj/{unit.stem}{suffix}" for unit in units]
        self.archives = [f"obj/launch/main_archives{suffix}"] + [
            f"lib/{folder}{target.archive_suffix}" for folder in self.folders
        ] if options.archive else []

    def make(self) -> None:
        self.claim_folder()
        self.ledger.load()
        self.check_space()
        start = time.monotonic()
        progress = self.make_files()
        self.ledger.keep_only(self.objects + self.archives)
        self.write_response("link.rsp", self.objects)
        if self.archives:
            self.write_response("link-archives.rsp", self.archives)
        else:
            (self.root / "link-archives.rsp").unlink(missing_ok=True)
        for name, text in self.target.files:
            (self.root / name).write_text(text)
        total = sum(self.ledger.made[target][1] for target in self.objects)
        if progress.fresh and total < self.options.bytes:
            print(f"make-corpus: warning: {total} bytes are less than the "
                  f"{self.options.bytes} asked for", file=sys.stderr)
        print(f"{self.root}: {len(self.objects)} objects, {total / 1e6:.0f} MB, "
              + (f"in {time.monotonic() - start:.0f} s" if progress.fresh
                 else "already there"))

    def make_files(self) -> Progress:
        steps = self.steps.units_steps() + [self.steps.main("main", 1)]
        progress = Progress(len(steps), sum(step.wanted for step in steps))
        if self.archives:
            steps.append(self.steps.main("main_archives", STRIDE))
        try:
            self.workshop.run(steps, progress)
            if self.archives:
                self.workshop.run(list(map(self.steps.archive, self.folders)), progress)
        finally:
            shutil.rmtree(self.root / "tmp", ignore_errors=True)
        shutil.rmtree(self.root / "pch", ignore_errors=True)
        return progress

    def claim_folder(self) -> None:
        """Makes the directory, and refuses one with files that are not a corpus."""
        if '"' in str(self.root):
            raise Failure(f"{self.root}: a response file cannot quote this")
        self.root.mkdir(parents=True, exist_ok=True)
        if any(self.root.iterdir()) and not any(
                (self.root / name).exists() for name in ("made.jsonl", "tmp")):
            raise Failure(f"{self.root} has files that are not a corpus")
        shutil.rmtree(self.root / "tmp", ignore_errors=True)
        (self.root / "tmp").mkdir()

    def check_space(self) -> None:
        need = self.options.bytes * (2 if self.archives else 1)
        need = int(need * 1.15) + 200_000_000 - sum(
            map(self.ledger.size_here, self.ledger.made))
        free = shutil.disk_usage(self.root).free
        if free < need:
            raise Failure(f"{self.root}: needs {need / 1e9:.1f} GB more and "
                          f"only {free / 1e9:.1f} GB are free")

    def write_response(self, name: str, targets: Iterable[str]) -> None:
        """Writes the response file of a link."""
        paths = [str(self.root / target) for target in targets]
        (self.root / name).write_text("".join(
            f'"{path}"\n' if re.search(r"\s", path) else f"{path}\n" for path in paths))
