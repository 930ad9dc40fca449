"""The path of Headstart's programs."""

import importlib.metadata
import pathlib


def _prefix():
    package = pathlib.Path(__file__).resolve().parent
    yield package.parent  # pip install --target
    for file in importlib.metadata.files("headstart-linker") or []:
        if file.as_posix().endswith("bin/headstart"):
            yield pathlib.Path(file.locate()).resolve().parent.parent


#: The directory that contains bin/headstart, bin/ld.headstart and libexec/headstart/ld.
prefix = str(next(p for p in _prefix() if (p / "bin" / "headstart").exists()))
