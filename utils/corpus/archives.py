"""Archives: the step that makes one of a folder's objects."""

from __future__ import annotations

from typing import Sequence

from .files import digest
from .ledger import Ledger
from .plan import Unit
from .workshop import Step


def archive_step(librarian: str, ledger: Ledger, folder: str,
                 units: Sequence[Unit]) -> Step:
    members = [f"obj/{unit.stem}.obj" for unit in units
               if unit.folder == folder]
    recipe = digest(librarian, *(ledger.made[item][0] for item in members))

    def command(target: str) -> list[str]:
        return [librarian, "/nologo", "/machine:x64", f"/out:{target}",
                *members]

    wanted = sum(ledger.made[item][1] for item in members)
    return Step(f"lib/{folder}.lib", wanted, lambda: (recipe, command),
                counted=False)
