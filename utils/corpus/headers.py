"""The precompiled headers: the engine, and the additions of each module.

As in real code, most bytes of an object come from headers, so that objects
share types and inline functions (COMDATs), which the linker folds.
"""

from __future__ import annotations

import dataclasses
import random

from .cpp import CppClass, pick_name, write_class, write_data
from .package import read_text
from .vocabulary import MODULES

SHARED_CLASSES = 12  # in every module's header
MODULE_CLASSES = 40  # only in that module's header


@dataclasses.dataclass
class Header:
    """A module's precompiled header."""

    module: str
    text: str
    data: list[str]
    classes: list[CppClass]


def write_module_body(rng: random.Random, space: str, classes: int,
                      data: list[str]) -> tuple[list[str], list[CppClass]]:
    """Writes a namespace of a header; adds its structures to `data`."""
    out = [f"namespace {space} {{"]
    names = list(dict.fromkeys(pick_name(rng) for _ in range(classes)))
    for name in names:
        out += write_data(rng, f"{name}Data")
        data.append(f"{space}::{name}Data")
    made = [write_class(rng, space, name, data, rng.randint(1, 4), False)
            for name in names]
    for item in made:
        out += item.inside
    out.append(f"}} // namespace {space}")
    return out, made


def write_headers(seed: int) -> dict[str, Header]:
    engine = read_text("engine.h.in")
    shared_data: list[str] = []
    shared_text, shared = write_module_body(
        random.Random(f"{seed}:shared"), "game::shared", SHARED_CLASSES,
        shared_data)
    headers = {}
    for module in MODULES:
        data = list(shared_data)
        text, own = write_module_body(
            random.Random(f"{seed}:{module}"), f"game::{module}",
            MODULE_CLASSES, data)
        headers[module] = Header(
            module, engine + "\n".join(shared_text + text) + "\n",
            data, shared + own)
    return headers
