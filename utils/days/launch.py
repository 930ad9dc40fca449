"""Starts linkers, sends them signals, and finds what they leave behind; the abilities of this
machine that days use. The missing ones are reported once."""

import contextlib
import ctypes
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time

import groups
from links import residency

SET_CHILD_SUBREAPER = 36
NOBODY = 65534
GRACE = 1.0  # seconds in which killed processes must end
# The values in test/CMakeLists.txt.
SANITIZERS = {
    "ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0:handle_segv=0:handle_sigbus=0",
    "TSAN_OPTIONS": "report_thread_leaks=0:handle_segv=0:handle_sigbus=0"}


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
    """A group's peak of memory in bytes."""
    return int((group / groups.memory_files()[2]).read_text())


def can_limit_memory() -> bool:
    """Also removes the groups that killed runs have left."""
    if os.geteuid() != 0 or not (files := groups.memory_files()):
        return False
    for group in files[0].glob("headstart-days-*"):
        if not pathlib.Path(f"/proc/{group.name.split('-')[-1]}").exists():
            with contextlib.suppress(OSError):
                group.rmdir()
    with contextlib.suppress(OSError), limited(1 << 30):
        return True
    return False


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


def find_abilities(arguments) -> Abilities:
    sanitized = is_sanitized(arguments.ours / "headstart")
    return Abilities(
        other_user=os.geteuid() == 0,
        # A sanitizer reserves more than any link needs.
        memory_group=not sanitized and can_limit_memory(),
        evict=residency.can_evict(arguments.work), mold=shutil.which("mold") or "",
        sanitized=sanitized)


class Process:
    """A linker in its own session."""

    def __init__(self, program, name: str, args, environment: dict, other_user=False, group=None):
        self.streams = [os.memfd_create(name) for name in ("out", "err")]
        more = {}
        if other_user:
            more = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        if group is not None:
            more["preexec_fn"] = lambda: groups.enter(group)
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [name, *args], executable=str(program), stdin=subprocess.DEVNULL,
            stdout=self.streams[0], stderr=self.streams[1], env=environment,
            start_new_session=True, **more)
        self.seconds = 0.0
        self.ended = False
        self.status = b""

    def signal(self, number: int) -> None:
        """Sends a signal to the session's processes, as a terminal does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def wait(self, timeout: float) -> bool:
        """Returns False if the process does not end in time."""
        if self.ended:
            return True
        handle = os.pidfd_open(self.process.pid)
        try:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            if not poll.poll(max(timeout, 0) * 1000):
                return False
        finally:
            os.close(handle)
        _, status = os.waitpid(self.process.pid, 0)
        self.seconds = time.monotonic() - self.begun
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.status = str(self.process.returncode).encode()
        self.ended = True
        return True

    def result(self, timeout: float) -> dict:
        """The exit status and the messages, as same-link.py names them."""
        if not self.wait(timeout):
            self.signal(signal.SIGKILL)
            self.wait(timeout)
            self.status = b"does not end"
        seen = {"exit status": self.status}
        for what, stream in zip(("output", "error"), self.streams):
            size = os.fstat(stream).st_size
            seen[f"standard {what}"] = os.pread(stream, size, 0)
            os.close(stream)
        return seen

    def has_group(self) -> bool:
        try:
            os.killpg(self.process.pid, 0)
        except OSError:
            return False
        return True


def described(data: bytes) -> bytes:
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}".encode()


def outputs(directory: str) -> dict:
    """A digest of each file."""
    seen = {}
    for place, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                seen[path] = described(file.read())
    return seen


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


def temporary(cache: pathlib.Path) -> list:
    return [str(p) for p in cache.glob("headstart/*.tmp*")]
