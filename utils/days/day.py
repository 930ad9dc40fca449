"""One day: a project, and what happens to it, step by step.

A seed decides all of it but the moments at which signals arrive. Each step has
random numbers of its own, so that a step does the same when others are left out.
"""

import collections
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import time
from typing import List, Optional

from days import steps
from days.ability import Abilities
from days.launch import (MemoryGroup, Process, empty, has_children,
                         kill_children, locked, outputs, spoil, temporary)
from days.objects import Objects
from days.project import OUTPUT, Project, Tree, Variation, input_count
from links import residency
from links.judge import Judge, differences

WAITS = b"waits for other links: together they do not fit into memory"
FACTORS = (1.2, 1.0, 0.7)  # of what a link needs
LEAST_MEMORY = 4 << 20


class Different(Exception):
    """Something was not as with stock."""

    def __init__(self, found: List[str], command: str):
        super().__init__("\n".join(found))
        self.found, self.command = found, command


class Stopped(Exception):
    """The campaign ends before the day does."""


@dataclasses.dataclass
class How:
    """How our linker runs."""
    options: List[str] = dataclasses.field(default_factory=list)
    by_environment: bool = True
    runs: str = ""  # stock, mold: what runs under `headstart run`
    cache: str = "cache"
    other_user: bool = False
    memory: int = 0  # the size of its control group
    told: str = ""

    def __str__(self):
        told = [self.told] if self.told else []
        told += [f"headstart run {self.runs}"] if self.runs else []
        told += ["as another user"] if self.other_user else []
        told += [f"in {self.memory >> 10} KiB"] if self.memory else []
        told += [] if self.cache == "cache" else [f"cache {self.cache}"]
        return ", ".join(told + self.options) or "as it comes"


@dataclasses.dataclass
class Place:
    """What a worker has: programs, pools, trees, and counts."""
    arguments: object
    abilities: Abilities
    pool: Objects
    folder: pathlib.Path
    tree: Optional[Tree] = None
    profiles: dict = dataclasses.field(default_factory=dict)  # of former days
    should_stop: object = None

    def get_tree(self) -> Tree:
        if self.tree is None:
            self.tree = Tree(self.folder / "tree", self.pool.llvm)
        return self.tree


def outline(flavour: str, size: str, seed: int, abilities: Abilities):
    """How many objects a day's project has, and what happens."""
    rng = random.Random(f"day {flavour} {size} {seed}")
    objects = input_count(size, seed, rng)
    odds = kinds_of(abilities, size)
    return objects, rng.choices(list(odds), list(odds.values()),
                                k=rng.randint(5, 30))


def kinds_of(abilities: Abilities, size: str) -> dict:
    odds = {"link": 20, **{name: odds for name, (_, odds) in
                           steps.CHANGES.items()},
            "switch branches": 5, "move the tree": 3, "interrupt (SIGINT)": 4,
            "interrupt (SIGKILL)": 4, "two links of one output": 4,
            "two links at once": 4, "another user's inputs": 4,
            "another cache": 3, "read-only cache": 3, "shared cache": 4,
            "little memory": 5, "debugger stops": 5}
    if size == "real":
        odds.update({"rebuild all": 1, "change a header": 3})
    if not abilities.other_user:
        del odds["another user's inputs"]
    return odds


class Day:
    def __init__(self, place: Place, size: str, seed: int, count: int = 0,
                 say=None):
        self.place, self.size, self.seed = place, size, seed
        self.arguments, self.abilities = place.arguments, place.abilities
        self.flavour = place.pool.flavour.name
        drawn, self.kinds = outline(self.flavour, size, seed, self.abilities)
        self.objects = min(count or drawn, drawn)
        self.say = say or (lambda text: None)
        self.judge = Judge(self.arguments, self.flavour)
        self.counts: collections.Counter = collections.Counter()
        self.decisions: collections.Counter = collections.Counter()
        self.answers: dict = {}  # what stock said, by state
        self.seconds = 0.05      # of a link
        self.tree = place.get_tree()
        self.project = Project(place.pool, random.Random(
            f"project {self.flavour} {size} {seed}"), self.objects)
        self.rng = random.Random(seed)
        self.number = 0
        self.environment = {name: value for name, value in os.environ.items()
                            if name != "PWD"}

    # The day.

    def run(self, wanted=None) -> None:
        """All steps, or those with the numbers that are wanted."""
        self.clean_up()
        self.update()
        begun = time.monotonic()
        try:
            for number, kind in enumerate(self.kinds):
                if wanted is not None and number not in wanted:
                    continue
                if self.place.should_stop and self.place.should_stop():
                    raise Stopped
                self.rng = random.Random(f"step {self.flavour} {self.size} "
                                         f"{self.seed} {number}")
                self.number = number
                self.say(f"step {number}: {kind}")
                self.step(kind)
                self.counts["steps"] += 1
                self.counts["kind: " + kind] += 1
            self.counts["days"] += 1
        finally:
            self.counts["milliseconds"] += int(1000 * (time.monotonic() - begun))
            if self.tree.folder != self.tree.home:
                self.tree.move(self.tree.home)

    def clean_up(self) -> None:
        os.chdir(self.tree.folder)
        for name in ("cache", "cache2", "cache3"):
            shutil.rmtree(name, ignore_errors=True)
            with contextlib.suppress(OSError):
                os.unlink(name)
        for name in ("out", "out2"):
            empty(name)
        # So that others can write into these.
        for name in (".", "..", "cache", "cache3"):
            os.makedirs(name, exist_ok=True)
            os.chmod(name, 0o777)

    def step(self, kind: str) -> None:
        before = None
        if kind in steps.CHANGES:
            before = self.project.copy()
            told, again = steps.CHANGES[kind][0](self.project, self.rng)
            self.say(f"  {told}")
            self.update(again)
            status = self.compare(self.how())
            if status != b"0":  # the rest of the day shall link again
                self.project = before
        else:
            {"link": lambda: self.compare(self.how()),
             "switch branches": self.switch_branches,
             "move the tree": self.move_tree,
             "interrupt (SIGINT)": lambda: self.interrupt(signal.SIGINT),
             "interrupt (SIGKILL)": lambda: self.interrupt(signal.SIGKILL),
             "two links of one output": self.one_output,
             "two links at once": self.two_outputs,
             "another user's inputs": self.other_user,
             "another cache": lambda: self.compare(self.how(cache="cache2")),
             "read-only cache": self.read_only_cache,
             "shared cache": self.shared_cache,
             "little memory": self.little_memory,
             "debugger stops": self.debugger_stops}[kind]()

    def update(self, again=()) -> None:
        self.project.arguments(Variation())  # its texts
        self.tree.update(self.project, self.rng, again)

    # How ours runs.

    def how(self, **fields) -> How:
        rng, how = self.rng, How(**fields)
        special = bool(fields)
        draw = rng.random()
        if not special and draw < 0.06:
            how.runs = "stock"
        elif not special and draw < 0.09 and self.flavour == "elf" \
                and self.abilities.mold and not self.abilities.sanitized:
            how.runs = "mold"
        if how.runs:
            return how
        if rng.random() < 0.3:
            how.options = rng.sample(
                ["jobs=1", "jobs=2", "jobs=16", "handover=none", "memory=64k",
                 "memory=1M", "memory=5%", "queue=64M", "queue=none"],
                rng.choice([1, 1, 2]))
            how.options = ["--prefetch-" + o for o in {
                o.split("=")[0]: o for o in how.options}.values()]
        if rng.random() < 0.35 and not how.other_user:
            how.options.append(f"--prefetch-stats={self.stats_file()}")
        how.by_environment = rng.random() < 0.7
        self.draw_profile(how)
        return how

    def stats_file(self) -> pathlib.Path:
        return self.place.folder / "stats.json"

    def draw_profile(self, how: How) -> None:
        """With the profile of the last link, mostly; or with none, or with that
        of another state of this project or of another project."""
        draw = self.rng.random()
        folder = pathlib.Path(how.cache, "headstart")
        if draw < 0.1:
            how.options.append("--prefetch-profile=none")
        elif draw < 0.2:
            how.told = "without a profile"
            for path in folder.glob("llvmcache-*"):
                path.unlink()
        elif draw < 0.35 and self.place.profiles:
            how.told = "with the profile of another state"
            rng = random.Random(draw)  # how many there are is not the seed's
            for path in folder.glob("llvmcache-*"):
                other = rng.choice(sorted(self.place.profiles))
                path.write_bytes(self.place.profiles[other])
        elif draw < 0.42 and not how.other_user:
            how.options.append("--prefetch-profile=" + str(
                self.place.folder / "a.profile"))

    def keep_profiles(self) -> None:
        """For days and steps to come."""
        rng = random.Random(self.number)
        for path in pathlib.Path("cache/headstart").glob("llvmcache-*"):
            if path.stat().st_size < 1 << 20:
                self.place.profiles[rng.randrange(12)] = path.read_bytes()

    # Links.

    def state(self, name: str, args: List[str]) -> int:
        """What a link depends on."""
        parts = [name, os.getcwd(), tuple(args),
                 frozenset(self.tree.files.items())]
        if self.flavour == "macho":  # the debug map names the times
            parts.append(tuple(int(os.stat(p).st_mtime) for p in sorted(
                self.tree.files) if p.endswith((".o", ".a"))))
        return hash(tuple(parts))

    def program(self, how: How):
        """Stock's program, and its name."""
        if how.runs == "mold":
            return pathlib.Path(self.abilities.mold), self.abilities.mold
        return self.judge.stock, (str(self.judge.stock) if how.runs
                                  else self.judge.linker)

    def stock(self, how: How, variation: Variation, args) -> dict:
        program, name = self.program(how)
        state = self.state(name, args)
        if state not in self.answers:
            empty(variation.folder)
            process = Process(program, name, args, self.environment)
            seen = process.result(self.arguments.timeout)
            self.counts["stock links"] += 1
            self.seconds = process.seconds
            seen.update(outputs(variation.folder))
            self.answers[state] = seen
        return self.answers[state]

    def start(self, how: How, args, group=None) -> Process:
        environment = dict(self.environment, XDG_CACHE_HOME=os.path.abspath(
            how.cache))
        with contextlib.suppress(FileNotFoundError):
            self.stats_file().unlink()
        if how.runs:
            args = ["run", "--", str(self.program(how)[0]), *args]
            return Process(self.judge.headstart, "headstart", args, environment)
        if how.by_environment:
            if how.options:
                environment["HEADSTART_FLAGS"] = shlex.join(how.options)
        else:
            args = [*how.options, *args]
        return Process(self.judge.ours, self.judge.linker, args, environment,
                       how.other_user, group)

    def command(self, how: How, args) -> str:
        if how.runs:
            args = ["headstart", "run", "--", str(self.program(how)[0]), *args]
        else:
            args = [self.judge.linker, *how.options, *args]
        return shlex.join(args)

    def finish(self, how: How, process: Process, variation: Variation,
               interrupted=None) -> dict:
        """Waits for a link of ours, and looks for what it leaves behind."""
        seen = process.result(self.arguments.timeout)
        self.counts["links"] += 1
        self.decisions["links by headstart run"] += bool(how.runs)
        found = []
        if seen["exit status"] == b"does not end":
            found.append(f"does not end within {self.arguments.timeout:.0f} s\n" +
                         seen["standard error"].decode(errors="replace"))
        if has_children() or process.has_group():
            kill_children()
            found.append("left a process running")
        cache = pathlib.Path(how.cache)
        if cache.is_dir() and how.cache != self.shared():
            found += [f"left a lock on {path}" for path in locked(cache)]
            rest = temporary(cache)
            if interrupted != signal.SIGKILL:
                found += [f"left {path}" for path in rest]
            for path in rest:
                os.unlink(path)
        if found:
            raise Different(found, self.command(how, []))
        if "queue" in " ".join(how.options):
            seen["standard error"] = b"".join(
                line for line in seen["standard error"].splitlines(True)
                if WAITS not in line)
        if not interrupted:
            self.read_stats(how)
        seen.update(outputs(variation.folder))
        return seen

    def read_stats(self, how: How) -> None:
        """Adds up what the prefetcher says of itself."""
        if not any("stats" in option for option in how.options):
            return
        try:
            stats = json.loads(self.stats_file().read_text())
        except (OSError, ValueError):
            self.decisions["no statistics"] += 1
            return
        self.decisions["links with statistics"] += 1
        for name, count in (stats.get("decisions") or {}).items():
            self.decisions[name] += count
        total, cached = stats["inputs_bytes"], stats["resident_bytes_before"]
        self.decisions["prefetching off" if stats["mode"] == "off" else
                       "inputs all cached" if cached >= total else
                       "inputs not cached" if cached == 0 else
                       "inputs cached in part"] += 1
        self.decisions[f"profile {stats['profile']}"] += 1

    def draw(self, name: str = "") -> None:
        told = residency.draw(self.rng, self.project.inputs(), self.tree.clean,
                              name)
        self.counts["residency: " + told.split(":")[0]] += 1
        self.say(f"  {told}")

    def compare(self, how: How, residency_name="", race=None,
                group=None) -> bytes:
        """A link of ours after one of stock's. Returns stock's exit status."""
        variation = Variation(mold=how.runs == "mold")
        args = self.project.arguments(variation)
        self.tree.update(self.project, self.rng)
        expected = self.stock(how, variation, args)
        self.draw(residency_name)
        self.say(f"  {how}")
        if self.rng.random() < 0.5 and not how.other_user:
            spoil("out")
        else:
            empty("out")
        process = self.start(how, args, group)
        if race:
            race(process)
        got = self.finish(how, process, variation)
        for path in {*got} - {*expected}:  # of an earlier link
            if path.startswith("out/") and b"0" == expected["exit status"]:
                if self.is_old(path, args):
                    del got[path]
        if expected["exit status"] != b"0":
            self.counts["failed"] += 1
            for path in [p for p in got if p.startswith("out/")]:
                if path not in expected:
                    del got[path]
        self.check(how, args, expected, got)
        self.keep_profiles()
        return expected["exit status"]

    @staticmethod
    def is_old(path: str, args) -> bool:
        """Whether this command line does not ask for the file."""
        extension = os.path.splitext(path)[1]
        asked = {".map": "map", ".d": "dependency-file", ".dep": "dependency_info",
                 ".lldmap": "lldmap", ".pdb": "/debug"}.get(extension)
        return bool(asked) and not any(asked in a.lower() for a in args)

    def check(self, how: How, args, expected: dict, got: dict) -> None:
        found = differences(expected, got)
        if not found:
            return
        if how.runs != "mold":
            os.makedirs("out", exist_ok=True)
            found, unsteady = self.judge.settle(
                self.program(how)[1], args, got, found, digests)
            self.counts["unsteady"] += bool(unsteady)
        if found:
            raise Different(found, self.command(how, args))

    # Steps which are more than a change and a link.

    def switch_branches(self) -> None:
        before = self.project.copy()
        self.say(f"  {steps.other_branch(self.project, self.rng)}")
        self.update()
        self.compare(self.how())
        self.project = before
        self.update()  # what is written again has other times
        self.compare(self.how())

    def move_tree(self) -> None:
        self.tree.move(self.tree.home.with_name(
            self.tree.folder.name + self.rng.choice(["-moved", "2"])))
        self.compare(self.how())

    def moment(self) -> None:
        time.sleep(self.rng.random() * self.seconds * 1.2)

    def interrupt(self, number: int) -> None:
        variation, how = Variation(), self.how(cache="cache")
        args = self.project.arguments(variation)
        self.tree.update(self.project, self.rng)
        expected = self.stock(how, variation, args)
        self.draw()
        empty("out")
        process = self.start(how, args)
        self.moment()
        process.signal(number)
        got = self.finish(how, process, variation, number)
        if got["exit status"] == b"%d" % -number:
            self.counts["interrupted"] += 1
            rest = [p for p in got if ".tmp" in p]
            if number == signal.SIGINT and (rest or got["standard error"]):
                raise Different([f"left {rest}, said {got['standard error']!r}"],
                                self.command(how, args))
        else:
            self.check(how, args, expected, got)
        empty("out")
        self.compare(self.how())

    def one_output(self) -> None:
        """Stock's outputs are any of the two's then; only the end counts."""
        hows = [self.how(cache="cache") for _ in range(2)]
        args = self.project.arguments(Variation())
        self.tree.update(self.project, self.rng)
        expected = self.stock(hows[0], Variation(), args)
        self.draw()
        empty("out")
        processes = [self.start(how, args) for how in hows]
        statuses = []
        for how, process in zip(hows, processes):
            seen = process.result(self.arguments.timeout)
            statuses.append(seen["exit status"])
            if statuses[-1] not in (b"0", b"1", expected["exit status"]):
                raise Different([f"exit status {statuses[-1].decode()}: " + seen[
                    "standard error"].decode(errors="replace")],
                    self.command(how, args))
        self.counts["links"] += 2
        self.none_left()
        empty("out")
        self.compare(self.how())

    def none_left(self) -> None:
        if has_children():
            kill_children()
            raise Different(["left a process running"], "")

    def two_outputs(self) -> None:
        variations = [Variation(), Variation("out2", "other")]
        hows, processes, expected, all_args = [], [], [], []
        for variation in variations:
            all_args.append(self.project.arguments(variation))
            self.tree.update(self.project, self.rng)
            hows.append(self.how(cache="cache"))
            expected.append(self.stock(hows[-1], variation, all_args[-1]))
            empty(variation.folder)
        # One file cannot take the statistics of both.
        for how in hows:
            how.options = [o for o in how.options if "stats" not in o
                           and ".profile" not in o]
        self.draw()
        for how, args in zip(hows, all_args):
            processes.append(self.start(how, args))
            time.sleep(self.rng.choice([0, 0, self.rng.random() * self.seconds]))
        for process in processes:
            process.wait(self.arguments.timeout)
        for how, variation, args, process, want in zip(
                hows, variations, all_args, processes, expected):
            got = self.finish(how, process, variation)
            found = differences(want, got)
            if found and want == self.again(how, variation, args):
                raise Different(found, self.command(how, args))
        empty("out2")

    def again(self, how: How, variation: Variation, args) -> dict:
        """Stock once more: whether it always says the same."""
        self.answers.pop(self.state(self.program(how)[1], args))
        return self.stock(how, variation, args)

    def read_only_cache(self) -> None:
        kind = self.rng.choice(["a file", "/proc", "missing", "not writable"])
        how = self.how(cache="cache2", other_user=kind == "not writable"
                       and self.abilities.other_user)
        shutil.rmtree("cache2", ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink("cache2")
        if kind == "a file":
            pathlib.Path("cache2").write_text("no directory\n")
        elif kind == "missing":
            os.symlink("nowhere/at/all", "cache2")
        elif kind == "/proc":
            how.cache = "/proc"
        else:
            if os.path.isdir("cache") and self.rng.random() < 0.7:
                shutil.copytree("cache", "cache2")
            os.makedirs("cache2/headstart", exist_ok=True)
            for path in ("cache2/headstart", "cache2"):
                os.chmod(path, 0o555)
        how.told = kind
        try:
            self.compare(how)
        finally:
            if os.path.isdir("cache2") and not os.path.islink("cache2"):
                shutil.rmtree("cache2")
            else:
                os.unlink("cache2") if os.path.lexists("cache2") else None

    def shared(self) -> str:
        """Of all workers."""
        return str(self.arguments.work / "shared-cache")

    def shared_cache(self) -> None:
        """One that other machines use at this moment, and have left things in."""
        shared = pathlib.Path(self.shared(), "headstart")
        how = self.how(cache=self.shared())
        if self.rng.random() < 0.5:
            how.options = [o for o in how.options if "queue" not in o]
            how.options.append("--prefetch-queue=64M")
        for size in (64 << 20, os.sysconf("SC_PAGE_SIZE") *
                     os.sysconf("SC_PHYS_PAGES")):
            queue = shared / f"links-{size}"
            queue.mkdir(parents=True, exist_ok=True)
            number = self.rng.randrange(1, 9)
            (queue / f"{number}-400000000-{self.rng.choice(['run', 'wait'])}"
             ).touch()
        for name, profile in list(self.place.profiles.items())[:2]:
            (shared / f"llvmcache-{name:016x}").write_bytes(profile)
        self.compare(how)

    def other_user(self) -> None:
        """The system does not tell another user what is cached."""
        self.compare(self.how(other_user=True,
                              cache=self.rng.choice(["cache", "cache3"])))

    def little_memory(self) -> None:
        factor = self.rng.choice(FACTORS)
        args = self.project.arguments(Variation())
        self.tree.update(self.project, self.rng)
        draw = self.rng.choice(["", "all evicted", "by kind"])
        if not self.abilities.memory_group:
            how = self.how(cache="cache")
            size = sum(os.path.getsize(p) for p in self.project.inputs()
                       if os.path.exists(p))
            how.options = [o for o in how.options if "memory" not in o]
            how.options.append(f"--prefetch-memory={int(size * factor) + 1}")
            self.compare(how, draw)
            return
        groups = MemoryGroup()
        self.draw("all evicted")  # so that its pages count
        with groups.limited(1 << 40) as group:
            empty("out")
            Process(self.judge.stock, self.judge.linker, args, self.environment,
                    group=group).result(self.arguments.timeout)
            need = groups.peak()
        size = max(int(need * factor), LEAST_MEMORY)
        how = self.how(memory=size)
        how.told = f"{factor} of the {need >> 10} KiB that it needs"
        with groups.limited(size) as group:
            try:
                self.compare(how, draw, group=group)
            except Different:
                if not self.stock_lacks_memory(args, group):
                    raise

    def stock_lacks_memory(self, args, group) -> bool:
        """Whether the kernel kills stock in this group, too."""
        for _ in range(3):
            empty("out")
            process = Process(self.judge.stock, self.judge.linker, args,
                              self.environment, group=group)
            if process.result(self.arguments.timeout)["exit status"] != b"0":
                self.counts["stock lacks memory"] += 1
                return True
        return False

    def debugger_stops(self) -> None:
        def stop(process: Process) -> None:
            for _ in range(self.rng.choice([1, 1, 3])):
                self.moment()
                process.signal(signal.SIGSTOP)
                time.sleep(self.rng.uniform(0.002, 0.05))
                process.signal(signal.SIGCONT)
        self.compare(self.how(cache="cache"), race=stop)


def digests(seen: dict) -> dict:
    """As `outputs` says what a link wrote."""
    return {what: (f"{len(data)} bytes, sha256 "
                   f"{hashlib.sha256(data).hexdigest()}").encode()
            if what.startswith("out") else data for what, data in seen.items()}
