"""Sets the machine's readahead, disk speed and memory during a measurement.

Each context manager undoes its changes, also after Ctrl-C.
"""

import contextlib
import os
import pathlib
import platform
import sys
import time
from typing import Iterator

from figures import format_bytes


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


BLKIO = pathlib.Path("/sys/fs/cgroup/blkio")


def can_throttle() -> bool:
    """Whether `throttle` can work here."""
    return os.geteuid() == 0 and (BLKIO / "cgroup.procs").exists()


@contextlib.contextmanager
def throttle(megabytes: int, folder: pathlib.Path, reads: int = 0) -> Iterator[str]:
    """Limits the reads of this process and its children from the disk of `folder` to this many MB/s
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


def group_in(hierarchy: pathlib.Path, memberships: str) -> pathlib.Path:
    """The group of a process in a v1 hierarchy, from its /proc/<pid>/cgroup:
    "4:memory:/a/group"."""
    for line in memberships.splitlines():
        _, controllers, path = line.split(":", 2)
        if hierarchy.name in controllers.split(","):
            group = hierarchy / path.lstrip("/")
            # A container may see names of groups that it does not have.
            if (group / "cgroup.procs").exists():
                return group
    return hierarchy


@contextlib.contextmanager
def cgroup(hierarchy: pathlib.Path, settings: dict[str, str]) -> Iterator[None]:
    """Moves this process, and so its children, into a new group of a v1 hierarchy, then back into
    its former group, and removes the new one. A signal may end the block at any line."""
    before = group_in(hierarchy, pathlib.Path("/proc/self/cgroup").read_text(encoding="utf-8"))
    group = hierarchy / f"headstart-{os.getpid()}"
    try:
        try:
            group.mkdir()
            for name, value in settings.items():
                (group / name).write_text(value)
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError as error:
            sys.exit(f"error: cannot make the cgroup {group}: {error}")
        yield
    finally:
        leave(group, before)


def leave(group: pathlib.Path, before: pathlib.Path) -> None:
    """Moves this process back and removes `group`, if it exists."""
    if not group.is_dir():
        return
    for place in (before, group.parent):
        try:
            (place / "cgroup.procs").write_text(str(os.getpid()))
            break
        except OSError as error:
            say(f"   cannot return to the cgroup {place}: {error}")
    # A child that is about to end may still be in the group.
    for _ in range(50):
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.1)
    say(f"   the cgroup {group} remains: it contains a process")


MEMORY = pathlib.Path("/sys/fs/cgroup/memory")


def can_limit_memory() -> bool:
    """Whether `limit_memory` can work here; says so if it cannot."""
    if os.geteuid() == 0 and (MEMORY / "memory.limit_in_bytes").exists():
        return True
    say("   skipped: limiting memory needs root and a memory cgroup (v1)")
    return False


@contextlib.contextmanager
def limit_memory(size: int) -> Iterator[str]:
    """Limits the memory of this process's future children, page cache included, to
    `size` bytes by a memory cgroup (v1), which it removes again."""
    # This process's own memory stays charged to its former group.
    with cgroup(MEMORY, {"memory.limit_in_bytes": str(size)}):
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
