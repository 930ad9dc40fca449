#!/usr/bin/env python3
"""Checks that no layer includes a header of a layer to its right.

    OS <- FileTree <- Formats <- Inputs <- Plan <- Engine <- Link <- Bench <- tools
                                            Report <- Engine, Link, Bench, tools

A library that calls a later layer fails to link, but the build does not notice headers
alone. The script also checks that OS includes no LLVM, only Link and the tools include
lld, only Formats includes LLVM's decoders of files, only lib/OS has conditionals on a
platform, and only LLVM.h has conditionals on LLVM's version.
"""

import argparse
import pathlib
import re
import sys
import tempfile

ALLOWED = {
    "OS": {"OS"},
    "FileTree": {"OS", "FileTree"},
    "Formats": {"OS", "Formats"},
    "Report": {"Report"},
}
ALLOWED["Inputs"] = ALLOWED["FileTree"] | {"Formats", "Inputs"}
ALLOWED["Plan"] = ALLOWED["Inputs"] | {"Plan"}
ALLOWED["Engine"] = ALLOWED["Plan"] | {"Report", "Engine"}
ALLOWED["Link"] = ALLOWED["Engine"] | {"Link"}
ALLOWED["Bench"] = ALLOWED["Link"] | {"Bench"}
# LLVM's decoders of objects, archives, bitcode and debug information.
DECODES = re.compile(
    r"llvm/(Bitcode|Bitstream|DebugInfo|Object|BinaryFormat/(ELF|Dwarf))\b"
    r"(?!/WindowsMachineFlag)")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
PLATFORM = re.compile(
    r"^\s*#\s*(if|ifdef|ifndef|elif).*"
    r"\b(_WIN32|_WIN64|__linux__|__APPLE__|__unix__|_MSC_VER|__MINGW32__)\b")
# The header for the differences between LLVM's versions; it belongs to no layer.
VERSIONS = "LLVM.h"
VERSION = re.compile(r"^\s*#\s*(if|elif)\b.*\bLLVM_VERSION_")


def layer_of(path: pathlib.Path) -> str:
    """The layer of a source: the name of its directory, or 'tools'."""
    parts = path.parts
    if parts[0] == "include":
        return parts[2]
    if parts[0] in ("lib", "unittests"):
        return parts[1]
    return "tools"


def problems_in(path: pathlib.Path, text: str):
    """Yields one message for each line of a source that breaks a rule."""
    layer = layer_of(path)
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}: "
        if PLATFORM.match(line) and layer != "OS":
            yield where + "a conditional on a platform outside lib/OS"
        if VERSION.match(line) and layer != VERSIONS:
            yield where + f"a conditional on LLVM's version outside {VERSIONS}"
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        if target.startswith("headstart/"):
            used = target.split("/")[1]
            if used == VERSIONS:
                if layer == "OS":
                    yield where + "OS must not include LLVM"
            elif layer in ALLOWED and used not in ALLOWED[layer]:
                yield where + f"{layer} must not include {used}"
        elif target.startswith(("llvm/", "llvm-c/")):
            if layer == "OS":
                yield where + "OS must not include LLVM"
            if (DECODES.match(target) and layer != "Formats"
                    and path.parts[0] != "unittests"):
                yield where + f"{layer} must not decode files: {target}"
        elif target.startswith("lld/"):
            if layer not in ("Link", "tools"):
                yield where + f"{layer} must not include lld"


def sources(root: pathlib.Path):
    for top in ("include", "lib", "tools", "unittests"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path.relative_to(root)


def check(root: pathlib.Path) -> int:
    count = 0
    found = 0
    for path in sources(root):
        count += 1
        text = (root / path).read_text(encoding="utf-8")
        for problem in problems_in(path, text):
            print(problem)
            found += 1
    print(f"{count} sources, {found} problems")
    return 1 if found or count == 0 else 0


def self_test() -> int:
    """Breaks each rule once, since a check that finds nothing proves nothing."""
    broken = {
        "lib/OS/A.cpp": '#include "llvm/ADT/StringRef.h"',
        "lib/Plan/B.cpp": '#include "headstart/Engine/PrefetchEngine.h"',
        "include/headstart/Report/C.h": '#include "headstart/OS/PageCache.h"',
        "lib/Engine/D.cpp": '#include "lld/Common/Driver.h"',
        "lib/Link/E.cpp": "#ifdef __linux__",
        "lib/Inputs/I.cpp": '#include "llvm/Object/Archive.h"',
        "lib/OS/K.cpp": '#include "headstart/LLVM.h"',
        "lib/Engine/L.cpp": "#if LLVM_VERSION_MAJOR > 20",
    }
    sound = {
        "lib/OS/F.cpp": "#if defined(_WIN32)",
        "lib/Link/G.cpp": '#include "lld/Common/Driver.h"',
        "lib/Formats/J.cpp": '#include "llvm/Object/Archive.h"',
        "lib/Engine/H.cpp": '#include "headstart/Plan/FetchPlan.h"',
        "lib/Engine/M.cpp": '#include "headstart/LLVM.h"',
        "include/headstart/LLVM.h": "#if LLVM_VERSION_MAJOR > 20",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**broken, **sound}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        for name in list(broken) + list(sound):
            path = pathlib.Path(name)
            text = (root / path).read_text(encoding="utf-8")
            found = list(problems_in(path, text))
            if bool(found) != (name in broken):
                print(f"self-test: {name}: found {found}")
                return 1
    print("self-test passed")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    return self_test() if arguments.self_test else check(arguments.root)


if __name__ == "__main__":
    sys.exit(main())
