"""What the benchmarks have in common: cold files, interleaved runs, medians.

The discipline: variants run in turn, A B C A B C, since other tenants of a
machine change absolute times within minutes; medians and ratios are what is
quoted. A run counts as cold only when the page cache was asked and said so.
Whatever is changed on the machine is put back, also after Ctrl-C.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import time
from typing import Dict, Iterator, List, Optional, Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
LLVM = pathlib.Path(os.environ.get("HEADSTART_LLVM", "/usr/lib/llvm-22/bin"))
HEADSTART = BIN / "headstart"


def say(text: str = "") -> None:
    """Prints at once, so that whoever waits sees what for."""
    print(text, flush=True)


@dataclasses.dataclass
class Variant:
    """One way to link: a program and the options it has beyond the others."""
    name: str
    program: pathlib.Path
    options: List[str] = dataclasses.field(default_factory=list)
    environment: Dict[str, str] = dataclasses.field(default_factory=dict)
    argv0: str = "lld-link"  # one for all, so that PDBs can be compared


@dataclasses.dataclass
class Run:
    """What one link cost."""
    seconds: float
    user: float
    system: float
    read_bytes: int      # from the disk, by this process
    major_faults: int
    outputs: str         # one hash over all output files


def signals_as_exceptions() -> None:
    """Makes SIGTERM, a closed terminal and Ctrl-C unwind alike, and once: a
    second one must not come in between while things are put back."""
    def stop(signum, frame):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


@contextlib.contextmanager
def readahead(kilobytes: int, folder: pathlib.Path) -> Iterator[str]:
    """Sets the readahead of the disk below `folder`, and puts it back.

    Yields a sentence on what holds. Without the right to change it, what is
    there stays, and the sentence says so.
    """
    knob = readahead_knob(folder)
    if knob is None:
        yield "readahead of the disk not known"
        return
    before = knob.read_text().strip()
    if before == str(kilobytes):
        yield f"readahead {before} KiB"
        return
    try:
        knob.write_text(str(kilobytes))
    except OSError:
        yield f"readahead {before} KiB (the usual {kilobytes} needs root)"
        return
    try:
        yield f"readahead set to the usual {kilobytes} KiB (was {before})"
    finally:
        knob.write_text(before)


def readahead_knob(folder: pathlib.Path) -> Optional[pathlib.Path]:
    """The file that holds the readahead of the disk below `folder`."""
    device = os.stat(folder).st_dev
    entry = pathlib.Path(f"/sys/dev/block/{os.major(device)}:"
                         f"{os.minor(device)}")
    for place in (entry, entry.parent if entry.exists() else entry):
        for path in (place / "queue" / "read_ahead_kb",
                     place.resolve().parent / "queue" / "read_ahead_kb"):
            if path.exists():
                return path
    return None


BLKIO = pathlib.Path("/sys/fs/cgroup/blkio")


def can_throttle() -> bool:
    """Whether `throttle` can work here."""
    return os.geteuid() == 0 and (BLKIO / "cgroup.procs").exists()


@contextlib.contextmanager
def throttle(megabytes: int, folder: pathlib.Path,
             reads: int = 0) -> Iterator[str]:
    """Holds reads of this process and its children from the disk below `folder`
    to so many MB/s, or so many reads a second, by a blkio cgroup (v1), and
    takes it away again. 0: not."""
    if megabytes == 0 and reads == 0:
        yield ""
        return
    device = os.stat(folder).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    settings = {}
    notes = []
    if megabytes:
        settings["blkio.throttle.read_bps_device"] = \
            f"{number} {megabytes * 10**6}"
        notes.append(f"{megabytes} MB/s")
    if reads:
        settings["blkio.throttle.read_iops_device"] = f"{number} {reads}"
        notes.append(f"{reads} reads/s")
    with cgroup(BLKIO, settings):
        yield "disk held to " + ", ".join(notes)


@contextlib.contextmanager
def cgroup(hierarchy: pathlib.Path, settings: Dict[str, str]) -> Iterator[None]:
    """Puts this process, and so its children, into a new group of a v1
    hierarchy, and takes both away again."""
    group = hierarchy / f"headstart-{os.getpid()}"
    try:
        group.mkdir()
        for name, value in settings.items():
            (group / name).write_text(value)
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        with contextlib.suppress(OSError):
            (hierarchy / "cgroup.procs").write_text(str(os.getpid()))
            group.rmdir()
        sys.exit(f"error: cannot make the cgroup {group}: {error}")
    try:
        yield
    finally:
        (hierarchy / "cgroup.procs").write_text(str(os.getpid()))
        # A child that is just ending may still be in it.
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)


MEMORY = pathlib.Path("/sys/fs/cgroup/memory")


def can_limit_memory() -> bool:
    """Whether `limit_memory` can work here."""
    return (os.geteuid() == 0
            and (MEMORY / "memory.limit_in_bytes").exists())


@contextlib.contextmanager
def limit_memory(size: int) -> Iterator[str]:
    """Holds the memory of this process's future children, page cache included,
    to `size` bytes, by a memory cgroup (v1), and takes it away again."""
    # This process's own memory stays charged to where it was.
    with cgroup(MEMORY, {"memory.limit_in_bytes": str(size)}):
        yield f"memory held to {format_bytes(size)}"


@contextlib.contextmanager
def held(folder: pathlib.Path, megabytes: int = 0, reads: int = 0,
         memory: Optional[int] = None) -> Iterator[None]:
    """The disk below `folder` with the usual readahead, held to a speed, and
    memory to a size, where they are given."""
    with contextlib.ExitStack() as stack:
        notes = [stack.enter_context(readahead(128, folder)),
                 stack.enter_context(throttle(megabytes, folder, reads))]
        if memory is not None:
            notes.append(stack.enter_context(limit_memory(memory)))
        say("   " + "; ".join(note for note in notes if note))
        yield


DROP_CACHES = pathlib.Path("/proc/sys/vm/drop_caches")


def can_drop_caches() -> bool:
    """Whether `drop_caches` can work here."""
    return os.access(DROP_CACHES, os.W_OK)


def drop_caches() -> None:
    """Empties the machine's caches of files, folders and metadata. Nothing
    else puts folders out of memory."""
    os.sync()
    DROP_CACHES.write_text("3")


def own_memory(program: pathlib.Path, arguments: Sequence[str]) -> int:
    """The most anonymous memory of a link, in bytes: what it allocates."""
    process = subprocess.Popen([program.name, *arguments],
                               executable=str(program),
                               stdout=subprocess.DEVNULL)
    most = 0
    status = pathlib.Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        with contextlib.suppress(OSError, IndexError, ValueError):
            for line in status.read_text().splitlines():
                if line.startswith("RssAnon:"):
                    most = max(most, int(line.split()[1]) * 1024)
        time.sleep(0.01)
    return most


def evict(paths: Sequence[pathlib.Path]) -> int:
    """Puts files and folders out of memory. Returns the bytes that stayed."""
    names = [str(path) for path in paths]
    subprocess.run([str(HEADSTART), "evict", *names], check=True,
                   stdout=subprocess.DEVNULL)
    done = subprocess.run([str(HEADSTART), "residency", "--json", *names],
                          check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["resident_bytes"]


def make_cold(paths: Sequence[pathlib.Path], total: int) -> None:
    """Evicts until at most a hundredth is left, or gives up loudly."""
    for _ in range(5):
        if evict(paths) <= total / 100:
            return
        time.sleep(0.5)
    sys.exit("error: the inputs stay in memory: is somebody else using them?")


def warm_up(paths: Sequence[pathlib.Path]) -> None:
    """Reads every file below `paths` once."""
    for path in paths:
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            if file.is_file():
                with open(file, "rb", buffering=0) as source:
                    while source.read(1 << 20):
                        pass


def link(variant: Variant, arguments: Sequence[str],
         out: pathlib.Path) -> Run:
    """Links once, into the folder `out`, which is emptied before."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    # What the last run has written must not be written back during this one.
    os.sync()
    command = [variant.argv0, *variant.options, *arguments]
    environment = {**os.environ, **variant.environment}
    start = time.monotonic()
    process = subprocess.Popen(command, executable=str(variant.program),
                               env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    try:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        process.kill()
        process.wait()
        raise
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"error: {variant.name} failed:\n"
                 + output.decode(errors="replace"))
    return Run(seconds, usage.ru_utime, usage.ru_stime,
               usage.ru_inblock * 512, usage.ru_majflt, hash_of(out))


def run_rounds(ways: Sequence[Variant], arguments: Sequence[str],
               out: pathlib.Path, rounds: int,
               cold: Sequence[pathlib.Path] = (),
               size: int = 0) -> Dict[str, List[Run]]:
    """Links `rounds` times each way, in turn. What is in `cold`, `size` bytes
    in all, is put out of memory before each link."""
    runs: Dict[str, List[Run]] = {way.name: [] for way in ways}
    for number in range(rounds):
        for way in ways:
            if cold:
                make_cold(cold, size)
            run = link(way, arguments, out)
            runs[way.name].append(run)
            say(f"    round {number + 1}, {way.name}: {run.seconds:.2f} s, "
                f"{format_bytes(run.read_bytes)} read")
    return runs


def hash_of(folder: pathlib.Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        digest.update(path.name.encode() + b"\0")
        with open(path, "rb") as source:
            for block in iter(lambda: source.read(1 << 20), b""):
                digest.update(block)
    return digest.hexdigest()


def median(runs: Sequence[Run], what: str) -> float:
    return statistics.median(getattr(run, what) for run in runs)


def ratio(runs: Sequence[Run], base: Sequence[Run],
          what: str = "seconds") -> float:
    """The median of the ratios pair by pair: drift hits both of a pair."""
    return statistics.median(
        getattr(a, what) / max(getattr(b, what), 1e-9)
        for a, b in zip(runs, base))


def runs_of(figures: dict, kind: str) -> Dict[str, List[Run]]:
    """The runs of one kind, "cold" or "warm", from kept figures."""
    return {name: [Run(**run) for run in runs]
            for name, runs in figures[kind].items()}


def format_bytes(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" \
                else f"{count:.1f} {unit}"
        count /= 1000
    return ""


def machine() -> str:
    """The machine in one line."""
    model = platform.machine()
    with contextlib.suppress(OSError):
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return (f"{os.cpu_count()} cores ({model}), {memory / 2**30:.0f} GiB, "
            f"Linux {platform.release()}")


def corpus_folder(name: str) -> pathlib.Path:
    """Where the corpus of that name is, or will be."""
    base = pathlib.Path(os.environ.get("HEADSTART_CORPORA",
                                       ROOT / "build" / "corpora"))
    return base / name


def make_corpus(name: str, arguments: Sequence[str],
                kind: str = "coff") -> pathlib.Path:
    """Makes the named corpus, unless it is there, and returns its folder."""
    folder = corpus_folder(name)
    done = subprocess.run(
        [sys.executable, str(ROOT / "utils" / "make-corpus.py"), kind,
         "--out", str(folder), *arguments])
    if done.returncode != 0:
        sys.exit(done.returncode)
    return folder
