"""Compares walks of whole trees with other programs.

A is shaped like a source and build tree, B is flat, and G is a git repository of A's
size with ignore files. A warm walk shows the processor time, a cold one the use of
the disk. Also compares `headstart status` with git, and Headstart's search for
libraries with probing.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Callable, Dict, List

import contest
import machine
import peers
from contest import Column, Taken, Way
from machine import say
from walkers import (Place, all_paths, differences, ignoring, listing, not_ignored,
                     place, tree)

ABOUT = {
    "A": "A: 226,000 files in 27,000 directories, nested and uneven",
    "B": "B: 120,000 files in 300 directories of 400",
    "S": "S: 22,600 files in 2,700 directories, nested and uneven"}
ABOUT_G = ("G: a git repository with 226,000 files in 27,000 directories. Ignore "
           "files in every fortieth directory hide two fifths of it.")
# The title, the paragraph below it and the captions of the tables.
WALK, WHOLE = "Walking a tree", "whole programs; ratios to the fastest peer"
TEXTS = {
    "tree-warm": (f"{WALK}, warm", "{trees}.", [
        "Whole programs that print all paths to a file in memory; ratios to the fastest "
        "peer"]),
    "tree-cold": (f"{WALK}, cold", "The trees and commands are those of the warm walk. "
                  "The system's caches are dropped before each run; a run counts if it "
                  "read its directories from the disk.",
                  [f"Default numbers of threads, {WHOLE}"]),
    "tree-ignore": ("Walking a repository by its ignore rules", ABOUT_G,
                    [WHOLE.capitalize()]),
    "tree-status": ("Changes in a repository", ABOUT_G,
                    ["Warm, with a fresh index and git's default settings; ratios to "
                     "git"]),
    "search": ("Searching directories for libraries",
               "Each `-l` in each `-L`, warm, one thread. Library N is in directory N, "
               "so a search visits half of the directories.",
               ["Ratios to probing each name in each directory, as ld.lld does"])}


def columns_for(names: str) -> List[Column]:
    """Two columns for each tree: one with names, one with sizes and times."""
    return [Column(f"{name}, {'sizes and times' if status else 'names'}",
                   listing(tree(name), status), str(tree(name)))
            for name in names for status in (False, True)]


def measure_warm(rounds: int, names: str = "AB") -> dict:
    with place() as where:
        columns = columns_for(names)
        wrong = {}
        for column in columns[::2]:
            folder = pathlib.Path(column.tree)
            folders = all_paths(folder, "-type", "d")
            wrong.update(differences(column.ways, where,
                                     all_paths(folder) - folders, folders,
                                     folders))
        return {"trees": names, "differences": wrong,
                "parts": [contest.kept(columns, contest.in_turn(
                    columns, rounds, where.environment, where.output))]}


def in_turn_cold(column: Column, folders: int, rounds: int,
                 where: Place) -> dict:
    """Runs `contest.in_turn` on a tree of `folders` directories, which it evicts
    before each run."""
    def prepare(way: Way) -> None:
        machine.drop_caches()
        # A run on an empty directory reads the program into the page cache again.
        subprocess.run([str(where.empty) if word == column.tree else word
                        for word in way.command()], env=where.environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(way: Way, taken: Taken) -> None:
        # Each directory has at least a block of 4 KiB.
        if taken.read_bytes < folders * 2048:
            sys.exit(f"error: {column.title}, {way.name}: only "
                     f"{taken.read_bytes} bytes were read: not cold")
    return contest.in_turn([column], rounds, where.environment, where.output,
                           prepare, check)


def measure_cold(rounds: int) -> dict:
    if not machine.can_drop_caches():
        say("   skipped: evicting directories needs root")
        return {}
    with place() as where:
        columns = columns_for("AB")
        taken: dict = {}
        folders = {str(tree(name)): len(all_paths(tree(name), "-type", "d"))
                   for name in "AB"}
        with machine.held(tree("A")) as readahead:
            for column in columns:
                taken.update(in_turn_cold(column, folders[column.tree], rounds,
                                          where))
        return {"trees": "AB", "readahead": readahead,
                "parts": [contest.kept(columns, taken)]}


def measure_ignore(rounds: int) -> dict:
    if peers.find("fd").missing:
        say(f"   skipped: {peers.find('fd').missing}")
        return {}
    folder = tree("G")
    with place() as where:
        ways = ignoring(folder)
        all_folders = all_paths(folder, "-type", "d")
        # git lists only files, so fd lists the directories that are not ignored.
        contest.run(next(way for way in ways if way.name == "fd"),
                    where.environment, where.output)
        folders = all_folders & {line.rstrip(b"/") for line in
                                 where.output.read_bytes().split(b"\n")}
        wrong = differences(ways, where, not_ignored(folder), folders,
                            all_folders)
        columns = [Column("G, warm", ways, str(folder))]
        taken = contest.in_turn(columns, rounds, where.environment,
                                where.output)
        readahead = None
        if machine.can_drop_caches():
            columns.append(Column("G, cold", ways, str(folder)))
            with machine.held(folder) as readahead:
                taken.update(in_turn_cold(columns[-1], len(folders), rounds,
                                          where))
        else:
            say("   cold runs skipped: they need root")
        return {"readahead": readahead, "differences": wrong,
                "parts": [contest.kept(columns, taken)]}


def sees_changes(ways: List[Way], folder: pathlib.Path,
                 where: Place) -> Dict[str, str]:
    """Checks that each program reports nothing in an unchanged tree, and exactly one
    file after that file has changed. Restores the tree."""
    def lines_of(way: Way) -> List[bytes]:
        contest.run(way, where.environment, where.output)
        return where.output.read_bytes().splitlines()
    ways = [way for way in ways if not way.peer.missing]
    wrong = {way.name: "reports changes in an unchanged tree"
             for way in ways if lines_of(way)}
    name = next(name for name in sorted(not_ignored(folder))
                if os.path.getsize(name) == 0)
    with open(name, "ab") as file:
        file.write(b"x")
    try:
        for way in ways:
            lines = lines_of(way)
            if len(lines) != 1 or os.path.basename(name) not in lines[0]:
                wrong[way.name] = "does not report the one file that has changed"
    finally:
        os.truncate(name, 0)
    return wrong


EVERYTHING = ["--hidden", "--no-ignore"]


def record(folder: pathlib.Path, scratch: pathlib.Path, where: Place) -> None:
    """Stores the state of the tree: two manifests, and git's index."""
    commands = [["git", "-C", str(folder), "status", "--porcelain"]]
    walk = peers.headstart("walk")
    if not walk.missing:
        commands += [
            [walk.program, "walk", f"--manifest={scratch / 'manifest'}",
             str(folder)],
            [walk.program, "walk", f"--manifest={scratch / 'all'}",
             *EVERYTHING, str(folder)]]
    for command in commands:
        subprocess.run(command, env=where.environment, check=True,
                       stdout=subprocess.DEVNULL)


def status_ways(folder: pathlib.Path, scratch: pathlib.Path) -> List[Way]:
    ours = peers.headstart("status")
    return [Way("headstart status", ours,
                ["status", "--since", str(scratch / "manifest"), str(folder)],
                "ours"),
            Way("headstart status, ignored and hidden files too", ours,
                ["status", "--since", str(scratch / "all"), str(folder)],
                "ours"),
            Way("git status", peers.find("git"),
                ["-C", str(folder), "status", "--porcelain"])]


def measure_status(rounds: int) -> dict:
    folder = tree("G")
    with place() as where, tempfile.TemporaryDirectory(
            prefix="headstart-bench-", dir=folder.parent) as name:
        scratch = pathlib.Path(name)
        record(folder, scratch, where)
        ways = status_ways(folder, scratch)
        wrong = sees_changes(ways, folder, where)
        record(folder, scratch, where)
        columns = [Column("G, nothing changed", ways, str(folder))]
        return {"differences": wrong,
                "parts": [contest.kept(columns, contest.in_turn(
                    columns, rounds, where.environment, where.output))]}


def system_libraries() -> List[str]:
    """The directories in which a compiler driver lets the linker search for -lc."""
    return [*map(str, sorted(pathlib.Path("/usr/lib").glob("*-linux-gnu"))),
            "/usr/lib"]


def measure_search(rounds: int) -> dict:
    """search-bench times both methods in turn itself, and checks that both find the
    same files."""
    program = peers.find("search-bench")
    if program.missing:
        say(f"   skipped: {program.missing}")
        return {}
    searches = {"-lc where the system has it": (system_libraries(), ["c"])}
    for name in ("L1", "L50", "L400"):
        folders = sorted(path for path in tree(name).iterdir())
        searches[f"{len(folders)} × {len(folders)}, {name[1:]} files each"] = (
            list(map(str, folders)), [f"part{path.name}" for path in folders])
    columns = []
    for title, (folders, names) in searches.items():
        command = [program.program, "--rounds=11",
                   *(f"-L{folder}" for folder in folders),
                   *(f"-l{name}" for name in names)]
        seconds: Dict[str, List[float]] = {"probing": [], "Headstart": []}
        for _ in range(rounds):
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"error: search-bench: {title}: {done.stdout}")
            for name, first in (("probing", "probing"),
                                ("Headstart", "resolver")):
                time = re.search(rf"^{first} +([\d.]+) us", done.stdout, re.M)
                seconds[name].append(float(time.group(1)) / 1e6)
        say(f"    {title}: " + done.stdout.replace("\n", "; "))
        columns.append({
            "title": title, "base": "probing", "kinds": {}, "seconds": seconds,
            "commands": {name: "search-bench --rounds=11 -L… -l…"
                         for name in seconds}})
    return {"parts": [{"versions": {}, "missing": {}, "columns": columns}]}


MEASURES: Dict[str, Callable[[int], dict]] = {
    "tree-warm": measure_warm, "tree-cold": measure_cold,
    "tree-ignore": measure_ignore, "tree-status": measure_status,
    "search": measure_search}
# The default numbers of rounds; one run takes a fraction of a second.
ROUNDS = {"tree-warm": 15, "tree-cold": 5, "tree-ignore": 9, "tree-status": 15,
          "search": 9}


def measure(name: str, factor: float) -> dict:
    """Measures one benchmark of MEASURES; `factor` scales the number of rounds."""
    return MEASURES[name](max(1, round(ROUNDS[name] * factor)))


def text(name: str, figures: dict) -> str:
    title, about, captions = TEXTS[name]
    trees = "; ".join(ABOUT[tree] for tree in figures.get("trees", ""))
    lines = [f"## {title}", "", about.format(trees=trees)]
    for caption, part in zip(captions, figures["parts"]):
        rounds = max((len(times) for column in part["columns"]
                      for times in column["seconds"].values()), default=0)
        lines += ["", f"{caption}; {rounds} rounds.", "", *contest.table(part)]
        if commands := contest.called(part, name != "tree-cold"):
            lines += ["", *commands]
    if "differences" in figures:
        lines += [""] + ([f"DIFFERENT: {program}: {what}." for program, what in
                          figures["differences"].items()]
                         or ["All programs have the same result."])
    return "\n".join(lines)
