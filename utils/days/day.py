"""One day: a project and its steps. A seed decides everything except the moments of signals. Each
step has its own random numbers, so that it does the same without the others."""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import time

from days.linking import (Abilities, Different, Linking, Place, Process, empty, has_children,
                          kill_children, limited, peak)
from days.project import CHANGES, Project, Variation, input_count, other_branch
from links.judge import differences, fails

FACTORS = (1.2, 1.0, 0.7)  # of the memory that a link needs
# With less memory, the kernel sometimes kills stock as well.
LEAST_MEMORY = 16 << 20


class Stopped(Exception):
    """The campaign ends before the day does."""


def outline(flavour: str, size: str, seed: int, abilities: Abilities):
    """The number of objects of a day's project, and the kinds of its steps."""
    rng = random.Random(f"day {flavour} {size} {seed}")
    objects = input_count(size, seed, rng)
    odds = kinds_of(abilities, size)
    return objects, rng.choices(list(odds), list(odds.values()), k=rng.randint(5, 30))


def kinds_of(abilities: Abilities, size: str) -> dict:
    kinds = {"link": STEPS["link"], **CHANGES, **STEPS}
    odds = {name: odds for name, (_, odds) in kinds.items()}
    if size == "real":
        odds.update({"rebuild all": 1, "change a header": 3})
    if not abilities.other_user:
        del odds["another user's inputs"]
    return odds


def remove(path: str) -> None:
    shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.unlink(path)


class Day(Linking):
    def __init__(self, place: Place, size: str, seed: int, count: int = 0, say=None):
        super().__init__(place, size, seed, say or (lambda text: None))
        drawn, self.kinds = outline(self.flavour, size, seed, self.abilities)
        self.objects = min(count or drawn, drawn)
        self.project = Project(place.pool, random.Random(
            f"project {self.flavour} {size} {seed}"), self.objects)

    def __str__(self):
        return (f"{self.flavour} {self.size} {self.seed}, step {self.number} "
                f"({self.kinds[self.number]}), {self.objects} objects")

    # The day.

    def run(self, wanted=None) -> None:
        """Runs all steps, or those whose numbers are in `wanted`."""
        if self.place.should_stop():
            raise Stopped
        self.clean_up()
        self.update()
        begun = time.monotonic()
        try:
            for number, kind in enumerate(self.kinds):
                if wanted is not None and number not in wanted:
                    continue
                if self.place.should_stop():
                    raise Stopped
                self.rng = random.Random(f"step {self.flavour} {self.size} {self.seed} {number}")
                self.number = number
                self.say(f"step {number}: {kind}")
                self.step(kind)
                self.counts["steps"] += 1
                self.counts["kind: " + kind] += 1
            self.counts["days"] += 1
        finally:
            self.counts["milliseconds"] += int(1000 * (time.monotonic() - begun))
            if self.tree.directory != self.tree.home:
                self.tree.move(self.tree.home)

    def clean_up(self) -> None:
        os.chdir(self.tree.directory)
        for name in ("cache", "cache2", "cache3"):
            remove(name)
        for name in ("out", "out2"):
            empty(name)
        # Other users must be able to write into these.
        for name in (".", "..", "cache", "cache3"):
            os.makedirs(name, exist_ok=True)
            os.chmod(name, 0o777)

    def step(self, kind: str) -> None:
        if kind in CHANGES:
            before = self.project.copy()
            self.say(f"  {CHANGES[kind][0](self.project, self.rng)}")
            self.update(self.project.files() if kind == "rebuild all" else ())
            status = self.compare(self.how())
            if status != b"0":  # so that the rest of the day links again
                self.project = before
        else:
            STEPS[kind][0](self)

    def update(self, again=()) -> None:
        self.project.arguments(Variation())  # sets the project's texts
        self.tree.update(self.project, self.rng, again)

    def arguments_for(self, variation=Variation()) -> list[str]:
        """The arguments of a link, for which the files are made."""
        args = self.project.arguments(variation)
        self.tree.update(self.project, self.rng)
        return args

    # Steps which are more than a change and a link.

    def switch_branches(self) -> None:
        before = self.project.copy()
        self.say(f"  {other_branch(self.project, self.rng)}")
        self.update()
        self.compare(self.how())
        self.project = before
        self.update()  # rewritten files have other times
        self.compare(self.how())

    def move_tree(self) -> None:
        self.tree.move(self.tree.home.with_name(
            self.tree.directory.name + self.rng.choice(["-moved", "2"])))
        self.compare(self.how())

    def moment(self) -> None:
        time.sleep(self.rng.random() * self.seconds * 1.2)

    def interrupt(self, number: int) -> None:
        how = self.how(cache="cache")
        args = self.arguments_for()
        expected = self.stock(how, Variation(), args)
        self.draw()
        if self.ends_early(how, args, expected, number):
            # A signal between the creation of a file and its registration for removal is rare.
            self.counts["temporary file left"] += 1
            again = sum(self.ends_early(how, args, expected, number) for _ in range(6))
            if again > 2:
                raise Different([f"leaves temporary files after signal {number}"],
                                self.command(how, args))
        empty("out")
        self.compare(self.how())

    def ends_early(self, how, args, expected, number: int) -> bool:
        """Interrupts a link. Returns whether it leaves a temporary file."""
        empty("out")
        process = self.start(how, args)
        self.moment()
        process.signal(number)
        got = self.finish(how, process, Variation(), number)
        if got["exit status"] != b"%d" % -number:
            self.check(how, args, expected, got)
            return False
        self.counts["interrupted"] += 1
        if not expected["standard error"].startswith(got["standard error"]):
            raise Different([f"printed {got['standard error']!r}"], self.command(how, args))
        return number == signal.SIGINT and any(".tmp" in path for path in got)

    def one_output(self) -> None:
        """Only the exit status counts, since stock leaves the outputs of either link."""
        hows = [self.how(cache="cache") for _ in range(2)]
        args = self.arguments_for()
        expected = self.stock(hows[0], Variation(), args)
        self.draw()
        empty("out")
        processes = [self.start(how, args) for how in hows]
        for how, process in zip(hows, processes):
            got = process.result(self.arguments.timeout)
            status, text = got["exit status"], got["standard error"].decode(errors="replace")
            if status not in (b"0", b"1", expected["exit status"]):
                raise Different([f"exit status {status.decode()}: {text}"],
                                self.command(how, args))
        self.counts["links"] += 2
        if has_children():
            kill_children()
            raise Different(["left a process running"], "")
        empty("out")
        self.compare(self.how())

    def two_outputs(self) -> None:
        links, processes = [], []
        for variation in (Variation(), Variation("out2", "other")):
            args = self.arguments_for(variation)
            how = self.how(cache="cache")
            # One file cannot store the statistics of both links.
            how.options = [o for o in how.options if "stats" not in o and ".profile" not in o]
            links.append((how, variation, args, self.stock(how, variation, args)))
            empty(variation.directory)
        self.draw()
        for how, _, args, _ in links:
            processes.append(self.start(how, args))
            time.sleep(self.rng.choice([0, 0, self.rng.random() * self.seconds]))
        for process in processes:
            process.wait(self.arguments.timeout)
        for process, (how, variation, args, want) in zip(processes, links):
            got = self.finish(how, process, variation)
            found = differences(want, got)
            if found and want == self.again(how, variation, args):
                raise Different(found, self.command(how, args))
        empty("out2")

    def read_only_cache(self) -> None:
        kind = self.rng.choice(["a file", "/proc", "missing", "not writable"])
        how = self.how(cache="cache2", other_user=kind == "not writable"
                       and self.abilities.other_user)
        remove("cache2")
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
        how.note = kind
        try:
            self.compare(how)
        finally:
            remove("cache2")

    def shared_cache(self) -> None:
        """Links with a cache that other machines use and in which they left files."""
        shared = pathlib.Path(self.shared(), "headstart")
        how = self.how(cache=self.shared())
        if self.rng.random() < 0.5:
            how.options = [o for o in how.options if "queue" not in o]
            how.options.append("--prefetch-queue=64M")
        for size in (64 << 20, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")):
            queue = shared / f"links-{size}"
            queue.mkdir(parents=True, exist_ok=True)
            number = self.rng.randrange(1, 9)
            (queue / f"{number}-400000000-{self.rng.choice(['run', 'wait'])}").touch()
        for name, profile in list(self.place.profiles.items())[:2]:
            (shared / f"llvmcache-{name:016x}").write_bytes(profile)
        self.compare(how)

    def other_user(self) -> None:
        """Links as another user, to whom the kernel does not report residency."""
        self.compare(self.how(other_user=True, cache=self.rng.choice(["cache", "cache3"])))

    def little_memory(self) -> None:
        factor = self.rng.choice(FACTORS)
        args = self.arguments_for()
        draw = self.rng.choice(["", "all evicted", "by kind"])
        if not self.abilities.memory_group:
            how = self.how(cache="cache")
            size = sum(os.path.getsize(p) for p in self.project.inputs() if os.path.exists(p))
            how.options = [o for o in how.options if "memory" not in o]
            how.options.append(f"--prefetch-memory={int(size * factor) + 1}")
            self.compare(how, draw)
            return
        self.draw("all evicted")  # so that the group's peak includes them
        with limited(1 << 40) as group:
            self.stock_fails(args, group)
            need = peak(group)
        size = max(int(need * factor), LEAST_MEMORY)
        how = self.how(memory=size)
        how.note = f"{factor} of the {need >> 10} KiB that it needs"
        with limited(size) as group:
            try:
                self.compare(how, draw, group=group)
            except Different:
                # The kernel may kill stock in this group, too.
                if not any(self.stock_fails(args, group) for _ in range(5)):
                    raise
                self.counts["stock lacks memory"] += 1

    def stock_fails(self, args, group) -> bool:
        """Links with stock in a group. Returns whether that fails."""
        empty("out")
        process = Process(self.judge.stock, self.judge.linker, args, self.environment, group=group)
        return fails(process.result(self.arguments.timeout))

    def debugger_stops(self) -> None:
        def stop(process: Process) -> None:
            for _ in range(self.rng.choice([1, 1, 3])):
                self.moment()
                process.signal(signal.SIGSTOP)
                time.sleep(self.rng.uniform(0.002, 0.05))
                process.signal(signal.SIGCONT)
        self.compare(self.how(cache="cache"), race=stop)


# The steps that are not a change and a link, each with its odds.
STEPS = {"link": (lambda day: day.compare(day.how()), 20),
         "switch branches": (Day.switch_branches, 5), "move the tree": (Day.move_tree, 3),
         "interrupt (SIGINT)": (lambda day: day.interrupt(signal.SIGINT), 4),
         "interrupt (SIGKILL)": (lambda day: day.interrupt(signal.SIGKILL), 4),
         "two links of one output": (Day.one_output, 4),
         "two links at once": (Day.two_outputs, 4), "another user's inputs": (Day.other_user, 4),
         "another cache": (lambda day: day.compare(day.how(cache="cache2")), 3),
         "read-only cache": (Day.read_only_cache, 3), "shared cache": (Day.shared_cache, 4),
         "little memory": (Day.little_memory, 5), "debugger stops": (Day.debugger_stops, 5)}
