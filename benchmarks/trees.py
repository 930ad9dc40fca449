"""Walks of whole trees, against a bare walk and against other programs.

A is shaped like a source and build tree, B is flat, and G is A's size, a git
repository with ignore files. Warm: who takes least of the processor; cold: who
makes most of the disk. Also: what has changed since last time, against git, and
the search for libraries, against probing.
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
from walkers import (Place, all_paths, check_counts, counting, differences,
                     ignoring, listing, not_ignored, place, tree)

ABOUT = {
    "A": "A: 226,000 files in 27,000 folders, nested and uneven",
    "B": "B: 120,000 files in 300 folders of 400",
    "S": "S: 22,600 files in 2,700 folders, nested and uneven"}
ABOUT_G = ("G: a git repository with 226,000 files in 27,000 folders, of which "
           "its ignore files, one in every fortieth folder, hide two fifths.")


def about(names: str) -> str:
    return "; ".join(ABOUT[name] for name in names) + "."


def columns_for(ways: Callable[[pathlib.Path, bool], List[Way]],
                names: str, base: str = "") -> List[Column]:
    """For each tree a column without and one with sizes and times."""
    return [Column(f"{name}, {'sizes and times' if status else 'names'}",
                   ways(tree(name), status), base, str(tree(name)))
            for name in names for status in (False, True)]


def allocations(where: Place, names: str) -> Dict[str, dict]:
    """What Headstart's walker allocates, by tree."""
    result = {}
    for name in names:
        way = Way("allocations", peers.find("walk-headstart"),
                  ["--allocations", str(tree(name))], inside=True)
        if not way.peer.missing:
            result[name] = contest.run(way, where.environment,
                                       where.output).report
    return result


def measure_warm(rounds: int, names: str = "AB") -> dict:
    with place() as where:
        inside = columns_for(counting, names, "bare walk, 2 threads")
        check_counts(inside, where)
        whole = columns_for(listing, names)
        wrong = {}
        for column in whole[::2]:
            folder = pathlib.Path(column.tree)
            folders = all_paths(folder, "-type", "d")
            wrong.update(differences(column.ways, where,
                                     all_paths(folder) - folders, folders,
                                     folders))
        return {
            "title": "Walking a tree, warm", "about": about(names),
            "allocations": allocations(where, names), "differences": wrong,
            "parts": [
                {"title": "Time in the process, nothing printed; ratios to a bare "
                          "walk with getdents64.",
                 **contest.kept(inside, contest.in_turn(
                     inside, rounds, where.environment, where.output))},
                {"title": "Whole programs that print all paths into a file in "
                          "memory; ratios to the fastest peer.",
                 **contest.kept(whole, contest.in_turn(
                     whole, rounds, where.environment, where.output))}],
        }


def in_turn_cold(column: Column, folders: int, rounds: int,
                 where: Place) -> dict:
    """`contest.in_turn` with the tree, of which a walk reads so many folders, out
    of memory before each run."""
    def prepare(way: Way) -> None:
        machine.drop_caches()
        # The program itself is not what is to be cold.
        subprocess.run([str(where.empty) if word == column.tree else word
                        for word in way.command()], env=where.environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(way: Way, taken: Taken) -> None:
        # Each has a block of 4 KiB, or more.
        if taken.read_bytes < folders * 2048:
            sys.exit(f"error: {column.title}, {way.name}: only "
                     f"{taken.read_bytes} bytes were read: not cold")
    return contest.in_turn([column], rounds, where.environment, where.output,
                           prepare, check)


def measure_cold(rounds: int) -> dict:
    if not machine.can_drop_caches():
        say("   left out: putting folders out of memory needs root")
        return {}

    def ways(folder: pathlib.Path, status: bool) -> List[Way]:
        return [*counting(folder, status, threads=0), *listing(folder, status)]
    with place() as where:
        columns = columns_for(ways, "AB")
        taken: dict = {}
        folders = {str(tree(name)): len(all_paths(tree(name), "-type", "d"))
                   for name in "AB"}
        with machine.held(tree("A")) as readahead:
            for column in columns:
                taken.update(in_turn_cold(column, folders[column.tree], rounds,
                                          where))
        return {
            "title": "Walking a tree, cold", "readahead": readahead,
            "about": about("AB") + " The system's caches are dropped before each "
                     "run, and each must have read its folders from the disk to "
                     "count.",
            "parts": [{"title": "Whole programs, each with as many threads as it "
                                "likes; ratios to the fastest peer.",
                       **contest.kept(columns, taken, whole=True)}],
        }


def measure_ignore(rounds: int) -> dict:
    folder = tree("G")
    with place() as where:
        ways = ignoring(folder)
        all_folders = all_paths(folder, "-type", "d")
        # git knows files only: of the folders, fd says which are not ignored.
        folders = set()
        for way in ways:
            if way.name == "fd" and not way.peer.missing:
                contest.run(way, where.environment, where.output)
                folders = all_folders & {
                    line.rstrip(b"/")
                    for line in where.output.read_bytes().split(b"\n")}
        wrong = differences(ways, where, not_ignored(folder), folders,
                            all_folders)
        columns = [Column("G, warm", ways, tree=str(folder))]
        taken = contest.in_turn(columns, rounds, where.environment,
                                where.output)
        readahead = None
        if machine.can_drop_caches():
            columns.append(Column("G, cold", ways, tree=str(folder)))
            with machine.held(folder) as readahead:
                taken.update(in_turn_cold(columns[-1], len(folders), rounds,
                                          where))
        else:
            say("   without cold runs: they need root")
        return {
            "title": "Walking a repository by its ignore rules",
            "about": ABOUT_G, "readahead": readahead, "differences": wrong,
            "parts": [{"title": "Whole programs; ratios to the fastest peer.",
                       **contest.kept(columns, taken)}],
        }


def sees_changes(ways: List[Way], folder: pathlib.Path,
                 where: Place) -> Dict[str, str]:
    """Whether each says nothing of an unchanged tree, and of one in which a file
    has changed just that. Leaves the tree as it was."""
    def lines_of(way: Way) -> List[bytes]:
        contest.run(way, where.environment, where.output)
        return where.output.read_bytes().splitlines()
    ways = [way for way in ways if not way.peer.missing]
    wrong = {way.name: "says something of an unchanged tree"
             for way in ways if lines_of(way)}
    name = next(name for name in sorted(not_ignored(folder))
                if os.path.getsize(name) == 0)
    with open(name, "ab") as file:
        file.write(b"x")
    try:
        for way in ways:
            lines = lines_of(way)
            if len(lines) != 1 or os.path.basename(name) not in lines[0]:
                wrong[way.name] = "does not name the one file that has changed"
    finally:
        os.truncate(name, 0)
    return wrong


EVERYTHING = ["--hidden", "--no-ignore"]


def record(folder: pathlib.Path, scratch: pathlib.Path, where: Place) -> None:
    """Writes down the tree as it is: for us two manifests, and git's index."""
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
        columns = [Column("G, nothing changed", ways, tree=str(folder))]
        return {
            "title": "What has changed in a repository", "about": ABOUT_G,
            "differences": wrong,
            "parts": [{"title": "Warm, git's index fresh and its settings the "
                                "default ones; ratios to git.",
                       **contest.kept(columns, contest.in_turn(
                           columns, rounds, where.environment,
                           where.output))}],
        }


def system_libraries() -> List[str]:
    """Where a compiler driver has the linker look for -lc."""
    return [*map(str, sorted(pathlib.Path("/usr/lib").glob("*-linux-gnu"))),
            "/usr/lib"]


def measure_search(rounds: int) -> dict:
    """search-bench takes its times itself, both ways in turn, and checks that
    both find the same."""
    program = peers.find("search-bench")
    if program.missing:
        say(f"   left out: {program.missing}")
        return {}
    searches = {"-lc where the system has it": (system_libraries(), ["c"])}
    for name in ("L1", "L50", "L400"):
        folders = sorted(path for path in tree(name).iterdir())
        searches[f"{len(folders)} × {len(folders)}, {name[1:]} files a folder"] = (
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
    return {
        "title": "Searching folders for libraries",
        "about": "Each `-l` in each `-L`, warm, one thread. Library N is in "
                 "folder N, so that half of the folders are searched for each.",
        "parts": [{"title": "Ratios to asking for each name in each folder, as "
                            "ld.lld does.",
                   "versions": {}, "missing": {}, "columns": columns}],
    }


MEASURES: Dict[str, Callable[[int], dict]] = {
    "tree-warm": measure_warm, "tree-cold": measure_cold,
    "tree-ignore": measure_ignore, "tree-status": measure_status,
    "search": measure_search}
# At the default number of rounds; a run of these takes a fraction of a second.
ROUNDS = {"tree-warm": 15, "tree-cold": 5, "tree-ignore": 9, "tree-status": 15,
          "search": 9}


def measure(name: str, factor: float) -> dict:
    """Measures one of them; `factor` scales the number of rounds."""
    return MEASURES[name](max(1, round(ROUNDS[name] * factor)))


def text(figures: dict) -> str:
    lines = [f"## {figures['title']}", "", figures["about"]]
    for part in figures["parts"]:
        rounds = max((len(times) for column in part["columns"]
                      for times in column["seconds"].values()), default=0)
        lines += ["", f"{part['title']} Rounds: {rounds}.", "",
                  *contest.table(part), "", *contest.called(part)]
    for name, report in figures.get("allocations", {}).items():
        lines += ["", f"Headstart's walker calls malloc "
                  f"{report['allocations']} times in {name}, for "
                  f"{report['entries']} entries in {report['folders']} folders."]
    if "differences" in figures:
        lines += [""] + ([f"DIFFERENT: {name}: {what}." for name, what in
                          figures["differences"].items()]
                         or ["All come to the same."])
    return "\n".join(lines)
