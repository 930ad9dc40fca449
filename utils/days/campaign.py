"""Runs many days on several processes, adds up their counts over runs, and describes
days that differ."""

import collections
import concurrent.futures
import contextlib
import hashlib
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import time

from days.day import Day, Stopped
from days.launch import SANITIZERS, adopt_orphans, find_abilities
from days.linking import Different, Place
from days.objects import Objects
from links.judge import ROOT

TARGETS = {"small": 10000, "real": 1500}  # steps, of each flavour
KEPT_TREES = 12
SAVE_EVERY = 15.0  # seconds

stop = multiprocessing.Event()
places: dict = {}  # of this worker


def start_worker(event) -> None:
    """Leaves it to the parent to stop. Installs a handler instead of SIG_IGN, which the
    linkers would inherit."""
    global stop
    stop = event
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: None)
    adopt_orphans()


def new_place(arguments, abilities, flavour: str, directory: pathlib.Path,
              should_stop=None) -> Place:
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o777)
    return Place(arguments, abilities, Objects(
        flavour, arguments.stock, arguments.work, 1), directory, should_stop=should_stop)


def get_place(arguments, abilities, flavour: str, size: str) -> Place:
    key = (flavour, size)
    if key not in places:
        for other in list(places):  # one tree at a time, to save space
            shutil.rmtree(places.pop(other).directory, ignore_errors=True)
        places[key] = new_place(
            arguments, abilities, flavour,
            arguments.work / f"worker-{os.getpid()}" / f"{flavour}-{size}", stop.is_set)
    return places[key]


def place_to_show(arguments, abilities) -> Place:
    """A place in this process, whose tree stays."""
    adopt_orphans()
    return new_place(arguments, abilities, arguments.flavour, arguments.work / (
        f"seed-{arguments.flavour}-{arguments.size}-{arguments.seed}"))


def one_day(arguments, abilities, flavour: str, size: str, seed: int, steps: int = 0) -> dict:
    """Runs a day and returns its result; `steps` limits their number."""
    place = get_place(arguments, abilities, flavour, size)
    day = Day(place, size, seed)
    if steps:
        day.kinds = day.kinds[:steps]
    result = {"seed": seed, "flavour": flavour, "size": size, "text": "", "stopped": False}
    begun = time.monotonic()
    try:
        day.run()
    except Stopped:
        result["stopped"] = True
    except Different as different:
        day.counts["different"] += 1
        day.counts["steps"] += 1
        day.counts["days"] += 1
        result["text"] = describe(day, different)
        keep(arguments, day, different, result)
        place.tree = None
    except Exception as error:  # adds the seed, which repeats the day
        place.tree = None
        raise RuntimeError(f"{flavour} {size} {seed}, step {day.number} "
                           f"({day.kinds[day.number]}): {error!r}") from error
    os.chdir("/")
    result["seconds"] = time.monotonic() - begun
    result["counts"] = dict(day.counts)
    result["decisions"] = dict(day.decisions)
    return result


def describe(day: Day, different: Different) -> str:
    return (f"{day.flavour} {day.size} {day.seed}, step {day.number} ({day.kinds[day.number]}), "
            f"{day.objects} objects: " + "\n  ".join(text[:1500] for text in different.found))


def keep(arguments, day: Day, different: Different, result) -> None:
    """Keeps the tree of a day that differs, with a description."""
    name = f"{day.flavour}-{day.size}-{day.seed}"
    directory = arguments.work / "different" / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.parent.mkdir(exist_ok=True)
    if len(list(directory.parent.iterdir())) >= KEPT_TREES:
        return
    with contextlib.suppress(shutil.Error):
        shutil.copytree(day.tree.directory, directory, symlinks=True)
    (directory / "different.txt").write_text(f"{result['text']}\n\n{different.command}\n")
    result["text"] += f"\n  in {directory}"


def digest_of_programs(directory: pathlib.Path) -> str:
    return hashlib.sha256((directory / "ld.lld").resolve().read_bytes()
                          ).hexdigest()[:12]


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
        self.record = {"flavour": flavour, "size": size, "programs": programs, "next": 0,
                       "done": [], "counts": {}, "decisions": {}, "seconds": 0.0, "different": []}
        if self.path and self.path.exists():
            old = json.loads(self.path.read_text())
            if old["programs"] == programs:
                self.record = old
            else:  # keeps the counts of another build under another name
                self.path.rename(self.path.with_suffix(f".{old['programs']}.json"))
        self.dirty = False
        self.saved = time.monotonic()

    def add(self, result: dict) -> None:
        for field in ("counts", "decisions"):
            sums = collections.Counter(self.record[field])
            sums.update(result[field])
            self.record[field] = dict(sums)
        if result["text"]:
            self.record["different"].append(result["text"])
        if not result["stopped"]:
            done = {*self.record["done"], result["seed"]}
            while self.record["next"] in done:
                done.remove(self.record["next"])
                self.record["next"] += 1
            self.record["done"] = sorted(done)
        self.dirty = True

    def steps(self) -> int:
        return self.record["counts"].get("steps", 0)

    def save_sometimes(self) -> None:
        if time.monotonic() - self.saved > SAVE_EVERY:
            self.save()

    def save(self) -> None:
        self.saved = time.monotonic()
        if not self.dirty or not self.path:
            return
        self.record["commit"] = commit()
        self.record["date"] = time.strftime("%Y-%m-%d")
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps(self.record, indent=1))
        beside.rename(self.path)
        self.dirty = False


class Campaign:
    def __init__(self, arguments):
        self.arguments = arguments
        arguments.work.mkdir(parents=True, exist_ok=True)
        self.remove_old()
        self.abilities = find_abilities(arguments)
        for what in self.abilities.missing():
            print(f"left out: {what}", flush=True)
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

    def forget_trees(self) -> None:
        """Removes the trees that an earlier campaign kept."""
        shutil.rmtree(self.arguments.work / "different", ignore_errors=True)

    def executor(self):
        return concurrent.futures.ProcessPoolExecutor(self.arguments.jobs, initializer=start_worker,
                                                      initargs=(self.stop,))

    def make_pools(self, flavours) -> None:
        for flavour in flavours:
            Objects(flavour, self.arguments.stock, self.arguments.work, self.arguments.jobs)

    def go_through(self, days, on_result) -> bool:
        """Runs days, each a (flavour, size, seed, steps), until there are no more or the
        user presses Ctrl-C; the steps so far then count. Returns whether all ran."""
        days = iter(days)
        running: set = set()
        finished = True
        with self.executor() as executor:
            try:
                while True:
                    # Submits two more than run, so that no worker waits.
                    while len(running) < self.arguments.jobs + 2:
                        day = next(days, None)
                        if day is None:
                            break
                        running.add(executor.submit(one_day, self.arguments, self.abilities, *day))
                    if not running:
                        break
                    done, running = concurrent.futures.wait(
                        running, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in done:
                        on_result(future.result())
            except (KeyboardInterrupt, Exception) as error:
                finished = False
                self.stop.set()
                for future in running:
                    future.cancel()
                for future in running:
                    if not future.cancelled():
                        with contextlib.suppress(Exception):
                            on_result(future.result())
                if not isinstance(error, KeyboardInterrupt):
                    raise
        self.remove_old()
        return finished
