"""Runs a link with the stock linker and with a variant of ours, and compares them as
same-link.py does."""

import argparse
import concurrent.futures
import dataclasses
import importlib
import os
import pathlib
import random
import shlex
import shutil
import subprocess

from common import LLVM, ROOT
from links import residency
from links.pool import FLAVOURS

same_link = importlib.import_module("same-link")

CURRENT = pathlib.Path(".")
# The allocator of slack.c with these fillings shows whether stock reads past the end of an input.
PLAIN = [{}, {}, {}, {}]
FILLS = [{"SLACK": fill} for fill in ("0", "1", "85", "170", "255")]


@dataclasses.dataclass
class Response:
    """A response file on a command line, and its arguments."""
    name: str
    parts: list


@dataclasses.dataclass
class Variant:
    options: list[str] = dataclasses.field(default_factory=list)
    by_environment: bool = False
    runs: str = ""  # stock or mold: the linker under `headstart run`
    draw: str = ""  # of residency (links/residency.py): half, by runs, ...
    profile: str = ""  # of a link before: first, other, damaged


def render(parts) -> list[str]:
    """Returns the arguments of a command line, and writes its response files."""
    arguments = []
    for part in parts:
        if isinstance(part, Response):
            text = "\n".join(f'"{a}"' if " " in a else a for a in render(part.parts))
            pathlib.Path(part.name).write_bytes(os.fsencode(text + "\n"))
            arguments.append("@" + part.name)
        else:
            arguments += part
    return arguments


def draw_residency(variant: Variant, arguments) -> None:
    """Evicts the inputs, or some of them; the command line is the seed."""
    if variant.draw:
        paths = sorted(str(path) for directory in (CURRENT, CURRENT / "p/obj", CURRENT / "p/lib")
                       for path in directory.iterdir()
                       if path.is_file() and os.access(path, os.R_OK))
        rng = random.Random(os.fsencode(" ".join([variant.draw, *arguments])))
        residency.draw(rng, paths, name=variant.draw)


def damage_profiles(rng) -> None:
    for path in [pathlib.Path("profile"), *CURRENT.glob("cache/headstart/*")]:
        if path.is_file():
            data = bytearray(path.read_bytes())
            if data and rng.random() < 0.5:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            elif data:
                del data[rng.randrange(len(data)):]
            path.write_bytes(data)


class Judge:
    """Runs a link in the current directory with both linkers, and compares."""

    def __init__(self, arguments, flavour: str):
        self.linker = FLAVOURS[flavour].linker
        self.stock = arguments.stock / self.linker
        self.ours = arguments.ours / self.linker
        self.headstart = arguments.ours / "headstart"
        self.timeout = arguments.timeout
        self.work = arguments.work

    def link(self, program, name, arguments, **environment: str) -> dict:
        try:
            return same_link.link(str(program), name, arguments, self.timeout, **environment)
        except subprocess.TimeoutExpired:
            return {"exit status": b"does not end"}

    def slack(self) -> pathlib.Path:
        library = self.work / "slack.so"
        if not library.exists():
            made = library.with_suffix(f".{os.getpid()}")
            subprocess.run([self.stock.parent / "clang", "-shared", "-fPIC", "-O1",
                            ROOT / "utils/links/slack.c", "-o", made], check=True)
            made.rename(library)
        return library

    def again(self, name, arguments, settings) -> dict:
        """Runs stock once more, with another allocator if there are settings."""
        if settings:
            settings = dict(settings, LD_PRELOAD=str(self.slack()))
        return self.link(self.stock, name, arguments, **settings)

    def theirs(self, variant: Variant):
        """The program to compare with, and its name."""
        program = shutil.which("mold") if variant.runs == "mold" else str(self.stock)
        return program, program if variant.runs else self.linker

    def command(self, arguments, variant: Variant):
        """Our program, its name, its arguments, and additions to its environment."""
        if variant.runs:
            program, _ = self.theirs(variant)
            return self.headstart, "headstart", ["run", "--", program, *arguments], {}
        if variant.by_environment:
            return self.ours, self.linker, arguments, {
                "HEADSTART_FLAGS": shlex.join(variant.options)}
        return self.ours, self.linker, variant.options + arguments, {}

    def ours_link(self, arguments, variant: Variant) -> dict:
        *command, environment = self.command(arguments, variant)
        return self.link(*command, **environment)

    def judge(self, parts, variant: Variant):
        """Returns stock's exit status, the differences, and whether stock varies."""
        _, name = self.theirs(variant)
        arguments = render(parts)
        stock = self.link(self.stock, name, arguments)
        shutil.rmtree("cache", ignore_errors=True)
        pathlib.Path("profile").unlink(missing_ok=True)
        found, got = [], None
        if variant.profile:
            other = variant.profile == "other"
            got = self.ours_link(render(parts[:3] + parts[3::2]) if other else arguments, variant)
            render(parts)
            found = [] if other else differences(stock, got)
            if variant.profile == "damaged":
                damage_profiles(random.Random(len(arguments)))
        if not found:
            draw_residency(variant, arguments)
            got = self.ours_link(arguments, variant)
            found = differences(stock, got)
        unsteady = False
        if found:
            found, unsteady = self.settle(name, arguments, got, found)
        return stock["exit status"], found, unsteady

    def settle(self, name: str, arguments, got: dict, found: list[str],
               digest=lambda result: result):
        """Returns the differences that count, and whether stock differs from itself. `digest` was
        applied to `got`."""
        past_end, results = self.results(name, arguments)
        results = [digest(result) for result in results]
        got = in_any_order(got)
        if got in results:
            return [], True
        if past_end and all(map(fails, results)):
            return [] if fails(got) else found, True
        # If stock differs from itself, only parts of the result that never vary must agree.
        first, *others = results
        steady = {what for what in first if all(r.get(what) == first[what] for r in others)}
        found = [f for f in found if any(
            f.startswith(what + ":") and got.get(what) != first[what] for what in steady)]
        return found, len(steady) < len(first)

    def results(self, name: str, arguments):
        """Returns whether stock reads past the end of an input, and all its results."""
        plain, fills = ([in_any_order(self.again(name, arguments, settings)) for settings in some]
                        for some in (PLAIN, FILLS))
        past_end = any(r["exit status"].startswith(b"-") or r not in plain for r in plain + fills)
        return past_end, plain + fills


def fails(result: dict) -> bool:
    return result["exit status"] != b"0"


def differences(stock: dict, ours: dict) -> list[str]:
    if stock["exit status"].startswith(b"-"):
        # Stock died of a signal, so its messages contain addresses.
        stock, ours = ({"exit status": result["exit status"]} for result in (stock, ours))
    return list(same_link.differences(stock, ours))


def in_any_order(result: dict) -> dict:
    return {what: sorted(text.split(b"\n")) if what.startswith("standard")
            else text for what, text in result.items()}


def fewer(things: list, differs) -> list:
    """Removes things, many at a time and then single ones, as long as the rest differs."""
    size = len(things)
    while size:
        at = 0
        while at < len(things):
            rest = things[:at] + things[at + size:]
            if differs(rest):
                things = rest
            else:
                at += size
        size //= 2
    return things


def in_processes(arguments, task, items, chunk: int, initializer=None):
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, initializer=initializer) as pool:
        yield from pool.map(task, items, chunksize=chunk)


def parser_of(description: str) -> argparse.ArgumentParser:
    """A parser with the options that the scripts share."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    directory = {"type": pathlib.Path, "metavar": "DIRECTORY"}
    parser.add_argument("--stock", **directory, default=LLVM)
    parser.add_argument("--ours", **directory, default=ROOT / "build" / "bin")
    parser.add_argument("--flavour", default="all", choices=[*FLAVOURS, "all"])
    parser.add_argument("--seed", type=int, help="repeat this one")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one link")
    parser.add_argument("--work", **directory, default=f"/tmp/headstart-links-{os.getuid()}",
                        help="for the pools and the links")
    return parser


def prepare(arguments) -> None:
    """Makes paths absolute, lists the flavours, and removes the user's own settings."""
    for name in ("stock", "ours", "work"):
        setattr(arguments, name, getattr(arguments, name).absolute())
    arguments.flavours = list(FLAVOURS) if arguments.flavour == "all" else [arguments.flavour]
    for name in ("HEADSTART", "HEADSTART_FLAGS", "LINK", "_LINK_", "LIB",
                 "LLD_IN_TEST", "LLD_REPRODUCE"):
        os.environ.pop(name, None)
