"""The programs that walk trees, their commands, and a comparison of their results."""

import contextlib
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Dict, Iterator, List, Sequence, Set

import contest
import harness
import peers
from contest import Way
from machine import say

TREES = {"A": ("source", 27_000, 226_000), "B": ("flat", 300, 120_000),
         "S": ("source", 2_700, 22_600),
         "G": ("repository", 27_000, 226_000),
         "L1": ("libraries", 200, 200), "L50": ("libraries", 200, 10_000),
         "L400": ("libraries", 200, 80_000)}


@dataclasses.dataclass
class Place:
    """A benchmark's scratch space: an empty directory and a file in memory."""
    empty: pathlib.Path
    output: pathlib.Path
    environment: Dict[str, str]


@contextlib.contextmanager
def place() -> Iterator[Place]:
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(
            prefix="headstart-bench-",
            dir=memory if memory.is_dir() else None) as name:
        scratch = pathlib.Path(name)
        (scratch / "empty").mkdir()
        yield Place(scratch / "empty", scratch / "output",
                    peers.environment(scratch / "empty"))


def tree(name: str) -> pathlib.Path:
    """Makes a tree unless it exists."""
    kind, folders, files = TREES[name]
    folder = harness.corpus_folder("trees") / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, str(harness.ROOT / "utils" / "make-tree.py"), kind,
         "--out", str(folder), "--folders", str(folders), "--files", str(files)])
    if done.returncode != 0:
        sys.exit(done.returncode)
    return folder


def listing(folder: pathlib.Path, status: bool) -> List[Way]:
    """Programs that print all paths below a directory, including hidden and ignored
    ones; with `status`, they stat each path for size and time."""
    path = str(folder)
    # fd cannot print size and time; --changed-within makes it stat each file.
    fd = ["--unrestricted", "--color=never",
          *(["--changed-within=9999d"] if status else []), ".", path]
    plain = [path, "-mindepth", "1",
             *(["-printf", r"%s %T@ %p\n"] if status else [])]
    ways = [
        Way("headstart walk", peers.headstart("walk"),
            ["walk", *(["--stat"] if status else []), "--hidden",
             "--no-ignore", path], "ours"),
        Way("fd", peers.find("fd"), fd)]
    if not status:
        ways.append(Way("ripgrep, files only", peers.find("rg"),
                        ["--files", "-uuu", path], files_only=True))
    return ways + [Way("bfs", peers.find("bfs"), plain),
                   Way("GNU find", peers.find("find"), plain)]


def ignoring(folder: pathlib.Path) -> List[Way]:
    """Programs that skip hidden and ignored files."""
    path = str(folder)
    return [
        Way("headstart walk", peers.headstart("walk"), ["walk", path], "ours"),
        Way("headstart walk, files only", peers.headstart("walk"),
            ["walk", "--type=f", path], "ours", files_only=True),
        Way("fd", peers.find("fd"), ["--color=never", ".", path]),
        Way("fd, files only", peers.find("fd"),
            ["--color=never", "--type=f", ".", path], files_only=True),
        Way("ripgrep, files only", peers.find("rg"), ["--files", path],
            files_only=True)]


def paths_from(command: Sequence[str]) -> Set[bytes]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return set(done.stdout.split(b"\0")[:-1])


def all_paths(folder: pathlib.Path, *words: str) -> Set[bytes]:
    """The paths below a directory, by GNU find."""
    return paths_from(["find", str(folder), "-mindepth", "1", *words,
                       "-print0"])


def not_ignored(folder: pathlib.Path) -> Set[bytes]:
    """The files of a directory that git tracks, without hidden ones."""
    names = paths_from(["git", "-C", str(folder), "ls-files", "-z"])
    return {os.fsencode(folder / os.fsdecode(name)) for name in names
            if not name.startswith(b".") and b"/." not in name}


def differences(ways: Sequence[Way], where: Place, files: Set[bytes],
                folders: Set[bytes], all_folders: Set[bytes]) -> Dict[str, str]:
    """Returns the programs whose list differs from `files` and, unless they list only
    files, `folders`, with a description."""
    result = {}
    for way in ways:
        if way.peer.missing:
            continue
        contest.run(way, where.environment, where.output)
        lines = where.output.read_bytes().split(b"\n")[:-1]
        listed = {line.rstrip(b"/") for line in lines}
        wanted = files if way.files_only else files | folders
        if listed != wanted or len(listed) != len(lines):
            wrong = (listed - wanted, wanted - listed)
            result[way.name] = (
                f"{len(wrong[0])} additional paths "
                f"({len(wrong[0] & all_folders)} directories), "
                f"{len(wrong[1])} missing paths "
                f"({len(wrong[1] & all_folders)} directories), "
                f"{len(lines) - len(listed)} duplicates")
            say(f"    {way.name}: {result[way.name]}")
    return result
