#!/usr/bin/env python3
"""Compiles sources for macOS on any machine, and reports undefined symbols.

    utils/check-macos.py [--zig DIRECTORY] --clang CLANG --nm NM --out DIRECTORY
                         [--include DIRECTORY]... [--system DIRECTORY]...
                         --sources FILE... [--tests FILE...]

PyPI's package `ziglang`, in DIRECTORY or below build-tools/zig, has the headers of macOS and of
libc++, with which clang compiles for arm64 and for x86-64, and a list of the symbols of macOS's own
library (libSystem.tbd). The script does not link, since building libc++ would take minutes.
Instead, another object, libSystem or the C++ standard library (of any version) must have every
symbol that an object lacks. --tests are compiled for arm64 only, and may lack googletest's symbols.

Run it from the root of the checkout. It does not compile an object again that is newer than every
source. If a prerequisite is missing, the exit status is 77 and one line has the reason.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time

from common import skip

TARGETS = ["arm64-apple-macos11.0", "x86_64-apple-macos11.0"]

# The settings of macOS's own libc++: ziglang's headers lack the file that has them.
LIBCXX = """ABI_VERSION=1 ABI_NAMESPACE=__1 HAS_THREADS=1 HAS_MONOTONIC_CLOCK=1 HAS_TERMINAL=1
HAS_MUSL_LIBC=0 HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 HAS_FILESYSTEM=1 HAS_RANDOM_DEVICE=1
HAS_LOCALIZATION=1 HAS_UNICODE=1 HAS_WIDE_CHARACTERS=1 HAS_TIME_ZONE_DATABASE=0
HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE HARDENING_MODE_DEFAULT=_LIBCPP_HARDENING_MODE_NONE
ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE""".split()
WARNINGS = ("-Wall -Wextra -Wpedantic -Wno-unused-parameter -Wimplicit-fallthrough "
            "-Wnon-virtual-dtor -Woverloaded-virtual -Werror").split()

# The symbols of libc++ and libc++abi. The linker defines ___dso_handle.
RUNTIME = re.compile(r"^(__ZN?K?S|__ZT[ISTV]N?K?S|__ZT[IV]N10__cxxabiv1|__Zn[wa]|"
                     r"__Zd[la]|__ZTI[a-zP]|__ZTS[a-zP]|___cxa_|___gxx_|__ZT[hc]|"
                     r"___clang_call_terminate|___dso_handle$)")
# The symbols of googletest, which is not compiled here.
TESTING = re.compile(r"^__ZT?[ISV]?N?K?7testing|^__ZN?K?7testing")


def flags(zig, target):
    found = ["-target", target, "-std=c++20", "-O0", "-nostdinc", "-nostdinc++"]
    found += [f"-D_LIBCPP_{setting}" for setting in LIBCXX]
    found.append("-D_LIBCPP_PSTL_BACKEND_SERIAL")
    for directory in ("libcxx/include", "libcxxabi/include", "include",
                      "libc/include/any-darwin-any"):
        found += ["-isystem", str(zig / "lib" / directory)]
    # macOS's <math.h> includes a part of clang's <float.h>, after which libc++'s adds nothing.
    found += ["-include", "math.h", "-include", str(zig / "lib/include/float.h")]
    return found


def compile_one(arguments, target, source):
    directory = pathlib.Path(arguments.out) / arguments.tools / target.split("-")[0]
    place = directory / (re.sub(r"[^A-Za-z0-9]", "_", source) + ".o")
    directory.mkdir(parents=True, exist_ok=True)
    if place.exists() and place.stat().st_mtime > arguments.newest:
        return place, 0, ""
    begun = time.time()
    command = [arguments.clang, *flags(arguments.zig, target), *WARNINGS]
    for include in arguments.include:
        command += ["-I", include]
    for include in arguments.system:
        command += ["-isystem", include]
    command += ["-c", source, "-o", str(place)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 0:
        os.utime(place, (begun, begun))  # a source edited meanwhile is newer
    return place, run.returncode, run.stderr


def tools_of(arguments):
    """A hash of clang's version, the headers, the warnings and the flags."""
    version = subprocess.run([arguments.clang, "--version"], check=True,
                             capture_output=True, text=True).stdout
    text = "\n".join([version, str(arguments.zig), *WARNINGS, *arguments.include,
                      *arguments.system, *flags(arguments.zig, ""),
                      *map(str, sorted(arguments.zig.parent.glob("ziglang-*")))])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def newest_change():
    """The time of the last change of a source or header that may matter."""
    files = [pathlib.Path(__file__)]
    for directory in ("include/headstart/OS", "lib/OS", "unittests/OS"):
        files += pathlib.Path(directory).rglob("*.*")
    return max(file.stat().st_mtime for file in files)


def symbols(arguments, objects):
    """The symbols that the objects define; those that they lack, by the first object."""
    defined, lacked = set(), {}
    for place in objects:
        text = subprocess.run([arguments.nm, "-g", "--format=posix", str(place)],
                              capture_output=True, text=True, check=True).stdout
        for name, kind in re.findall(r"(?m)^(\S+) (\S)", text):
            if kind in "Uu":
                lacked.setdefault(name, place.name)
            else:
                defined.add(name)
    return defined, lacked


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zig")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--system", action="append", default=[])
    parser.add_argument("--sources", nargs="+", required=True)
    parser.add_argument("--tests", nargs="*", default=[])
    arguments = parser.parse_args()

    arguments.newest = newest_change()
    # clang compares the names of directories, so the path must be resolved.
    places = ([pathlib.Path(arguments.zig)] if arguments.zig else
              list(pathlib.Path("build-tools/zig").glob("lib/python3*/site-packages/ziglang")))
    arguments.zig = places[0].resolve() if places else pathlib.Path()
    library = arguments.zig / "lib/libc/darwin/libSystem.tbd"
    if not library.exists():
        skip("PyPI's ziglang is not installed (./dev setup installs it)")
    for what, path in [("clang", arguments.clang), ("llvm-nm", arguments.nm)] + [
            ("googletest's headers", path) for path in arguments.system]:
        if not pathlib.Path(path).exists():
            skip(f"{what} not found")
    arguments.tools = tools_of(arguments)
    system = set(re.findall(r"[\w$.]+", library.read_text()))

    failed = False
    # The tests take longest, so they are compiled for only one target.
    jobs = [(target, source) for target in TARGETS
            for source in arguments.sources + (arguments.tests if target == TARGETS[0] else [])]
    objects = {target: [] for target in TARGETS}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: (job, compile_one(arguments, *job)), jobs)
        for (target, source), (place, status, messages) in results:
            if status:
                failed = True
                print(f"{source} does not compile for {target}:\n{messages}")
            objects[target].append(place)
    if failed:
        return 1

    for target, places in objects.items():
        defined, lacked = symbols(arguments, places)
        for name, place in sorted(lacked.items()):
            if (name not in defined and name not in system
                    and not RUNTIME.match(name) and not TESTING.match(name)):
                failed = True
                print(f"{target}: no object or library has {name} ({place})")
        print(f"{target}: {len(places)} sources refer to {len(lacked)} symbols")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
