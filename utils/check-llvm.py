#!/usr/bin/env python3
"""Reports the parts of Headstart that do not fit another version of LLVM.

NEXT is a version (in /usr/lib/llvm-NEXT) or the directory of an installation. The script compares

  options    the tables in lib/Inputs/*.td with those in lld's archives
  seam       the functions of lib/Link/SeamFunctions.json, by name and parameters
  stages     the names of lld-link's timers, which mark its stages; also reports timers
             that are new since the LLVM that Headstart is built with (--known)
  sources    those that include lld's headers or headstart/LLVM.h: whether they compile,
             and whether lld's archives have the functions that they call

It prints one line for each mismatch. The exit status is 1 if there is one, 2 if the script cannot
compare. docs/internals/NewLLVM.md has the next steps.
"""

import argparse
import concurrent.futures
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from common import ROOT, temporary_directory

TABLES = {"COFF": "lld-link", "ELF": "ld.lld", "MinGW": "ld.lld as MinGW's", "MachO": "ld64.lld"}
# The order of cmake/HeadstartLLVM.cmake: each archive precedes those that it calls.
ARCHIVES = ("lldMinGW", "lldCOFF", "lldELF", "lldMachO", "lldCommon")
HELP = "llvm::opt::OptTable::printHelp"
# It finds functions when Headstart is built.
seam = importlib.import_module("rename-seam")
Problem = seam.Problem


def run(*command):
    """Runs a command. Returns (status, standard output, standard error)."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def first_error(messages):
    """The first error of a compiler or a linker, in one line."""
    lines = [line for line in messages.splitlines() if "error" in line]
    return (lines or messages.strip().splitlines() or ["failed"])[0].replace(f"{ROOT}/", "")


class Installation:
    def __init__(self, name, work):
        self.directory = pathlib.Path(f"/usr/lib/llvm-{name}" if re.fullmatch(r"\d+", name)
                                      else name)
        self.bin, self.include = self.directory / "bin", self.directory / "include"
        paths = {name: self.directory / "lib" / f"lib{name}.a" for name in ARCHIVES}
        for path in (*paths.values(), self.include / "lld/Common/Driver.h",
                     self.include / "llvm/Option/OptParser.td"):
            if not path.is_file():
                raise Problem(f"no {path}: LLVM's and lld's development files are needed")
        self.work = work / self.directory.name
        self.work.mkdir()
        self.tools = seam.Tools(self.bin, self.work)
        self.version = self.tools.run("llvm-config", "--version")[0]
        self.paths = list(paths.values())
        # wasm-ld's archive, which the seam does not bind.
        self.others = [path for path in [self.directory / "lib/liblldWasm.a"] if path.exists()]
        self.archives = [seam.Archive(path) for path in self.paths]
        self.compiler = (shutil.which("clang++", path=str(self.bin))
                         or os.environ.get("CXX") or shutil.which("clang++-22") or "c++")

    def compile(self, source, out, *flags):
        """Compiles a source. Returns the first error in one line, or an empty string."""
        status, _, messages = run(
            self.compiler, "-std=c++20", "-fno-rtti", "-Wall", "-Wextra", "-Wno-unused-parameter",
            "-Wno-return-type-c-linkage", "-Werror", "-DHEADSTART_UNWINDS=1",
            '-DHEADSTART_STOCK_LLD="lld"', f"-I{ROOT}/include", f"-I{self.work}/include",
            "-isystem", self.include, *flags, "-c", source, "-o", out)
        return first_error(messages) if status else ""


# -- option tables -----------------------------------------------------------

def printer(llvm):
    """Builds a program that prints the option tables of this LLVM's lld."""
    # Every version has printHelp, which print-options.cpp replaces.
    entry = {"function": HELP, "referenced_in": ["lldCOFF", "lldELF"]}
    seam.read_symbols(llvm.archives, [entry], llvm.tools)
    symbol = seam.symbol_of(entry, llvm.archives)
    out = llvm.work / "print-options"
    problem = llvm.compile(ROOT / "utils" / "llvm" / "print-options.cpp",
                           f"{out}.o", f'-DPRINT_HELP="__wrap_{symbol}"')
    if problem:
        raise Problem(f"the option tables cannot be read: {problem}")
    flags = " ".join(llvm.tools.run("llvm-config", "--ldflags", "--libs", "--system-libs")).split()
    # llvm-config does not name lld's own archives.
    status, _, messages = run(
        llvm.compiler, f"{out}.o", f"-Wl,--wrap={symbol}", *llvm.paths, *llvm.others, *flags,
        f"-Wl,-rpath,{llvm.directory}/lib", "-lz", "-lzstd", "-lpthread", "-o", out)
    if status:
        raise Problem(f"the option tables cannot be read: {first_error(messages)}")
    return out


def options_of_lld(program, flavour):
    """Returns {(prefix, name, kind, number of values)}."""
    status, printed, messages = run(program, flavour)
    if status or not printed:
        raise Problem(f"the options of {TABLES[flavour]} cannot be read: {first_error(messages)}")
    options = set()
    for line in printed.splitlines():
        prefix, name, kind, count = line.split("\t")
        options.add((prefix, name, kind, int(count) if kind == "MULTIARG" else 0))
    return options


def options_of_ours(llvm, flavour):
    """Returns (options that mirror lld's, all), as this LLVM's llvm-tblgen reads them."""
    table = ROOT / "lib" / "Inputs" / f"{flavour}Options.td"
    records = json.loads("\n".join(llvm.tools.run(
        "llvm-tblgen", "--dump-json", f"-I{llvm.include}", f"-I{table.parent}", table)))
    mirrored, everything = set(), set()
    for record in (records[name] for name in records["!instanceof"]["Option"]):
        kind = record["Kind"]["def"].removeprefix("KIND_")
        if kind in ("GROUP", "INPUT", "UNKNOWN"):
            continue
        is_own = (record["Group"] or {}).get("def") == "grp_headstart"
        for prefix in record["Prefixes"]:
            option = (prefix, record["Name"], kind, record["NumArgs"] if kind == "MULTIARG" else 0)
            everything.add(option)
            if not is_own:
                mirrored.add(option)
    return mirrored, everything


def described(options):
    """Yields a line for each name and kind, with its prefixes."""
    prefixes = {}
    for prefix, name, kind, count in sorted(options):
        prefixes.setdefault((name, kind, count), []).append(prefix)
    for (name, kind, count), before in prefixes.items():
        how = kind.lower().replace("_", " ") + (f" {count}" if count else "")
        yield f"{before[-1]}{name} ({how}; after {' '.join(before)})"


def check_options(llvm):
    program = printer(llvm)
    for flavour, linker in TABLES.items():
        theirs = options_of_lld(program, flavour)
        mirrored, ours = options_of_ours(llvm, flavour)
        table = f"{flavour}Options.td"
        for option in described(theirs - ours):
            yield f"{table} does not have {linker}'s {option}"
        for option in described(mirrored - theirs):
            yield f"{linker} does not have {table}'s {option}"


# -- the seam ----------------------------------------------------------------

def declared_parameters(llvm):
    """Returns (name in the table -> parameters that the seam's sources declare, errors)."""
    found, problems = {}, []
    header = ROOT / "utils" / "llvm" / "DeclaredNames.h"
    for source in sorted((ROOT / "lib" / "Link").glob("Seam*.cpp")):
        out = llvm.work / f"declared-{source.stem}.o"
        problem = llvm.compile(source, out, "-include", header)
        if problem:
            problems.append(problem)
            continue
        for line in llvm.tools.run("llvm-nm", "--demangle", "--defined-only",
                                   "--format=just-symbols", out):
            match = re.match(r"headstart_wrap_(\w+)(?:\[abi:\w+\])?(\(.*\))$", line)
            if match:
                found[match[1]] = seam.spelled(match[2])
    return found, problems


def parameters_of(function, symbol, archives):
    """A function's parameters in the archives; a constructor's begin with `this`."""
    demangled = next(demangled for archive in archives for member in archive.members
                     for name, demangled, _ in member.symbols if name == symbol)
    parameters = seam.split_function(demangled)[1]
    name = seam.qualified(function)
    if len(name) > 1 and name[-1] == name[-2]:
        this = "::".join(name[:-1]) + "*"
        inside = parameters[1:-1]
        parameters = f"({this}{', ' if inside else ''}{inside})"
    return parameters


def check_seam(llvm):
    table = json.loads((ROOT / "lib" / "Link" / "SeamFunctions.json").read_text())
    seam.read_symbols(llvm.archives, table, llvm.tools)
    declared, problems = declared_parameters(llvm)
    yield from problems
    for entry in table:
        name, function = entry["name"], entry["function"]
        try:
            symbol = seam.symbol_of(entry, llvm.archives)
            seam.check_definition(entry, symbol, llvm.archives)
        except Problem as problem:
            yield f"{name}: {problem}".replace(f"{llvm.directory}/", "")
            continue
        theirs = parameters_of(function, symbol, llvm.archives)
        if name in declared and declared[name] != theirs:
            yield (f"{name}: {function} takes {theirs}, the seam takes it for {declared[name]}")
        elif name not in declared and not problems:
            yield f"{name}: no source of the seam has HEADSTART_WRAP({name})"


# -- stages ------------------------------------------------------------------

def timers_of(llvm):
    """The names of lld-link's timers, and a few other strings."""
    members = [member for archive in llvm.archives for member in archive.members
               if member.name == "COFFLinkerContext.cpp.o"]
    if len(members) != 1:
        raise Problem("liblldCOFF.a has no COFFLinkerContext.cpp.o, whose strings "
                      "are the names of lld-link's timers")
    source, strings = llvm.work / "timers.o", llvm.work / "timers"
    source.write_bytes(members[0].data)
    llvm.tools.run("llvm-objcopy", f"--dump-section=.rodata.str1.1={strings}",
                   source, llvm.work / "unused.o")
    return set(strings.read_bytes().decode("utf-8", "replace").split("\0")) - {""}


def check_stages(llvm, known):
    source = ROOT / "lib" / "Link" / "LinkSession.cpp"
    table = re.search(r"::reached\(StringRef Name\) \{.*?^}", source.read_text(), re.M | re.S)
    ours = re.findall(r'\.Case\("([^"]+)"', table[0]) if table else []
    if not ours:
        raise Problem(f"{source}: LinkSession::reached has no stages")
    theirs = timers_of(llvm)
    for name in ours:
        if name not in theirs:
            yield (f"lld-link has no timer '{name}', by which "
                   "lib/Link/LinkSession.cpp knows a stage")
    for name in sorted(theirs - known) if known is not None else ():
        if re.fullmatch(r"[A-Z][\w ()-]*", name):
            yield f"lld-link has a timer that is new: '{name}'"


# -- sources -----------------------------------------------------------------

def sources_to_compile():
    """The sources that depend on LLVM's version, also through their own header."""
    differs = re.compile(r'#include "(headstart/LLVM\.h|lld/[^"]+)"')
    found = set()
    for path in [*ROOT.glob("lib/**/*.cpp"), *ROOT.glob("lib/**/*.h"),
                 *ROOT.glob("include/headstart/*/*.h")]:
        if not differs.search(path.read_text(encoding="utf-8")):
            continue
        if path.suffix == ".h":
            below = path.relative_to(ROOT)
            parts = [p for p in below.parts if p not in ("include", "headstart", "lib")]
            path = ROOT.joinpath("lib", *parts).with_suffix(".cpp")
        if path.exists():
            found.add(path)
    return sorted(found)


def missing_of_lld(llvm, objects):
    """Yields the functions of lld that our sources call and its archives lack."""
    wanted, defined = {}, set()
    for source, out in objects.items():
        for line in llvm.tools.run("llvm-nm", "--undefined-only", "--format=just-symbols", out):
            if re.match(r"_ZNK?3lld", line):
                wanted.setdefault(line, source)
    if not wanted:
        return
    for path in llvm.paths + llvm.others:
        defined.update(llvm.tools.run("llvm-nm", "--defined-only", "--quiet",
                                      "--format=just-symbols", path))
    for symbol in sorted(set(wanted) - defined):
        name = llvm.tools.run("llvm-cxxfilt", symbol)[0]
        yield f"{wanted[symbol].relative_to(ROOT)}: lld's archives have no {name}"


def check_sources(llvm):
    tables = llvm.work / "include" / "headstart" / "Inputs"
    tables.mkdir(parents=True)
    for flavour in TABLES:
        llvm.tools.run("llvm-tblgen", "-gen-opt-parser-defs", f"-I{llvm.include}",
                       f"-I{ROOT}/lib/Inputs", ROOT / "lib" / "Inputs" / f"{flavour}Options.td",
                       "-o", tables / f"{flavour}Options.inc")
    sources = sources_to_compile()
    outs = [llvm.work / f"{number}.o" for number in range(len(sources))]

    def compile_one(number):
        return llvm.compile(sources[number], outs[number], "-DHEADSTART_SEAM_RENAME",
                            '-DHEADSTART_VERSION="0"', f"-I{ROOT}/lib/Inputs")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(compile_one, range(len(sources))))
    yield from (problem for problem in problems if problem)
    yield from missing_of_lld(llvm, {
        source: out for source, out, problem in zip(sources, outs, problems)
        if not problem and "Link" in source.parts})


# -- the whole ---------------------------------------------------------------

def known_timers(name, work):
    try:
        return timers_of(Installation(name, work))
    except (Problem, OSError) as problem:
        print(f"check-llvm: new timers cannot be found: {problem}", file=sys.stderr)
        return None


def check(name, known, work):
    """Prints the mismatches. Returns their number."""
    llvm = Installation(name, work / "next")
    print(f"Headstart against LLVM {llvm.version} in {llvm.directory}")
    count = 0
    for part, checks in (
            ("options", lambda: check_options(llvm)),
            ("seam", lambda: check_seam(llvm)),
            ("stages", lambda: check_stages(llvm, known_timers(known, work / "known"))),
            ("sources", lambda: check_sources(llvm))):
        found = 0
        try:
            for finding in checks():
                print(f"{part}: {finding}", flush=True)
                found += 1
        except Problem as problem:
            print(f"{part}: {problem}", flush=True)
            found += 1
        if not found:
            print(f"{part}: nothing")
        count += found
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("next", metavar="NEXT",
                        help="a version, or the directory of an installation")
    options = (ROOT / "cmake" / "HeadstartOptions.cmake").read_text()
    parser.add_argument("--known", metavar="LLVM",
                        default=re.search(r"set\(HEADSTART_LLVM_VERSION (\d+)", options)[1],
                        help="the one that Headstart is built with (%(default)s)")
    args = parser.parse_args()
    with temporary_directory() as work:
        for name in ("next", "known"):
            (work / name).mkdir()
        try:
            count = check(args.next, args.known, work)
        except (Problem, OSError) as problem:
            print(f"check-llvm: error: {problem}", file=sys.stderr)
            return 2
    if count:
        print(f"{count} mismatches: docs/internals/NewLLVM.md")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
