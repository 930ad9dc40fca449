#!/usr/bin/env python3
"""Runs the fuzzers of unittests/Fuzzers, two at a time, and prints a table:
each for SECONDS (60), or all together N times (--runs N), shared among them by
the cost of an execution. Fails if a fuzzer found anything."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

LLVM = pathlib.Path("/usr/lib/llvm-22/bin")

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

TEXTS = {
    "script": """/* GNU ld script */ OUTPUT_FORMAT(elf64-x86-64) SEARCH_DIR("=/usr")
GROUP ( /lib/libc.so.6 AS_NEEDED ( -lx "a b" ) ) INCLUDE part
SECTIONS { .text : { *(.text) INCLUDE inner } x = . ; }
a += 1;""",
    "stub.tbd": """--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
install-name:    '/usr/lib/libA.dylib'
reexported-libraries:
  - targets:         [ x86_64-macos ]
    libraries:       [ '/usr/lib/libB.dylib', '@rpath/libC.dylib' ]
exports:
  - targets:         [ x86_64-macos ]
    symbols:         [ _a, '_b' ]
--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos ]
install-name:    '/usr/lib/libB.dylib'
...
""",
    "stub.json": """{"main_library":{"install_names":[{"name":"/usr/lib/libA.dylib"}],
"reexported_libraries":[{"targets":["x86_64-macos"],"names":["/usr/lib/libB.dylib"]}],
"allowable_clients":[{"clients":["x"]}],"target_info":[{"target":"x86_64-macos"}]},
"libraries":[{"install_names":[{"name":"/usr/lib/libB.dylib"}]}],"tapi_tbd_version":5}""",
}

COMMANDS = [
    "-o\na.out\n-L.\n--start-group\na.o\n-lx\n--end-group\n-T\nscript\n@file",
    "/out:a.exe\n/debug\na.obj\n/defaultlib:x\n/wholearchive:y.lib\n/def:z",
    "-arch\nx86_64\n-platform_version\nmacos\n11\n11\n-framework\nA\n-lSystem",
]

CGROUP = """0::/user.slice/a
\0 30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw
\0 1048576
"""
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

# libLLVM is not instrumented, so annotations that cross into it are false. The
# other options make allocations cheaper.
ASAN = "detect_container_overflow=0:quarantine_size_mb=8:malloc_context_size=4"


def objects(directory):
    def run(tool, *words):
        subprocess.run([LLVM / tool, *words], cwd=directory, check=True)

    source = directory / "source.cpp"
    source.write_text(SOURCE)
    for name, words in OBJECTS.items():
        run("clang++", *words, "-w", "-Os", "-fno-rtti", "-fno-exceptions",
            "-fno-asynchronous-unwind-tables", "-c", source.name, "-o", name)
    source.unlink()
    for name, (operation, form, members) in ARCHIVES.items():
        (directory / name).unlink(missing_ok=True)
        run("llvm-ar", operation, form, name, *members)
    run("llvm-lipo", "-create", "-segalign", "x86_64", "8", "-segalign", "arm64", "8",
        "arm64.o", "macho.o", "-output", "fat.o")


def write(directory, files):
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (directory / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def make_seeds(into):
    """Makes small inputs, in one directory for each fuzzer, so that they begin past the magic
    numbers: objects, bitcode and archives of the three formats, by LLVM's own tools, and texts."""
    planner = into / "Planner"
    planner.mkdir(parents=True, exist_ok=True)
    objects(planner)
    made = {p.name: p.read_bytes() for p in planner.iterdir()
            if p.suffix and p.name in [*OBJECTS, *ARCHIVES, "fat.o"]}
    write(into / "InputScanner", {**made, **TEXTS})
    # The first byte selects whether this fuzzer reads all members.
    write(into / "Layout", {n: b"\0" + b for n, b in made.items()})
    write(into / "CommandLine", {str(i): text for i, text in enumerate(COMMANDS)})
    write(into / "Ignore", {"git": "*.o\n!/a/**/b\n[a-c]?\\ \nx/\n/a/x/b"})
    write(into / "Text", {"cgroup": CGROUP})


def fuzz(build, name, limit):
    """Runs a fuzzer to its limit or its first finding, and prints its row. Returns the number of
    executions and of findings."""
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
          "read, allocated, steps: the highest, of what they may be", flush=True)
    limits = {name: f"-runs={options.runs * share // 100}" if options.runs else
              f"-max_total_time={options.seconds}" for name, (share, _) in FUZZERS.items()}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: fuzz(build, name, limits[name]), FUZZERS))
    done, findings = (sum(column) for column in zip(*results))
    print(f"{'all':<17}{done:>12,}{'':>10}{findings:>10}")
    if findings:
        print(f"what was found: {build}/*-finding.log, and the inputs beside")
    return findings != 0


if __name__ == "__main__":
    sys.exit(main())
