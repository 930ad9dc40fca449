"""The links of a day, the checks after each, and its comparison with stock; the abilities of
this machine that days use.

Stock links once for each state of the project; its result is kept for the rest of the day.
"""

import collections
import contextlib
import ctypes
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import random
import select
import shlex
import shutil
import signal
import subprocess
import time

import groups
from days.objects import Objects
from days.project import Project, Tree, Variation
from links import residency
from links.judge import Judge, Variant, differences, fails

WAITS = b"waiting for other links: together they do not fit in memory"
SET_CHILD_SUBREAPER = 36
NOBODY = 65534
GRACE = 1.0  # seconds in which killed processes must end
# As in test/CMakeLists.txt.
SANITIZERS = {
    "ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0:handle_segv=0:handle_sigbus=0",
    "TSAN_OPTIONS": "report_thread_leaks=0:handle_segv=0:handle_sigbus=0"}


# -- processes, and the files and locks that they leave ------------------------------

def adopt_orphans() -> None:
    """Makes the processes that a linker leaves running children of this process."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def has_children() -> bool:
    with contextlib.suppress(ChildProcessError):
        end = time.monotonic() + GRACE
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG)
            if ended is None:
                if time.monotonic() > end:
                    return True
                time.sleep(0.005)
    return False


def kill_children() -> None:
    for listed in pathlib.Path("/proc/self/task").glob("*/children"):
        for child in listed.read_text().split():
            with contextlib.suppress(OSError):
                os.kill(int(child), signal.SIGKILL)
    has_children()


@contextlib.contextmanager
def limited(size: int):
    """Yields a control group that limits the memory of one link."""
    parent, limit, _ = groups.memory_files()
    with groups.made(parent, "days", {limit: str(size)}) as group:
        yield group


def peak(group: pathlib.Path) -> int:
    return int((group / groups.memory_files()[2]).read_text())


def can_limit_memory() -> bool:
    """Also removes the groups that killed runs have left."""
    if not groups.can_limit_memory():
        return False
    parent, *_ = groups.memory_files()
    for group in parent.glob("headstart-days-*"):
        if not pathlib.Path(f"/proc/{group.name.split('-')[-1]}").exists():
            with contextlib.suppress(OSError):
                group.rmdir()
    return True


def is_sanitized(program: pathlib.Path) -> bool:
    """Whether a sanitizer's runtime lists its flags. Their names in the program prove nothing."""
    done = subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=dict(os.environ, ASAN_OPTIONS="help=1", TSAN_OPTIONS="help=1"))
    return "Available flags for" in done.stdout


@dataclasses.dataclass
class Abilities:
    other_user: bool
    memory_group: bool
    evict: bool
    mold: bool
    sanitized: bool

    def missing(self) -> list[str]:
        known = {
            "another user's inputs (only root can link as another user)": self.other_user,
            "memory limits (no control group of memory can be made here); --prefetch-memory is "
            "used instead": self.memory_group,
            "evicting (the pages of this file system cannot be evicted)": self.evict,
            "mold (not installed)": self.mold}
        return [what for what, present in known.items() if not present]


def find_abilities(arguments) -> Abilities:
    sanitized = is_sanitized(arguments.ours / "headstart")
    return Abilities(
        other_user=os.geteuid() == 0,
        # A sanitizer reserves more than any link needs.
        memory_group=not sanitized and can_limit_memory(),
        evict=residency.can_evict(arguments.work), mold=bool(shutil.which("mold")),
        sanitized=sanitized)


class Process:
    """A linker in its own session."""

    def __init__(self, program, name: str, args, environment: dict, other_user=False, group=None):
        self.streams = [os.memfd_create(name) for name in ("out", "err")]
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if other_user else {}
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [name, *args], executable=str(program), stdin=subprocess.DEVNULL,
            stdout=self.streams[0], stderr=self.streams[1], env=environment,
            start_new_session=True, preexec_fn=group and (lambda: groups.enter(group)), **user)
        self.seconds = 0.0

    def signal(self, number: int) -> None:
        """Sends a signal to the session's processes, as a terminal does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def wait(self, timeout: float) -> bool:
        """Returns False if the process does not end in time."""
        if self.process.returncode is None:
            # Popen.wait(timeout) would sleep for up to 50 ms.
            handle = os.pidfd_open(self.process.pid)
            try:
                if not select.select([handle], [], [], timeout)[0]:
                    return False
            finally:
                os.close(handle)
            self.process.wait()
            self.seconds = time.monotonic() - self.begun
        return True

    def result(self, timeout: float) -> dict:
        """The exit status and the messages, as same-link.py names them."""
        if self.wait(timeout):
            result = {"exit status": str(self.process.returncode).encode()}
        else:
            self.signal(signal.SIGKILL)
            self.wait(timeout)
            result = {"exit status": b"does not end"}
        for what, stream in zip(("output", "error"), self.streams):
            result[f"standard {what}"] = os.pread(stream, os.fstat(stream).st_size, 0)
            os.close(stream)
        return result

    def has_group(self) -> bool:
        try:
            os.killpg(self.process.pid, 0)
        except OSError:
            return False
        return True


def described(data: bytes) -> bytes:
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}".encode()


def outputs(directory: str) -> dict:
    return {str(path): described(path.read_bytes())
            for path in pathlib.Path(directory).rglob("*") if path.is_file()}


def empty(directory: str) -> None:
    """Makes a directory that all users may write, and removes the files in it."""
    os.makedirs(directory, exist_ok=True)
    os.chmod(directory, 0o777)
    for entry in os.scandir(directory):
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.path)


def spoil(directory: str) -> None:
    """Truncates old outputs, since a link must replace any contents."""
    for entry in os.scandir(directory):
        os.truncate(entry.path, entry.stat().st_size // 2)


def locked(cache: pathlib.Path) -> list:
    """The files of the queue that a process has locked."""
    found = []
    for path in cache.glob("headstart/links-*/*"):
        with contextlib.suppress(FileNotFoundError):
            with open(path, "rb+") as file:
                try:
                    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    found.append(str(path))
    return found


# -- the links -------------------------------------------------------------------------

class Different(Exception):
    """A result of ours differs from stock's."""

    def __init__(self, found: list[str], command: str):
        super().__init__("\n".join(found))
        self.found, self.command = found, command


@dataclasses.dataclass
class How(Variant):
    cache: str = "cache"
    other_user: bool = False
    memory: int = 0  # the size of its control group
    note: str = ""

    def __str__(self):
        parts = [self.note, f"headstart run {self.runs}" if self.runs else "",
                 "as another user" if self.other_user else "",
                 f"in {self.memory >> 10} KiB" if self.memory else "",
                 f"cache {self.cache}" if self.cache != "cache" else "", *self.options]
        return ", ".join(filter(None, parts)) or "without options"


class Place:
    """A worker's programs, pool, tree and profiles."""

    def __init__(self, arguments, abilities: Abilities, flavour: str, directory: pathlib.Path,
                 should_stop=lambda: False):
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o777)
        self.arguments, self.abilities = arguments, abilities
        self.directory, self.should_stop = directory, should_stop
        self.pool = Objects(flavour, arguments.stock, arguments.work, 1)
        self.profiles: dict = {}  # of earlier days
        self.tree = Tree(directory / "tree", arguments.stock)


class Linking:
    project: Project

    def __init__(self, place: Place, size: str, seed: int, say):
        self.place, self.size, self.seed = place, size, seed
        self.arguments, self.abilities = place.arguments, place.abilities
        self.flavour = place.pool.flavour.name
        self.say = say
        self.judge = Judge(self.arguments, self.flavour)
        self.counts: collections.Counter = collections.Counter()
        self.results: dict = {}  # stock's, by state
        self.seconds = 0.05      # of a link
        self.tree = place.tree
        self.rng = random.Random(seed)
        self.number = 0  # of the step
        self.environment = {name: value for name, value in os.environ.items() if name != "PWD"}

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
            how.options = rng.sample(["jobs=1", "jobs=2", "jobs=16", "handover=none", "memory=64k",
                                      "memory=1M", "memory=5%", "queue=64M", "queue=none"],
                                     rng.choice([1, 1, 2]))
            how.options = ["--prefetch-" + o for o in {
                o.split("=")[0]: o for o in how.options}.values()]
        if rng.random() < 0.35 and not how.other_user:
            how.options.append(f"--prefetch-stats={self.place.directory / 'stats.json'}")
        how.by_environment = rng.random() < 0.7
        self.draw_profile(how)
        return how

    def draw_profile(self, how: How) -> None:
        """Draws the profile: mostly that of the last link; none, or that of another state or
        project."""
        draw = self.rng.random()
        directory = pathlib.Path(how.cache, "headstart")
        if draw < 0.1:
            how.options.append("--prefetch-profile=none")
        elif draw < 0.2:
            how.note = "without a profile"
            for path in directory.glob("llvmcache-*"):
                path.unlink()
        elif draw < 0.35 and self.place.profiles:
            how.note = "with the profile of another state"
            rng = random.Random(draw)  # the seed does not decide the number of files
            for path in directory.glob("llvmcache-*"):
                other = rng.choice(sorted(self.place.profiles))
                path.write_bytes(self.place.profiles[other])
        elif draw < 0.42 and not how.other_user:
            how.options.append("--prefetch-profile=" + str(self.place.directory / "a.profile"))

    def keep_profiles(self) -> None:
        """Keeps profiles for later steps and days."""
        rng = random.Random(self.number)
        for path in pathlib.Path("cache/headstart").glob("llvmcache-*"):
            if path.stat().st_size < 1 << 20:
                self.place.profiles[rng.randrange(12)] = path.read_bytes()

    # Links.

    def state(self, name: str, args: list[str]) -> int:
        """A hash of everything that decides a link's result."""
        parts = [name, os.getcwd(), tuple(args), frozenset(self.tree.files.items())]
        if self.flavour == "macho":  # the debug map contains the times
            parts.append(tuple(int(os.stat(p).st_mtime) for p in sorted(
                self.tree.files) if p.endswith((".o", ".a"))))
        return hash(tuple(parts))

    def stock(self, how: How, variation: Variation, args) -> dict:
        program, name = self.judge.theirs(how)
        state = self.state(name, args)
        if state not in self.results:
            empty(variation.directory)
            process = Process(program, name, args, self.environment)
            result = process.result(self.arguments.timeout)
            self.counts["stock links"] += 1
            self.seconds = process.seconds
            self.results[state] = result | outputs(variation.directory)
        return self.results[state]

    def start(self, how: How, args, group=None) -> Process:
        environment = dict(self.environment, XDG_CACHE_HOME=os.path.abspath(how.cache))
        program, name, args, more = self.judge.command(args, how)
        return Process(program, name, args, environment | more, how.other_user, group)

    def command(self, how: How, args) -> str:
        _, name, args, more = self.judge.command(args, how)
        return shlex.join([*(f"{key}={value}" for key, value in more.items()), name, *args])

    def finish(self, how: How, process: Process, variation: Variation, interrupted=None) -> dict:
        """Waits for a link of ours, and checks that it leaves no process, lock or file."""
        result = process.result(self.arguments.timeout)
        self.counts["links"] += 1
        found = []
        if result["exit status"] == b"does not end":
            found.append(f"does not end within {self.arguments.timeout:.0f} s\n" +
                         result["standard error"].decode(errors="replace"))
        if has_children() or process.has_group():
            kill_children()
            found.append("left a process running")
        cache = pathlib.Path(how.cache)
        if cache.is_dir() and how.cache != self.shared():
            found += [f"left a lock on {path}" for path in locked(cache)]
            rest = [str(path) for path in cache.glob("headstart/*.tmp*")]
            if not interrupted:
                found += [f"left {path}" for path in rest]
            elif interrupted == signal.SIGINT:
                result.update((path, b"") for path in rest)
            for path in rest:
                os.unlink(path)
        if found:
            raise Different(found, self.command(how, []))
        if "queue" in " ".join(how.options):
            result["standard error"] = b"".join(
                line for line in result["standard error"].splitlines(True) if WAITS not in line)
        return result | outputs(variation.directory)

    def draw(self, name: str = "") -> None:
        description = residency.draw(self.rng, self.project.inputs(), name)
        self.counts["residency: " + description.split(":")[0]] += 1
        self.say(f"  {description}")

    def compare(self, how: How, residency_name="", race=None, group=None) -> bytes:
        """Compares a link of ours with stock's. Returns stock's exit status."""
        variation = Variation(mold=how.runs == "mold")
        args = self.arguments_for(variation)
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
        failed = fails(expected)
        self.counts["failed"] += failed
        for path in {*got} - {*expected}:  # of an earlier link
            if path.startswith("out/") and (failed or self.is_old(path, args)):
                del got[path]
        self.check(how, args, expected, got)
        self.keep_profiles()
        return expected["exit status"]

    @staticmethod
    def is_old(path: str, args) -> bool:
        """Whether this command line does not request the file."""
        option = {".map": "map", ".d": "dependency-file", ".dep": "dependency_info",
                  ".lldmap": "lldmap", ".pdb": "/debug"}.get(os.path.splitext(path)[1])
        return bool(option) and not any(option in a.lower() for a in args)

    def check(self, how: How, args, expected: dict, got: dict) -> None:
        found = differences(expected, got)
        if not found:
            return
        if how.runs != "mold":
            os.makedirs("out", exist_ok=True)
            _, name = self.judge.theirs(how)
            found, unsteady = self.judge.settle(name, args, got, found, digests)
            self.counts["unsteady"] += bool(unsteady)
        if found:
            raise Different(found, self.command(how, args))

    def again(self, how: How, variation: Variation, args) -> dict:
        """Stock's result of another run, which shows whether it is always the same."""
        self.results.pop(self.state(self.judge.theirs(how)[1], args))
        return self.stock(how, variation, args)

    def shared(self) -> str:
        """The cache that all workers share."""
        return str(self.arguments.work / "shared-cache")


def digests(result: dict) -> dict:
    """Describes a link's outputs as `outputs` does."""
    return {what: described(data) if what.startswith("out") else data
            for what, data in result.items()}
