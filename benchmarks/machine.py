"""The machine while something is measured: readahead, the disk's speed, memory.

Whatever is changed is put back, also after Ctrl-C.
"""

import contextlib
import os
import pathlib
import platform
import sys
import time
from typing import Dict, Iterator, Optional

from figures import format_bytes


def say(text: str = "") -> None:
    """Prints at once, so that whoever waits sees what for."""
    print(text, flush=True)


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


def group_in(hierarchy: pathlib.Path, memberships: str) -> pathlib.Path:
    """The group of a process in a v1 hierarchy, from its /proc/<pid>/cgroup:
    "4:memory:/a/group"."""
    for line in memberships.splitlines():
        _, controllers, path = line.split(":", 2)
        if hierarchy.name in controllers.split(","):
            group = hierarchy / path.lstrip("/")
            # A container may be told of groups that it does not have.
            if (group / "cgroup.procs").exists():
                return group
    return hierarchy


@contextlib.contextmanager
def cgroup(hierarchy: pathlib.Path, settings: Dict[str, str]) -> Iterator[None]:
    """Puts this process, and so its children, into a new group of a v1
    hierarchy; then back into the group that it came from, and takes the new one
    away. Whatever ends it, and wherever: a signal may come at any line."""
    before = group_in(hierarchy, pathlib.Path("/proc/self/cgroup").read_text(
        encoding="utf-8"))
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
    """Puts this process back, and takes `group` away, as far as it is there."""
    if not group.is_dir():
        return
    for place in (before, group.parent):
        try:
            (place / "cgroup.procs").write_text(str(os.getpid()))
            break
        except OSError as error:
            say(f"   cannot go back to the cgroup {place}: {error}")
    # A child that is just ending may still be in it.
    for _ in range(50):
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.1)
    say(f"   the cgroup {group} stays: somebody is in it")


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
         memory: Optional[int] = None) -> Iterator[str]:
    """The disk below `folder` with the usual readahead, held to a speed, and
    memory to a size, where they are given. Yields what holds for readahead."""
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
    """Empties the machine's caches of files, folders and metadata. Nothing
    else puts folders out of memory."""
    os.sync()
    DROP_CACHES.write_text("3")


def description() -> str:
    """The machine in one line."""
    model = platform.machine()
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text(
                encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return (f"{os.cpu_count()} cores ({model}), {memory / 2**30:.0f} GiB, "
            f"Linux {platform.release()}")
