#!/usr/bin/env python3
"""make-fuzz-seeds.py FOLDER: makes small inputs for the fuzzers of unittests/Fuzzers,
in one directory each, so that they begin past the magic numbers: objects, bitcode and
archives of the three formats, by LLVM's own tools, and texts."""

import pathlib
import subprocess
import sys

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
TRACE = """{"traceEvents":[{"pid":1,"tid":2,"ph":"X","ts":3,"dur":4,"name":"a",
"args":{"detail":"x"}},{"ph":"M"}],"beginningOfTime":1700000000000000}"""


def objects(folder):
    source = folder / "source.cpp"
    source.write_text(SOURCE)
    for name, words in OBJECTS.items():
        subprocess.run(
            [LLVM / "clang++", *words, "-w", "-Os", "-fno-rtti", "-fno-exceptions",
             "-fno-asynchronous-unwind-tables", "-c", source.name, "-o", name],
            cwd=folder, check=True)
    source.unlink()
    for name, (operation, form, members) in ARCHIVES.items():
        (folder / name).unlink(missing_ok=True)
        subprocess.run([LLVM / "llvm-ar", operation, form, name, *members],
                       cwd=folder, check=True)
    subprocess.run(
        [LLVM / "llvm-lipo", "-create", "-segalign", "x86_64", "8", "-segalign",
         "arm64", "8", "arm64.o", "macho.o", "-output", "fat.o"],
        cwd=folder, check=True)


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(
            content if isinstance(content, bytes) else content.encode())


def main():
    into = pathlib.Path(sys.argv[1])
    planner = into / "Planner"
    planner.mkdir(parents=True, exist_ok=True)
    objects(planner)
    made = {p.name: p.read_bytes() for p in planner.iterdir()
            if p.suffix and p.name in [*OBJECTS, *ARCHIVES, "fat.o"]}
    write(into / "InputScanner", {**made, **TEXTS})
    # The first byte selects whether this fuzzer reads all members.
    write(into / "Layout", {n: b"\0" + b for n, b in made.items()})
    write(into / "CommandLine",
          {str(i): text for i, text in enumerate(COMMANDS)})
    write(into / "Ignore", {"git": "*.o\n!/a/**/b\n[a-c]?\\ \nx/\n/a/x/b"})
    write(into / "Text", {"cgroup": CGROUP, "trace": TRACE})


if __name__ == "__main__":
    main()
