"""The stamp: corpus.json, which lists the files of a complete corpus."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Optional, Sequence

from .files import size_of
from .ledger import Ledger
from .package import version


class Stamp:
    """The stamp of the corpus that the options request."""

    def __init__(self, root: Path, options: argparse.Namespace,
                 flags: Sequence[str], compiler_version: str) -> None:
        self.root = root
        self.path = root / "corpus.json"
        self.options = options
        self.flags = list(flags)
        self.compiler_version = compiler_version

    def identity(self, archive: bool) -> dict[str, object]:
        """The values that the stamp of this corpus must have."""
        options = self.options
        return {
            "version": version(),
            "arguments": {
                "objects": options.objects, "bytes": options.bytes,
                "folders": options.folders, "archive": archive,
                "seed": options.seed,
            },
            "compiler": self.compiler_version,
            "flags": self.flags,
            "root": str(self.root),
        }

    def read(self) -> Optional[dict]:
        """Returns the stamp if it is this corpus's and all of its files exist."""
        try:
            stamp = json.loads(self.path.read_text())
            # Existing archives do no harm if the options do not request them.
            asked = self.identity(
                self.options.archive or stamp["arguments"]["archive"])
            same = all(stamp[key] == value for key, value in asked.items())
            sizes = dict(stamp["sizes"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        whole = all(size_of(self.root / target) == size
                    for target, size in sizes.items())
        return stamp if same and whole else None

    def write(self, ledger: Ledger, objects: Sequence[str],
              targets: Sequence[str]) -> tuple[int, int]:
        """Writes the stamp. Returns the number of objects and their bytes."""
        sizes = {target: ledger.made[target][1] for target in targets}
        total = sum(sizes[target] for target in objects)
        stamp = {**self.identity(self.options.archive),
                 "objects": len(objects), "bytes": total, "sizes": sizes}
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(stamp, indent=1) + "\n")
        fresh.replace(self.path)
        return len(objects), total

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
