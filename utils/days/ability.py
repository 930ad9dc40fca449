"""The abilities of this machine that days use. The missing ones are reported once."""

import dataclasses
import os
import pathlib
import shutil
import subprocess

from days.launch import MemoryGroup
from links import residency

# The values in test/CMakeLists.txt.
SANITIZERS = {
    "ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0:handle_segv=0:handle_sigbus=0",
    "TSAN_OPTIONS": "report_thread_leaks=0:handle_segv=0:handle_sigbus=0"}


def is_sanitized(program: pathlib.Path) -> bool:
    """Whether a sanitizer's runtime lists its flags. LLVM's own code has their names,
    too, so that the names in the program prove nothing."""
    done = subprocess.run([program, "--version"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=dict(os.environ, ASAN_OPTIONS="help=1", TSAN_OPTIONS="help=1"))
    return "Available flags for" in done.stdout


@dataclasses.dataclass
class Abilities:
    other_user: bool
    memory_group: bool
    evict: bool
    mold: str
    sanitized: bool

    def missing(self) -> list[str]:
        told: dict[str, bool | None] = {
            "another user's inputs (only root can link as another user)": self.other_user,
            "memory limits (no control group of memory can be made here); --prefetch-memory is "
            "used instead": self.memory_group,
            "evicting (the pages of this file system cannot be evicted)": self.evict,
            "mold (not installed)": bool(self.mold)}
        return [what for what, there in told.items() if not there]


def find(arguments) -> Abilities:
    sanitized = is_sanitized(arguments.ours / "headstart")
    group = MemoryGroup()
    if os.geteuid() == 0:
        group.remove_old()
    return Abilities(
        other_user=os.geteuid() == 0,
        # A sanitizer reserves more than any link needs.
        memory_group=os.geteuid() == 0 and not sanitized and group.usable(),
        evict=residency.can_evict(arguments.work), mold=shutil.which("mold") or "",
        sanitized=sanitized)
