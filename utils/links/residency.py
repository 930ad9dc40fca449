"""Draws which pages of a link's inputs are in the page cache.

    python3 residency.py NAME SEED FILE...

A prefetcher's work depends on that more than on anything else, and ordinary builds leave every
mixture: new objects alongside libraries that no process has read since yesterday, half of a
directory, half of a file.
"""

import ctypes
import mmap
import os
import pathlib
import random
import sys
from typing import Callable

PAGE = os.sysconf("SC_PAGE_SIZE")
CACHED, EVICTED, SOME = "cached", "evicted", "some pages"
LONGEST_RUN = 3000  # files
MOST_READS = 600    # of single pages for one draw; each waits for the disk
BUFFER = bytearray(1 << 20)
KINDS = {".a": "archives", ".lib": "archives", ".so": "libraries",
         ".dylib": "libraries", ".tbd": "libraries", ".ld": "texts", ".rsp": "texts"}
WRITE_AND_WAIT = 1 | 2 | 4  # SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE, _WAIT_AFTER

libc = ctypes.CDLL(None)


def make_clean(descriptor: int) -> None:
    """Writes a file's dirty pages, which cannot be evicted. fsync would also write the file
    system's journal, which takes milliseconds."""
    if hasattr(libc, "sync_file_range"):
        offset = ctypes.c_int64(0)
        if libc.sync_file_range(descriptor, offset, offset, WRITE_AND_WAIT) == 0:
            return
    os.fsync(descriptor)


def evict(descriptor: int, offset: int = 0, length: int = 0) -> None:
    os.posix_fadvise(descriptor, offset, length, os.POSIX_FADV_DONTNEED)


def page_map(path) -> bytes:
    """For each page of a file of the user, 1 if it is cached, otherwise 0."""
    with open(path, "rb") as file:
        # A private mapping, since ctypes requires a writable one. It reads nothing.
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    pages = (ctypes.c_ubyte * -(-len(view) // PAGE))()
    first = ctypes.byref(ctypes.c_char.from_buffer(view))
    if libc.mincore(first, ctypes.c_size_t(len(view)), pages) != 0:
        raise OSError(f"mincore of {path} failed")
    return bytes(page & 1 for page in pages)


def can_evict(directory: pathlib.Path) -> bool:
    """Whether files in a directory can be evicted."""
    directory.mkdir(parents=True, exist_ok=True)
    probe = directory / f"probe.{os.getpid()}"
    probe.write_bytes(bytes(1 << 16))
    try:
        apply({str(probe): EVICTED}, random.Random(0))
        return not any(page_map(probe))
    finally:
        probe.unlink()


def read_all(descriptor: int) -> None:
    offset = 0
    while (count := os.preadv(descriptor, [BUFFER], offset)) > 0:
        offset += count


def keep_some(descriptor: int, size: int, rng: random.Random, reads: int) -> int:
    """Leaves some pages of a file cached. Returns the number of reads. If no `reads` remain, it
    evicts one range, which the kernel extends to whole folios."""
    pages = -(-size // PAGE)
    if reads <= 0 or rng.random() < 0.4:
        read_all(descriptor)
        first = rng.randrange(pages) if pages else 0
        last = rng.randint(first + 1, max(pages, first + 1))
        evict(descriptor, first * PAGE, (last - first) * PAGE)
        return 0
    evict(descriptor)
    # Otherwise readahead would also read the neighbours of each page.
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    wanted = rng.choice([1, 1, 2, 4, 8])
    for _ in range(wanted):
        length = rng.choice([1, 1, 1, PAGE * 4, PAGE * 16])
        if pages:
            os.pread(descriptor, length, rng.randrange(pages) * PAGE)
    return wanted


def apply(states: dict[str, str], rng: random.Random) -> None:
    """Puts each file into its state, and skips files that cannot be opened."""
    reads = MOST_READS
    for path, state in states.items():
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            if state == CACHED:
                read_all(descriptor)
                continue
            make_clean(descriptor)
            if state == EVICTED:
                evict(descriptor)
            else:
                reads -= keep_some(descriptor, os.fstat(descriptor).st_size, rng, reads)
        except OSError:
            pass  # a directory
        finally:
            os.close(descriptor)


def kind_of(path: str) -> str:
    return KINDS.get(os.path.splitext(path)[1], "objects")


def by_group(rng, paths: list[str], group: Callable[[str], str]):
    names = sorted({group(path) for path in paths})
    of_group = {name: rng.choice([CACHED, EVICTED, EVICTED, SOME]) for name in names}
    description = ", ".join(f"{name} {state}" for name, state in of_group.items())
    return {path: of_group[group(path)] for path in paths}, description


def by_file(rng, paths):
    share = rng.choice([0.02, 0.2, 0.5, 0.8, 0.98])
    return {path: CACHED if rng.random() < share else EVICTED
            for path in paths}, f"{share:.0%} cached"


def by_kind(rng, paths):
    if rng.random() < 0.4:
        return by_group(rng, paths, kind_of)
    # After a build, the new objects are cached and the others are not; or the reverse.
    objects, others = rng.choice([(CACHED, EVICTED), (CACHED, EVICTED), (EVICTED, CACHED)])
    return {path: objects if kind_of(path) == "objects" else others
            for path in paths}, f"objects {objects}, all else {others}"


def by_page(rng, paths):
    share = rng.choice([0.1, 0.5, 1])
    return {path: SOME if rng.random() < share
            else rng.choice([CACHED, EVICTED]) for path in paths}, f"{share:.0%} in part"


def by_runs(rng, paths):
    """Runs of files in the order of the command line, alternately cached and not."""
    states, cached = {}, rng.random() < 0.5
    longest = min(LONGEST_RUN, len(paths) + 1)
    lengths = []
    while len(states) < len(paths):
        # Each order of magnitude is equally likely.
        length = int(longest ** rng.random()) if rng.random() < 0.9 else 0
        for path in paths[len(states):len(states) + length]:
            states[path] = CACHED if cached else EVICTED
        lengths.append(str(length))
        cached = not cached
    more = ", ..." if len(lengths) > 8 else ""
    return states, f"runs of {', '.join(lengths[:8])}{more}"


def half(rng, paths):
    """A random half is evicted, some of it page by page."""
    states = {path: CACHED for path in paths}
    for path in rng.sample(paths, (len(paths) + 1) // 2):
        states[path] = SOME if rng.random() < 0.25 else EVICTED
    return states, ""


DRAWS = {"all cached": (lambda _, paths: (dict.fromkeys(paths, CACHED), ""), 10),
         "all evicted": (lambda _, paths: (dict.fromkeys(paths, EVICTED), ""), 12),
         "by file": (by_file, 15),
         "by directory": (lambda rng, paths: by_group(rng, paths, os.path.dirname), 12),
         "by kind": (by_kind, 18), "by page": (by_page, 15), "by runs": (by_runs, 18),
         "half": (half, 0)}


def draw(rng: random.Random, paths, name: str = "") -> str:
    """Draws the residency of files, in the linker's order. Returns a description of the draw."""
    paths = list(dict.fromkeys(paths))
    if not name:
        name = rng.choices(list(DRAWS), [odds for _, odds in DRAWS.values()])[0]
    states, description = DRAWS[name][0](rng, paths)
    apply(states, rng)
    return f"{name}: {description}" if description else name


if __name__ == "__main__":
    draw(random.Random(sys.argv[2]), sys.argv[3:], name=sys.argv[1])
