"""The sources of the objects: headers, units, and the entry that starts them; the plan of
the units, their places and their sizes.

As in real code, most bytes of an object come from headers, so that objects
share types and inline functions (COMDATs), which the linker folds. The headers
are the engine and the additions of each module.
"""

import dataclasses
import random
from pathlib import Path
from typing import Sequence

from .cpp import (MODULES, PARTS, VERBS, CppClass, Features, pick_name, write_class, write_data,
                  write_function, write_statements)

# With --archive every STRIDE-th unit is reachable from main.
STRIDE = 8
SHARED_CLASSES = 12  # in every module's header
MODULE_CLASSES = 40  # only in that module's header


def read_text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@dataclasses.dataclass
class Header:
    """A module's precompiled header."""

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
    made = [write_class(rng, space, name, data, rng.randint(1, 4), False) for name in names]
    for item in made:
        out += item.inside
    out.append(f"}} // namespace {space}")
    return out, made


def write_headers(seed: int) -> dict[str, Header]:
    engine = read_text("engine.h.in")
    shared_data: list[str] = []
    shared_text, shared = write_module_body(random.Random(f"{seed}:shared"),
                                            "game::shared", SHARED_CLASSES, shared_data)
    headers = {}
    for module in MODULES:
        data = list(shared_data)
        text, own = write_module_body(random.Random(f"{seed}:{module}"), f"game::{module}",
                                      MODULE_CLASSES, data)
        headers[module] = Header(engine + "\n".join(shared_text + text) + "\n", data, shared + own)
    return headers


class Budget:
    """Estimates the bytes of the object that a unit's source will give.

    The weights were fitted to objects that this script made with clang 22.
    An object pays for an instantiation once, however often it uses it.
    """

    BASE = 9_000.0
    FIRST_CLASS = 50_000.0
    CLASS = 90_000.0
    FUNCTION = 2_000.0
    LINE = 120.0
    CONTAINERS = {
        "DynamicArray": 25_000.0,
        "HashMap": 52_000.0,
        "SharedReference": 33_000.0,
        "Optional": 8_000.0,
        "RingQueue": 4_000.0,
    }

    def __init__(self) -> None:
        self.bytes = self.BASE
        self.has_class = False
        self.seen: set[str] = set()

    def cost(self, features: Features) -> float:
        first = features.classes > 0 and not self.has_class
        return (first * self.FIRST_CLASS + features.classes * self.CLASS
                + features.functions * self.FUNCTION + features.lines * self.LINE
                + sum(self.CONTAINERS[kind.removeprefix("core::").split("<")[0]]
                      for kind in set(features.containers) - self.seen))

    def spend(self, features: Features) -> None:
        self.bytes += self.cost(features)
        self.has_class = self.has_class or features.classes > 0
        self.seen.update(features.containers)


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


class UnitWriter:
    """Writes the source of one unit, class by class, up to its size."""

    def __init__(self, seed: int, unit: Unit, header: Header, peers: Sequence[Unit]) -> None:
        self.rng = random.Random(f"{seed}:{unit.index}:{unit.stem}")
        self.unit = unit
        self.header = header
        self.peers = peers
        self.budget = Budget()
        self.data = list(header.data)
        self.taken: set[str] = set()
        self.functions: list[str] = []
        self.out: list[str] = []

    def write(self) -> str:
        peers = self.rng.sample(self.peers, min(4, len(self.peers)))
        for peer in peers:
            self.out += [f"namespace {peer.namespace} {{", "game::u32 query(game::u32 depth);", "}"]
        self.out.append(f"namespace {self.unit.namespace} {{")
        self.write_constants()
        while self.budget.bytes < self.unit.wanted:
            self.add_something()
        self.write_entry(peers)
        self.out.append(f"}} // namespace {self.unit.namespace}")
        return "\n".join(self.out) + "\n"

    def add_something(self) -> None:
        left = self.unit.wanted - self.budget.bytes
        roll = self.rng.random()
        if left < 30_000 or roll < 0.15:
            self.add_function()
        elif roll < 0.45 and left > 150_000:
            self.add_own_class()
        else:
            self.add_header_class(left)

    def add_own_class(self) -> None:
        name = self.fresh_name()
        data = f"{self.unit.namespace}::{name}Data"
        self.out += write_data(self.rng, f"{name}Data")
        self.data.append(data)
        pool = [data] * 8 + self.rng.sample(self.data, 6)
        made = write_class(self.rng, self.unit.namespace, name, pool, self.rng.randint(1, 4), True)
        self.out += made.inside + made.outside
        self.add_spawn(made)

    def add_header_class(self, left: float) -> None:
        """Uses a class of the headers, the first ones most often."""
        classes = self.header.classes
        for _ in range(8):
            at = int(len(classes) * self.rng.random() ** 1.6)
            made = classes[at]
            if made.name not in self.taken and self.budget.cost(made.features) < left * 1.2:
                self.taken.add(made.name)
                self.add_spawn(made)
                return
        if left > 150_000:
            self.add_own_class()
        else:
            self.add_function()

    def add_spawn(self, made: CppClass) -> None:
        self.budget.spend(made.features)
        name = f"spawn{len(self.functions)}"
        self.functions.append(name)
        self.out += write_function(f"void {name}(scene::World &world)",
                                   [f"world.adopt(new {made.qualified});"])

    def add_function(self) -> None:
        """Adds a free function whose argument has its own type."""
        name = self.fresh_name()
        self.out += write_data(self.rng, f"{name}Input")
        body = write_statements(self.rng, self.rng.randint(15, 80), name)
        verb = f"{self.rng.choice(VERBS)}{name}"
        self.out += write_function(
            f"void {verb}(const {name}Input &input, const {self.rng.choice(self.header.data)} "
            "&context)", ['core::trace("in", u64(input.kind) + u64(context.kind));'] + body)
        self.budget.spend(Features(functions=1, lines=len(body)))

    def fresh_name(self) -> str:
        name = f"{pick_name(self.rng)}{len(self.taken)}"
        self.taken.add(name)
        return name

    def write_constants(self) -> None:
        count = max(16, min(2048, self.unit.wanted // 4096))
        values = [f"{self.rng.uniform(-1, 1):.4f}f" for _ in range(count)]
        self.out.append(f"extern const f32 curve[{count}];")
        self.out.append(f"const f32 curve[{count}] = {{")
        self.out += ["  " + ", ".join(values[at:at + 8]) + "," for at in range(0, count, 8)]
        self.out.append("};")

    def write_entry(self, peers: Sequence[Unit]) -> None:
        """Writes the functions that others call; they keep half of the unit alive."""
        self.out += write_function(
            "u32 query(u32 depth)",
            ["u32 sum = u32(curve[depth % 16]);", "if (depth == 0)", "  return sum;"]
            + [f"sum += ::{peer.namespace}::query(depth - 1);" for peer in peers] + ["return sum;"])
        self.out += write_function("void startUnit(scene::World &world)",
                                   [f"{name}(world);" for name in self.functions[::2]]
                                   + ['core::trace("started", query(3));'])
        self.out.append("static ModuleRegistration registration("
                        f'"{self.unit.stem}", {self.unit.index}u);')


def write_main(units: Sequence[Unit]) -> str:
    """Writes the entry, which starts the given units."""
    out = ["", read_text("runtime.cpp.in")]
    for unit in units:
        out += [f"namespace {unit.namespace} {{", "void startUnit(game::scene::World &world);", "}"]
    out += write_function("int main()", ["GameWorld world;"]
                          + [f"{unit.namespace}::startUnit(world);" for unit in units]
                          + ["return 0;"])
    return "\n".join(out) + "\n"


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
