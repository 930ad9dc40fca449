"""Runs many days on several processes and adds up their counts; repeats and shrinks a day that
differs; writes the results as text and into docs/Correctness.md."""

import collections
import concurrent.futures
import functools
import hashlib
import json
import multiprocessing
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import textwrap
import time

import documents
from common import ROOT
from days.day import Day, Stopped
from days.linking import SANITIZERS, Different, Place, adopt_orphans, find_abilities
from links.judge import fewer

TARGETS = {"small": 10000, "real": 1500}  # steps, of each flavour
LEAST_OBJECTS = 16
TRIES = 3  # a difference may depend on the moment
SHRINK_SECONDS = 240.0
DOCUMENT = ROOT / "docs" / "Correctness.md"
BEGIN = "<!-- days: written by ./dev days --write -->"
END = "<!-- days: end -->"
SIZES = {"small": "20 to 300 inputs", "real": "500 inputs and more"}
COLUMNS = ["days", "steps", "links", "different"]

stop = multiprocessing.Event()
places: dict = {}  # of this worker


def start_worker(event) -> None:
    """Lets only the parent handle signals. The linkers would inherit SIG_IGN."""
    global stop
    stop = event
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: None)
    adopt_orphans()


def get_place(arguments, abilities, flavour: str, size: str) -> Place:
    key = (flavour, size)
    if key not in places:
        remove_places()  # one tree at a time, to save space
        places[key] = Place(arguments, abilities, flavour, arguments.work /
                            f"worker-{os.getpid()}" / f"{flavour}-{size}", stop.is_set)
    return places[key]


def remove_places() -> None:
    for place in places.values():
        shutil.rmtree(place.directory, ignore_errors=True)
    places.clear()


def one_day(arguments, abilities, flavour: str, size: str, seed: int, steps: int = 0) -> dict:
    """Runs a day and returns its result; `steps` limits their number."""
    place = get_place(arguments, abilities, flavour, size)
    day = Day(place, size, seed)
    if steps:
        day.kinds = day.kinds[:steps]
    result = {"seed": seed, "flavour": flavour, "size": size, "text": "", "stopped": False}
    try:
        day.run()
    except Stopped:
        result["stopped"] = True
    except Different as different:
        day.counts["different"] += 1
        day.counts["steps"] += 1
        day.counts["days"] += 1
        texts = [text[:1500] for text in (*different.found, different.command)]
        result["text"] = f"{day}: " + "\n  ".join(texts)
        remove_places()
    except Exception as error:  # adds the seed, which repeats the day
        raise RuntimeError(f"{day}: {error!r}") from error
    os.chdir("/")
    result["counts"] = dict(day.counts)
    return result


def digest_of_programs(directory: pathlib.Path) -> str:
    return hashlib.sha256((directory / "ld.lld").read_bytes()).hexdigest()[:12]


@functools.cache
def commit() -> str:
    """The source tree's commit, with a plus if a file has changed since."""
    def git(*args):
        return subprocess.run(["git", "-C", ROOT, *args], text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    changed = git("status", "--porcelain", "-uno")
    return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")


class Totals:
    """The counts of one flavour and size with one build of the programs."""

    def __init__(self, work: pathlib.Path, flavour: str, size: str, programs: str):
        self.path = work and work / f"results-{flavour}-{size}.json"
        self.record = {"flavour": flavour, "size": size, "programs": programs,
                       "done": [], "counts": {}, "different": []}
        if self.path and self.path.exists():
            old = json.loads(self.path.read_text())
            if old["programs"] == programs:
                self.record = old
            else:  # keeps the counts of another build under another name
                self.path.rename(self.path.with_suffix(f".{old['programs']}.json"))

    def add(self, result: dict) -> None:
        sums = collections.Counter(self.record["counts"])
        sums.update(result["counts"])
        self.record["counts"] = dict(sums)
        if result["text"]:
            self.record["different"].append(result["text"])
        if not result["stopped"]:
            self.record["done"].append(result["seed"])
        if self.path:
            self.record.update(commit=commit(), date=time.strftime("%Y-%m-%d"))
            new = self.path.with_suffix(".new")
            new.write_text(json.dumps(self.record, indent=1))
            new.rename(self.path)

    def steps(self) -> int:
        return self.record["counts"].get("steps", 0)


class Campaign:
    def __init__(self, arguments):
        self.arguments = arguments
        arguments.work.mkdir(parents=True, exist_ok=True)
        self.remove_old()
        self.abilities = find_abilities(arguments)
        for what in self.abilities.missing():
            print(f"omitted: {what}", flush=True)
        if arguments.timeout is None:
            arguments.timeout = 120 if self.abilities.sanitized else 30
        for name, value in SANITIZERS.items():
            os.environ.setdefault(name, value)
        self.stop = multiprocessing.Event()

    def remove_old(self) -> None:
        """Removes the files of workers that have ended."""
        shutil.rmtree(self.arguments.work / "shared-cache", ignore_errors=True)
        for directory in self.arguments.work.glob("worker-*"):
            if not pathlib.Path(f"/proc/{directory.name[7:]}").exists():
                shutil.rmtree(directory, ignore_errors=True)

    def go_through(self, days, on_result) -> bool:
        """Runs days (flavour, size, seed, steps) until the last or Ctrl-C. Returns whether all
        ran."""
        stopped: list = []

        def end(*arguments) -> None:
            if not stopped:  # a signal within `set` would wait for it
                stopped.append(arguments)
                self.stop.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end)
        days = iter(days)
        running: set = set()
        with concurrent.futures.ProcessPoolExecutor(
                self.arguments.jobs, initializer=start_worker, initargs=(self.stop,)) as executor:
            try:
                while True:
                    # Submits two more than run, so that no worker waits.
                    while (len(running) < self.arguments.jobs + 2 and not stopped
                           and (day := next(days, None))):
                        running.add(executor.submit(one_day, self.arguments, self.abilities, *day))
                    if not running:
                        break
                    done, running = concurrent.futures.wait(
                        running, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in done:
                        # Ctrl-C also ends LLVM's tools, so that a day fails.
                        if not (stopped and future.exception()):
                            on_result(future.result())
            finally:
                self.stop.set()  # after an exception, the other days end as well
        self.remove_old()
        return not stopped


# -- one day --------------------------------------------------------------------

def attempt(place: Place, size: str, seed: int, objects: int, wanted, say=None):
    """Runs the steps `wanted` of a day. Returns (day, difference), or None."""
    day = Day(place, size, seed, objects, say)
    try:
        day.run(wanted)
    except Different as different:
        return day, different
    return None


def show(arguments, abilities, only) -> bool:
    """Repeats a day in a tree that stays, and shrinks it if it differs. Returns whether it does."""
    adopt_orphans()
    name = f"{arguments.flavour}-{arguments.size}-{arguments.seed}"
    place = Place(arguments, abilities, arguments.flavour, arguments.work / f"seed-{name}")
    end = time.monotonic() + SHRINK_SECONDS

    def tried(objects: int, steps, say=print):
        attempts = (attempt(place, arguments.size, arguments.seed, objects, steps, say)
                    for _ in range(TRIES))
        return next(filter(None, attempts), None)

    def differs(objects: int, steps: list[int]) -> bool:
        return time.monotonic() < end and bool(tried(objects, steps, say=None))
    day = Day(place, arguments.size, arguments.seed, arguments.objects)
    print(f"{name}: {day.objects} objects, {len(day.kinds)} steps, in {place.tree.directory}")
    found = tried(arguments.objects, only)
    if not found:
        print("nothing is different")
        return False
    day, different = found
    print(f"different at step {day.number}: {different}"[:6000])
    objects = day.objects
    # The last step is the one that differs.
    *steps, last = [n for n in range(day.number + 1) if only is None or n in only]
    steps = [*fewer(steps, lambda some: differs(objects, [*some, last])), last]
    for share in (0.25, 0.5, 0.7, 0.9):
        while int(objects * share) >= LEAST_OBJECTS and differs(int(objects * share), steps):
            objects = int(objects * share)
    print(f"\nsmallest: --objects {objects} --steps {','.join(map(str, steps))}")
    if found := tried(objects, steps):
        print(f"{found[1]}"[:6000])
        print(f"cd {place.tree.directory} && {found[1].command}")
    return True


# -- the report -------------------------------------------------------------------

def sums(records: list[dict]) -> collections.Counter:
    total: collections.Counter = collections.Counter()
    for record in records:
        total.update(record["counts"])
    return total


def table(records: list[dict]) -> str:
    rows = [[record["flavour"], SIZES[record["size"]],
             *(f"{record['counts'].get(c, 0):,}" for c in COLUMNS)] for record in records]
    total = sums(records)
    rows.append(["all", "", *(f"{total[c]:,}" for c in COLUMNS)])
    return "\n".join(documents.table(["flavour", "size", *COLUMNS], rows, texts=(0, 1)))


def kinds(records: list[dict]) -> str:
    total = sums(records)
    names = sorted((n for n in total if n.startswith("kind: ")), key=lambda n: -total[n])
    steps = ", ".join(f"{n[6:]} {total[n]:,}" for n in names)
    return textwrap.fill(f"Steps: {steps}.", 90, break_on_hyphens=False)


def plain(records: list[dict]) -> str:
    lines = []
    for record in records:
        c = collections.Counter(record["counts"])
        lines.append(f"{record['flavour']} {record['size']}: {c['days']} days, {c['steps']} steps, "
                     f"{c['links']} Headstart links, {c['stock links']} stock links, {c['failed']} "
                     f"failed with an error, {c['different']} different, {c['unsteady']} in which "
                     f"stock differs from itself, {c['stock lacks memory']} in which stock runs "
                     f"out of memory, {c['milliseconds'] / max(c['steps'], 1):.0f} ms per step")
    total = sums(records)
    return "\n".join([*lines, f"{total['steps']} steps, {total['different']} different"])


def write(records: list[dict]) -> None:
    records = [r for r in records if r["counts"].get("steps")]
    if not records:
        raise SystemExit("error: no step was done with these programs")
    commits = sorted({r["commit"] for r in records})
    dates = sorted({r["date"] for r in records})
    total = sums(records)
    documents.replace_section(DOCUMENT, BEGIN, END, "\n".join([
        "", f"{total['steps']:,} steps, {total['different']:,} different "
        f"({' to '.join(dict.fromkeys([dates[0], dates[-1]]))}, {platform.system()} "
        f"{platform.release()}, commit {', '.join(commits)}).", "",
        table(records), "", kinds(records), ""]))
    print(f"wrote {DOCUMENT.relative_to(ROOT)}")
