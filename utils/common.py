"""The paths and functions that the scripts share."""

import contextlib
import os
import pathlib
import sys
import tempfile
from typing import Iterator, NoReturn

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path(os.environ.get("HEADSTART_LLVM", "/usr/lib/llvm-22/bin"))


def skip(reason: object) -> NoReturn:
    """Ends a test that cannot run on this machine. ctest knows the exit status."""
    print(f"skipped: {reason}")
    sys.exit(77)


@contextlib.contextmanager
def temporary_directory(**options) -> Iterator[pathlib.Path]:
    with tempfile.TemporaryDirectory(**options) as name:
        yield pathlib.Path(name)
