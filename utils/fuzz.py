#!/usr/bin/env python3
"""Runs the fuzzers of unittests/Fuzzers, two at a time, and prints a table:
each for SECONDS (60), or all together N times (--runs N), shared among them by
the cost of an execution. Fails if a fuzzer found anything."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from common import LLVM, ROOT

SEEDS = ROOT / "unittests" / "Fuzzers" / "Seeds"

SOURCE = """
#if defined(_WIN32) || defined(__ELF__)
#pragma comment(lib, "one")
#endif
template <typename T> inline T twice(T X) { static T Y; return Y += X; }
struct S { virtual ~S() {} };
int other();
int f(int X) { S Y; return twice(X) + other(); }
int g(long X) { return static_cast<int>(twice(X)); }
"""

# The name of each object, and clang's arguments.
OBJECTS = {
    "elf.o": ["--target=x86_64-linux-gnu", "-g1", "-ffunction-sections"],
    "elf32.o": ["--target=i386-linux-gnu"],
    "elfbe.o": ["--target=powerpc64-linux-gnu"],
    "coff.obj": ["--target=x86_64-windows-msvc", "-gcodeview", "-g1"],
    "coff32.obj": ["--target=i386-windows-msvc", "-ffunction-sections"],
    "coff.bc": ["--target=x86_64-windows-msvc", "-flto"],
    "macho.o": ["--target=x86_64-apple-macos11", "-g1"],
    "arm64.o": ["--target=arm64-apple-macos11"],
}
# The name of each archive, llvm-ar's arguments, and the members.
ARCHIVES = {
    "elf.a": ("crs", "--format=gnu", ["elf32.o", "elfbe.o"]),
    "thin.a": ("crsT", "--format=gnu", ["elf32.o", "elfbe.o"]),
    "coff.lib": ("crs", "--format=coff", ["coff32.obj", "coff.obj"]),
    "macho.a": ("crs", "--format=darwin", ["macho.o"]),
}

# Each fuzzer's share of a hundred executions, and its largest input in bytes.
FUZZERS = {
    "InputScanner": (8, 6144),
    "CommandLine": (3, 2048),
    "Ignore": (8, 2048),
    "Planner": (10, 6144),
    "Layout": (18, 6144),
    "Text": (11, 4096),
    "Manifest": (12, 4096),
    "Profile": (12, 4096),
    "DirectoryRecords": (18, 4096),
}

# libLLVM has no annotations of containers. The other options make allocations cheaper.
ASAN = "detect_container_overflow=0:quarantine_size_mb=8:malloc_context_size=4"


def objects(directory):
    def run(tool, *arguments):
        subprocess.run([LLVM / tool, *arguments], cwd=directory, check=True)

    source = directory / "source.cpp"
    source.write_text(SOURCE)
    for name, arguments in OBJECTS.items():
        run("clang++", *arguments, "-w", "-Os", "-fno-rtti", "-fno-exceptions",
            "-fno-asynchronous-unwind-tables", "-c", source.name, "-o", name)
    source.unlink()
    for name, (operation, form, members) in ARCHIVES.items():
        (directory / name).unlink(missing_ok=True)
        run("llvm-ar", operation, form, name, *members)
    run("llvm-lipo", "-create", "-segalign", "x86_64", "8", "-segalign", "arm64", "8",
        "arm64.o", "macho.o", "-output", "fat.o")


def make_seeds(into):
    """Makes small inputs in a directory for each fuzzer, so that they begin past magic numbers."""
    shutil.copytree(SEEDS, into, dirs_exist_ok=True)
    for name in ("Planner", "Layout"):
        (into / name).mkdir(exist_ok=True)
    objects(into / "Planner")
    for name in (*OBJECTS, *ARCHIVES, "fat.o"):
        data = (into / "Planner" / name).read_bytes()
        (into / "InputScanner" / name).write_bytes(data)
        # The first byte selects whether this fuzzer reads all members.
        (into / "Layout" / name).write_bytes(b"\0" + data)


def fuzz(build, name, limit):
    """Runs a fuzzer, and prints its row. Returns the numbers of executions and of findings."""
    begin = time.monotonic()
    corpus = build / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    log = build / f"{name}.log"
    with open(log, "wb") as out:
        failed = subprocess.run(
            [build / "fuzzers" / f"{name}Fuzzer", limit, f"-max_len={FUZZERS[name][1]}",
             "-timeout=10", "-print_final_stats=1", f"-artifact_prefix={build}/{name}-", corpus],
            stdout=out, stderr=subprocess.STDOUT,
            env={**os.environ, "ASAN_OPTIONS": ASAN}).returncode != 0
    text = log.read_text(errors="replace")
    (done,) = re.findall(r"^stat::number_of_executed_units: *(\d+)", text, re.M)[-1:] or [0]
    (cost,) = re.findall(r"^cost: at most (\d+)%.* (\d+)%.* (\d+)%", text, re.M)[-1:] or ["???"]
    rate = int(done) / (time.monotonic() - begin)
    print(f"{name:<17}{int(done):>12,}{rate:>10,.0f}{failed:>10}   "
          + " ".join(f"{c:>4}%" for c in cost), flush=True)
    if failed:
        log.rename(build / f"{name}-finding.log")
    return int(done), failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seconds", type=int, nargs="?", default=60)
    parser.add_argument("--runs", type=int, default=0)
    options = parser.parse_args()
    build = options.build.resolve()
    make_seeds(build / "corpus")
    print(f"{'fuzzer':<17}{'executions':>12}{'exec/s':>10}{'findings':>10}   "
          "read, allocated, steps: the highest, of their limits", flush=True)
    limits = {name: f"-runs={options.runs * share // 100}" if options.runs else
              f"-max_total_time={options.seconds}" for name, (share, _) in FUZZERS.items()}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: fuzz(build, name, limits[name]), FUZZERS))
    done, findings = (sum(column) for column in zip(*results))
    print(f"{'all':<17}{done:>12,}{'':>10}{findings:>10}")
    if findings:
        print(f"the findings: {build}/*-finding.log, and their inputs")
    return findings != 0


if __name__ == "__main__":
    sys.exit(main())
