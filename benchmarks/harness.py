"""The common parts of the benchmarks: cold files, interleaved runs, medians.

Variants run in turn, A B C C B A, since other tenants of a machine change absolute times within
minutes; the documents quote medians and ratios. A run is cold only if the residency of its inputs
confirms it. The benchmarks undo all changes to the machine (its readahead, limits of disk and
memory), also after Ctrl-C.
"""

import contextlib
import dataclasses
import functools
import hashlib
import itertools
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from typing import Callable, Iterator, Sequence, TypeVar

from figures import Run, Runs, format_bytes

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "utils"))
import common  # noqa: E402
import groups  # noqa: E402

LLVM, ROOT = common.LLVM, common.ROOT

# The directory to which installed() copies the programs.
BIN = ROOT / "build" / "benchmarks" / "bin"
HEADSTART = BIN / "headstart"
Subject = TypeVar("Subject")
Measured = TypeVar("Measured")
SETTLING = "settling, not counted, round"


def say(text: str = "") -> None:
    """Prints without buffering, so that the user sees the progress."""
    print(text, flush=True)


@dataclasses.dataclass
class Variant:
    name: str
    program: pathlib.Path
    options: list[str] = dataclasses.field(default_factory=list)
    argv0: str = "lld-link"  # the same for all, since a PDB contains it
    user: int | None = None  # another user than the benchmark's


@dataclasses.dataclass
class Ended:
    seconds: float
    status: int          # as in the shell; negative: a signal
    output: bytes        # from the pipe
    usage: resource.struct_rusage

    @property
    def read_bytes(self) -> int:
        return self.usage.ru_inblock * 512


def signals_as_exceptions() -> None:
    """Makes SIGTERM, SIGHUP and Ctrl-C unwind the stack once: no second one stops the cleanup."""
    def stop(signum, frame):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


def scratch_in(directory: pathlib.Path | None) -> contextlib.AbstractContextManager[pathlib.Path]:
    """A new directory in `directory`, removed at the end."""
    return common.temporary_directory(prefix="headstart-bench-", dir=directory,
                                      ignore_cleanup_errors=True)


def in_turn(variants: Sequence[Subject], rounds: int, run: Callable[[Subject], Measured],
            describe: Callable[[Subject, Measured], str] | None = None
            ) -> dict[str, list[Measured]]:
    """Runs each variant `rounds` times, in turn, and prints descriptions. Each second round is in
    reverse, so that a machine that gets slower favors none. Returns the results by name."""
    names = [getattr(variant, "name", variant) for variant in variants]
    results: dict[str, list[Measured]] = {name: [] for name in names}
    for number in range(rounds):
        for name, variant in list(zip(names, variants))[::-1 if number % 2 else 1]:
            results[name].append(run(variant))
            if describe:
                say(f"    {describe(variant, results[name][-1])}")
    return results


def own_memory(program: pathlib.Path, arguments: Sequence[str]) -> int:
    """Returns the peak of the anonymous memory, in bytes, that a link allocates."""
    process = subprocess.Popen([program.name, *arguments],
                               executable=str(program), stdout=subprocess.DEVNULL)
    most = 0
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            with contextlib.suppress(OSError):
                if found := re.search(r"RssAnon:\s*(\d+)", status.read_text()):
                    most = max(most, int(found[1]) * 1024)
            time.sleep(0.01)
    finally:
        # Otherwise the linker would continue after a signal.
        if process.poll() is None:
            process.kill()
            process.wait()
    return most


def headstart(*arguments: str) -> bytes:
    """Returns the output of `headstart`. Ends the benchmark if it fails."""
    done = subprocess.run([str(HEADSTART), *arguments], stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"error: headstart {arguments[0]} failed with status {done.returncode}")
    return done.stdout


def evict(paths: Sequence[pathlib.Path]) -> int:
    """Evicts files and directories. Returns the bytes that are still cached."""
    names = [str(path) for path in paths]
    headstart("evict", *names)
    report = headstart("residency", "--json", "--summary", *names)
    return json.loads(report)["resident_bytes"]


def make_cold(paths: Sequence[pathlib.Path], total: int) -> None:
    """Evicts until at most 1% of the `total` bytes is cached, or exits with an error."""
    for _ in range(5):
        if evict(paths) <= total / 100:
            return
        time.sleep(0.5)
    sys.exit("error: the inputs cannot be evicted: another program may use them")


def warm_up(paths: Sequence[pathlib.Path]) -> None:
    """Reads every file below `paths` once."""
    subprocess.run(["find", "-H", *paths, "-type", "f", "-exec", "cat", "{}", "+"], check=True,
                   stdout=subprocess.DEVNULL)


def timed(command: Sequence[str], environment: dict[str, str],
          program: str | None = None, **streams) -> Ended:
    """Runs a program to its end, and reads the pipe among `streams`."""
    start = time.monotonic()
    process = subprocess.Popen(command, executable=program, env=environment,
                               preexec_fn=enter if entered else None, **streams)
    pipe = process.stdout or process.stderr
    try:
        output = pipe.read()
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        process.kill()
        process.wait()
        raise
    finally:
        pipe.close()
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(seconds, process.returncode, output, usage)


def link(variant: Variant, arguments: Sequence[str], out: pathlib.Path) -> Run:
    """Links once into the directory `out`, which it empties first."""
    empty(out)
    # The kernel must not write the last run's output during this one.
    os.sync()
    done = timed([variant.argv0, *variant.options, *arguments],
                 dict(os.environ), str(variant.program), user=variant.user,
                 group=variant.user, extra_groups=None if variant.user is None else [],
                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.status != 0:
        sys.exit(f"error: {variant.name} failed:\n" + done.output.decode(errors="replace"))
    return Run(done.seconds, done.usage.ru_utime, done.usage.ru_stime,
               done.read_bytes, hash_of(out))


def run_rounds(variants: Sequence[Variant], arguments: Sequence[str], out: pathlib.Path,
               rounds: int, cold: Sequence[pathlib.Path] = (), size: int = 0,
               called: str = "round", memory: int = 0) -> Runs:
    """Links each variant `rounds` times, in turn, and prints the times. Evicts the paths in `cold`,
    `size` bytes in all, before each link. With a limit of `memory` bytes (0: none), each link has a
    new group, since the kernel keeps pages longer that a group has evicted before."""
    number = itertools.count(len(variants))

    def one(variant: Variant) -> Run:
        if cold:
            make_cold(cold, size)
        with limit_memory(memory) if memory else contextlib.nullcontext():
            return link(variant, arguments, out)
    return in_turn(variants, rounds, one, lambda variant, run: (
        f"{called} {next(number) // len(variants)}, {variant.name}: {run.seconds:.2f} s, "
        f"{format_bytes(run.read_bytes)} read"))


def run_warm(variants: Sequence[Variant], arguments: Sequence[str], out: pathlib.Path,
             inputs: Sequence[pathlib.Path], rounds: int) -> Runs:
    """Links with all inputs cached."""
    warm_up(inputs)
    # This round does not count: the kernel settles which pages it maps as large.
    run_rounds(variants, arguments, out, 1, called=SETTLING)
    return run_rounds(variants, arguments, out, rounds)


def installed() -> None:
    """Copies the built programs, as an installation does. A file that a linker has just written is
    cached in small pages, and runs up to a sixth slower than a copy or a package's file."""
    BIN.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(BIN, ignore_errors=True)
    subprocess.run(["cp", "-a", str(ROOT / "build" / "bin"), str(BIN)], check=True)


def empty(directory: pathlib.Path) -> None:
    """Makes the directory, or removes the files in it."""
    directory.mkdir(parents=True, exist_ok=True)
    for file in directory.iterdir():
        file.unlink()


def hash_of(directory: pathlib.Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(directory.iterdir()):
        digest.update(path.name.encode() + b"\0")
        with open(path, "rb") as source:
            digest.update(hashlib.file_digest(source, "sha256").digest())
    return digest.hexdigest()[:16]


def corpus_directory(name: str) -> pathlib.Path:
    base = pathlib.Path(os.environ.get("HEADSTART_CORPORA", ROOT / "build" / "corpora"))
    return base / name


def make_corpus(name: str, arguments: Sequence[str], kind: str = "coff") -> pathlib.Path:
    """Makes the named corpus unless it exists, and returns its directory."""
    directory = corpus_directory(name)
    with subprocess.Popen([sys.executable, str(ROOT / "utils" / "make-corpus.py"), kind,
                           "--out", str(directory), *arguments]) as maker:
        try:
            status = maker.wait()
        except BaseException:
            maker.terminate()  # it ends its compilers
            raise
    if status != 0:
        sys.exit(status)
    return directory


# -- the machine ------------------------------------------------------------------

@contextlib.contextmanager
def readahead(kilobytes: int, directory: pathlib.Path) -> Iterator[str]:
    """Sets the readahead of the disk of `directory`, and restores it. Yields a description."""
    knob = readahead_knob(directory)
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


def readahead_knob(directory: pathlib.Path) -> pathlib.Path | None:
    """The file with the readahead of the disk of `directory`."""
    device = os.stat(directory).st_dev
    entry = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    # A partition's queue is that of its disk.
    paths = [place / "queue/read_ahead_kb" for place in (entry, entry.resolve().parent)]
    return next(filter(pathlib.Path.exists, paths), None)


BLKIO = groups.ROOT / "blkio"


def can_throttle() -> bool:
    return os.geteuid() == 0 and (BLKIO / "cgroup.procs").exists()


@contextlib.contextmanager
def throttle(megabytes: int, directory: pathlib.Path, reads: int = 0) -> Iterator[str]:
    """Limits the reads of a measurement's programs from the disk of `directory` to this many MB/s
    or reads per second (0: no limit) by a blkio cgroup (v1)."""
    limits = [limit for limit in (("bps", megabytes * 10**6, f"{megabytes} MB/s"),
                                  ("iops", reads, f"{reads} reads/s")) if limit[1]]
    if not limits:
        yield ""
        return
    device = os.stat(directory).st_dev
    with cgroup(BLKIO, {f"blkio.throttle.read_{what}_device":
                        f"{os.major(device)}:{os.minor(device)} {value}"
                        for what, value, _ in limits}):
        yield "disk limited to " + ", ".join(note for *_, note in limits)


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


def can_mount() -> bool:
    if os.geteuid() != 0:
        say("   skipped: mounting needs root")
    return os.geteuid() == 0


def can_limit_memory() -> bool:
    """Whether `limit_memory` can work here; prints a message if not."""
    if groups.can_limit_memory():
        return True
    say("   skipped: limiting memory needs root and a cgroup of memory")
    return False


@contextlib.contextmanager
def limit_memory(size: int) -> Iterator[str]:
    """Limits the memory of a measurement's programs, page cache included, by a memory cgroup."""
    parent, limit, _ = groups.memory_files()
    with cgroup(parent, {limit: str(size)}):
        yield f"memory limited to {format_bytes(size)}"


@contextlib.contextmanager
def held(directory: pathlib.Path, megabytes: int = 0, reads: int = 0,
         memory: int | None = None) -> Iterator[str]:
    """Sets the usual readahead for the disk of `directory` and, if given, limits of its
    speed and of memory. Yields the readahead in effect."""
    with contextlib.ExitStack() as stack:
        notes = [stack.enter_context(readahead(128, directory)),
                 stack.enter_context(throttle(megabytes, directory, reads))]
        if memory is not None:
            notes.append(stack.enter_context(limit_memory(memory)))
        say("   " + "; ".join(note for note in notes if note))
        yield notes[0]


def can_drop_caches() -> bool:
    return os.access("/proc/sys/vm/drop_caches", os.W_OK)


def description() -> str:
    # Not every processor has a name there.
    found = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    model = found[1] if found else platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{os.cpu_count()} cores ({model}), {memory / 2**30:.0f} GiB, Linux {platform.release()}"


# -- the programs that Headstart is compared with; the first use installs them ------

# The versions that cargo installs and that the figures name.
CRATES = {"fd": "fd-find@10.5.0", "rg": "ripgrep@15.2.0", "wild": "wild-linker@0.10.0"}
DEBIAN = {"bfs": "bfs", "find": "findutils", "git": "git", "mold": "mold"}
# The short form uses installed programs only.
INSTALL_PEERS = True


@dataclasses.dataclass
class Peer:
    program: str
    version: str = ""
    missing: str = ""


def version_of(program: str) -> str:
    """The first line of --version, without parentheses."""
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    line = done.stdout.decode(errors="replace").split("\n")[0]
    return re.sub(r" \(.*?\)", "", line)


@functools.cache
def find_peer(name: str) -> Peer:
    if name in CRATES:
        root = corpus_directory("peers")
        program, version = str(root / "bin" / name), CRATES[name].split("@")[1]
        command = f"cargo install --quiet --locked --root '{root}' {CRATES[name]}"
    else:
        program, version = name, ""
        command = ("apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "
                   f"--no-install-recommends {DEBIAN[name]}")
    if not shutil.which(program) or version not in version_of(program):
        if not INSTALL_PEERS:
            return Peer(name, missing=f"{name}: not installed, and the short form installs nothing")
        say("   " + command)
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode:
            lines = done.stdout.strip().splitlines() or ["no message"]
            return Peer(name, missing=f"{name}: {lines[-1].strip()}")
    return Peer(program, version_of(program))
