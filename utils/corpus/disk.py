"""Checks whether the output directory is ours and has space for a corpus."""

from __future__ import annotations

import shutil
from pathlib import Path

from .failure import Failure
from .files import size_of
from .ledger import Ledger


def claim_folder(root: Path) -> None:
    """Makes the directory, and refuses one with files that are not a corpus."""
    if '"' in str(root):
        raise Failure(f"{root}: a response file cannot quote this")
    root.mkdir(parents=True, exist_ok=True)
    known = ("made.jsonl", "corpus.json", "tmp")
    if any(root.iterdir()) and not any(
            (root / name).exists() for name in known):
        raise Failure(f"{root} has files that are not a corpus")
    shutil.rmtree(root / "tmp", ignore_errors=True)
    (root / "tmp").mkdir()


def check_space(root: Path, ledger: Ledger, wanted: int,
                archive: bool) -> None:
    there = sum(max(0, size_of(root / target)) for target in ledger.made)
    need = wanted * (2 if archive else 1)
    need = int(need * 1.15) + 200_000_000 - there
    free = shutil.disk_usage(root).free
    if free < need:
        raise Failure(f"{root}: needs {need / 1e9:.1f} GB more and "
                      f"only {free / 1e9:.1f} GB are free")
