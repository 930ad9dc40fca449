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

from links import residency
from links.pool import FLAVOURS

same_link = importlib.import_module("same-link")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
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
class Way:
    options: list[str] = dataclasses.field(default_factory=list)
    by_environment: bool = False
    runs: str = ""  # stock or mold: the linker under `headstart run`
    draw: str = ""  # of residency (links/residency.py): half, by runs, ...
    record: str = ""  # the profile of the last link: first, other, damaged


def render(parts) -> list[str]:
    """Returns the arguments of a command line, and writes its response files."""
    words = []
    for part in parts:
        if isinstance(part, Response):
            text = "\n".join(f'"{w}"' if " " in w else w for w in render(part.parts))
            pathlib.Path(part.name).write_bytes(os.fsencode(text + "\n"))
            words.append("@" + part.name)
        else:
            words += part
    return words


def draw_residency(way: Way, words) -> None:
    """Evicts the inputs, or some of them; the command line is the seed."""
    if way.draw:
        paths = sorted(str(path) for directory in (CURRENT, CURRENT / "p/obj", CURRENT / "p/lib")
                       for path in directory.iterdir()
                       if path.is_file() and os.access(path, os.R_OK))
        rng = random.Random(os.fsencode(" ".join([way.draw, *words])))
        residency.draw(rng, paths, name=way.draw)


def damage(rng) -> None:
    for path in [pathlib.Path("record"), *CURRENT.glob("cache/headstart/*")]:
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

    def link(self, program, name, words, **environment: str) -> dict:
        try:
            return same_link.link(str(program), name, words, self.timeout, **environment)
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

    def again(self, name, words, settings) -> dict:
        """Runs stock once more, with another allocator if there are settings."""
        if settings:
            settings = dict(settings, LD_PRELOAD=str(self.slack()))
        return self.link(self.stock, name, words, **settings)

    def theirs(self, way: Way):
        """The program to compare with, and its name."""
        program = shutil.which("mold") if way.runs == "mold" else str(self.stock)
        return program, program if way.runs else self.linker

    def command(self, words, way: Way):
        """Our program, its name, its arguments, and additions to its environment."""
        if way.runs:
            return self.headstart, "headstart", ["run", "--", self.theirs(way)[0], *words], {}
        if way.by_environment:
            return self.ours, self.linker, words, {"HEADSTART_FLAGS": shlex.join(way.options)}
        return self.ours, self.linker, way.options + words, {}

    def ours_link(self, words, way: Way) -> dict:
        *command, environment = self.command(words, way)
        return self.link(*command, **environment)

    def judge(self, parts, way: Way):
        """Returns stock's exit status, the differences, and whether stock varies."""
        _, name = self.theirs(way)
        words = render(parts)
        stock = self.link(self.stock, name, words)
        shutil.rmtree("cache", ignore_errors=True)
        pathlib.Path("record").unlink(missing_ok=True)
        found, got = [], None
        if way.record:
            other = way.record == "other"
            got = self.ours_link(render(parts[:3] + parts[3::2]) if other else words, way)
            render(parts)
            found = [] if other else differences(stock, got)
            if way.record == "damaged":
                damage(random.Random(len(words)))
        if not found:
            draw_residency(way, words)
            got = self.ours_link(words, way)
            found = differences(stock, got)
        if not found:
            return stock["exit status"], [], False
        found, unsteady = self.settle(name, words, got, found)
        return stock["exit status"], found, unsteady

    def settle(self, name: str, words, got: dict, found: list[str], digest=lambda seen: seen):
        """Returns the differences that count, and whether stock differs from itself.
        `digest` was applied to the outputs of `got`."""
        behind, answers = self.answers(name, words)
        answers = [digest(answer) for answer in answers]
        got = in_any_order(got)
        if got in answers:
            return [], True
        if behind and all(fails(a) for a in answers):
            return [] if fails(got) else found, True
        # If stock differs from itself, only results that never vary must agree.
        steady = {what for what in answers[0]
                  if all(a.get(what) == answers[0][what] for a in answers)}
        found = [f for f in found if any(
            f.startswith(what + ":") and got.get(what) != answers[0][what] for what in steady)]
        return found, len(steady) < len(answers[0])

    def answers(self, name: str, words):
        """Returns whether stock reads past the end of an input, and all its results."""
        plain, fills = ([in_any_order(self.again(name, words, settings)) for settings in some]
                        for some in (PLAIN, FILLS))
        behind = any(a["exit status"].startswith(b"-") or a not in plain for a in plain + fills)
        return behind, plain + fills


def fails(seen: dict) -> bool:
    return seen["exit status"] != b"0"


def differences(stock: dict, ours: dict) -> list[str]:
    if stock["exit status"].startswith(b"-"):
        # Stock died of a signal, so its messages contain addresses.
        stock, ours = ({"exit status": seen["exit status"]} for seen in (stock, ours))
    return list(same_link.differences(stock, ours))


def in_any_order(seen: dict) -> dict:
    return {what: sorted(text.split(b"\n")) if what.startswith("standard")
            else text for what, text in seen.items()}


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
    """Yields the result of each task, in order."""
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, initializer=initializer) as pool:
        yield from pool.map(task, items, chunksize=chunk)


def parser_of(description: str) -> argparse.ArgumentParser:
    """A parser with the options that the scripts share."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--stock", type=pathlib.Path, metavar="FOLDER",
                        default=os.environ.get("HEADSTART_LLVM", "/usr/lib/llvm-22/bin"))
    parser.add_argument("--ours", type=pathlib.Path, metavar="FOLDER",
                        default=ROOT / "build" / "bin")
    parser.add_argument("--flavour", default="all", choices=[*FLAVOURS, "all"])
    parser.add_argument("--seed", type=int, help="repeat this one")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one link")
    parser.add_argument("--work", type=pathlib.Path, metavar="FOLDER",
                        default=f"/tmp/headstart-links-{os.getuid()}",
                        help="where pools are kept and links are run")
    return parser


def prepare(arguments) -> None:
    """Makes paths absolute, lists the flavours, and removes the user's own settings."""
    for name in ("stock", "ours", "work"):
        setattr(arguments, name, getattr(arguments, name).absolute())
    arguments.flavours = list(FLAVOURS) if arguments.flavour == "all" else [arguments.flavour]
    for name in ("HEADSTART", "HEADSTART_FLAGS", "LINK", "_LINK_", "LIB",
                 "LLD_IN_TEST", "LLD_REPRODUCE"):
        os.environ.pop(name, None)
