"""Runs a link with the stock linker and with ours, in one of many ways, and compares
them as same-link.py does."""

import dataclasses
import importlib
import os
import pathlib
import random
import shlex
import shutil
import subprocess
from typing import List

from links.pool import FLAVOURS

same_link = importlib.import_module("same-link")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CURRENT = pathlib.Path(".")


@dataclasses.dataclass
class Response:
    """A response file on a command line, and the words in it."""
    name: str
    parts: list


@dataclasses.dataclass
class Way:
    """How our linker runs."""
    options: List[str] = dataclasses.field(default_factory=list)
    by_environment: bool = False
    evict: bool = False
    record: str = ""  # first, other, damaged: what there is of a last link
    run: bool = False  # stock under `headstart run`

    def smaller(self):
        yield Way()
        for at in range(len(self.options)):
            yield dataclasses.replace(
                self, options=self.options[:at] + self.options[at + 1:])
        for field in ("by_environment", "evict", "record", "run"):
            if getattr(self, field):
                yield dataclasses.replace(self, **{field: type(
                    getattr(self, field))()})


def render(parts) -> List[str]:
    """The words of a command line; writes its response files."""
    words = []
    for part in parts:
        if isinstance(part, Response):
            text = "\n".join(f'"{w}"' if " " in w else w
                             for w in render(part.parts))
            pathlib.Path(part.name).write_bytes(os.fsencode(text + "\n"))
            words.append("@" + part.name)
        else:
            words += part
    return words


def evict() -> None:
    """Puts what lies here and in the pool out of memory, where it can be."""
    for folder in (CURRENT, CURRENT / "p/obj", CURRENT / "p/lib"):
        for path in folder.iterdir():
            if path.is_file() and os.access(path, os.R_OK):
                with open(path, "rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0,
                                     os.POSIX_FADV_DONTNEED)


def damage(rng) -> None:
    """Spoils the records of former links."""
    for path in [pathlib.Path("record"), *CURRENT.glob("cache/headstart/*")]:
        if path.is_file():
            data = bytearray(path.read_bytes())
            if data and rng.random() < 0.5:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            elif data:
                del data[rng.randrange(len(data)):]
            path.write_bytes(data)


class Judge:
    """Runs a link in the current folder with both, and compares."""

    def __init__(self, arguments, flavour: str):
        self.linker = FLAVOURS[flavour].linker
        self.stock = arguments.stock / self.linker
        self.ours = arguments.ours / self.linker
        self.headstart = arguments.ours / "headstart"
        self.timeout = arguments.timeout

    def link(self, program, name, words) -> dict:
        try:
            return same_link.link(str(program), name, words, self.timeout)
        except subprocess.TimeoutExpired:
            return {"exit status": b"does not end"}

    def ours_link(self, words, way: Way) -> dict:
        if way.run:
            return self.link(self.headstart, "headstart",
                             ["run", "--", str(self.stock), *words])
        if way.by_environment:
            os.environ["HEADSTART_FLAGS"] = shlex.join(way.options)
        else:
            words = way.options + words
        try:
            return self.link(self.ours, self.linker, words)
        finally:
            os.environ.pop("HEADSTART_FLAGS", None)

    def judge(self, parts, way: Way):
        """Stock's exit status, and what is different."""
        name = str(self.stock) if way.run else self.linker
        words = render(parts)
        stock = self.link(self.stock, name, words)
        for path in ("cache", "record"):
            shutil.rmtree(path) if os.path.isdir(path) else None
        pathlib.Path("record").unlink(missing_ok=True)
        found = []
        if stock["exit status"].startswith(b"-"):
            # Died of a signal: what it says then names addresses.
            got = self.ours_link(words, way)
            same = got["exit status"] == stock["exit status"]
            return stock["exit status"], [] if same else list(
                same_link.differences(stock, got)), False
        if way.record:
            first = words
            if way.record == "other":
                first = render(parts[:3] + parts[3::2])
            got = self.ours_link(first, way)
            if way.record == "other":
                render(parts)
            else:
                found = list(same_link.differences(stock, got))
            if way.record == "damaged":
                damage(random.Random(len(words)))
        if not found:
            if way.evict:
                evict()
            found = list(same_link.differences(stock,
                                               got := self.ours_link(words, way)))
        if found:
            again = [self.link(self.stock, name, words) for _ in range(4)]
            # Where it reads behind the end of an input, it finds what the
            # allocator left there.
            for byte in ("85", "170"):
                os.environ["MALLOC_PERTURB_"] = byte
                again.append(self.link(self.stock, name, words))
            del os.environ["MALLOC_PERTURB_"]
            if any(a != stock for a in again):
                sets = [in_any_order(a) for a in again + [stock]]
                if in_any_order(got) in sets:
                    found = []
                elif any(s != sets[0] for s in sets):
                    return stock["exit status"], [], True
        return stock["exit status"], found, False


def in_any_order(seen: dict) -> dict:
    return {what: sorted(text.split(b"\n")) if what.startswith("standard")
            else text for what, text in seen.items()}


def add_options(parser) -> None:
    """What the scripts have in common."""
    parser.add_argument("--stock", type=pathlib.Path, metavar="FOLDER",
                        default=os.environ.get("HEADSTART_LLVM",
                                               "/usr/lib/llvm-22/bin"))
    parser.add_argument("--ours", type=pathlib.Path, metavar="FOLDER",
                        default=ROOT / "build" / "bin")
    parser.add_argument("--flavour", default="all", choices=[*FLAVOURS, "all"])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60,
                        help="seconds for one link")
    parser.add_argument("--work", type=pathlib.Path, metavar="FOLDER",
                        help="where pools are kept and links are run")


def prepare(arguments) -> None:
    """Makes paths absolute, and leaves the user's own settings out."""
    arguments.stock = arguments.stock.absolute()
    arguments.ours = arguments.ours.absolute()
    arguments.work = (arguments.work or pathlib.Path(
        f"/tmp/headstart-links-{os.getuid()}")).absolute()
    for name in ("HEADSTART", "HEADSTART_FLAGS", "LINK", "_LINK_", "LIB",
                 "LLD_IN_TEST", "LLD_REPRODUCE"):
        os.environ.pop(name, None)
