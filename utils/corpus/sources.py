"""The sources of the objects: headers, units, and the entry that starts them; the places and sizes
of the units. The code is like a game's: types, statements, functions, classes. The headers are the
engine and the additions of each module.

Each writer returns lines of source, and draws every choice from the generator that it is given, so
that equal seeds give equal sources.
"""

import dataclasses
import random
import tomllib
from pathlib import Path
from typing import Iterable, Sequence

# With --archive every STRIDE-th unit is reachable from main.
STRIDE = 8
SHARED_CLASSES = 12  # in every module's header
MODULE_CLASSES = 40  # only in that module's header
DIRECTORY = Path(__file__).parent
# The words that names are made of, and the types that values have.
WORDS = tomllib.loads((DIRECTORY / "words.toml").read_text(encoding="utf-8"))
MODULES, PARTS, SUBJECTS, ASPECTS, ROLES, VERBS, VALUE_NAMES, CONTAINER_NAMES = (
    WORDS[kind].split() for kind in ("modules", "parts", "subjects", "aspects", "roles", "verbs",
                                     "values", "containers"))
SCALARS = ("u32", "u64", "f32", "i32", "u16", "bool")
KEYS = ("u32", "u64", "core::String")
PLAIN_TYPES = (
    "math::Vector3", "math::Vector4", "math::Transform",
    "math::Vector<i32, 2>", "math::Quaternion", "core::String",
)


@dataclasses.dataclass
class Features:
    classes: int = 0
    functions: int = 0
    lines: int = 0
    containers: tuple[str, ...] = ()


@dataclasses.dataclass
class CppClass:
    name: str
    qualified: str
    inside: list[str]
    outside: list[str]
    features: Features


def pick_name(rng: random.Random) -> str:
    return rng.choice(SUBJECTS) + rng.choice(ASPECTS) + rng.choice(ROLES)


def value_type(rng: random.Random, data: Sequence[str]) -> str:
    roll = rng.random()
    if roll < 0.35:
        return rng.choice(SCALARS)
    if roll < 0.65 or not data:
        return rng.choice(PLAIN_TYPES)
    return rng.choice(data)


def container_type(rng: random.Random, data: Sequence[str]) -> str:
    roll = rng.random()
    if roll < 0.30:
        return f"core::DynamicArray<{value_type(rng, data)}>"
    if roll < 0.55:
        return f"core::HashMap<{rng.choice(KEYS)}, {value_type(rng, data)}>"
    if roll < 0.70:
        return f"core::SharedReference<{rng.choice(data)}>"
    if roll < 0.80:
        return f"core::Optional<{value_type(rng, data)}>"
    if roll < 0.90:
        capacity = rng.choice((16, 32, 64))
        return f"core::RingQueue<{value_type(rng, data)}, {capacity}>"
    inner = f"core::DynamicArray<{value_type(rng, data)}>"
    return f"core::HashMap<{rng.choice(KEYS)}, {inner}>"


def write_enum(rng: random.Random, name: str) -> list[str]:
    count = rng.randint(12, 48)
    names = [f"{rng.choice(ASPECTS)}{rng.choice(SUBJECTS)}{i}" for i in range(count)]
    return [f"enum class {name} : u8 {{"] + [f"  {item}," for item in names] + ["};"]


def write_data(rng: random.Random, name: str) -> list[str]:
    """Writes a plain structure like those of configurations and messages."""
    out = write_enum(rng, f"{name}Kind")
    out += [f"struct {name} {{", f"  {name}Kind kind{{}};"]
    for field in rng.sample(VALUE_NAMES, rng.randint(6, 18)):
        out.append(f"  {value_type(rng, ())} {field}{{}};")
    out.append("};")
    return out


def write_statements(rng: random.Random, count: int, topic: str) -> list[str]:
    """Writes statements like those of gameplay code: arithmetic, branches, logs."""
    names = rng.sample(VALUE_NAMES, 4)
    a, b, c, d = (f"{name}Local" for name in names)
    out = [
        f"f32 {a} = {rng.uniform(0, 9):.3f}f;",
        f"f32 {b} = {a} * {rng.uniform(0, 9):.3f}f;",
        f"u32 {c} = {rng.randint(2, 99)}u;",
        f"u64 {d} = {c} * {rng.randint(2, 9999)}ull;",
    ]
    while len(out) < count:
        roll = rng.random()
        if roll < 0.30:
            out.append(f"{a} = {a} * {rng.random():.3f}f + {b};")
        elif roll < 0.50:
            out.append(f"{d} = ({d} << {rng.randint(1, 9)}) ^ {c};")
        elif roll < 0.65:
            out += [f"for (u32 i = 0; i < {c}; ++i)",
                    f"  {b} += {a} / f32(i + {rng.randint(1, 9)});"]
        elif roll < 0.80:
            out += [f"if ({b} > {rng.uniform(1, 99):.2f}f)",
                    f"  {c} = u32({b}) + {rng.randint(1, 99)};"]
        elif roll < 0.90:
            out += ["{",
                    f"  math::Vector3 offset{{{{{a}, {b}, 1.0f}}}};",
                    f"  {a} = offset.dot(offset + offset);",
                    "}"]
        else:
            text = (f"{topic}: {rng.choice(VERBS)} {rng.choice(ASPECTS)} "
                    f"of {rng.choice(SUBJECTS)} failed")
            out += [f"if ({d} % {rng.randint(3, 99)} == 0)",
                    f'  {c} += core::trace("{text}", {d});']
    out.append(f'core::trace("{topic}", {d} + {c} + u64({a} + {b}));')
    return out


def write_function(signature: str, body: Iterable[str]) -> list[str]:
    return [signature + " {"] + ["  " + line for line in body] + ["}"]


def write_declarations(rng: random.Random, data: Sequence[str], count: int) -> list[str]:
    """Declares methods that another object would define."""
    out = []
    for i in range(count):
        name = f"{rng.choice(VERBS)}{rng.choice(ASPECTS)}{i}"
        arguments = ", ".join(f"const {value_type(rng, data)} &{field}"
                              for field in rng.sample(VALUE_NAMES, rng.randint(0, 3)))
        out.append(f"{value_type(rng, data)} {name}({arguments});")
    return out


def write_class(rng: random.Random, space: str, name: str,
                data: Sequence[str], containers: int, out_of_line: bool) -> CppClass:
    """Writes a class of a game: containers, values, reflection, updates. In a unit, the longer
    methods are defined after the class, as strong symbols."""
    held = [(container_type(rng, data), f"{field}_")
            for field in rng.sample(CONTAINER_NAMES, containers)]
    values = [(value_type(rng, data), f"{field}_")
              for field in rng.sample(VALUE_NAMES, rng.randint(3, 7))]
    declared = write_declarations(rng, data, rng.randint(30, 110))
    serialize = ["archive.beginObject(typeName());"]
    serialize += [f"{field}.exercise(archive);" for _, field in held]
    serialize += [f'archive.bytes("{field}", &{field}, sizeof({field}));' for _, field in values]
    serialize.append("archive.endObject();")
    describe = [f"type.add(new core::MemberProperty<{name}, {kind}, "
                f'&{name}::{field}>, "{field}");' for kind, field in (held + values)[:5]]
    tick = ["if (state_ == State::Running)", "  world.ticked(this, seconds);",
            "else if (state_ == State::Idle)", f"  world.ticked.bind(this, &{name}::start);"]
    methods: list[tuple[str, str, list[str]]] = [
        ("serialize(core::Archive &archive)", " override", serialize),
        ("describe(core::TypeDescription &type)", " override", describe),
        ("tick(scene::World &world, f32 seconds)", " override", tick),
        ("start(scene::Object *, f32)", "", ["state_ = State::Running;"]),
    ]
    lines = 0
    for number in range(rng.randint(2, 5)):
        verb = f"{rng.choice(VERBS)}{rng.choice(ASPECTS)}Step{number}"
        body = write_statements(rng, rng.randint(16, 60), name)
        lines += len(body)
        methods.append((f"{verb}()", "", body))
        tick.append(f"{verb}();")
    accessors: list[str] = []
    for kind, field in values[:2]:
        plain = field[:-1]
        setter = f"set{plain[0].upper()}{plain[1:]}"
        accessors.append(f"  const {kind} &{plain}() const {{ return {field}; }}")
        accessors.append(f"  void {setter}(const {kind} &value) {{ {field} = value; }}")
        tick.append(f"{setter}({plain}());")
    out = [f"class {name} : public scene::Object {{", "public:"]
    out += ["  " + line for line in write_enum(rng, "State")[:-1]]
    out += ["    Idle,", "    Running,", "  };"]
    out.append(f'  const char *typeName() const override {{ return "{space}::{name}"; }}')
    outside: list[str] = []
    for signature, override, body in methods:
        if out_of_line:
            out.append(f"  void {signature}{override};")
            outside += write_function(f"void {name}::{signature}", body)
        else:
            out += ["  " + line for line in write_function(f"void {signature}{override}", body)]
    out += accessors
    out += ["  " + line for line in declared]
    out += ["", "private:", "  State state_ = State::Idle;"]
    out += [f"  {kind} {field}{{}};" for kind, field in held + values]
    out.append("};")
    features = Features(classes=1, lines=lines, containers=tuple(kind for kind, _ in held))
    return CppClass(name, f"{space}::{name}", out, outside, features)


def read_text(name: str) -> str:
    return (DIRECTORY / name).read_text(encoding="utf-8")


@dataclasses.dataclass
class Header:
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
    """Estimates the bytes of a unit's object. The weights were fitted to objects by clang 22. An
    object pays for an instantiation once, however often it uses it."""

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


@dataclasses.dataclass(frozen=True)
class Unit:
    """A translation unit: its place in the corpus and its wanted size."""

    index: int
    directory: str
    module: str
    name: str
    wanted: int

    @property
    def namespace(self) -> str:
        return f"game::{self.directory}::{self.name}"

    @property
    def stem(self) -> str:
        return f"{self.directory}/{self.name}"


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


def directory_name(index: int) -> str:
    module = MODULES[index % len(MODULES)]
    row = index // len(MODULES)
    part = PARTS[row % len(PARTS)]
    again = row // len(PARTS)
    return f"{module}_{part}{again + 1 if again else ''}"


def plan_units(objects: int, total: int, directories: int, seed: int) -> list[Unit]:
    """Plans all objects except main, directory by directory."""
    rng = random.Random(f"{seed}:plan")
    count = objects - 1
    units = []
    for index, wanted in enumerate(plan_sizes(rng, count, total)):
        directory = index * directories // count
        units.append(Unit(index, directory_name(directory),
                          MODULES[directory % len(MODULES)], f"{pick_name(rng)}{index:04}", wanted))
    return units
