"""The step that makes an archive of the objects of a directory."""

from __future__ import annotations

from typing import Sequence

from .files import digest
from .ledger import Ledger
from .plan import Unit
from .target import Target
from .workshop import Step


def archive_step(librarian: str, ledger: Ledger, folder: str,
                 units: Sequence[Unit], kind: Target) -> Step:
    members = [f"obj/{unit.stem}{kind.object_suffix}" for unit in units
               if unit.folder == folder]
    recipe = digest(librarian, *(ledger.made[item][0] for item in members))

    def command(target: str) -> list[str]:
        words = [word.replace("{out}", target) for word in kind.archive_words]
        return [librarian, *words, *members]

    wanted = sum(ledger.made[item][1] for item in members)
    return Step(f"lib/{folder}{kind.archive_suffix}", wanted,
                lambda: (recipe, command), counted=False)
