"""Runs several programs on the same job in turn and shows their times in a table.

A column is a job (a tree, with or without sizes), a row is a program. The benchmarks
compare the results of the programs before they take times.
"""

import dataclasses
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
from typing import Callable, Dict, List, Optional, Sequence

import harness
from figures import format_time, pairs
from figures import table as markdown
from machine import say
from peers import Peer


@dataclasses.dataclass
class Way:
    """One program in one column."""
    name: str                       # the row's
    peer: Peer
    arguments: List[str]
    kind: str = "peer"              # or "ours"
    files_only: bool = False        # the program does not list directories

    def command(self) -> List[str]:
        return [self.peer.program, *self.arguments]

    def shown(self, tree: str = "") -> str:
        """The command as the document shows it: without directories of this machine,
        and with TREE for the tree."""
        return shlex.join(
            "TREE" if word == tree
            else os.path.basename(word) if word.startswith("/") else word
            for word in self.command())


@dataclasses.dataclass
class Column:
    title: str
    ways: List[Way]
    tree: str                       # the directory that is walked


@dataclasses.dataclass
class Taken:
    """The cost of one run."""
    seconds: float
    read_bytes: int                 # from the disk


def run(way: Way, environment: Dict[str, str], output: pathlib.Path) -> Taken:
    """Runs a program with its output in `output`, a file in memory: some programs do
    less if they write to /dev/null, and the reader of a pipe would occupy a core."""
    with open(output, "wb") as sink:
        done = harness.timed(way.command(), environment, stdout=sink,
                             stderr=subprocess.PIPE)
    if done.status != 0 or done.output:
        sys.exit(f"error: {way.shown()}: exit status {done.status}\n"
                 + done.output.decode(errors="replace"))
    return Taken(done.seconds, done.usage.ru_inblock * 512)


def in_turn(columns: Sequence[Column], rounds: int, environment: Dict[str, str],
            output: pathlib.Path,
            before: Optional[Callable[[Way], None]] = None,
            after: Optional[Callable[[Way, Taken], None]] = None
            ) -> Dict[str, Dict[str, List[Taken]]]:
    """Runs every program of every column `rounds` times, in turn. `before` prepares
    each run; without `before`, the first round is not counted."""
    taken: Dict[str, Dict[str, List[Taken]]] = {c.title: {} for c in columns}
    for column in columns:
        ways = [way for way in column.ways if not way.peer.missing]
        for number in range(rounds + (before is None)):
            for way in ways:
                if before:
                    before(way)
                one = run(way, environment, output)
                if after:
                    after(way, one)
                if before or number:
                    taken[column.title].setdefault(way.name, []).append(one)
        for name, runs in taken[column.title].items():
            middle = statistics.median(one.seconds for one in runs)
            say(f"    {column.title}: {name}: {format_time(middle)}")
    return taken


def kept(columns: Sequence[Column],
         taken: Dict[str, Dict[str, List[Taken]]]) -> dict:
    """The figures as benchmarks/figures.json stores them."""
    return {
        "columns": [
            {"title": column.title, "base": "",
             "kinds": {way.name: way.kind for way in column.ways},
             "commands": {way.name: way.shown(column.tree)
                          for way in column.ways},
             "seconds": {name: [one.seconds for one in runs]
                         for name, runs in taken[column.title].items()}}
            for column in columns],
        "versions": {way.name: way.peer.version for column in columns
                     for way in column.ways if way.peer.version},
        "missing": {way.name: way.peer.missing for column in columns
                    for way in column.ways if way.peer.missing},
    }


def base_of(column: dict) -> Optional[str]:
    """The row that is the base of a column's ratios: the fastest peer, unless the column
    names another."""
    times = column["seconds"]
    if column["base"]:
        return column["base"] if column["base"] in times else None
    rivals = [name for name in times if column["kinds"][name] == "peer"]
    return min(rivals, key=lambda name: statistics.median(times[name]),
               default=None)


def table(figures: dict) -> List[str]:
    """The figures of `kept` as lines of Markdown. Ratios are medians of the
    ratios round by round."""
    columns = figures["columns"]
    rows = list(dict.fromkeys(name for column in columns
                              for name in column["commands"]))
    result = []
    for row in rows:
        cells = [f"{row} ({figures['versions'][row]})"
                 if row in figures["versions"] else row]
        for column in columns:
            times = column["seconds"].get(row)
            base = column["seconds"].get(base_of(column))
            cell = format_time(statistics.median(times)) if times else "–"
            if times and base:
                cell += f" ({statistics.median(pairs(times, base)):.2f})"
            cells.append(cell)
        result.append(cells)
    return markdown(["", *(column["title"] for column in columns)], result)


def called(figures: dict, with_commands: bool = True) -> List[str]:
    """The commands of the rows that are users' programs, and the reasons for empty rows."""
    commands: Dict[str, List[str]] = {}
    for column in figures["columns"] if with_commands else ():
        for name, command in column["commands"].items():
            # The benchmarks' own program means nothing to a reader.
            if not command.startswith("search-bench") and \
                    command not in commands.setdefault(name, []):
                commands[name].append(command)
    lines = [f"- {name}: " + ", ".join(f"`{command}`" for command in several)
             for name, several in commands.items()]
    lines += [f"- {name} is not available: {reason}."
              for name, reason in figures["missing"].items()]
    return lines
