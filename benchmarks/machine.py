"""Sets the machine's readahead, disk speed and memory during a measurement.

Each context manager undoes its changes, also after Ctrl-C.
"""

import contextlib
import os
import pathlib
import platform
import sys
from typing import Iterator

from figures import format_bytes

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "utils"))
import groups  # noqa: E402


def say(text: str = "") -> None:
    """Prints without buffering, so that the user sees the progress."""
    print(text, flush=True)


@contextlib.contextmanager
def readahead(kilobytes: int, folder: pathlib.Path) -> Iterator[str]:
    """Sets the readahead of the disk of `folder`, and restores it.

    Yields a phrase with the readahead in effect, which says so if it could not be changed.
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


def readahead_knob(folder: pathlib.Path) -> pathlib.Path | None:
    """The file with the readahead of the disk of `folder`."""
    device = os.stat(folder).st_dev
    entry = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    # A partition's queue is that of its disk.
    paths = [place / "queue/read_ahead_kb" for place in (entry, entry.resolve().parent)]
    return next(filter(pathlib.Path.exists, paths), None)


BLKIO = groups.ROOT / "blkio"


def can_throttle() -> bool:
    """Whether `throttle` can work here."""
    return os.geteuid() == 0 and (BLKIO / "cgroup.procs").exists()


@contextlib.contextmanager
def throttle(megabytes: int, folder: pathlib.Path, reads: int = 0) -> Iterator[str]:
    """Limits the reads of a measurement's programs from the disk of `folder` to this many MB/s
    or reads per second (0: no limit) by a blkio cgroup (v1), which it removes again."""
    if megabytes == 0 and reads == 0:
        yield ""
        return
    device = os.stat(folder).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    settings = {}
    notes = []
    if megabytes:
        settings["blkio.throttle.read_bps_device"] = f"{number} {megabytes * 10**6}"
        notes.append(f"{megabytes} MB/s")
    if reads:
        settings["blkio.throttle.read_iops_device"] = f"{number} {reads}"
        notes.append(f"{reads} reads/s")
    with cgroup(BLKIO, settings):
        yield "disk limited to " + ", ".join(notes)


# The groups that the programs of a measurement enter.
entered: list[pathlib.Path] = []


def enter() -> None:
    """Moves a child of this process into the groups, before it starts a program."""
    for group in entered:
        groups.enter(group)


@contextlib.contextmanager
def cgroup(parent: pathlib.Path, settings: dict[str, str]) -> Iterator[None]:
    """Makes a group for the programs of a measurement, and removes it again."""
    with contextlib.ExitStack() as stack:
        try:
            group = stack.enter_context(groups.made(parent, "bench", settings))
        except OSError as error:
            sys.exit(f"error: cannot make a cgroup in {parent}: {error}")
        entered.append(group)
        stack.callback(entered.remove, group)
        yield


def can_limit_memory() -> bool:
    """Whether `limit_memory` can work here; says so if it cannot."""
    if os.geteuid() == 0 and groups.memory_files():
        return True
    say("   skipped: limiting memory needs root and a cgroup of memory")
    return False


@contextlib.contextmanager
def limit_memory(size: int) -> Iterator[str]:
    """Limits the memory of a measurement's programs, page cache included, to `size` bytes
    by a memory cgroup, which it removes again."""
    parent, limit, _ = groups.memory_files()
    with cgroup(parent, {limit: str(size)}):
        yield f"memory limited to {format_bytes(size)}"


@contextlib.contextmanager
def held(folder: pathlib.Path, megabytes: int = 0, reads: int = 0,
         memory: int | None = None) -> Iterator[str]:
    """Sets the usual readahead for the disk of `folder` and, if given, limits of its
    speed and of memory. Yields the readahead in effect."""
    with contextlib.ExitStack() as stack:
        notes = [stack.enter_context(readahead(128, folder)),
                 stack.enter_context(throttle(megabytes, folder, reads))]
        if memory is not None:
            notes.append(stack.enter_context(limit_memory(memory)))
        say("   " + "; ".join(note for note in notes if note))
        yield notes[0]


DROP_CACHES = pathlib.Path("/proc/sys/vm/drop_caches")


def can_drop_caches() -> bool:
    """Whether `drop_caches` can work here."""
    return os.access(DROP_CACHES, os.W_OK)


def drop_caches() -> None:
    """Empties the machine's caches of files, directories and metadata. There is no
    other way to evict directories."""
    os.sync()
    DROP_CACHES.write_text("3")


def description() -> str:
    """The machine in one line."""
    model = platform.machine()
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{os.cpu_count()} cores ({model}), {memory / 2**30:.0f} GiB, Linux {platform.release()}"
