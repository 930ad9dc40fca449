"""Makes a whole corpus, in order."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

from .archives import archive_step
from .compiler import Compiler, Objects
from .disk import check_space, claim_folder
from .headers import write_headers
from .ledger import Ledger
from .links import Links
from .plan import plan_units
from .progress import Progress
from .stamp import Stamp
from .target import Target
from .tools import find_tool
from .workshop import Workshop


class Corpus:
    """Plans a corpus, makes the missing files, and writes the stamp."""

    def __init__(self, options: argparse.Namespace, target: Target) -> None:
        self.options = options
        self.target = target
        self.root = Path(options.out).resolve()
        self.compiler = Compiler(
            find_tool(options.compiler, "clang++-22", "clang++"), self.root,
            target)
        self.librarian = ""
        if options.archive:
            self.librarian = find_tool(
                options.librarian, *target.archivers)
        self.units = plan_units(options.objects,
                                int(options.bytes * target.scale),
                                options.folders, options.seed)
        self.links = Links(self.root, self.units, options.archive, target)
        self.stamp = Stamp(self.root, options, target.flags,
                           self.compiler.version)
        self.ledger = Ledger(self.root)
        self.workshop = Workshop(self.root, options.jobs, self.ledger)

    def make(self) -> None:
        options = self.options
        done = self.stamp.read()
        if done and self.links.written():
            print(f"{self.root}: {done['objects']} objects, "
                  f"{done['bytes'] / 1e6:.0f} MB, already there")
            return
        claim_folder(self.root)
        self.ledger.load()
        check_space(self.root, self.ledger, options.bytes, options.archive)
        self.stamp.remove()
        objects = Objects(self.compiler, self.workshop, self.units,
                          write_headers(options.seed), options.seed)
        start = time.monotonic()
        self.make_files(objects)
        self.ledger.keep_only(self.links.targets())
        self.links.write()
        count, total = self.stamp.write(
            self.ledger, self.links.objects(), self.links.targets())
        if total < options.bytes:
            print(f"make-corpus: warning: {total} bytes are less than the "
                  f"{options.bytes} asked for", file=sys.stderr)
        print(f"{self.root}: {count} objects, {total / 1e6:.0f} MB, "
              f"in {time.monotonic() - start:.0f} s")

    def make_files(self, objects: Objects) -> None:
        steps = objects.unit_steps() + [objects.main_step()]
        if self.options.archive:
            steps.append(objects.main_archives_step())
        progress = Progress(self.options.objects,
                            sum(step.wanted for step in steps
                                if step.counted))
        try:
            self.workshop.run(steps, progress)
            if self.options.archive:
                self.workshop.run(
                    [archive_step(self.librarian, self.ledger, folder,
                                  self.units, self.target)
                     for folder in self.links.folders], progress)
        finally:
            progress.finish()
            shutil.rmtree(self.root / "tmp", ignore_errors=True)
        shutil.rmtree(self.root / "pch", ignore_errors=True)
