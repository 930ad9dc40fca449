"""The links of a corpus, with their inputs in response files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterable, Sequence

from .plan import Unit
from .target import Target


class Links:
    """One link of all objects and, with archives, one of some members."""

    def __init__(self, root: Path, units: Sequence[Unit],
                 archive: bool, target: Target) -> None:
        self.root = root
        self.units = units
        self.folders = list(dict.fromkeys(unit.folder for unit in units))
        self.archive = archive
        self.target = target

    def objects(self) -> list[str]:
        """The objects of link.rsp, in the order of the link."""
        suffix = self.target.object_suffix
        return [f"obj/launch/main{suffix}"] + [
            f"obj/{unit.stem}{suffix}" for unit in self.units]

    def archives(self) -> list[str]:
        target = self.target
        return [f"obj/launch/main_archives{target.object_suffix}"] + [
            f"lib/{folder}{target.archive_suffix}"
            for folder in self.folders]

    def targets(self) -> list[str]:
        more = self.archives() if self.archive else []
        return self.objects() + more

    def write(self) -> None:
        self.write_response("link.rsp", self.objects())
        if self.archive:
            self.write_response("link-archives.rsp", self.archives())
        else:
            (self.root / "link-archives.rsp").unlink(missing_ok=True)
        for name, text in self.target.files:
            (self.root / name).write_text(text)

    def write_response(self, name: str, targets: Iterable[str]) -> None:
        lines = (quoted(str(self.root / target)) for target in targets)
        (self.root / name).write_text("".join(f"{x}\n" for x in lines))

    def written(self) -> bool:
        names = ["link.rsp"] + (
            ["link-archives.rsp"] if self.archive else [])
        names += [name for name, _ in self.target.files]
        return all((self.root / name).exists() for name in names)


def quoted(path: str) -> str:
    return f'"{path}"' if re.search(r"\s", path) else path
