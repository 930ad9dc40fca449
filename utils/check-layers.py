#!/usr/bin/env python3
"""Checks that no layer includes a header of a layer to its right, and each layer's page.

    OS <- FileTree <- Formats <- Inputs <- Plan <- Engine <- Link <- Bench <- tools
                                            Report <- Engine, Link, Bench, tools

A library that calls a later layer fails to link, but the build does not notice headers alone. The
script also checks that OS includes no LLVM, only Link and the tools include lld, only Formats
includes LLVM's decoders of files, only lib/OS has conditionals on a platform, and only LLVM.h has
conditionals on LLVM's version.

Each layer has a page, lib/LAYER/README.md or tools/README.md, of at most 40 lines. In backquotes,
the page names

- each public header of the layer, by its stem (`PageCache`, `PageCache.h`);
- each private source (also all of tools/headstart) by its stem, by a type that it defines, or by
  the directory below lib/LAYER that holds it.

Each file that the page names exists: from the root, in the layer, or with the layer before it
(`Plan/Tuning.h`). Some source has each name in CamelCase.

A test names each decision of the engine: a unit test of Engine as `Decision::StreakLeft`, or a
script in test as `["streak left"]`. The simulation takes all of them, but tests no result.
"""

import argparse
import pathlib
import re
import sys

# Each layer may include itself, these layers, and all that they may include.
LAYERS = {"OS": [], "Report": [], "FileTree": ["OS"], "Formats": ["OS"],
          "Inputs": ["FileTree", "Formats"], "Plan": ["Inputs"], "Engine": ["Plan", "Report"],
          "Link": ["Engine"], "Bench": ["Link"]}
ALLOWED = {}
for name, used in LAYERS.items():
    ALLOWED[name] = {name}.union(*(ALLOWED[layer] for layer in used))
# LLVM's decoders of objects, archives, bitcode and debug information.
DECODES = re.compile(r"llvm/(Bitcode|Bitstream|DebugInfo|Object|BinaryFormat/(ELF|Dwarf))\b"
                     r"(?!/WindowsMachineFlag)")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
PLATFORM = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif).*"
                      r"\b(_WIN32|_WIN64|__linux__|__APPLE__|__unix__|_MSC_VER|__MINGW32__)\b")
# The header for the differences between LLVM's versions; it belongs to no layer.
VERSIONS = "LLVM.h"
VERSION = re.compile(r"^\s*#\s*(if|elif)\b.*\bLLVM_VERSION_")
PAGE = "README.md"
MAX_PAGE_LINES = 40
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w./-]*\w\.(?:cpp|h|td|def|inc|js|json|md|py|test|txt)|(?:[\w-]+/)+"
                  r"|(?:cmake|docs|examples|include|lib|test|tools|unittests|utils)/[\w./-]+")
DECISIONS = pathlib.Path("include/headstart/Report/Decisions.def")
DECISION = re.compile(r'^DECISION\((\w+), ("[^"]+")\)', re.M)
TYPE_NAME = re.compile(r"\b[A-Z]\w*[a-z]\w*")
TYPE = re.compile(r"^\s*(?:class|struct|enum class|enum) (\w+)[^;()]*(?:\{|$)", re.M)


def layer_of(path: pathlib.Path) -> str:
    """The layer of a source: the name of its directory, or 'tools'."""
    parts = path.parts
    if parts[0] == "include":
        return parts[2]
    if parts[0] in ("lib", "unittests"):
        return parts[1]
    return "tools"


def problems_in(path: pathlib.Path, text: str):
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
            if DECODES.match(target) and layer != "Formats" and path.parts[0] != "unittests":
                yield where + f"{layer} must not decode files: {target}"
        elif target.startswith("lld/"):
            if layer not in ("Link", "tools"):
                yield where + f"{layer} must not include lld"


def sources(root: pathlib.Path):
    for top in ("include", "lib", "tools", "unittests"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path.relative_to(root)


def is_named(path: pathlib.Path, text: str, names: set) -> bool:
    """Whether a page with these names covers a source."""
    if path.stem in names:
        return True
    if path.parts[0] == "include":
        return False
    below = path.parts[2:-1]  # lib/OS/Linux/Cgroup.cpp: Linux
    return any(name in names for name in (*below, *TYPE.findall(text)))


def page_problems(root: pathlib.Path, texts: dict):
    """Yields a message for each breach of the rules for pages. `texts` has all sources."""
    known = {name for text in texts.values() for name in TYPE_NAME.findall(text)}
    known |= {part for path in texts for part in (*path.parts, path.stem)}
    tops = [path for path in (root / "lib").glob("*") if path.is_dir()]
    for top in sorted([*tops, root / "tools"]):
        page = top / PAGE
        name = page.relative_to(root)
        if not page.exists():
            yield f"{name}: missing"
            continue
        text = page.read_text(encoding="utf-8")
        if (lines := len(text.splitlines())) > MAX_PAGE_LINES:
            yield f"{name}: {lines} lines, more than {MAX_PAGE_LINES}"
        headers = root / "include/headstart"
        below = [path for path in top.iterdir() if path.is_dir()]
        places = (root, root / "lib", headers, top, headers / top.name, *below)
        code = CODE.findall(text)
        for file in [span for span in code if FILE.fullmatch(span)]:
            if not any((place / file).exists() for place in places):
                yield f"{name}: nothing at {file}"
        names = {part for span in code for part in re.findall(r"\w+", span)}
        for span in [span for span in code if not FILE.fullmatch(span)]:
            for unknown in sorted(set(TYPE_NAME.findall(span)) - known):
                yield f"{name}: no source has {unknown}"
        for path, source in texts.items():
            if layer_of(path) == top.name and path.parts[0] != "unittests":
                if not is_named(path, source, names):
                    yield f"{name}: does not name {path}"


def decision_problems(root: pathlib.Path):
    files = [*(root / "unittests/Engine").glob("*.cpp"), *(root / "test").rglob("*.py"),
             *(root / "test").rglob("*.test")]
    tests = "\n".join(path.read_text(encoding="utf-8") for path in files)
    for name, key in DECISION.findall((root / DECISIONS).read_text(encoding="utf-8")):
        if not re.search(rf"\bDecision::{name}\b", tests) and f"[{key}]" not in tests:
            yield f"{DECISIONS}: no test names {name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    root = parser.parse_args().root
    texts = {path: (root / path).read_text(encoding="utf-8") for path in sources(root)}
    found = [problem for path, text in texts.items() for problem in problems_in(path, text)]
    found += [*page_problems(root, texts), *decision_problems(root)]
    print("\n".join([*found, f"{len(texts)} sources, {len(found)} problems"]))
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
