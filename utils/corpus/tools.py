"""The programs that make a corpus: where they are and their versions."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Optional

from .failure import Failure


def find_tool(asked: Optional[str], *usual: str) -> str:
    for name in [asked] if asked else usual:
        found = shutil.which(name)
        if found:
            return os.path.abspath(found)
    raise Failure(f"not found: {asked or ' or '.join(usual)}")


def first_line(*command: str) -> str:
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    return output.splitlines()[0]
