"""Control groups, which limit processes: their memory, or their reads from a disk."""

import contextlib
import os
import pathlib
import sys
import time
from typing import Iterator

ROOT = pathlib.Path("/sys/fs/cgroup")


def memory_files() -> tuple[pathlib.Path, str, str] | None:
    """The parent of groups of memory, and the names of their limit and of their peak."""
    if (ROOT / "memory/memory.limit_in_bytes").exists():
        return ROOT / "memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"
    with contextlib.suppress(OSError):
        if "memory" in (ROOT / "cgroup.subtree_control").read_text():
            return ROOT, "memory.max", "memory.peak"
    return None


def can_limit_memory() -> bool:
    """Whether groups of memory can be made, which a container may forbid."""
    if os.geteuid() != 0 or not (found := memory_files()):
        return False
    parent, limit, _ = found
    with contextlib.suppress(OSError), made(parent, "probe", {limit: str(1 << 30)}):
        return True
    return False


@contextlib.contextmanager
def made(parent: pathlib.Path, name: str, settings: dict[str, str]) -> Iterator[pathlib.Path]:
    """Makes a group below `parent`, and removes it at the end, also after a signal."""
    group = parent / f"headstart-{name}-{os.getpid()}"
    try:
        group.mkdir(exist_ok=True)
        for file, value in settings.items():
            (group / file).write_text(value)
        yield group
    finally:
        # A process that is about to end may still be in the group.
        for _ in range(250):
            with contextlib.suppress(OSError):
                group.rmdir()
            if not group.exists():
                break
            time.sleep(0.02)
        else:
            print(f"the control group {group} remains: it contains a process", file=sys.stderr)


def enter(group: pathlib.Path) -> None:
    """Moves this process, which shall start a program, into a group."""
    (group / "cgroup.procs").write_text(str(os.getpid()))
