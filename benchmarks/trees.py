"""Compares `headstart walk` and `headstart status` with other programs on whole trees.

A is shaped like a source and build tree, B is flat, and G is a git repository of A's size with
ignore files. A column of a table is a tree, with or without sizes; a row is a program. The programs
run in turn; before that, their results are compared.
"""

import contextlib
import dataclasses
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
from typing import Iterator, Sequence

import harness
from figures import format_time, pairs
from figures import table as markdown
from harness import Peer, say

TREES = {"A": ("source", 27_000, 226_000), "B": ("flat", 300, 120_000),
         "S": ("source", 2_700, 22_600), "G": ("repository", 27_000, 226_000)}
ABOUT = {"A": "A: 226,000 files in 27,000 directories, nested and uneven",
         "B": "B: 120,000 files in 300 directories of 400",
         "S": "S: 22,600 files in 2,700 directories, nested and uneven"}
# The title, and the paragraph below it.
TEXTS = {
    "tree-warm": ("Walking a tree, warm", "{trees}. Whole programs print all paths to a file in "
                  "memory (`benchmarks/trees.py` has the commands). All have the same result "
                  "unless one is marked. Ratios are to the fastest peer"),
    "tree-cold": ("Walking a tree, cold", "The system's caches are dropped before each run. A run "
                  "counts if it read its directories from the disk"),
    "tree-ignore": ("Walking a repository by its ignore rules", "G: a git repository with 226,000 "
                    "files in 27,000 directories. Ignore files in every fortieth directory hide "
                    "two fifths of it"),
    "tree-status": ("Changes in a repository", "The repository above, warm, with a fresh index and "
                    "git's default settings; ratios to git")}
OURS = "headstart"  # the beginning of the names of our rows


# -- programs and their runs -------------------------------------------------

@dataclasses.dataclass
class Program:
    name: str                       # the row's
    peer: Peer
    arguments: list[str]
    files_only: bool = False        # the program does not list directories

    @property
    def command(self) -> list[str]:
        return [self.peer.program, *self.arguments]


@dataclasses.dataclass
class Column:
    title: str
    programs: list[Program]
    tree: str                       # the directory that is walked


@dataclasses.dataclass
class Place:
    """A benchmark's scratch space: an empty directory and a file in memory."""
    empty: pathlib.Path
    output: pathlib.Path
    environment: dict[str, str]

    def run(self, program: Program) -> harness.Ended:
        """Runs a program with its output in `output`: some programs do less if they
        write to /dev/null, and the reader of a pipe would occupy a core."""
        with open(self.output, "wb") as sink:
            done = harness.timed(program.command, self.environment, stdout=sink,
                                 stderr=subprocess.PIPE)
        if done.status != 0 or done.output:
            sys.exit(f"error: {shlex.join(program.command)}: exit status {done.status}\n"
                     + done.output.decode(errors="replace"))
        return done

    def lines(self, program: Program) -> list[bytes]:
        self.run(program)
        return self.output.read_bytes().split(b"\n")[:-1]

    def in_turn(self, column: Column, rounds: int, directories: int = 0) -> dict:
        """Runs every program of a column `rounds` times, in turn, and returns the column as
        figures.json stores it. A tree of that many `directories` is evicted before each run; with
        0, an uncounted round comes first."""
        def once(program: Program) -> float:
            if directories:
                # No other method evicts directories.
                harness.headstart("evict", "--all")
                # A run on an empty directory reads the program into the page cache again.
                subprocess.run([str(self.empty) if argument == column.tree else argument
                                for argument in program.command], env=self.environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            done = self.run(program)
            # Each directory has at least a block of 4 KiB.
            if done.read_bytes < directories * 2048:
                sys.exit(f"error: {column.title}, {program.name}: only "
                         f"{done.read_bytes} bytes were read: not cold")
            return done.seconds

        programs = [program for program in column.programs if not program.peer.missing]
        if not directories:
            harness.in_turn(programs, 1, once)
        seconds = harness.in_turn(programs, rounds, once)
        for name, times in seconds.items():
            say(f"    {column.title}: {name}: {format_time(statistics.median(times))}")
        return {"title": column.title, "seconds": seconds,
                "commands": [program.name for program in column.programs]}


@contextlib.contextmanager
def place() -> Iterator[Place]:
    # Without settings of the user, so that all programs have the same ignore rules.
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("GIT_", "FD_", "RIPGREP_", "XDG_", "HEADSTART_"))}
    memory = pathlib.Path("/dev/shm")
    with harness.scratch_in(memory if memory.is_dir() else None) as scratch:
        (scratch / "empty").mkdir()
        yield Place(scratch / "empty", scratch / "output", {
            **environment, "HOME": str(scratch / "empty"), "LC_ALL": "C",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"})


def tree(name: str) -> pathlib.Path:
    """Makes a tree unless it exists."""
    kind, directories, files = TREES[name]
    directory = harness.corpus_directory("trees") / name
    directory.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, str(harness.ROOT / "utils" / "make-tree.py"), kind,
                           "--out", str(directory), "--directories", str(directories),
                           "--files", str(files)])
    if done.returncode != 0:
        sys.exit(done.returncode)
    return directory


def ours(name: str, *arguments: str, files_only: bool = False) -> Program:
    return Program(name, Peer(str(harness.HEADSTART)), list(arguments), files_only)


def listing(directory: pathlib.Path, status: bool) -> list[Program]:
    """Programs that print all paths below a directory; with `status`, they stat each path."""
    path = str(directory)
    # fd cannot print size and time; --changed-within makes it stat each file.
    fd = ["--unrestricted", "--color=never", *["--changed-within=9999d"] * status, ".", path]
    plain = [path, "-mindepth", "1", *["-printf", r"%s %T@ %p\n"] * status]
    programs = [ours("headstart walk", "walk", *["--stat"] * status, "--hidden", "--no-ignore",
                     path),
                Program("fd", harness.find_peer("fd"), fd)]
    if not status:
        programs.append(Program("ripgrep, files only", harness.find_peer("rg"),
                                ["--files", "-uuu", path], files_only=True))
    return [*programs, Program("bfs", harness.find_peer("bfs"), plain),
            Program("GNU find", harness.find_peer("find"), plain)]


def ignoring(directory: pathlib.Path) -> list[Program]:
    """Programs that skip hidden and ignored files."""
    path = str(directory)
    return [
        ours("headstart walk", "walk", path),
        ours("headstart walk, files only", "walk", "--type=f", path, files_only=True),
        Program("fd", harness.find_peer("fd"), ["--color=never", ".", path]),
        Program("fd, files only", harness.find_peer("fd"),
                ["--color=never", "--type=f", ".", path], files_only=True),
        Program("ripgrep, files only", harness.find_peer("rg"), ["--files", path], files_only=True)]


def figures_of(programs: Sequence[Program], columns: list[dict], **others) -> dict:
    def of_peers(what: str) -> dict[str, str]:
        values = {program.name: getattr(program.peer, what) for program in programs}
        return {name: value for name, value in values.items() if value}
    return {**others, "columns": columns, "versions": of_peers("version"),
            "missing": of_peers("missing")}


# -- comparing results -------------------------------------------------------

def paths_from(command: Sequence[str]) -> set[bytes]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return set(done.stdout.split(b"\0")[:-1])


def all_paths(directory: pathlib.Path, *tests: str) -> set[bytes]:
    """The paths below a directory, by GNU find."""
    return paths_from(["find", str(directory), "-mindepth", "1", *tests, "-print0"])


def not_ignored(directory: pathlib.Path) -> set[bytes]:
    """The files of a directory that git tracks, without hidden ones."""
    names = paths_from(["git", "-C", str(directory), "ls-files", "-z"])
    return {os.fsencode(directory / os.fsdecode(name)) for name in names
            if not name.startswith(b".") and b"/." not in name}


def differences(programs: Sequence[Program], where: Place, files: set[bytes],
                directories: set[bytes], all_directories: set[bytes]) -> dict[str, str]:
    """Describes the lists that differ from `files` and, with directories, from `directories`."""
    result = {}
    for program in programs:
        if program.peer.missing:
            continue
        lines = where.lines(program)
        listed = {line.rstrip(b"/") for line in lines}
        wanted = files if program.files_only else files | directories
        if listed != wanted or len(listed) != len(lines):
            wrong = (listed - wanted, wanted - listed)
            result[program.name] = (
                f"{len(wrong[0])} additional paths ({len(wrong[0] & all_directories)} directories)"
                f", {len(wrong[1])} missing paths ({len(wrong[1] & all_directories)} directories), "
                f"{len(lines) - len(listed)} duplicates")
            say(f"    {program.name}: {result[program.name]}")
    return result


def sees_changes(programs: Sequence[Program], directory: pathlib.Path,
                 where: Place) -> dict[str, str]:
    """Checks that each program reports nothing in an unchanged tree, and exactly one
    file after that file has changed. Restores the tree."""
    programs = [program for program in programs if not program.peer.missing]
    wrong = {program.name: "reports changes in an unchanged tree"
             for program in programs if where.lines(program)}
    name = next(name for name in sorted(not_ignored(directory)) if os.path.getsize(name) == 0)
    with open(name, "ab") as file:
        file.write(b"x")
    try:
        for program in programs:
            lines = where.lines(program)
            if len(lines) != 1 or os.path.basename(name) not in lines[0]:
                wrong[program.name] = "does not report the one file that has changed"
    finally:
        os.truncate(name, 0)
    return wrong


# -- the benchmarks ----------------------------------------------------------

def columns_for(names: str) -> list[Column]:
    """Two columns for each tree: one with names, one with sizes and times."""
    return [Column(f"{name}, {'sizes and times' if status else 'names'}",
                   listing(tree(name), status), str(tree(name)))
            for name in names for status in (False, True)]


def measure_warm(rounds: int, names: str = "AB") -> dict:
    with place() as where:
        columns = columns_for(names)
        wrong = {}
        for column in columns[::2]:
            directory = pathlib.Path(column.tree)
            directories = all_paths(directory, "-type", "d")
            wrong.update(differences(column.programs, where, all_paths(directory) - directories,
                                     directories, directories))
        return figures_of(columns[0].programs, [where.in_turn(column, rounds)
                                                for column in columns],
                          trees=names, differences=wrong)


def measure_cold(rounds: int) -> dict:
    if not harness.can_drop_caches():
        say("   skipped: evicting directories needs root")
        return {}
    with place() as where:
        columns = columns_for("AB")
        directories = {str(tree(name)): len(all_paths(tree(name), "-type", "d")) for name in "AB"}
        with harness.held(tree("A")) as readahead:
            return figures_of(columns[0].programs, [
                where.in_turn(column, rounds, directories[column.tree])
                for column in columns], trees="AB", readahead=readahead)


def measure_ignore(rounds: int) -> dict:
    if harness.find_peer("fd").missing:
        say(f"   skipped: {harness.find_peer('fd').missing}")
        return {}
    directory = tree("G")
    with place() as where:
        programs = ignoring(directory)
        all_directories = all_paths(directory, "-type", "d")
        # git lists only files, so fd lists the directories that are not ignored.
        fd = next(program for program in programs if program.name == "fd")
        directories = all_directories & {line.rstrip(b"/") for line in where.lines(fd)}
        wrong = differences(programs, where, not_ignored(directory), directories, all_directories)
        columns = [where.in_turn(Column("G, warm", programs, str(directory)), rounds)]
        readahead = None
        if harness.can_drop_caches():
            with harness.held(directory) as readahead:
                columns.append(where.in_turn(
                    Column("G, cold", programs, str(directory)), rounds, len(directories)))
        else:
            say("   cold runs skipped: they need root")
        return figures_of(programs, columns, readahead=readahead, differences=wrong)


def record(directory: pathlib.Path, scratch: pathlib.Path, where: Place) -> None:
    """Stores the state of the tree: two manifests, and git's index."""
    walk = [str(harness.HEADSTART), "walk"]
    for command in (
            ["git", "-C", str(directory), "status", "--porcelain"],
            [*walk, f"--manifest={scratch / 'manifest'}", str(directory)],
            [*walk, f"--manifest={scratch / 'all'}", "--hidden", "--no-ignore", str(directory)]):
        subprocess.run(command, env=where.environment, check=True, stdout=subprocess.DEVNULL)


def measure_status(rounds: int) -> dict:
    directory = tree("G")
    with place() as where, harness.scratch_in(directory.parent) as scratch:
        record(directory, scratch, where)
        since, path = ["status", "--since"], str(directory)
        programs = [ours("headstart status", *since, str(scratch / "manifest"), path),
                    ours("headstart status, ignored and hidden files too", *since,
                         str(scratch / "all"), path),
                    Program("git status", harness.find_peer("git"),
                            ["-C", path, "status", "--porcelain"])]
        wrong = sees_changes(programs, directory, where)
        record(directory, scratch, where)
        column = Column("G, nothing changed", programs, str(directory))
        return figures_of(programs, [where.in_turn(column, rounds)], differences=wrong)


# The measurements, and their default numbers of rounds; one run takes a fraction of a second.
MEASURES = {"tree-warm": (measure_warm, 15), "tree-cold": (measure_cold, 5),
            "tree-ignore": (measure_ignore, 9), "tree-status": (measure_status, 15)}


def measure(name: str, factor: float) -> dict:
    one, rounds = MEASURES[name]
    return one(max(1, round(rounds * factor)))


# -- the text ----------------------------------------------------------------

def base_of(column: dict) -> str | None:
    """The row that is the base of a column's ratios: the fastest peer."""
    times = column["seconds"]
    rivals = [name for name in times if not name.startswith(OURS)]
    return min(rivals, key=lambda name: statistics.median(times[name]), default=None)


def table(figures: dict) -> list[str]:
    """The figures as lines of Markdown. Ratios are medians of the ratios round by round."""
    columns = figures["columns"]
    result = []
    for row in dict.fromkeys(name for column in columns for name in column["commands"]):
        cells = [f"{row} ({figures['versions'][row]})" if row in figures["versions"] else row]
        for column in columns:
            times = column["seconds"].get(row)
            base = column["seconds"].get(base_of(column))
            cell = format_time(statistics.median(times)) if times else "–"
            if times and base:
                cell += f" ({statistics.median(pairs(times, base)):.2f})"
            cells.append(cell)
        result.append(cells)
    return markdown(["", *(column["title"] for column in columns)], result)


def remarks(figures: dict) -> list[str]:
    """The reasons for empty rows, and the programs whose results differ from the others'."""
    return [*(f"- {name} is not available: {reason}."
              for name, reason in figures["missing"].items()),
            *(f"- DIFFERENT: {name}: {what}."
              for name, what in figures.get("differences", {}).items())]


def text(name: str, figures: dict) -> str:
    title, about = TEXTS[name]
    trees = "; ".join(ABOUT[tree] for tree in figures.get("trees", ""))
    rounds = max((len(times) for column in figures["columns"]
                  for times in column["seconds"].values()), default=0)
    lines = [f"## {title}", "", f"{about.format(trees=trees)}; {rounds} rounds.", "",
             *table(figures)]
    if found := remarks(figures):
        lines += ["", *found]
    return "\n".join(lines)
