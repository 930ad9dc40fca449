#!/usr/bin/env python3
"""Compiles sources for macOS on any machine, and reports undefined symbols.

    utils/check-macos.py [--zig DIRECTORY] --clang CLANG --nm NM --out DIRECTORY
                         [--include DIRECTORY]... [--system DIRECTORY]...
                         --sources FILE... [--tests FILE...]

PyPI's package `ziglang` has the headers of macOS and of libc++, and a list of the
symbols of macOS's own library (libSystem.tbd). It is in DIRECTORY or below
build-tools/zig. clang compiles with these headers for arm64 and for x86-64. The script
does not link, since building libc++ would take minutes. Instead, another object,
libSystem or the C++ standard library must have every symbol that an object lacks.
--tests are compiled for arm64 only, and may lack googletest's symbols.

Run it from the root of the checkout. ninja compiles only what has changed. The script prints
errors and then returns status 1. If a prerequisite is missing, it prints "skipped: ..." and
returns status 77. It assumes that the C++ library has all of its symbols, whatever its version.
"""
import argparse
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
TARGETS = ["arm64-apple-macos11.0", "x86_64-apple-macos11.0"]

# The settings that a build of libc++ decides, as for macOS's own libc++: ziglang's
# headers lack the file that has them.
LIBCXX = """ABI_VERSION=1 ABI_NAMESPACE=__1 HAS_THREADS=1 HAS_MONOTONIC_CLOCK=1 HAS_TERMINAL=1
HAS_MUSL_LIBC=0 HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 HAS_FILESYSTEM=1 HAS_RANDOM_DEVICE=1
HAS_LOCALIZATION=1 HAS_UNICODE=1 HAS_WIDE_CHARACTERS=1 HAS_TIME_ZONE_DATABASE=0
HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE HARDENING_MODE_DEFAULT=_LIBCPP_HARDENING_MODE_NONE
ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE""".split()
WARNINGS = ("-Wall -Wextra -Wpedantic -Wno-unused-parameter -Wimplicit-fallthrough "
            "-Wnon-virtual-dtor -Woverloaded-virtual -Werror").split()

# The symbols of the C++ library and its runtime, in libc++.dylib and libc++abi.dylib:
# mangled names of namespace std, operators new and delete, type information of
# the language, and the runtime itself. The linker defines ___dso_handle.
RUNTIME = re.compile(r"^(__ZN?K?S|__ZT[ISTV]N?K?S|__ZT[IV]N10__cxxabiv1|__Zn[wa]|"
                     r"__Zd[la]|__ZTI[a-zP]|__ZTS[a-zP]|___cxa_|___gxx_|__ZT[hc]|"
                     r"___clang_call_terminate|___dso_handle$)")
# The symbols of googletest, which is not compiled here.
TESTING = re.compile(r"^__ZT?[ISV]?N?K?7testing|^__ZN?K?7testing")


# The objects depend on the compiler, too, so that another version compiles all again.
RULES = """builddir = {out}
rule compile
  command = {clang} -target $target {flags} -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = $out
"""


def flags(arguments):
    found = ["-std=c++20", "-O0", "-nostdinc", "-nostdinc++"]
    found += [f"-D_LIBCPP_{setting}" for setting in LIBCXX]
    found.append("-D_LIBCPP_PSTL_BACKEND_SERIAL")
    for directory in ("libcxx/include", "libcxxabi/include", "include",
                      "libc/include/any-darwin-any"):
        found += ["-isystem", str(arguments.zig / "lib" / directory)]
    # macOS's <math.h> includes only a part of clang's <float.h>, after which libc++'s
    # <float.h> adds nothing.
    found += ["-include", "math.h", "-include", str(arguments.zig / "lib/include/float.h")]
    found += [*WARNINGS, *(f"-I{include}" for include in arguments.include)]
    return found + [word for include in arguments.system for word in ("-isystem", include)]


def compile_all(arguments):
    """Returns the objects of each target, or None if one does not compile."""
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    lines = [RULES.format(out=out, clang=arguments.clang, flags=" ".join(flags(arguments)))]
    objects = {target: [] for target in TARGETS}
    # The tests take longest, so they are compiled for only one target.
    for target, sources in zip(TARGETS, (arguments.sources + arguments.tests, arguments.sources)):
        for source in sources:
            name = re.sub(r"[^A-Za-z0-9]", "_", source)
            objects[target].append(out / target.split("-")[0] / f"{name}.o")
            lines.append(f"build {objects[target][-1]}: compile {source} | {arguments.clang}\n"
                         f"  target = {target}\n")
    (out / "build.ninja").write_text("".join(lines))
    done = subprocess.run(["ninja", "-k0", "-f", out / "build.ninja"])
    return objects if done.returncode == 0 else None


def symbols(arguments, objects):
    """The symbols that the objects define; those that they lack, by the first object."""
    defined, lacked = set(), {}
    for place in objects:
        text = subprocess.run([arguments.nm, "-g", "--format=posix", str(place)],
                              capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            words = line.split()
            if len(words) < 2:
                continue
            if words[1] in "Uu":
                lacked.setdefault(words[0], place.name)
            else:
                defined.add(words[0])
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

    # clang compares the names of directories, so the path must be resolved.
    places = ([pathlib.Path(arguments.zig)] if arguments.zig else
              list(pathlib.Path("build-tools/zig").glob("lib/python3*/site-packages/ziglang")))
    arguments.zig = places[0].resolve() if places else pathlib.Path()
    library = arguments.zig / "lib/libc/darwin/libSystem.tbd"
    if not library.exists():
        print("skipped: PyPI's ziglang is not installed (./dev setup installs it)")
        return SKIPPED
    for what, path in [("clang", arguments.clang), ("llvm-nm", arguments.nm)] + [
            ("googletest's headers", path) for path in arguments.system]:
        if path.endswith("-NOTFOUND") or not pathlib.Path(path).exists():
            print(f"skipped: {what} not found")
            return SKIPPED
    system = set(re.findall(r"[\w$.]+", library.read_text()))

    failed = False
    if not (objects := compile_all(arguments)):
        return 1

    for target, places in objects.items():
        defined, lacked = symbols(arguments, places)
        for name, place in sorted(lacked.items()):
            if (name not in defined and name not in system
                    and not RUNTIME.match(name) and not TESTING.match(name)):
                failed = True
                print(f"{target}: nobody has {name} ({place})")
        print(f"{target}: {len(places)} sources, {len(lacked)} symbols looked for")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
