"""The plan: the units of a corpus, their places and their sizes."""

import dataclasses
import random

from .cpp import pick_name
from .vocabulary import MODULES, PARTS

# With --archive every STRIDE-th unit is reachable from main.
STRIDE = 8


@dataclasses.dataclass
class Unit:
    """A translation unit: its place in the corpus and its wanted size."""

    index: int
    folder: str
    module: str
    name: str
    wanted: int

    @property
    def namespace(self) -> str:
        return f"game::{self.folder}::{self.name}"

    @property
    def stem(self) -> str:
        return f"{self.folder}/{self.name}"


def plan_sizes(rng: random.Random, units: int, total: int) -> list[int]:
    """Draws the sizes: most middling, one in twelve small, a few huge."""
    huge = round(units * 0.012)
    small = round(units * 0.08)
    shape = [rng.uniform(8.0, 11.0) for _ in range(huge)]
    shape += [rng.uniform(0.06, 0.20) for _ in range(small)]
    shape += [min(3.2, max(0.8, rng.lognormvariate(0.45, 0.28)))
              for _ in range(units - huge - small)]
    rng.shuffle(shape)
    # Budget's estimates are off by a percent; the total must not be too small.
    scale = total * 1.025 / sum(shape)
    return [max(10_000, int(size * scale)) for size in shape]


def folder_name(index: int) -> str:
    module = MODULES[index % len(MODULES)]
    row = index // len(MODULES)
    part = PARTS[row % len(PARTS)]
    again = row // len(PARTS)
    return f"{module}_{part}{again + 1 if again else ''}"


def plan_units(objects: int, total: int, folders: int, seed: int) -> list[Unit]:
    """Plans all objects except main, directory by directory."""
    rng = random.Random(f"{seed}:plan")
    count = objects - 1
    units = []
    for index, wanted in enumerate(plan_sizes(rng, count, total)):
        folder = index * folders // count
        units.append(Unit(index, folder_name(folder),
                          MODULES[folder % len(MODULES)], f"{pick_name(rng)}{index:04}", wanted))
    return units
