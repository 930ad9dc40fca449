"""Sizes and contents of files, and digests of recipes."""

from __future__ import annotations

import hashlib
from pathlib import Path


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def write_if_different(path: Path, text: str) -> None:
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
