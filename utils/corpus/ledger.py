"""The ledger: the files that an interrupted or an earlier run has made."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Iterable

from .files import size_of


class Ledger:
    """Remembers which file was made from which recipe, across runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / "made.jsonl"
        self.made: dict[str, tuple[str, int]] = {}
        self.lock = threading.Lock()

    def load(self) -> None:
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                self.read(line)

    def read(self, line: str) -> None:
        try:
            entry = json.loads(line)
            self.made[entry["path"]] = (entry["recipe"], entry["bytes"])
        except (ValueError, KeyError, TypeError):
            pass  # An interruption tore the line, so the file is made again.

    def has(self, target: str, recipe: str) -> bool:
        known = self.made.get(target)
        return (known is not None and known[0] == recipe
                and size_of(self.root / target) == known[1])

    def add(self, target: str, recipe: str) -> int:
        size = (self.root / target).stat().st_size
        with self.lock:
            self.made[target] = (recipe, size)
            with self.path.open("a") as out:
                out.write(self.line(target) + "\n")
        return size

    def line(self, target: str) -> str:
        recipe, size = self.made[target]
        return json.dumps(
            {"path": target, "recipe": recipe, "bytes": size})

    def keep_only(self, targets: Iterable[str]) -> None:
        """Deletes the files of earlier runs that are not in `targets`."""
        wanted = set(targets)
        for target in [item for item in self.made if item not in wanted]:
            path = self.root / target
            path.unlink(missing_ok=True)
            if path.parent.is_dir() and not any(path.parent.iterdir()):
                path.parent.rmdir()
            del self.made[target]
        fresh = self.path.with_suffix(".new")
        fresh.write_text(
            "".join(self.line(target) + "\n" for target in self.made))
        fresh.replace(self.path)
