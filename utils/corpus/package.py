"""The files of this package: the C++ that it only copies, and its version."""

from __future__ import annotations

from pathlib import Path

from .files import digest

# The version of the format of made.jsonl and corpus.json.
FORMAT = 1

FOLDER = Path(__file__).parent


def read_text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def version() -> str:
    """A string that changes with every file of the package, data or code."""
    names = sorted(path.name for path in FOLDER.iterdir()
                   if path.is_file() and not path.name.startswith("."))
    texts = [part for name in names for part in (name, read_text(name))]
    return f"{FORMAT}-{digest(*texts)[:12]}"
