"""Writes C++ like a game's code: types, statements, functions, classes.

Each writer returns lines of source, and draws every choice from the generator
that it is given, so that equal seeds give equal sources.
"""

import dataclasses
import random
from typing import Iterable, Sequence

# The words that names are made of, and the types that values have.
MODULES = ("ai animation audio combat dialogue economy effects interface navigation network "
           "physics quests rendering streaming vehicles weather").split()
PARTS = "runtime editor tasks assets debugging replication persistence prediction".split()
SUBJECTS = ("Inventory Weapon Navigation Combat Dialogue Weather Vehicle Lighting Particle "
            "Animation Terrain Audio Camera Physics Quest Crafting Stealth Faction Economy "
            "Spawning Streaming Foliage Ocean Replay Matchmaking Achievement Tutorial Interaction "
            "Destruction Locomotion").split()
ASPECTS = ("Trajectory Blend Budget Influence Visibility Priority Proximity Occlusion Transition "
           "Schedule Condition Threshold Boundary Attachment Territory Resource Damage Reward "
           "Behaviour Surface Cluster Cascade Fragment Sequence Trigger Socket Modifier Snapshot "
           "Emitter Constraint").split()
ROLES = ("Component Controller Manager Descriptor Subsystem Instance Director Resolver Collection "
         "Evaluator Dispatcher Registry").split()
VERBS = ("compute update resolve gather apply refresh collect validate propagate estimate reset "
         "interpolate").split()
VALUE_NAMES = ("speed weight range owner cooldown radius flags origin extent tint level budget "
               "angle score delay target velocity density phase distance").split()
CONTAINER_NAMES = ("entries pending active history listeners lookup cache overrides bindings "
                   "children").split()
SCALARS = ("u32", "u64", "f32", "i32", "u16", "bool")
KEYS = ("u32", "u64", "core::String")
PLAIN_TYPES = (
    "math::Vector3", "math::Vector4", "math::Transform",
    "math::Vector<i32, 2>", "math::Quaternion", "core::String",
)


@dataclasses.dataclass
class Features:
    """The parts of a piece of C++ that decide its object's size."""

    classes: int = 0
    functions: int = 0
    lines: int = 0
    containers: tuple[str, ...] = ()


@dataclasses.dataclass
class CppClass:
    """A class for units to use: its definition and its features."""

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
    """Writes a class of a game: containers, values, reflection, updates.

    In a header everything is inline; in a unit the longer methods are
    defined after the class, as strong symbols.
    """
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
